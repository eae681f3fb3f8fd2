"""What another edition asks of stored rows that the one before did not. The rooms that store them say which break it.

Types and names in a rule are those under which rows are stored now; what is accepted is said by the edition to come.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from memoryapp.ledger.principal import Principal
from memoryapp.ontology.schemas import ValueCheck

SHOWN = 50
"""Rows of one rule that are listed; the others are counted."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Something asked of rows of `types` in `family`. `path` is the place in the document, `message` says it."""

    family: str
    types: frozenset[str]
    path: str
    message: str


@dataclass(frozen=True, kw_only=True)
class ValueRule(Rule):
    """Values held under `name` must pass `check`."""

    name: str
    check: ValueCheck = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class SingleRule(Rule):
    """No node holds more than one value under `name`."""

    name: str


@dataclass(frozen=True, kw_only=True)
class RequiredRule(Rule):
    """Every row holds something under `name`."""

    name: str


@dataclass(frozen=True, kw_only=True)
class RoleRule(Rule):
    """A relation has from `minimum` to `maximum` players of `role`, and each may play it. `accepts(sort, type)` says
    so, `sort` being beliefs, nodes, sources or relations."""

    role: str
    minimum: int
    maximum: int | None
    accepts: Callable[[str, str], bool] = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class TakingPartRule(Rule):
    """Who takes part in an episode as `role` is of a class that may."""

    role: str
    accepts: Callable[[str], bool] = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class EdgeRule(Rule):
    """Edges lead between classes that `fits(subject, object)`."""

    fits: Callable[[str, str], bool] = field(compare=False)


@dataclass(frozen=True, kw_only=True)
class OnceRule(Rule):
    """At one time one edge leads from a `subject`, or to an `object`."""

    side: str


@dataclass(frozen=True, kw_only=True)
class KeyRule(Rule):
    """No two nodes hold equal values under all of `names`; `normalisers` say when two values are equal."""

    names: tuple[str, ...]
    normalisers: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class IdentityRule(Rule):
    """Every node that has an identity key keeps one: it holds something under all names of one of `sets`."""

    sets: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Row:
    """A stored row that breaks a rule. `label` is empty where it is out of the asker's sight."""

    what: str
    id: uuid.UUID
    label: str
    why: str = ""

    def as_data(self) -> dict[str, str]:
        return {"what": self.what, "id": str(self.id), "label": self.label, "why": self.why}


@dataclass(frozen=True)
class Broken:
    """A rule with how many stored rows break it, and some of them."""

    rule: Rule
    count: int
    rows: tuple[Row, ...]


Breaks = Callable[[Principal, Rule], Iterable[Row]]

_breaks: list[Breaks] = []


def register(breaks: Breaks) -> None:
    """Add a room's rows that break a rule: nothing for rules of what the room does not store."""
    if breaks not in _breaks:
        _breaks.append(breaks)


def broken(by: Principal, rules: Iterable[Rule]) -> Iterator[Broken]:
    """Of these rules, those that stored rows break."""
    for rule in rules:
        rows = (row for breaks in _breaks for row in breaks(by, rule))
        shown = tuple(islice(rows, SHOWN))
        if shown:
            yield Broken(rule, len(shown) + sum(1 for _ in rows), shown)
