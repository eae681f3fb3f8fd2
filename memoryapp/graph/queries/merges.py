"""Which node was which at a time, read off the moves that merges and splits kept; and what was merged and split."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.graph.models import Belief, Node, NodeMove, NodeState, RelationPlayer
from memoryapp.ledger.principal import Principal

MOST_FOLDED = 1000
DEEPEST = 20
"""Folds followed one after another. Each fold leads straight on, so that there is one; a chain of the past has few."""


@dataclass(frozen=True)
class Moved:
    """For each pointer: the beliefs that point to a node now and did not then, and those that did and do not now."""

    here: dict[str, set[uuid.UUID]]
    away: dict[str, set[uuid.UUID]]

    def of(self, pointer: str, now: Q) -> Q:
        """The condition `now`, as it was then."""
        came, went = self.here[pointer], self.away[pointer]
        if not came and not went:
            return now
        return (now & ~Q(pk__in=came)) | Q(pk__in=went)


def moved_since(by: Principal, known_at: dt.datetime, *nodes: uuid.UUID | None) -> Moved | None:
    """What was moved to or from these nodes after a time; None when nothing was. One query, mostly."""
    wanted = {node for node in nodes if node}
    if not wanted:
        return None
    moves = NodeMove.objects.filter(
        Q(origin__in=wanted) | Q(destination__in=wanted), workspace=by.workspace, recorded_at__gt=known_at
    )
    rows = _first_and_last(moves.values_list("pointer", "row", "origin", "destination").order_by("recorded_at", "pk"))
    if not rows:
        return None
    here: dict[str, set[uuid.UUID]] = defaultdict(set)
    away: dict[str, set[uuid.UUID]] = defaultdict(set)
    for (pointer, row), (was, now) in rows.items():
        if now in wanted and was not in wanted:
            here[pointer].add(row)
        if was in wanted and now not in wanted:
            away[pointer].add(row)
    for several in (here, away):
        several["player.node"] = _owned(several["player.node"])
    return Moved(here, away)


def known_as(node: Node, known_at: dt.datetime) -> Node:
    """What a node was folded into by then, as far as was known; itself when it was not."""
    for _ in range(DEEPEST):
        state = NodeState.objects.filter(node=node, recorded_at__lte=known_at).order_by("-sequence").first()
        if state is None or state.folded_into is None:
            return node
        node = state.folded_into
    return node


def family(by: Principal, node_id: uuid.UUID, known_at: dt.datetime | None = None) -> set[uuid.UUID]:
    """The node and every node folded into it: now, or as far as was known then."""
    found, fresh = {node_id}, {node_id}
    for _ in range(DEEPEST):
        fresh = set((_folded(by, fresh, known_at))[:MOST_FOLDED]) - found
        if not fresh:
            break
        found |= fresh
    return found


def _folded(by: Principal, nodes: set[uuid.UUID], known_at: dt.datetime | None) -> QuerySet[Any, uuid.UUID]:
    if known_at is None:
        return Node.objects.filter(workspace=by.workspace, folded_into__in=nodes).values_list("pk", flat=True)
    newer = NodeState.objects.filter(
        node=OuterRef("node"), recorded_at__lte=known_at, sequence__gt=OuterRef("sequence")
    )
    states = NodeState.objects.filter(workspace=by.workspace, folded_into__in=nodes, recorded_at__lte=known_at)
    return states.exclude(Exists(newer)).values_list("node", flat=True)


def as_known(edges: Sequence[Belief], end: str, known_at: dt.datetime) -> None:
    """Let these edges lead where they were known to lead then. In memory only."""
    moves = NodeMove.objects.filter(
        row__in=[edge.pk for edge in edges], pointer=f"belief.{end}", recorded_at__gt=known_at
    ).order_by("recorded_at", "pk")
    first: dict[uuid.UUID, Node] = {}
    for move in moves.select_related("origin"):
        first.setdefault(move.row, move.origin)
    for edge in edges:
        if edge.pk in first:
            setattr(edge, end, first[edge.pk])


def _first_and_last(
    moves: Collection[tuple[str, uuid.UUID, uuid.UUID, uuid.UUID]],
) -> dict[tuple[str, uuid.UUID], tuple[uuid.UUID, uuid.UUID]]:
    """For each row where its first move took it from, and where its last one led."""
    found: dict[tuple[str, uuid.UUID], tuple[uuid.UUID, uuid.UUID]] = {}
    for pointer, row, origin, destination in moves:
        found[pointer, row] = (found.get((pointer, row), (origin, origin))[0], destination)
    return found


def _owned(players: set[uuid.UUID]) -> set[uuid.UUID]:
    """The beliefs that these owners own."""
    if not players:
        return set()
    owning = RelationPlayer.objects.filter(pk__in=players, kind="ownership", role="owner")
    owned = RelationPlayer.objects.filter(kind="ownership", role="owned", relation__in=owning.values("relation"))
    return {belief for belief in owned.values_list("belief", flat=True) if belief}
