"""What somebody else is served, shown to one who looks: no more of it than either may see."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from django.db.models import QuerySet

from memoryapp.access import paths
from memoryapp.files.feeding import FILE
from memoryapp.files.models import Entry
from memoryapp.graph.models import Belief, Node
from memoryapp.index.said import SOURCE
from memoryapp.ledger.principal import Principal
from memoryapp.recall.asked import Asked, Hit, Recalled
from memoryapp.recall.feeding import BELIEF, NODE
from memoryapp.recall.queries.finding import find
from memoryapp.sources.models import Source
from memoryapp.timeline.feeding import EPISODE
from memoryapp.timeline.models import Episode


def find_for(by: Principal, other: Principal, asked: Asked) -> tuple[Recalled, int]:
    """What `other` is served for a question, ranked and cut as for them, as far as `by` may see it; and how many hits
    of theirs are out of the sight of `by`.

    Which words are held, and which are near, tells of the files that hold them: neither is told to who may not read
    every path.
    """
    found = find(other, asked)
    seen = _seen(by, found.hits)
    hits = [_as_seen(hit, seen) for hit in found.hits if hit.id in seen]
    misses = [miss for miss in found.misses if miss.id in _of_type(by, miss.what, [miss.id])]
    if not by.may("read_files") or paths.of(by).readable():
        found = replace(found, unknown=[], expanded={})
    return replace(found, hits=hits, misses=misses), len(found.hits) - len(hits)


def seen_by(by: Principal, cards: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of beliefs that are told: those in the sight of `by`."""
    seen = _of_type(by, BELIEF, [uuid.UUID(str(card["id"])) for card in cards])
    return [card for card in cards if uuid.UUID(str(card["id"])) in seen]


def _seen(by: Principal, hits: list[Hit]) -> set[uuid.UUID]:
    """Of these hits and what is told with them: what is in the sight of `by`. A query for each type."""
    wanted: dict[str, set[uuid.UUID]] = {}
    for hit in hits:
        wanted.setdefault(hit.what, set()).add(hit.id)
        for name, what, key in (("sources", SOURCE, "source"), ("learned", BELIEF, "id")):
            wanted.setdefault(what, set()).update(uuid.UUID(one[key]) for one in hit.told.get(name, ()))
        wanted.setdefault(BELIEF, set()).update(uuid.UUID(one["belief"]["id"]) for one in hit.told.get("changes", ()))
    return {one for what, ids in wanted.items() if ids for one in _of_type(by, what, ids)}


def _as_seen(hit: Hit, seen: set[uuid.UUID]) -> Hit:
    """The hit without what stands with it that is out of sight; where that is a source, its line goes as well."""
    told = dict(hit.told)
    for name, key in (("sources", "source"), ("learned", "id")):
        if name in told:
            told[name] = [one for one in told[name] if uuid.UUID(one[key]) in seen]
    if "changes" in told:
        told["changes"] = [one for one in told["changes"] if uuid.UUID(one["belief"]["id"]) in seen]
    is_whole = len(told.get("sources", ())) == len(hit.told.get("sources", ()))
    return replace(hit, told=told, provenance=hit.provenance if is_whole else "partly out of your sight")


def _of_type(by: Principal, what: str, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
    found: QuerySet[Any]
    if what == FILE:
        readable = paths.of(by).readable()
        found = Entry.objects.filter(workspace=by.workspace) if by.may("read_files") else Entry.objects.none()
        found = found.filter(readable) if readable else found
    elif what == SOURCE and not by.may("read_sources"):
        found = Source.objects.none()
    elif what == EPISODE and not by.may("read_timeline"):
        found = Episode.objects.none()
    else:
        rows: dict[str, Any] = {BELIEF: Belief, NODE: Node, SOURCE: Source, EPISODE: Episode}
        found = rows[what].objects.visible_to(by)
    return set(found.filter(pk__in=list(ids)).values_list("pk", flat=True))
