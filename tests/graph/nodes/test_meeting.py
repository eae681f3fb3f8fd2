"""What meets when two nodes become one: the same relation twice, likings that contradict, files that lead there."""

from __future__ import annotations

import copy
import datetime as dt
from typing import Any

import pytest

from memoryapp.files.inputs import LinkInput
from memoryapp.files.queries import links_for
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.queries.merging import preview
from memoryapp.graph.queries.relations import relation, relations
from memoryapp.graph.statements import Moment, Quoted
from memoryapp.ledger import integrity
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import declare
from memoryapp.review.models import Case
from tests.files.telling import Tree
from tests.graph.nodes.telling import Graph
from tests.graph.nodes.test_merging import everything, merge, pair, undo

__all__ = ["pair"]

pytestmark = [pytest.mark.django_db, pytest.mark.sql]

Pair = tuple[Node, Node]


def shipped(graph: Graph, shipper: Node, carrier: Node, receiver: Node, **more: Any) -> Relation:
    more.setdefault("evidence", (Quoted(graph.source()),))
    return graph.relate("shipment", ("shipper", shipper), ("carrier", carrier), ("receiver", receiver), **more)


def from_day(day: int) -> Moment:
    return Moment(dt.datetime(2026, 3, day, tzinfo=dt.UTC))


def stands_on(made: Relation, by: Principal) -> set[Any]:
    return {one.source_id for one in relation(by, made.pk).evidence}


def test_two_shipments_that_become_the_same_are_one_on_all_the_evidence(graph: Graph, pair: Pair) -> None:
    kept, folded = pair
    wheel, shelf = graph.person("Wheel Works"), graph.person("Shelf House")
    first = shipped(graph, kept, wheel, shelf)
    second = shipped(graph, folded, wheel, shelf)
    other = shipped(graph, folded, wheel, shelf, attributes={"reference": "S-2"})
    told = preview(graph.by, kept.pk, folded.pk)["follows"]
    assert {"what": "relations that join the same already, and stay once", "count": 1} in told
    sources = stands_on(first, graph.by) | stands_on(second, graph.by)
    decision = merge(graph, kept, folded)
    assert {one.pk for one in relations(graph.by, "shipment", player=kept.pk)} == {first.pk, other.pk}
    assert stands_on(first, graph.by) == sources
    assert [one for one in integrity.examine(graph.by.workspace) if one.findings] == []
    undo(graph.by, decision)
    assert {one.pk for one in relations(graph.by, "shipment", player=folded.pk)} == {second.pk, other.pk}
    assert {one.pk for one in relations(graph.by, "shipment", player=kept.pk)} == {first.pk}
    assert len(stands_on(first, graph.by)) == 1


def test_what_was_one_before_the_other_began_is_not_one(graph: Graph, pair: Pair) -> None:
    kept, folded = pair
    wheel, shelf = graph.person("Wheel Works"), graph.person("Shelf House")
    shipped(graph, kept, wheel, shelf, valid_from=from_day(1), valid_to=from_day(2))
    shipped(graph, folded, wheel, shelf, valid_from=from_day(20), valid_to=from_day(21))
    merge(graph, kept, folded)
    assert relations(graph.by, "shipment", player=kept.pk).count() == 2


def test_of_two_that_touch_the_earlier_stays_and_lasts_as_long_as_both(graph: Graph, pair: Pair) -> None:
    kept, folded = pair
    wheel, shelf = graph.person("Wheel Works"), graph.person("Shelf House")
    shipped(graph, kept, wheel, shelf, valid_from=from_day(5), valid_to=from_day(20))
    earlier = shipped(graph, folded, wheel, shelf, valid_from=from_day(1), valid_to=from_day(9))
    decision = merge(graph, kept, folded)
    [stays] = relations(graph.by, "shipment", player=kept.pk)
    assert (stays.pk, stays.valid_to) == (earlier.pk, from_day(20).instant)
    undo(graph.by, decision)
    earlier.refresh_from_db()
    assert earlier.valid_to == from_day(9).instant


def test_what_is_said_of_a_relation_that_goes_is_said_of_the_one_that_stays(graph: Graph, pair: Pair) -> None:
    kept, folded = pair
    wheel, shelf = graph.person("Wheel Works"), graph.person("Shelf House")
    document = copy.deepcopy(current_ontology(graph.by).document.as_data())
    roles = {"delayed": {"relations": ["shipment"]}, "because": {"beliefs": ["memory"]}}
    document["relation_kinds"]["delay"] = {"roles": roles}
    graph.do(lambda write: declare(write, document))
    late = graph.say("Likes to wait.", wheel)
    first, second = (shipped(graph, one, wheel, shelf) for one in pair)
    delay = graph.relate("delay", ("delayed", second), ("because", late))
    decision = merge(graph, kept, folded)
    [now] = relations(graph.by, "delay")
    assert RelationPlayer.objects.get(relation=now, role="delayed").played_by == first
    undo(graph.by, decision)
    assert [one.pk for one in relations(graph.by, "delay")] == [delay.pk]


def test_likings_that_contradict_once_they_are_of_one_wait_for_a_person(
    graph: Graph, pair: Pair, reviewer: Principal
) -> None:
    kept, folded = pair
    likes = graph.say("Likes green tea.", kept)
    dislikes = graph.say("Does not like green tea.", folded)
    before = everything(graph.by.workspace)
    decision = merge(graph, kept, folded)
    dislikes.refresh_from_db()
    assert dislikes.status == "resolving"
    [case] = Case.objects.filter(kind="belief_conflict", state="open")
    assert {one.subject_id for one in case.subjects.all()} >= {likes.pk, dislikes.pk}
    undo(reviewer, decision)
    assert set(before) <= set(everything(graph.by.workspace))
    assert Belief.objects.get(pk=dislikes.pk).status == "activated"
    case.refresh_from_db()
    assert case.state != "open"


def test_files_that_lead_to_a_node_lead_to_what_it_was_folded_into(graph: Graph, pair: Pair) -> None:
    kept, folded = pair
    tree = Tree(graph.by)
    tree.write("/notes/jude.md", "About him.", links=(LinkInput("node", str(folded.pk)),))
    assert [one.entry.path for one in links_for(graph.by, str(kept.pk))] == []
    assert {"what": "files that lead to it", "count": 1} in preview(graph.by, kept.pk, folded.pk)["follows"]
    decision = merge(graph, kept, folded)
    for either in pair:
        assert [one.entry.path for one in links_for(graph.by, str(either.pk))] == ["/notes/jude.md"]
    undo(graph.by, decision)
    assert [one.entry.path for one in links_for(graph.by, str(folded.pk))] == ["/notes/jude.md"]
    assert [one.entry.path for one in links_for(graph.by, str(kept.pk))] == []


def test_taking_a_merge_back_is_as_many_queries_however_much_follows(
    graph: Graph, pair: Pair, django_assert_max_num_queries: Any
) -> None:
    kept, folded = pair
    people = [graph.person(f"Ana Petrov {number}") for number in range(12)]
    for one in people:
        graph.connect(folded, "knows", one)
        graph.connect(kept, "knows", one)
    with django_assert_max_num_queries(290):
        decision = merge(graph, kept, folded)
    with django_assert_max_num_queries(240):
        undo(graph.by, decision)
