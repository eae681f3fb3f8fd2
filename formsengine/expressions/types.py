"""The types of values in rules, and what a rule may name where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    TEXT = "text"
    NUMBER = "number"
    TRUTH = "yes or no"
    DATE = "date"
    TIME = "time of day"
    MOMENT = "date and time"
    CODE = "choice"
    CODES = "choices"
    SPAN = "range"
    AMOUNT = "amount"
    THING = "other"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Type:
    """A kind; `many` for one value for each row; the codes there are, where the kind is a choice from a known list."""

    kind: Kind
    many: bool = False
    codes: frozenset[str] | None = None

    def __str__(self) -> str:
        return f"{self.kind} of several rows" if self.many else str(self.kind)


TEXT = Type(Kind.TEXT)
NUMBER = Type(Kind.NUMBER)
TRUTH = Type(Kind.TRUTH)
DATE = Type(Kind.DATE)
TIME = Type(Kind.TIME)
MOMENT = Type(Kind.MOMENT)
CODES = Type(Kind.CODES)
NOTHING = Type(Kind.NOTHING)

WORDED = {Kind.TEXT, Kind.CODE}
"""Kinds whose values are words."""


class Where(StrEnum):
    """What a rule is for: it decides what the rule may read."""

    RELEVANT = "relevant"
    COUNT = "count"
    FILTER = "filter"
    COMPUTED = "computed"
    DEFAULT = "default"
    CONSTRAINT = "constraint"
    REQUIRED = "required"
    ASK = "ask_when"
    GATE = "gate"


CLOCKED = {Where.DEFAULT, Where.CONSTRAINT}
"""Rules that may read the day and the hour: elsewhere an answer would change while nobody writes."""
JUDGING = {Where.ASK, Where.GATE}
"""Rules that may read which steps are complete and what gates found: they come after everything else."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a name in a rule stands for: a field or a repeat, its type, and the repeats around it, outermost first."""

    uid: str
    type: Type
    rows_of: tuple[str, ...]
    is_repeat: bool = False
    list_name: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """What a rule reads. `wide` when it reads every row rather than its own; `rows` when only which rows there are."""

    uid: str
    wide: bool = False
    rows: bool = False


class Names(Protocol):
    """What a definition tells the checker of rules."""

    def find(self, name: str) -> Named | None: ...
    def all_names(self) -> list[str]: ...
    def list_attributes(self, list_name: str) -> frozenset[str] | None: ...
    def choice(self, list_name: str, code: str) -> Mapping[str, str] | None: ...
    def steps(self) -> frozenset[str]: ...
    def gates(self) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a rule stands: what it is for, the repeats around it, the type of `.` and of the list it filters."""

    where: Where
    path: str
    rows_of: tuple[str, ...] = ()
    own: Named | None = None
    filters: str = ""
