"""Beliefs learned from files: who may not see the file by its path may not see what was learned from it alone.

Which these are is found before the question is asked, for whoever is under rules that hide a path, and kept until the
workspace is written to again.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING

from django.db import connection
from django.db.models import Q, QuerySet

from memoryapp.ledger.models import Workspace
from memoryapp.sources.models import Source, in_place

if TYPE_CHECKING:
    from memoryapp.graph.models.relations import RelationPlayer
    from memoryapp.ledger.principal import Principal

MOST_KEPT = 256
CHUNK = 5000
Ids = frozenset[uuid.UUID]
_kept: dict[Hashable, Ids] = {}


def out_of_place(by: Principal, *, after: dt.datetime | None = None) -> Ids:
    """Ids of the beliefs learned from files out of sight and from nothing else, and of what was concluded from such.
    None for whoever may read every path, without a query.

    Within a write they are looked for anew each time, as it may have changed them; one that did not says `after` what
    clock it began, and what was found at that is not looked for again."""
    seen = in_place(by, "source__")
    if not seen:
        return frozenset()
    if after is None and connection.in_atomic_block:
        return _found(by, seen)
    clock = after or Workspace.objects.values_list("clock", flat=True).get(pk=by.workspace.pk)
    key = (by.workspace.pk, by.path_rules, by.path_default)
    kept = _kept.get((key, clock))
    if kept is None:
        kept = _found(by, seen)
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        _kept[key, clock] = kept
    return kept


def _found(by: Principal, seen: Q) -> Ids:
    unseen = Source.objects.filter(workspace=by.workspace).exclude(in_place(by)).values_list("pk", flat=True)
    sources = list(unseen)
    learned = _sourced_by(Q(source__in=sources)) if sources else set()
    hidden = learned - _with_sources(learned, seen)
    new = hidden
    while new:
        concluded = _concluded_from(new) - hidden
        new = concluded - _with_sources(concluded, Q())
        hidden |= new
    return frozenset(hidden)


def _sourced_by(which: Q) -> set[uuid.UUID]:
    """Beliefs that stand on these sources by themselves."""
    evidence = _players("sourcing").filter(which, role="evidence", source__isnull=False)
    standing = _players("sourcing").filter(
        role="sourced", belief__isnull=False, relation__in=evidence.values("relation")
    )
    return set(standing.filter(belief__isnull=False).values_list("belief", flat=True))


def _with_sources(beliefs: set[uuid.UUID], which: Q) -> set[uuid.UUID]:
    """Those of these beliefs that stand on such a source by themselves."""
    found: set[uuid.UUID] = set()
    for ids in _chunks(beliefs):
        mine = _players("sourcing").filter(role="sourced", belief__in=ids)
        evidence = _players("sourcing").filter(which, role="evidence", relation__in=mine.values("relation"))
        standing = mine.filter(relation__in=evidence.values("relation"))
        found |= set(standing.values_list("belief", flat=True))
    return found


def _concluded_from(beliefs: set[uuid.UUID]) -> set[uuid.UUID]:
    """What was concluded from one of these beliefs."""
    found: set[uuid.UUID] = set()
    for ids in _chunks(beliefs):
        resting = _players("derivation").filter(role="premise", belief__in=ids)
        concluded = _players("derivation").filter(role="conclusion", relation__in=resting.values("relation"))
        found |= set(concluded.values_list("belief", flat=True))
    return found


def _players(kind: str) -> QuerySet[RelationPlayer]:
    from memoryapp.graph.models.relations import Relation, RelationPlayer

    return RelationPlayer.objects.filter(kind=kind, relation__state=Relation.State.ACTIVATED)


def _chunks(ids: set[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    every = sorted(ids)
    for start in range(0, len(every), CHUNK):
        yield every[start : start + CHUNK]
