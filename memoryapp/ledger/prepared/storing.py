"""Rows inserted and written as they are in memory, by statements that are kept."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Hashable, Sequence
from operator import attrgetter
from typing import Any

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
    TextField,
    UUIDField,
)
from django.db.models.sql import InsertQuery

from memoryapp.ledger.prepared.keeping import keep

MOST_AT_ONCE = {"sqlite": 32, "postgresql": 500}
"""Rows that one statement inserts. PostgreSQL takes a list for each column, however long."""


def insert(made: Sequence[Model]) -> None:
    """Store new rows of one model: what `bulk_create` does, without numbers that the database gives. A statement for
    each `MOST_AT_ONCE` of them."""
    connection = connections[DEFAULT_DB_ALIAS]
    most = MOST_AT_ONCE[connection.vendor]
    for start in range(0, len(made), most):
        several = made[start : start + most]
        key = (type(several[0]), connection.vendor, len(several))
        kept = _insertions.get(key) or keep(_insertions, key, _Insertion(several))
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


_insertions: dict[Hashable, _Insertion] = {}


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
"""What a column of this sort takes as it is (see `adapted`); any other value goes through its field."""


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
