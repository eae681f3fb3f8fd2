"""What makes of the database's rows what the queryset would."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    Model,
    QuerySet,
)
from django.db.models.query import FlatValuesListIterable, ModelIterable, ValuesListIterable, get_related_populators

Reader = Callable[[Sequence[Any], BaseDatabaseWrapper], list[Any]]


def reader_of(queryset: QuerySet[Any, Any], compiler: Any) -> Reader:
    """What makes of the database's rows what the queryset would."""
    if queryset._prefetch_related_lookups:  # type: ignore[attr-defined]
        raise TypeError("A prepared query fetches nothing beside its rows.")
    columns = [column for column, *_ in compiler.select[: compiler.col_count]]
    converters = [(at, *one) for at, one in compiler.get_converters(columns).items()]
    shown = compiler.col_count if compiler.has_extra_select else None
    make: Callable[[list[Any]], Any]
    iterable = queryset._iterable_class
    if iterable is ModelIterable:
        make = _models(queryset, compiler)
    elif iterable is FlatValuesListIterable:
        make = _first_column
    elif iterable is ValuesListIterable:
        make = tuple
    else:
        raise TypeError("A prepared query gives models or lists of values.")
    if iterable is ValuesListIterable and not converters and shown is None:
        return lambda found, connection: list(found)

    def read(found: Sequence[Any], connection: BaseDatabaseWrapper) -> list[Any]:
        return [make(_converted(row[:shown], converters, connection)) for row in found]

    return read


def _converted(
    row: Sequence[Any], converters: list[tuple[int, list[Any], Any]], connection: BaseDatabaseWrapper
) -> list[Any]:
    values = list(row)
    for at, several, expression in converters:
        value = values[at]
        for converter in several:
            value = converter(value, expression, connection)
        values[at] = value
    return values


def _first_column(row: Sequence[Any]) -> Any:
    return row[0]


def _models(queryset: QuerySet[Any, Any], compiler: Any) -> Callable[[list[Any]], Model]:
    found: dict[str, Any] = compiler.klass_info
    model: type[Model] = found["model"]
    columns = found["select_fields"]
    start, end = columns[0], columns[-1] + 1
    names = [column.target.attname for column, *_ in compiler.select[start:end]]
    populators = get_related_populators(found, compiler.select, queryset.db)  # type: ignore[call-arg]
    annotated = compiler.annotation_col_map.items()
    alias = queryset.db

    def make(row: list[Any]) -> Model:
        made = model.from_db(alias, names, row[start:end])
        for populator in populators:
            populator.populate(row, made)
        for name, column in annotated:
            setattr(made, name, row[column])
        return made

    return make
