"""The index follows a change of the declared types: entries say of which kinds and classes things are."""

from __future__ import annotations

import uuid

from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Write
from memoryapp.ontology import following
from memoryapp.ontology.following import Follower, Touched
from memoryapp.recall import feeding

CHUNK = 400


def register() -> None:
    following.register("recall", Follower(lambda workspace, move: {}, lambda write, move: {}, settle))


def settle(write: Write, touched: Touched) -> None:
    """Put what was touched into the index as it is called now."""
    nodes = Node.objects.filter(workspace=write.workspace, node_class__in=touched.of("node_classes")).order_by("pk")
    for chunk in _chunks(list(nodes.values_list("pk", flat=True))):
        feeding.refresh(write, nodes=chunk)
    beliefs = Belief.objects.filter(workspace=write.workspace, kind__in=touched.of("belief_kinds")).order_by("pk")
    for chunk in _chunks(list(beliefs.values_list("pk", flat=True))):
        feeding.refresh(write, beliefs=chunk)


def _chunks(ids: list[uuid.UUID]) -> list[list[uuid.UUID]]:
    return [ids[start : start + CHUNK] for start in range(0, len(ids), CHUNK)]
