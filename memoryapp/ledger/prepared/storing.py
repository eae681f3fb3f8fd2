"""Rows inserted and written as they are in memory, by statements that are kept."""

from __future__ import annotations

import datetime as dt
import uuid
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    AutoField,
    BigIntegerField,
    BooleanField,
    CharField,
    DateTimeField,
    FloatField,
    ForeignKey,
    IntegerField,
    Model,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    TextField,
    UUIDField,
)
from django.db.models.sql import InsertQuery

from memoryapp.ledger.prepared.keeping import keep

MOST_AT_ONCE = {"sqlite": 32, "postgresql": 500}
"""Rows that one statement inserts. PostgreSQL takes a list for each column, however long."""

COPIED = 20
"""Rows from which on PostgreSQL is sent them as it copies a table, which neither side has to take apart."""


def insert(made: Sequence[Model]) -> None:
    """Store new rows of one model: what `bulk_create` does, without numbers that the database gives. A statement for
    each `MOST_AT_ONCE` of them."""
    connection = connections[DEFAULT_DB_ALIAS]
    most = MOST_AT_ONCE[connection.vendor]
    for start in range(0, len(made), most):
        several = made[start : start + most]
        _kept(type(several[0]), len(several), connection, partial(several.__getitem__, 0)).run(several, connection)


