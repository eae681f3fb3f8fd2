"""What became of a sheet: nothing is dropped without a word."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Change:
    """Something that means the same and is written otherwise."""

    where: str
    was: str
    became: str
    why: str


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """Something kept word for word. `blocks` when the form is not published before a person drops or rewrites it."""

    where: str
    text: str
    why: str
    blocks: bool = True


@dataclass(slots=True)
class Report:
    """`taken` counts what was read as it stood."""

    taken: dict[str, int] = field(default_factory=dict)
    changed: list[Change] = field(default_factory=list)
    not_understood: list[NotUnderstood] = field(default_factory=list)

    def take(self, what: str) -> None:
        self.taken[what] = self.taken.get(what, 0) + 1

    def change(self, where: str, was: str, became: str, why: str) -> None:
        self.changed.append(Change(where, was, became, why))

    def leave(self, where: str, text: str, why: str, *, blocks: bool = True) -> None:
        self.not_understood.append(NotUnderstood(where, text, why, blocks))

    def as_data(self) -> dict[str, Any]:
        return asdict(self)
