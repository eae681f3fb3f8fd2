"""The state of a field in a row, as the table of states says."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from formsengine.values.runtime import Value, of_answer

Key = tuple[str, str]
"""A field (by its permanent uid) in a row ("" outside lists)."""


class Is(StrEnum):
    EMPTY = "empty"
    FILLED = "filled"
    UNCONFIRMED = "unconfirmed"
    INVALID = "invalid"
    DECLINED = "declined"
    HELD = "held"
    HELD_CHOICE = "held-choice"
    CONFLICT = "conflict"
    OVERRIDDEN = "overridden"
    ABSENT = "absent"
    """Not relevant, and nothing was ever answered."""


@dataclass(slots=True)
class Answer:
    """What the log holds of one field in one row: the revision in force, read for rules once."""

    type: str
    status: str
    kept: Any
    revision: str
    unconfirmed: bool = False
    acknowledged: frozenset[int] = frozenset()
    seen: Value = None

    def __post_init__(self) -> None:
        try:
            self.seen = of_answer(self.type, self.kept) if self.status == "answer" else None
        except (ValueError, TypeError, AttributeError):
            # An answer of an earlier version, restored under a field of another type: no value, and still in the log.
            self.seen = None


@dataclass(frozen=True, slots=True)
class Finding:
    """A constraint that does not hold: its place among the field's constraints, or -1 for what the type demands."""

    number: int
    severity: str
    acknowledged: bool = False
    code: str = "constraint"
    detail: str = ""


@dataclass(frozen=True, slots=True)
class State:
    """`excluded` are chosen codes that are not among the options now."""

    name: Is
    required: bool = False
    blocks: bool = False
    asked: bool = False
    findings: tuple[Finding, ...] = ()
    excluded: tuple[str, ...] = ()


COUNTS = {Is.FILLED, Is.UNCONFIRMED, Is.INVALID, Is.CONFLICT, Is.OVERRIDDEN}
"""States whose answer counts as a value."""


def judged(name: Is, required: bool, findings: tuple[Finding, ...], excluded: tuple[str, ...], writable: bool) -> State:
    """What blocks submission and what is asked, by the state alone."""
    match name:
        case Is.EMPTY | Is.HELD_CHOICE | Is.UNCONFIRMED:
            return State(name, required, required, writable, findings, excluded)
        case Is.INVALID:
            return State(name, required, True, True, findings, excluded)
        case Is.CONFLICT:
            return State(name, required, True, True, findings, excluded)
    return State(name, required, False, False, findings, excluded)