def fill(model: type[Model], alike: Mapping[str, Any], names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Store new rows of a model that are given as plain values, without an object for each: `names` are the columns
    (a foreign key by its `_id`) that each row gives in this order, `alike` what all of them have, the rest is at its
    default. A row gives its id. What `insert` does, and of very many rows in half the time."""
    connection = connections[DEFAULT_DB_ALIAS]
    most = MOST_AT_ONCE[connection.vendor]
    for start in range(0, len(rows), most):
        several = rows[start : start + most]
        like = partial(model, **alike, **dict(zip(names, several[0], strict=True)))
        kept = _kept(model, len(several), connection, like)
        kept.fill(alike, dict(zip(names, zip(*several, strict=True), strict=True)), len(several), connection)


def store(changed: Sequence[Model], names: Sequence[str]) -> None:
    """Write these columns of stored rows of one model as they are in memory: what `bulk_update` does, without building
    an expression for each value."""
    if not changed:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    options = type(changed[0])._meta
    fields = [options.get_field(name) for name in names]
    quote = connection.ops.quote_name
    columns = ", ".join(f"{quote(str(field.column))} = %s" for field in fields)  # type: ignore[union-attr]
    sql = f"UPDATE {quote(options.db_table)} SET {columns} WHERE {quote(str(options.pk.column))} = %s"
    storing = [_storing(field, connection) for field in (*fields, options.pk)]
    rows = [[store(one) for store in storing] for one in changed]
    with connection.cursor() as cursor:
        cursor.executemany(sql, rows)


_insertions: dict[Hashable, _Rows] = {}


def _kept(model: type[Model], count: int, connection: BaseDatabaseWrapper, like: Callable[[], Model]) -> _Rows:
    """How so many rows of a model are stored, `like` giving one of them. What is copied is sent alike in any number."""
    copied = connection.vendor == "postgresql" and count >= COPIED
    key = (model, connection.vendor, None if copied else count)
    kept = _insertions.get(key)
    if kept is None:
        kept = keep(_insertions, key, _Copied(model, connection) if copied else _Inserted(like(), count, connection))
    return kept


class _Rows(ABC):
    """How rows of a model are stored, and their values read off them."""

    def __init__(self, model: type[Model]) -> None:
        self.fields = [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]

    def fill(
        self, alike: Mapping[str, Any], given: Mapping[str, Sequence[Any]], count: int, connection: BaseDatabaseWrapper
    ) -> None:
        """Store rows of which the values are given by column."""
        parameters: list[Any] = []
        for field in self.fields:
            adapt = _adapting(field, connection)
            if field.attname in given:
                parameters.append([adapt(value) for value in given[field.attname]])
            else:
                value = alike[field.attname] if field.attname in alike else field.get_default()
                parameters.append([adapt(value)] * count)
        self._send(zip(*parameters, strict=True), count, connection)

    def run(self, made: Sequence[Model], connection: BaseDatabaseWrapper) -> None:
        storing = [_storing(field, connection) for field in self.fields]
        stored = [[store(one) for store in storing] for one in made]
        self._send(stored, len(stored), connection)
        for one in made:
            one._state.adding = False
            one._state.db = DEFAULT_DB_ALIAS

    @abstractmethod
    def _send(self, rows: Iterable[Sequence[Any]], count: int, connection: BaseDatabaseWrapper) -> None:
        """Store rows of which the values are as the database takes them."""


class _Copied(_Rows):
    """Sent as a table is copied: told by its columns alone."""

    def __init__(self, model: type[Model], connection: BaseDatabaseWrapper) -> None:
        super().__init__(model)
        quote = connection.ops.quote_name
        columns = ", ".join(quote(str(field.column)) for field in self.fields)
        self.sql = f"COPY {quote(model._meta.db_table)} ({columns}) FROM STDIN"

    def _send(self, rows: Iterable[Sequence[Any]], count: int, connection: BaseDatabaseWrapper) -> None:
        with connection.cursor() as cursor, connection.wrap_database_errors, cursor.copy(self.sql) as copy:
            for row in rows:
                copy.write_row(row)


class _Inserted(_Rows):
    """Inserted by the statement that Django makes for so many rows."""

    def __init__(self, like: Model, count: int, connection: BaseDatabaseWrapper) -> None:
        super().__init__(type(like))
        query = InsertQuery(type(like))
        query.insert_values(self.fields, [like] * count)
        [(self.sql, parameters)] = query.get_compiler(connection=connection).as_sql()
        self.by_column = count > 1 and len(parameters) == len(self.fields)

    def _send(self, rows: Iterable[Sequence[Any]], count: int, connection: BaseDatabaseWrapper) -> None:
        with connection.cursor() as cursor:
            if self.by_column:
                cursor.execute(self.sql, [list(column) for column in zip(*rows, strict=True)])
            else:
                cursor.execute(self.sql, [value for row in rows for value in row])


_PLAINLY_STORED = {
    CharField: str,
    TextField: str,
    UUIDField: uuid.UUID,
    ForeignKey: uuid.UUID,
    DateTimeField: dt.datetime,
    PositiveIntegerField: int,
    PositiveSmallIntegerField: int,
    IntegerField: int,
    BigIntegerField: int,
    BooleanField: bool,
    FloatField: float,
}
"""What a column of this sort takes as it is (see `adapted`); any other value goes through its field."""


def _storing(field: Any, connection: BaseDatabaseWrapper) -> Callable[[Model], Any]:
    """What gives a row's value for this column as the database takes it. Looks at the field once, not at every row."""
    if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False) or type(field) not in _PLAINLY_STORED:
        return lambda one: field.get_db_prep_save(field.pre_save(one, one._state.adding), connection)
    plain, convert, name = *_conversion(field, connection), field.attname

    def store(one: Model) -> Any:
        value = getattr(one, name)
        if value is None:
            return None
        if type(value) is plain:
            return convert(value) if convert else value
        return field.get_db_prep_save(value, connection)

    return store


def _adapting(field: Any, connection: BaseDatabaseWrapper) -> Callable[[Any], Any]:
    """What makes of a value for this column what the database takes."""
    plain, convert = _conversion(field, connection)

    def adapt(value: Any) -> Any:
        if value is None:
            return None
        if type(value) is plain:
            return convert(value) if convert else value
        return field.get_db_prep_save(value, connection)

    return adapt


def _conversion(field: Any, connection: BaseDatabaseWrapper) -> tuple[type | None, Callable[[Any], Any] | None]:
    """Values of which sort go as they are, but for this."""
    plain = _PLAINLY_STORED.get(type(field))
    if plain is uuid.UUID and not connection.features.has_native_uuid_field:
        return plain, attrgetter("hex")
    return plain, connection.ops.adapt_datetimefield_value if plain is dt.datetime else None
