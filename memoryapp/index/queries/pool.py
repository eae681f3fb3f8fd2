"""The rows that a question's rarest words bring under consideration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nsmallest
from typing import Any

from django.db.models import QuerySet

from memoryapp.index.engines import engine
from memoryapp.index.models import IndexEntry
from memoryapp.index.queries.scope import Scope, Targets, entries_of, found_in
from memoryapp.index.ranking import (
    Candidate,
    Scorer,
    Sought,
)

POOL = 3000
"""Rows that a question's rarest words may bring under consideration."""
COMMON = 1.0
"""The weight (idf) below which a word says little of a row: more than a third of all rows hold it."""


def pool_of(scope: Scope, scorer: Scorer, size: int) -> _Pool:
    """Rows that hold the question's rarest words: as many words as bring at most `POOL` rows, at least the rarest.

    Fewer words do where the rows of the others cannot come into the best `size`, whatever else they hold.
    """
    if not scorer.sought:
        return _Pool([], scorer, size)
    taken: list[Sought] = []
    expected = 0
    for sought in sorted(scorer.sought, key=lambda sought: (sought.frequency, sought.sign)):
        expected += sought.frequency
        if taken and expected > POOL:
            break
        taken.append(sought)
    telling = [one for one in taken if one.idf >= COMMON]
    if isinstance(scope.targets, Targets) and not scope.targets.in_threads and 0 < len(telling) < len(taken):
        pool = _Pool(_holding_any(scope, telling), scorer, size)
        if pool.is_complete_without([one for one in taken if one.idf < COMMON]):
            return pool
    return _Pool(_holding_any(scope, taken), scorer, size)


def _holding_any(scope: Scope, sought: Sequence[Sought]) -> list[tuple[Any, ...]]:
    asked = engine().any_of([one.sign for one in sought])
    found = found_in(scope, _holding, False, asked=asked)
    return found if len(found) <= 2 * POOL else found_in(scope, _holding, True, asked=asked)


def _holding(too_many: bool, *place: Any, asked: str, **given: Any) -> QuerySet[IndexEntry, Any]:
    """Entries of the scope that hold what is asked for; of too many, `POOL` of them, always the same ones."""
    rows = engine().pick(entries_of(*place, **given), asked)
    found = rows.values_list("id", "digest", "section", "place", "length", "terms")
    return found.order_by("digest", "target_id", "part")[:POOL] if too_many else found[: 2 * POOL + 1]


class _Pool:
    """Rows under consideration with their text scores. The best `size` of them, and every row equal to the last of
    these, come near."""

    def __init__(self, rows: list[tuple[Any, ...]], scorer: Scorer, size: int) -> None:
        self.scorer = scorer
        self.size = size
        self.scored = [(*scorer.score(terms, length), *row) for *row, length, terms in rows]

    def nearest(self) -> list[Candidate]:
        last = self._last()
        near = [one for one in self.scored if last is None or _by_score(one) <= last]
        return [
            Candidate(id, digest, section, text_score, matched, place=place)
            for text_score, matched, id, digest, section, place in sorted(near, key=_by_score)
        ]

    def held(self) -> Iterator[tuple[str, int]]:
        """The thread of each row, and the signs it holds."""
        return ((section, matched) for _, matched, _, _, section, _ in self.scored)

    def is_complete_without(self, sought: Sequence[Sought]) -> bool:
        """Whether no row that holds these signs alone can come near. Such a row scores less than all they are worth."""
        last = self._last()
        return (
            last is not None and -last[0] > self.scorer.most(sought) and not any(section for section, _ in self.held())
        )

    def _last(self) -> tuple[float, str] | None:
        if len(self.scored) < self.size:
            return None
        return nsmallest(self.size, map(_by_score, self.scored))[-1]


def _by_score(scored: tuple[Any, ...]) -> tuple[float, str]:
    return -scored[0], scored[3]
