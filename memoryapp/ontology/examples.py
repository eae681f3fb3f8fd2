"""What is stored of a type, by example. The rooms that store instances say so, to each asker what they may see."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoryapp.ledger.principal import Principal

SHOWN = 5


@dataclass(frozen=True)
class Example:
    """One row of a type: its words, and the page of it."""

    words: str
    url: str


Find = Callable[[Principal, str], Sequence[Example]]
"""The latest rows of a type of a family, in sight of somebody: at most `SHOWN`."""

_finders: dict[str, Find] = {}


def register(family: str, find: Find) -> None:
    """Say how rows of a family are found."""
    _finders[family] = find


def of_type(by: Principal, family: str, name: str) -> list[Example]:
    """The latest rows of a type itself, not of what is below it."""
    find = _finders.get(family)
    return list(find(by, name)) if find else []
