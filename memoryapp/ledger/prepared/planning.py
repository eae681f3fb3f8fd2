"""The SQL of one form of a query: made with stand-ins, found again among its parameters."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import EmptyResultSet
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import (
    Model,
    QuerySet,
)
from django.db.models.sql import UpdateQuery

from memoryapp.ledger.prepared.reading import reader_of
from memoryapp.ledger.principal import Principal

_FAR_OFF = dt.datetime(8888, 8, 8, tzinfo=dt.UTC)
_NEVER_AN_ID = 0x5EED << 112
_NEVER_A_NUMBER = 2_088_088_000
_NEVER_A_TEXT = "value·{}·"


@dataclass(frozen=True)
class _Several:
    form: Hashable
    length: int


def form_and_values(value: object) -> tuple[Hashable, Sequence[object]]:
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
            return _Several(form_and_values(several[0])[0], length), several + several[-1:] * (length - len(several))
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
                return self._numbered(uuid.UUID(int=_NEVER_AN_ID + number))
            case "text":
                return self._numbered(_NEVER_A_TEXT.format(number))
            case "time":
                return self._numbered(_FAR_OFF + dt.timedelta(microseconds=number))
            case "number":
                return self._numbered(_NEVER_A_NUMBER + number)
            case _Several(inner, length):
                return [self.one(inner) for _ in range(length)]
        assert isinstance(form, type)
        if form is Principal:
            from memoryapp.ledger.models import Actor, Workspace

            workspace = Workspace(pk=self.one("id"))
            self.needless.add(len(self.made))
            return Principal(workspace, Actor(pk=self.one("id")), "")
        return form(pk=self.one("id"))

    def _numbered(self, value: object) -> object:
        self.made.append(value)
        return value


@dataclass(frozen=True)
class _Place:
    """Where a value goes: into which parameter, and between which signs of it."""

    parameter: int
    value: int
    before: str = ""
    after: str = ""


class Plan:
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
            self.read = reader_of(queryset, compiler)

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
            value = adapted(values[place.value], connection)
            if place.before or place.after:
                value = place.before + _plain(value) + place.after
            parameters[place.parameter] = value
        return parameters


def adapted(value: Any, connection: BaseDatabaseWrapper) -> Any:
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
    whole = {(type(one), one): number for number, one in enumerate(adapted(one, connection) for one in made)}
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
