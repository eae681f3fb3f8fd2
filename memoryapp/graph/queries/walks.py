"""Walks along derivations: what a belief rests on, and what would fall with it. Level by level, each belief once.

A walk makes the same few queries for each level, however many beliefs stand on it.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.graph.models import Belief, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.ledger import prepared
from memoryapp.ledger.among import found_by, whose
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import WithdrawnSource

MOST_LEVELS = 1000
"""Where a walk without a depth ends; it says so."""


@dataclass(frozen=True)
class Derivation:
    """One derivation: what was concluded from what."""

    relation: uuid.UUID
    conclusion: uuid.UUID
    premises: tuple[uuid.UUID, ...]


@dataclass
class Walk:
    """What was met, with the distance of each; whether it goes round in a circle; whether there was more.

    `withheld` counts beliefs out of sight: they are met, and neither shown nor followed.
    """

    distance: dict[uuid.UUID, int] = field(default_factory=dict)
    derivations: list[Derivation] = field(default_factory=list)
    circular: bool = False
    cut: bool = False
    withheld: int = 0

    @property
    def ids(self) -> list[uuid.UUID]:
        """What was met, nearest first. The start itself is not among them."""
        return sorted(self.distance, key=lambda one: (self.distance[one], one))


def evidence(by: Principal, belief_id: uuid.UUID, depth: int | None = None) -> Walk:
    """Every belief that this one rests on, through derivations that stand."""
    _seen(by, belief_id)
    walk = Walk()
    frontier = {belief_id}
    met = {belief_id}
    level = 0
    while frontier:
        level += 1
        step = _derivations(conclusions=frontier)
        premises = {premise for one in step for premise in one.premises}
        fresh = premises - met
        if level > (depth if depth is not None else MOST_LEVELS):
            walk.cut = bool(fresh)
            break
        visible = set(prepared.rows(_in_sight, by=by, ids=fresh)) if fresh else set()
        walk.withheld += len(fresh - visible)
        walk.derivations += step
        met |= fresh
        walk.distance |= dict.fromkeys(visible, level)
        frontier = visible
    walk.circular = _goes_round(walk.derivations)
    return walk


def dependants(by: Principal, *, source: uuid.UUID | None = None, belief: uuid.UUID | None = None) -> list[uuid.UUID]:
    """What would fall if the source were withdrawn, or the belief no longer stood: ids of beliefs, sorted.

    A belief stands while one source or one derivation stands; a derivation stands while all its premises do. Beliefs
    that only support each other do not stand. Those out of sight are left out.
    """
    if belief is not None:
        _seen(by, belief)
    support = Support.without(sources={source} if source else set(), beliefs={belief} if belief else set())
    live = Belief.objects.visible_to(by).filter(pk__in=support.lost()).exclude(standing__in=[Standing.RETRACTED])
    return sorted(live.exclude(status=Status.DELETED).values_list("pk", flat=True))


@dataclass(frozen=True)
class Support:
    """What beliefs stand on once some sources or beliefs are gone, as far as these reach."""

    region: set[uuid.UUID]
    derivations: list[Derivation]
    sourced: set[uuid.UUID]
    gone: set[uuid.UUID]

    @classmethod
    def without(cls, *, sources: Collection[uuid.UUID] = (), beliefs: Collection[uuid.UUID] = ()) -> Support:
        """Everything that rests, however far, on these sources or beliefs. A few queries for each level."""
        removed = set(beliefs)
        region, derivations = _below(removed | (_resting_on(sources) if sources else set()))
        sourced = _standing_on_sources(region - removed, set(sources))
        outside = {premise for one in derivations for premise in one.premises} - region
        fell = Belief.objects.filter(pk__in=outside, standing=Standing.WITHDRAWN) if outside else Belief.objects.none()
        return cls(region, derivations, sourced, removed | set(fell.values_list("pk", flat=True)))

    def lost(self, kept: Collection[uuid.UUID] = ()) -> set[uuid.UUID]:
        """The beliefs that nothing holds up any more, when those `kept` stand by themselves."""
        standing = self.sourced | (set(kept) & self.region)
        changed = True
        while changed:
            changed = False
            for one in self.derivations:
                if one.conclusion in standing or one.conclusion in self.gone:
                    continue
                if all(premise in standing or premise not in self.region | self.gone for premise in one.premises):
                    standing.add(one.conclusion)
                    changed = True
        return self.region - self.gone - standing


def dependants_of(by: Principal, beliefs: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[uuid.UUID]]:
    """What would fall with each of these beliefs, all of them in sight. One query where nothing rests on any."""
    wanted = list(beliefs)
    rested_on = set(used_by(wanted).values_list("belief", flat=True))
    return {one: dependants(by, belief=one) if one in rested_on else [] for one in wanted}


def used_by(beliefs: Collection[uuid.UUID] | OuterRef) -> QuerySet[RelationPlayer]:
    """Where these beliefs, or the one of an outer query, are premises of a standing derivation."""
    of = {"belief": beliefs} if isinstance(beliefs, OuterRef) else {"belief__in": beliefs}
    return RelationPlayer.objects.filter(
        kind="derivation", role="premise", relation__state=Relation.State.ACTIVATED, **of
    )


def _seen(by: Principal, belief_id: uuid.UUID) -> None:
    if not prepared.rows(_in_sight, by=by, ids=[belief_id]):
        raise NotFound("There is no such belief.", code="no_such_belief")


def _in_sight(by: Principal, ids: Collection[uuid.UUID]) -> QuerySet[Belief, uuid.UUID]:
    return Belief.objects.visible_to(by).filter(pk__in=ids).values_list("pk", flat=True)


def _derivations(
    *, conclusions: Iterable[uuid.UUID] | None = None, premises: Iterable[uuid.UUID] | None = None
) -> list[Derivation]:
    """The standing derivations of these conclusions, or from these premises, with all their players."""
    role, ids = ("conclusion", conclusions) if conclusions is not None else ("premise", premises)
    concluded: dict[uuid.UUID, uuid.UUID] = {}
    drawn_from: dict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
    for relation, played, belief in prepared.rows(_deriving, role, ids=list(ids or ())):
        if played == "conclusion":
            concluded[relation] = belief
        else:
            drawn_from[relation].append(belief)
    return [Derivation(relation, belief, tuple(drawn_from[relation])) for relation, belief in concluded.items()]


def _deriving(role: str, ids: Collection[uuid.UUID]) -> QuerySet[RelationPlayer, Any]:
    relations = RelationPlayer.objects.filter(
        whose("relation", Relation, state=Relation.State.ACTIVATED), kind="derivation", role=role, belief__in=ids
    ).values("relation")
    players = RelationPlayer.objects.filter(found_by("relation", relations), kind="derivation", belief__isnull=False)
    return players.order_by("relation", "position").values_list("relation", "role", "belief")


def _goes_round(derivations: list[Derivation]) -> bool:
    """Whether conclusions rest on themselves: what is left when nothing without premises can be taken away."""
    rests: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    for one in derivations:
        rests[one.conclusion] |= set(one.premises)
    shrinking = True
    while shrinking:
        free = [conclusion for conclusion, premises in rests.items() if not premises & rests.keys()]
        for conclusion in free:
            del rests[conclusion]
        shrinking = bool(free)
    return bool(rests)


def _resting_on(sources: Collection[uuid.UUID]) -> set[uuid.UUID]:
    standing = whose("relation", Relation, state=Relation.State.ACTIVATED)
    cited = RelationPlayer.objects.filter(standing, kind="sourcing", role="evidence", source__in=sources)
    sourced = RelationPlayer.objects.filter(
        found_by("relation", cited.values("relation")), kind="sourcing", role="sourced", belief__isnull=False
    )
    return {belief for belief in sourced.values_list("belief", flat=True) if belief}


def _below(start: set[uuid.UUID]) -> tuple[set[uuid.UUID], list[Derivation]]:
    """Everything concluded, however far, from these beliefs, and the derivations among them."""
    region, frontier = set(start), set(start)
    while frontier:
        step = _derivations(premises=frontier)
        frontier = {one.conclusion for one in step} - region
        region |= frontier
    return region, _derivations(conclusions=region)


def _standing_on_sources(beliefs: set[uuid.UUID], without: set[uuid.UUID]) -> set[uuid.UUID]:
    """Which of the beliefs stand on a source that is not taken back, these aside."""
    sourcing = RelationPlayer.objects.filter(
        whose("relation", Relation, state=Relation.State.ACTIVATED), kind="sourcing", role="sourced", belief__in=beliefs
    )
    of_relation = dict(sourcing.values_list("relation", "belief"))
    evidence_players = RelationPlayer.objects.filter(
        found_by("relation", sourcing.values("relation")), kind="sourcing", role="evidence"
    ).exclude(source__in=WithdrawnSource.objects.filter(in_force=True).values("source"))
    found = {
        of_relation[relation]
        for relation, source in evidence_players.values_list("relation", "source")
        if source not in without
    }
    return {belief for belief in found if belief}
