"""How many rows are stored of each type. The rooms that store them say so, each in a fixed number of queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from memoryapp.ledger.principal import Principal

Counts = Callable[[Principal], Iterable[tuple[str, str, int]]]

_counts: list[Counts] = []

UNCOUNTED = frozenset((("relation_kind", "sourcing"), ("relation_kind", "ownership")))
"""What every belief has some of: counting them with the beliefs is enough."""


def register(counts: Counts) -> None:
    """Add a room's counts, as (family of declared types, name, how many)."""
    if counts not in _counts:
        _counts.append(counts)


def by_type(by: Principal) -> Counter[tuple[str, str]]:
    """How many there are of each type, in every room."""
    found: Counter[tuple[str, str]] = Counter()
    for counts in _counts:
        for family, name, count in counts(by):
            found[family, name] += count
    return found
