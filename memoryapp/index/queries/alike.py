"""Entries of a scope that are near to a question in meaning, whatever words they have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import QuerySet

from memoryapp.index.embedding.meaning import Meaning
from memoryapp.index.models import IndexEntry
from memoryapp.index.queries.scope import Scope, entries_of, found_in, types_in

CHUNKS = (256, 2048)
"""How many of the nearest are asked whether they belong to the scope, before all of the scope is read."""
SLACK = 1e-4
"""More than the scan may be off."""

Alike = tuple[int, str]
"""The number of an entry, and its place."""


def alike(scope: Scope, meaning: Meaning, size: int) -> list[Alike]:
    """The `size` nearest entries of the scope that are close enough, the nearest first; equal ones by their digest.

    What is not of the scope changes nothing: it is passed over, however much of it is nearer.
    """
    if not meaning.known:
        return []
    ids, close = meaning.nearest(types_in(scope))
    for most in CHUNKS:
        whole = len(ids) <= most
        found = found_in(scope, _of, ids=sorted(ids[:most])) if ids else []
        best = _best(meaning, found)
        if whole or (len(best) >= size and -best[size - 1][0] > close[most] + SLACK):
            return [(id, place) for _, _, _, id, place in best[:size]]
    within = set(ids)
    found = [row for row in found_in(scope, _all) if row[0] in within]
    return [(id, place) for _, _, _, id, place in _best(meaning, found)[:size]]


def _best(meaning: Meaning, found: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    closeness = meaning.closeness([row[0] for row in found])
    return sorted(
        (-closeness[id], digest, (target_id, part), id, place)
        for id, digest, target_id, part, place in found
        if closeness.get(id, -1.0) >= meaning.floor
    )


def _of(*place: Any, ids: Sequence[int], **given: Any) -> QuerySet[IndexEntry, Any]:
    return _all(*place, **given).filter(pk__in=ids)


def _all(*place: Any, **given: Any) -> QuerySet[IndexEntry, Any]:
    return entries_of(*place, **given).values_list("id", "digest", "target_id", "part", "place")
