"""What a question may say of a node: the closed set of operators, and the parts a condition is made of."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from memoryapp.graph import typed

EQUALITY = ("eq", "neq", "in", "not_in", "exists")
ORDER = ("gt", "gte", "lt", "lte", "between")
WORDS = ("fuzzy", "contains", "starts_with", "ends_with")
OPERATORS = (*EQUALITY, *WORDS, *ORDER)
"""All fourteen."""

OF_SORT: Mapping[bytes, tuple[str, ...]] = {
    typed.FLAG: EQUALITY,
    typed.NUMBER: (*EQUALITY, *ORDER),
    typed.DATE: (*EQUALITY, *ORDER),
    typed.TEXT: OPERATORS,
    typed.OTHER: EQUALITY,
}
ACCEPTED: Mapping[bytes, str] = {
    typed.FLAG: "true or false",
    typed.NUMBER: "a number",
    typed.DATE: "a date or time: 2024, 2024-05, 2024-05-03 or 2024-05-03T14:30:00+02:00",
    typed.TEXT: "a text",
    typed.OTHER: "any JSON value",
}

ID, LABEL, CLASS, RECORDED_AT = "@id", "@label", "@class", "@recorded_at"
FIELDS: Mapping[str, tuple[str, ...]] = {
    ID: ("eq", "neq", "in", "not_in"),
    LABEL: tuple(one for one in OPERATORS if one != "exists"),
    CLASS: ("eq", "neq", "in", "not_in"),
    RECORDED_AT: ("eq", "neq", *ORDER),
}
"""What every node has besides its properties, and how that may be asked for."""


@dataclass(frozen=True)
class All:
    """Every one of these holds. None at all: it holds."""

    clauses: tuple[Clause, ...] = ()


@dataclass(frozen=True)
class AnyOf:
    """One of these holds."""

    clauses: tuple[Clause, ...]


@dataclass(frozen=True)
class Not:
    clause: Clause


@dataclass(frozen=True)
class Test:
    """A property, or a field of every node, compared with operands of its sort. `operand` is as `operator` takes it."""

    name: str
    operator: str
    operand: Any
    sort: bytes


@dataclass(frozen=True)
class Related:
    """An edge of this relationship leads to (`out`) or from (`in`) a node of one of these classes of which it holds."""

    relationship: str
    directions: tuple[str, ...]
    classes: tuple[str, ...]
    clause: Clause


Clause = All | AnyOf | Not | Test | Related


@dataclass(frozen=True)
class Hop:
    """What leads on from each node found, and what is told of the nodes there."""

    relationship: str
    directions: tuple[str, ...]
    classes: tuple[str, ...]
    clause: Clause
    select: tuple[str, ...] | None
    limit: int
    expand: tuple[Hop, ...] = ()


@dataclass(frozen=True)
class Question:
    """A question that can be asked. `classes` are the asked class and those below it; `order` are names, with whether
    descending. `select` are the properties told; None: all."""

    node_class: str
    classes: tuple[str, ...]
    clause: Clause = All()
    select: tuple[str, ...] | None = None
    order: tuple[tuple[str, bool], ...] = ()
    limit: int = 50
    offset: int = 0
    expand: tuple[Hop, ...] = ()
    retired: bool = False
    valid_at: dt.datetime | None = None
    known_at: dt.datetime | None = None
    sorts: Mapping[str, bytes] = field(default_factory=dict)
