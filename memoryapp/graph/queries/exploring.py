"""Walking the graph: what lies around a few nodes, and by which edges one leads to another. Bounded at every step."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.joined import Joined, joined
from memoryapp.graph.queries.views import Scope, as_of, current
from memoryapp.ledger.principal import Principal

MOST_NODES = 500
"""Nodes of one picture; of more the answer says that it was cut."""
MOST_EDGES = 1500
MOST_OF_ONE = 60
"""Neighbours shown of one node when it is opened."""
MOST_JOINED = 60
"""Relations with several players shown in one picture."""
LONGEST_PATH = 6
MOST_REACHED = 4000
"""Nodes looked at in search of a path."""


@dataclass
class Around:
    """Nodes with their distance from the first, and the edges among them."""

    nodes: dict[uuid.UUID, Node] = field(default_factory=dict)
    distance: dict[uuid.UUID, int] = field(default_factory=dict)
    edges: list[Belief] = field(default_factory=list)
    joined: list[Joined] = field(default_factory=list)
    cut: bool = False


def around(
    by: Principal,
    opened: Sequence[uuid.UUID],
    *,
    relationships: tuple[str, ...] = (),
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
) -> Around:
    """The nodes opened one after another, each with its neighbours. Now, or as it was then, as it
    was known then."""
    found = Around()
    for node_id in opened:
        known = Node.objects.visible_to(by).filter(pk=node_id).first()
        if known is None or known.state == Node.State.FOLDED:
            continue
        _take(found, known, found.distance.get(known.pk, 0))
        edges = list(_edges(by, [known.pk], relationships, (valid_at, known_at))[: MOST_OF_ONE + 1])
        found.cut = found.cut or len(edges) > MOST_OF_ONE
        for edge in edges[:MOST_OF_ONE]:
            for end in (edge.subject, edge.object):
                if end is not None:
                    _take(found, end, found.distance[known.pk] + 1)
    if found.nodes and not relationships:
        _join(by, found, opened, valid_at, known_at)
    if found.nodes:
        among = _edges(by, list(found.nodes), relationships, (valid_at, known_at), both=True)
        rows = list(among[: MOST_EDGES + 1])
        found.edges, found.cut = rows[:MOST_EDGES], found.cut or len(rows) > MOST_EDGES
    return found


def _join(
    by: Principal,
    found: Around,
    opened: Sequence[uuid.UUID],
    valid_at: dt.datetime | None,
    known_at: dt.datetime | None,
) -> None:
    """The relations in which an opened node plays, with everybody who plays in them."""
    nodes = [one for one in opened if one in found.nodes]
    rows = joined(by, nodes, MOST_JOINED + 1, valid_at=valid_at, known_at=known_at)
    found.cut = found.cut or len(rows) > MOST_JOINED
    found.joined = rows[:MOST_JOINED]
    for one in found.joined:
        for player in one.players:
            if player.node is not None:
                _take(found, player.node, 1)


def path(
    by: Principal,
    start: uuid.UUID,
    end: uuid.UUID,
    *,
    relationships: tuple[str, ...] = (),
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
) -> list[Belief]:
    """The fewest edges by which one node leads to the other, in whatever direction; empty when there are none near."""
    came: dict[uuid.UUID, tuple[uuid.UUID, Belief] | None] = {start: None}
    front = [start]
    for _ in range(LONGEST_PATH):
        if end in came or not front or len(came) > MOST_REACHED:
            break
        beyond: list[uuid.UUID] = []
        for edge in _edges(by, front, relationships, (valid_at, known_at))[:MOST_REACHED]:
            for here, there in ((edge.subject_id, edge.object_id), (edge.object_id, edge.subject_id)):
                if here in came and there is not None and there not in came and here is not None:
                    came[there] = (here, edge)
                    beyond.append(there)
        front = beyond
    steps: list[Belief] = []
    step = came.get(end)
    while step is not None:
        steps.append(step[1])
        step = came[step[0]]
    return steps[::-1]


def _take(found: Around, node: Node, distance: int) -> None:
    if node.pk in found.nodes:
        return
    if len(found.nodes) >= MOST_NODES:
        found.cut = True
        return
    found.nodes[node.pk], found.distance[node.pk] = node, distance


def _edges(
    by: Principal,
    nodes: Collection[uuid.UUID],
    relationships: tuple[str, ...],
    then: tuple[dt.datetime | None, dt.datetime | None],
    *,
    both: bool = False,
) -> Any:
    scope = Scope(predicates=relationships)
    held = as_of(by, scope, valid_at=then[0], known_at=then[1]) if any(then) else current(by, scope)
    ends = Q(subject__in=nodes, object__in=nodes) if both else Q(subject__in=nodes) | Q(object__in=nodes)
    found = held.filter(ends, shape=Belief.Shape.EDGE)
    return found.select_related("subject", "object").order_by("predicate", "pk")
