"""Queries that are built once in a process: Django makes the SQL the first time, afterwards only the values are put in.

A query is a plain function of named values that gives a queryset. `rows(build, ..., **given)` finds exactly what
`list(build(..., **given))` finds, without building it anew each time: for the first call of its form the function is
given stand-ins, and where these end up among the parameters is where the values go from then on. One definition
serves both ways.

What the function may do with a named value is compare it with a column, or hand it to another query that does. It must
not look at it: what the form of a query depends on is handed over in front, without a name, or is None.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    AutoField,
    BigIntegerField,
    CharField,
    DateTimeField,
    ForeignKey,
    IntegerField,
    Model,
    PositiveIntegerField,
    PositiveSmallIntegerField,
    QuerySet,
    TextField,
    UUIDField,
)
from django.db.models.query import FlatValuesListIterable, ModelIterable, ValuesListIterable, get_related_populators
from django.db.models.sql import InsertQuery, UpdateQuery

from memoryapp.ledger.principal import Principal

Row = TypeVar("Row")
Reader = Callable[[Sequence[Any], BaseDatabaseWrapper], list[Any]]

MOST_KEPT = 2000
"""Forms kept in a process. Far more than the product has: lists of values are filled up to a power of two."""

MOST_VALUES = 2048
"""Values for which a form is kept; with more of them building it is a small part of the work."""

MOST_AT_ONCE = 32
"""Rows that one statement inserts."""

_FAR_OFF = dt.datetime(8888, 8, 8, tzinfo=dt.UTC)
_NEVER_AN_ID = 0x5EED << 112
_NEVER_A_NUMBER = 2_088_088_000
_NEVER_A_TEXT = "value·{}·"


def rows(build: Callable[..., QuerySet[Any, Row]], *shape: Hashable, **given: object) -> list[Row]:
    """What `build(*shape, **given)` finds, in its order. One query.

    A named value is an id, a time, a text, a number, a model instance (by its key), a Principal (by its workspace and
    actor), a list of such, or None. A queryset of models or of `values_list` can be found so.
    """
    taken = [(name, *_taken(value)) for name, value in given.items()]
    if sum(len(values) for _, _, values in taken) > MOST_VALUES or _under_rules(given):
        return list(build(*shape, **given))
    key = (build, connections[DEFAULT_DB_ALIAS].vendor, shape, tuple((name, form) for name, form, _ in taken))
    plan = _plans.get(key)
    if plan is None:
        plan = _keep(_plans, key, _Plan(build, shape, [(name, form) for name, form, _ in taken]))
    return plan.run([value for _, _, values in taken for value in values])


def first(build: Callable[..., QuerySet[Any, Row]], *shape: Hashable, **given: object) -> Row | None:
    """The first that `build` finds, or None. The function itself must ask for no more than one."""
    found = rows(build, *shape, **given)
    return found[0] if found else None


def change(
    build: Callable[..., QuerySet[Any, Any]], *shape: Hashable, to: Mapping[str, object], **given: object
) -> int:
    """What `build(*shape, **given).update(**to)` changes, and how many rows. An expression in `to` holds no values."""
    fixed = tuple((name, value) for name, value in to.items() if hasattr(value, "resolve_expression"))
    named = {name: value for name, value in to.items() if not hasattr(value, "resolve_expression")}
    taken = [(name, *_taken(value)) for name, value in (*named.items(), *given.items())]
    if sum(len(values) for _, _, values in taken) > MOST_VALUES or _under_rules(given):
        return build(*shape, **given).update(**to)
    forms = tuple((name, form) for name, form, _ in taken)
    key = (build, connections[DEFAULT_DB_ALIAS].vendor, shape, fixed, len(named), forms)
    plan = _plans.get(key)
    if plan is None:
        plan = _keep(_plans, key, _Plan(build, shape, list(forms), changed=(dict(fixed), len(named))))
    return plan.change([value for _, _, values in taken for value in values])


def insert(made: Sequence[Model]) -> None:
    """Store new rows of one model: what `bulk_create` does, without numbers that the database gives. A statement for
    each `MOST_AT_ONCE` of them."""
    connection = connections[DEFAULT_DB_ALIAS]
    for start in range(0, len(made), MOST_AT_ONCE):
        several = made[start : start + MOST_AT_ONCE]
        key = (type(several[0]), connection.vendor, len(several))
        kept = _insertions.get(key) or _keep(_insertions, key, _Insertion(several))
        kept.run(several, connection)


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


def _under_rules(given: Mapping[str, object]) -> bool:
    """Whether somebody asks who is under rules of paths: what these hide is not the same from one question to the
    next."""
    callers = [one for one in given.values() if isinstance(one, Principal)]
    return any(one.path_rules or one.path_default == "none" for one in callers)


_plans: dict[Hashable, _Plan] = {}
_insertions: dict[Hashable, _Insertion] = {}
Kept = TypeVar("Kept")


def _keep(plans: dict[Hashable, Kept], key: Hashable, plan: Kept) -> Kept:
    if len(plans) >= MOST_KEPT:
        plans.clear()
    plans[key] = plan
    return plan


@dataclass(frozen=True)
class _Several:
    form: Hashable
    length: int


def _taken(value: object) -> tuple[Hashable, Sequence[object]]:
    """The form of a named value, and the single values in it."""
    match value:
        case None:
            return None, ()
        case uuid.UUID():
            return "id", (value,)
        case str():
            return "text", (value,)
        case dt.datetime():
            return "time", (value,)
        case Principal():
            return Principal, (value.workspace.pk, value.actor.pk)
        case Model():
            return type(value), (value.pk,)
        case bool():
            raise TypeError("What a query's form depends on is handed over without a name.")
        case int():
            return "number", (value,)
        case Collection():
            several = list(value)
            if not several:
                return _Several(None, 0), ()
            length = 1 << (len(several) - 1).bit_length()
            return _Several(_taken(several[0])[0], length), several + several[-1:] * (length - len(several))
    raise TypeError(f"A query cannot be prepared for {type(value).__name__}.")


class _StandIns:
    """Values that occur nowhere else, numbered in the order in which the values of a call are taken."""

    def __init__(self) -> None:
        self.made: list[object] = []
        self.needless: set[int] = set()
        """Actors: what a whole workspace may see asks for none."""

    def one(self, form: Hashable) -> Any:
        number = len(self.made)
        match form:
            case None:
                return None
            case "id":
                return self._keep(uuid.UUID(int=_NEVER_AN_ID + number))
            case "text":
                return self._keep(_NEVER_A_TEXT.format(number))
            case "time":
                return self._keep(_FAR_OFF + dt.timedelta(microseconds=number))
            case "number":
                return self._keep(_NEVER_A_NUMBER + number)
            case _Several(inner, length):
                return [self.one(inner) for _ in range(length)]
        assert isinstance(form, type)
        if form is Principal:
            from memoryapp.ledger.models import Actor, Workspace

            workspace = Workspace(pk=self.one("id"))
            self.needless.add(len(self.made))
            return Principal(workspace, Actor(pk=self.one("id")), "")
        return form(pk=self.one("id"))

    def _keep(self, value: object) -> object:
        self.made.append(value)
        return value


@dataclass(frozen=True)
class _Place:
    """Where a value goes: into which parameter, and between which signs of it."""

    parameter: int
    value: int
    before: str = ""
    after: str = ""


class _Plan:
    """The SQL of one form of a query, and how its rows are read."""

    def __init__(
        self,
        build: Callable[..., QuerySet[Any, Any]],
        shape: tuple[Hashable, ...],
        forms: list[tuple[str, Hashable]],
        changed: tuple[dict[str, Any], int] | None = None,
    ) -> None:
        stand_ins = _StandIns()
        values = [(name, stand_ins.one(form)) for name, form in forms]
        fixed, count = changed or ({}, 0)
        queryset = build(*shape, **dict(values[count:]))
        query: Any = queryset.query
        if changed is not None:
            query = query.chain(UpdateQuery)
            query.add_update_values(fixed | dict(values[:count]))
        compiler = query.get_compiler(connection=connections[DEFAULT_DB_ALIAS])
        self.nothing = False
        try:
            self.sql, parameters = compiler.as_sql()
        except EmptyResultSet:
            self.nothing = True
            return
        self.parameters = list(parameters)
        self.places = list(_places(self.parameters, stand_ins.made, connections[DEFAULT_DB_ALIAS]))
        if set(range(len(stand_ins.made))) - stand_ins.needless - {place.value for place in self.places}:
            names = ", ".join(name for name, _ in forms)
            raise LookupError(f"{build.__qualname__} changes or drops one of its values: {names}.")
        if changed is None:
            self.read = _reader(queryset, compiler)

    def run(self, values: Sequence[object]) -> list[Any]:
        """The rows found with these values."""
        if self.nothing:
            return []
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, self._with(values, connection))
            found = cursor.fetchall()
        return self.read(found, connection)

    def change(self, values: Sequence[object]) -> int:
        """How many rows were changed with these values."""
        if self.nothing:
            return 0
        connection = connections[DEFAULT_DB_ALIAS]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, self._with(values, connection))
            return int(cursor.rowcount)

    def _with(self, values: Sequence[object], connection: BaseDatabaseWrapper) -> list[Any]:
        parameters = self.parameters.copy()
        for place in self.places:
            value = _adapted(values[place.value], connection)
            if place.before or place.after:
                value = place.before + _plain(value) + place.after
            parameters[place.parameter] = value
        return parameters


def _adapted(value: Any, connection: BaseDatabaseWrapper) -> Any:
    """A value as the database in use takes it."""
    match value:
        case uuid.UUID():
            return value if connection.features.has_native_uuid_field else value.hex
        case dt.datetime():
            return connection.ops.adapt_datetimefield_value(value)
    return value


def _plain(value: str) -> str:
    if any(sign in value for sign in "\\%_"):
        raise ValueError("A part of a pattern holds no sign of its own.")
    return value


def _places(parameters: Sequence[object], made: Sequence[object], connection: BaseDatabaseWrapper) -> Iterator[_Place]:
    whole = {(type(one), one): number for number, one in enumerate(_adapted(one, connection) for one in made)}
    texts = [(one, number) for number, one in enumerate(made) if isinstance(one, str)]
    for position, parameter in enumerate(parameters):
        if not isinstance(parameter, Hashable):
            continue
        number = whole.get((type(parameter), parameter))
        if number is not None:
            yield _Place(position, number)
        elif isinstance(parameter, str):
            for text, number in texts:
                if text in parameter:
                    before, _, after = parameter.partition(text)
                    yield _Place(position, number, before, after)


def _reader(queryset: QuerySet[Any, Any], compiler: Any) -> Reader:
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


class _Insertion:
    """The statement that inserts so many rows of a model, and how its values are read off them."""

    def __init__(self, made: Sequence[Model]) -> None:
        model = type(made[0])
        connection = connections[DEFAULT_DB_ALIAS]
        self.fields = [field for field in model._meta.concrete_fields if not isinstance(field, AutoField)]
        query = InsertQuery(model)
        query.insert_values(self.fields, list(made))
        [(self.sql, parameters)] = query.get_compiler(connection=connection).as_sql()
        self.by_column = len(made) > 1 and len(parameters) == len(self.fields)

    def run(self, made: Sequence[Model], connection: BaseDatabaseWrapper) -> None:
        storing = [_storing(field, connection) for field in self.fields]
        stored = [[store(one) for store in storing] for one in made]
        parameters = [list(column) for column in zip(*stored, strict=True)]
        if not self.by_column:
            parameters = [value for row in stored for value in row]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, parameters)
        for one in made:
            one._state.adding = False
            one._state.db = DEFAULT_DB_ALIAS


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
}
"""What a column of this sort takes as it is (see `_adapted`); any other value goes through its field."""


def _storing(field: Any, connection: BaseDatabaseWrapper) -> Callable[[Model], Any]:
    """What gives a row's value for this column as the database takes it. Looks at the field once, not at every row."""
    plain, name = _PLAINLY_STORED.get(type(field)), field.attname
    if plain is None or getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False):
        return lambda one: field.get_db_prep_save(field.pre_save(one, one._state.adding), connection)
    adapt: Callable[[Any], Any] | None = None
    if plain is uuid.UUID and not connection.features.has_native_uuid_field:
        adapt = attrgetter("hex")
    elif plain is dt.datetime:
        adapt = connection.ops.adapt_datetimefield_value

    def store(one: Model) -> Any:
        value = getattr(one, name)
        if type(value) is plain:
            return adapt(value) if adapt else value
        return field.get_db_prep_save(value, connection)

    return store
