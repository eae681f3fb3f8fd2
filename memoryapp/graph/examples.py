"""Nodes, beliefs and edges as examples of their declared types."""

from __future__ import annotations

from typing import Any

from memoryapp.doors.pages import address
from memoryapp.graph.models import Belief, Node, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries.relations import relations
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import examples
from memoryapp.ontology.examples import SHOWN, Example

LONGEST = 160


def register() -> None:
    examples.register("node_classes", nodes)
    examples.register("belief_kinds", statements)
    examples.register("relationships", edges)
    examples.register("relation_kinds", related)


def nodes(by: Principal, name: str) -> list[Example]:
    """The latest nodes of a class."""
    found = Node.objects.visible_to(by).filter(node_class=name).exclude(state=Node.State.FOLDED)
    latest = found.order_by("-recorded_at", "-pk").values_list("pk", "label")[:SHOWN]
    return [Example(label[:LONGEST], address(by, "graph:node", pk)) for pk, label in latest]


def statements(by: Principal, name: str) -> list[Example]:
    """The latest beliefs of a kind that are held."""
    return _beliefs(by, Belief.objects.visible_to(by).filter(kind=name, shape=Belief.Shape.STATEMENT))


def edges(by: Principal, name: str) -> list[Example]:
    """The latest edges of a relationship that are held."""
    return _beliefs(by, Belief.objects.visible_to(by).filter(predicate=name, shape=Belief.Shape.EDGE))


def related(by: Principal, name: str) -> list[Example]:
    """The latest relations of a kind, each by who plays in it, on the page of the first node or belief that does."""
    latest = relations(by, name).order_by("-recorded_at", "-pk")[:SHOWN]
    playing = RelationPlayer.objects.filter(relation__in=list(latest)).select_related("node", "belief")
    players: dict[Any, list[RelationPlayer]] = {}
    for one in playing.order_by("position", "pk"):
        players.setdefault(one.relation_id, []).append(one)
    found = []
    for relation in latest:
        shown = [one for one in players.get(relation.pk, ()) if one.node or one.belief]
        if shown:
            words = ", ".join(f"{one.role.replace('_', ' ')}: {_called(one)}" for one in shown)
            first = shown[0]
            page = ("graph:node", first.node_id) if first.node else ("graph:belief", first.belief_id)
            found.append(Example(words[:LONGEST], address(by, *page)))
    return found


def _called(player: RelationPlayer) -> str:
    return player.node.label if player.node else player.belief.content if player.belief else ""


def _beliefs(by: Principal, found: Any) -> list[Example]:
    held = found.filter(status=Status.ACTIVATED, standing=Standing.HOLDS)
    latest = held.order_by("-recorded_at", "-pk").values_list("pk", "content")[:SHOWN]
    return [Example(content[:LONGEST], address(by, "graph:belief", pk)) for pk, content in latest]
