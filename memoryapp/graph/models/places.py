"""Beliefs learned from files: who may not see the file by its path may not see what was learned from it alone.

Which these are is found before the question is asked, for whoever is under rules that hide a path, and kept until the
workspace is written to again.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from django.db import connection
from django.db.models import Q, QuerySet

from memoryapp.ledger.among import among, found_by, whose
from memoryapp.ledger.models import Workspace
from memoryapp.sources.models import Source, in_place

if TYPE_CHECKING:
    from memoryapp.graph.models.relations import RelationPlayer
    from memoryapp.ledger.principal import Principal

MOST_KEPT = 256
Ids = frozenset[uuid.UUID]


class Hidden:
    """Ids of the beliefs that somebody may not see, and what was asked of these."""

    def __init__(self, ids: Ids = frozenset()) -> None:
        self.ids = ids
        self._beside: dict[Callable[[Ids], Iterable[uuid.UUID]], Ids] = {}

    def beside(self, find: Callable[[Ids], Iterable[uuid.UUID]]) -> Ids:
        """What `find` gives for these: asked once, and kept as long as they are. `find` is always the same function."""
        if find not in self._beside:
            self._beside[find] = frozenset(find(self.ids))
        return self._beside[find]


_kept: dict[Hashable, Hidden] = {}


def out_of_place(by: Principal, *, after: dt.datetime | None = None) -> Ids:
    """Ids of the beliefs learned from files out of sight and from nothing else, and of what was concluded from such.
    None for whoever may read every path, without a query.

    Within a write they are looked for anew each time, as it may have changed them; one that did not says `after` what
    clock it began, and what was found at that is not looked for again."""
    return hidden_by_place(by, after=after).ids


def hidden_by_place(by: Principal, *, after: dt.datetime | None = None) -> Hidden:
    """`out_of_place`, to ask more of."""
    seen = in_place(by, "source__")
    if not seen:
        return Hidden()
    if after is None and connection.in_atomic_block:
        return Hidden(_found(by, seen))
    clock = after or Workspace.objects.values_list("clock", flat=True).get(pk=by.workspace.pk)
    key = (by.workspace.pk, by.path_rules, by.path_default)
    kept = _kept.get((key, clock))
    if kept is None:
        kept = Hidden(_found(by, seen))
        if len(_kept) >= MOST_KEPT:
            _kept.clear()
        _kept[key, clock] = kept
    return kept


def _found(by: Principal, seen: Q) -> Ids:
    unseen = list(Source.objects.filter(workspace=by.workspace).exclude(in_place(by)).values_list("pk", flat=True))
    learned = _sourced_by(among("source", unseen)) if unseen else set()
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
        found_by("relation", evidence.values("relation")), role="sourced", belief__isnull=False
    )
    return set(standing.filter(belief__isnull=False).values_list("belief", flat=True))


def _with_sources(beliefs: set[uuid.UUID], which: Q) -> set[uuid.UUID]:
    """Those of these beliefs that stand on such a source by themselves."""
    if not beliefs:
        return set()
    mine = _players("sourcing").filter(among("belief", beliefs), role="sourced")
    evidence = _players("sourcing").filter(which, found_by("relation", mine.values("relation")), role="evidence")
    standing = mine.filter(found_by("relation", evidence.values("relation")))
    return {id for id in standing.values_list("belief", flat=True) if id}


def _concluded_from(beliefs: set[uuid.UUID]) -> set[uuid.UUID]:
    """What was concluded from one of these beliefs."""
    resting = _players("derivation").filter(among("belief", beliefs), role="premise")
    concluded = _players("derivation").filter(found_by("relation", resting.values("relation")), role="conclusion")
    return {id for id in concluded.values_list("belief", flat=True) if id}


def _players(kind: str) -> QuerySet[RelationPlayer]:
    from memoryapp.graph.models.relations import Relation, RelationPlayer

    return RelationPlayer.objects.filter(whose("relation", Relation, state=Relation.State.ACTIVATED), kind=kind)
