"""Merges that meet upserts and other merges: one outcome, nothing lost."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memoryapp.doors.errors import Conflict
from memoryapp.graph import services
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Belief, IdentityKey, Node, NodeState
from memoryapp.graph.statements import NodeKeys, Quoted
from memoryapp.ledger import integrity
from memoryapp.ledger.services import record
from tests.graph.nodes.telling import Graph
from tests.racing import raised_at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]


def sound(graph: Graph) -> bool:
    return not [one for one in integrity.examine(graph.by.workspace) if one.findings]


def test_whoever_tells_of_the_folded_one_while_it_is_merged_tells_of_the_kept_one(graph: Graph) -> None:
    """T30, across a merge: nothing that was told meanwhile is lost, and no second node is made."""
    kept = graph.node("person", name="Jude Okoro", email="jude@okoro.example")
    folded = graph.node("person", name="Jude Okoro", handle="jokoro")
    quoted = (Quoted(graph.source()),)

    def tell(number: int) -> Callable[[], object]:
        given = {"handle": "jokoro", "phone": f"+44 20 7000 {number:04}"}
        return lambda: record(graph.by, "upsert", lambda write: services.upsert_node(write, "person", given, quoted))

    def merge() -> object:
        return record(graph.by, "merge", lambda write: services.merge(write, kept=kept.pk, folded=folded.pk))

    assert raised_at_once([merge, *(tell(number) for number in range(12))]) == []
    assert Node.objects.count() == 2
    node = resolve(graph.by, NodeKeys("person", {"handle": "jokoro"}))
    assert node == kept
    assert len(node.properties["phone"]) == 12
    assert not Belief.objects.filter(subject=folded).exists()
    assert not IdentityKey.objects.filter(node=folded, active=True).exists()
    assert sound(graph)


def test_two_merges_of_the_same_two_have_one_outcome(graph: Graph) -> None:
    one, other = graph.person("Jude Okoro"), graph.person("J. Okoro")

    def merge(kept: Node, folded: Node) -> Callable[[], object]:
        return lambda: record(graph.by, "merge", lambda write: services.merge(write, kept=kept.pk, folded=folded.pk))

    refused = raised_at_once([merge(one, other), merge(other, one)])
    assert [type(error) for error in refused] == [Conflict]
    assert [getattr(error, "code", "") for error in refused] == ["same_node"]
    assert Node.objects.filter(state="folded").count() == 1
    assert sound(graph)


def test_a_ring_of_merges_ends_in_one_node_with_everything(graph: Graph) -> None:
    people = [graph.node("person", name="Jude Okoro", handle=f"jude-{number}") for number in range(5)]

    def merge(kept: Node, folded: Node) -> Callable[[], object]:
        return lambda: record(graph.by, "merge", lambda write: services.merge(write, kept=kept.pk, folded=folded.pk))

    ring = [merge(one, other) for one, other in zip(people, people[1:] + people[:1], strict=True)]
    refused = raised_at_once(ring)
    assert [getattr(error, "code", "") for error in refused] == ["same_node"]
    [left] = Node.objects.filter(state="active")
    assert sorted(left.properties["handle"]) == [f"jude-{number}" for number in range(5)]
    assert {one.folded_into_id for one in Node.objects.filter(state="folded")} == {left.pk}
    assert NodeState.objects.filter(state="folded").values("node").distinct().count() == 4
    assert sound(graph)
