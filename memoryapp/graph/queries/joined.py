"""Which declared relations join nodes with others: who plays which role in each, now or as of another time."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.graph.models import Relation, RelationPlayer, RelationState
from memoryapp.graph.queries.relations import relations
from memoryapp.graph.queries.views import now
from memoryapp.ledger.principal import Principal

BY_THEMSELVES = ("ownership", "sourcing", "supersession", "conflict", "derivation")
"""Kinds that are told of the beliefs in them, and join nodes with nothing."""


@dataclass(frozen=True)
class Joined:
    """A relation with its players in their order."""

    relation: Relation
    players: list[RelationPlayer]


def joined(
    by: Principal,
    nodes: Collection[uuid.UUID],
    most: int,
    *,
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
) -> list[Joined]:
    """The relations in sight in which one of these nodes plays, the latest first, at most so many. Two queries."""
    if not nodes:
        return []
    plays = RelationPlayer.objects.filter(node__in=nodes).exclude(kind__in=BY_THEMSELVES)
    found = _held(by, valid_at, known_at).filter(pk__in=plays.values("relation"))
    rows = list(found.order_by("-recorded_at", "-pk")[:most])
    players: dict[uuid.UUID, list[RelationPlayer]] = defaultdict(list)
    of = RelationPlayer.objects.filter(relation__in=[one.pk for one in rows])
    for player in of.select_related("node", "belief").order_by("position", "pk") if rows else ():
        players[player.relation_id].append(player)
    return [Joined(one, players[one.pk]) for one in rows]


def _held(by: Principal, valid_at: dt.datetime | None, known_at: dt.datetime | None) -> QuerySet[Relation]:
    at = valid_at or now(by.workspace)
    begun = Q(valid_from__isnull=True) | Q(valid_from__lte=at)
    if known_at is None:
        return relations(by).filter(begun, Q(valid_to__isnull=True) | Q(valid_to__gt=at))
    newer = RelationState.objects.filter(
        relation=OuterRef("relation"), recorded_at__lte=known_at, sequence__gt=OuterRef("sequence")
    )
    then = RelationState.objects.filter(
        Q(valid_to__isnull=True) | Q(valid_to__gt=at),
        relation=OuterRef("pk"),
        recorded_at__lte=known_at,
        state=Relation.State.ACTIVATED,
    )
    return relations(by, retracted=True).filter(begun, Exists(then.exclude(Exists(newer))))
