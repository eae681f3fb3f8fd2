"""Kinds of fault that broke other memories, tried on what is believed. The numbers are those of the collected cases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from memoryapp.doors.errors import DomainError
from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Belief, IdentityKey, Node, Relation, RelationPlayer
from memoryapp.graph.queries import views, why
from memoryapp.graph.statements import NodeKeys, Quoted
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph, at, moment

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def decide(by: Principal, verdict: str, **edits: Any) -> None:
    case = Case.objects.filter(state="open").order_by("opened_at", "pk")[0]
    record(
        by,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits=edits),
        "Asked.",
    )


def free(by: Principal, **when: Any) -> list[str]:
    scope = views.Scope(kinds=("memory",))
    found = views.as_of(by, scope, **when) if when else views.current(by, scope)
    return sorted(belief.content for belief in found if belief.shape == "statement")


NEAR = [
    pytest.param("Delivery note DN-2044-000871", "Delivery note DN-2044-000872", id="case 2: numbered papers"),
    pytest.param("Circular C-44-20 edition A", "Circular C-44-20 edition B", id="case 2: lettered editions"),
    pytest.param("Orvin", "Torvin", id="case 94: one name inside another"),
    pytest.param("Pier 14", "Pier 15", id="case 95: numbered places"),
    pytest.param("2041 estimate", "2042 estimate", id="case 95: numbered years"),
    pytest.param("berth_7", "berth_17", id="case 95: numbered signs"),
    pytest.param("R. Adeyemi", "Rilwan Adeyemi", id="case 97: one person under many spellings"),
]


@pytest.mark.parametrize(("one", "other"), NEAR)
def test_near_names_are_two_nodes(graph: Graph, one: str, other: str) -> None:
    """Cases 2, 94, 95, 97: also when one circle knows both."""
    first, second = graph.node("project", name=one), graph.node("project", name=other)
    assert first != second
    ana = graph.person("Ana")
    for project in (first, second):
        graph.connect(ana, "worksOn", project)
    assert graph.upsert("project", "2026-05-01", name=one).node == first
    assert Node.objects.filter(node_class="project", state="active").count() == 2


SAME = [
    pytest.param("organization", {"acronym": "HVLT"}, [{"acronym": "HVLT"}] * 3, id="case 1: one acronym four times"),
    pytest.param("project", {"name": "Rosa  Lind"}, [{"name": "rosa lind"}], id="case 122: spaces and case"),
    pytest.param(
        "person", {"email": "R.Vance@Mail.example"}, [{"email": "r.vance@mail.example"}], id="case 131: email"
    ),
]


@pytest.mark.parametrize(("node_class", "first", "again"), SAME)
def test_one_key_in_any_spelling_is_one_node_with_every_source(
    graph: Graph, node_class: str, first: dict[str, Any], again: list[dict[str, Any]]
) -> None:
    """Cases 1, 122, 131."""
    made = graph.node(node_class, **first)
    for place, keys in enumerate(again):
        found = graph.upsert(node_class, f"2026-04-0{place + 1}", **keys)
        assert (found.node, found.created) == (made, False)
    assert IdentityKey.objects.count() == 1
    sources = RelationPlayer.objects.filter(kind="sourcing", role="evidence", relation__players__belief__subject=made)
    assert sources.count() == 1 + len(again)
    name, value = next(iter(again[-1].items()))
    players = [("shipper", NodeKeys(node_class, {name: value}))]
    if node_class == "organization":
        others = [("carrier", graph.node("organization", name="Wheel")), ("receiver", graph.node("team", name="Shelf"))]
        assert graph.relate("shipment", *players, *others).players.filter(node=made).exists()


def _people_of(graph: Graph) -> dict[str, Node]:
    return {
        **{name: graph.person(name) for name in ("Tove", "Marek")},
        **{name: graph.node("project", name=name) for name in ("Cormorant", "Petrel")},
        **{name: graph.node("organization", name=name) for name in ("Inkwell", "Reedworks")},
    }


SLOTS = [
    pytest.param(
        ("say", "Tove has 5 years at Inkwell", "years"), ("say", "Tove has 6 years at Inkwell", "years"), id="case 11"
    ),
    pytest.param(("edge", "Tove", "runs", "Petrel"), ("edge", "Marek", "runs", "Petrel"), id="case 119"),
    pytest.param(("value", "Tove", "role", "bookbinder"), ("value", "Tove", "role", "printer"), id="case 10"),
    pytest.param(("say", "Deliver to Mill Lane", "delivery"), ("say", "Deliver to Dock 9", "delivery"), id="case 118"),
    pytest.param(("say", "Tove loves olives", ""), ("say", "Tove hates olives", ""), id="case 20"),
]


def _tell(graph: Graph, known: dict[str, Node], said: tuple[Any, ...], day: str) -> Belief:
    if said[0] == "say":
        return graph.say(said[1], known["Tove"], topic=said[2], said_at=day)
    if said[0] == "edge":
        return graph.connect(known[said[1]], said[2], known[said[3]], day).belief
    fields = {"subject": known[said[1]].pk, "predicate": said[2], "value": said[3], "kind": ""}
    return graph.say("", said_at=day, **fields)


@pytest.mark.parametrize(("first", "later"), SLOTS)
def test_whoever_fills_a_filled_slot_waits_beside_the_one_held(
    graph: Graph, reviewer: Principal, first: tuple[Any, ...], later: tuple[Any, ...]
) -> None:
    """T24, cases 10, 11, 19, 20, 118, 119: a case of two, the older current; after the verdict exactly the newer."""
    known = _people_of(graph)
    older, newer = _tell(graph, known, first, "2026-03-01"), _tell(graph, known, later, "2026-06-01")
    assert (older.status, newer.status) == ("activated", "resolving")
    case = Case.objects.get(state="open")
    assert {one.subject_id for one in case.subjects.exclude(role="conflict")} == {older.pk, newer.pk}
    held = set(views.current(graph.by, views.Scope(ids=[older.pk, newer.pk])))
    assert held == {older}
    decide(reviewer, "newer_replaces")
    scope = views.Scope(ids=[older.pk, newer.pk])
    assert list(views.current(graph.by, scope)) == [newer]
    assert list(views.as_of(graph.by, scope, valid_at=at("2026-04-01"))) == [older]
    assert [one["belief"]["id"] for one in why.why(graph.by, newer.pk)["supersedes"]] == [str(older.pk)]


def test_five_six_then_seven_years_are_three_values_and_the_last_is_current(graph: Graph, reviewer: Principal) -> None:
    """Case 11."""
    tove = graph.person("Tove")
    for years, day in ((5, "2024-03-01"), (6, "2025-03-01"), (7, "2026-03-01")):
        graph.say(f"Tove has {years} years at Inkwell", tove, topic="years", said_at=day)
        if years > 5:
            decide(reviewer, "newer_replaces")
    assert free(graph.by) == ["Tove has 7 years at Inkwell"]
    assert Belief.objects.filter(topic="years").count() == 3
    assert free(graph.by, valid_at=at("2025-06-01")) == ["Tove has 6 years at Inkwell"]


APART = [
    pytest.param("傍晚去湖边散步", "喜欢旧书", id="case 22: two statements in Chinese"),
    pytest.param("Marek keeps pigeons", "Marek has a dovecote", id="case 61: alike, not the same"),
    pytest.param("Ωραία θέα", "Ωραίο τσάι", id="case 22: two in Greek"),
    pytest.param("long " * 300 + "one", "long " * 300 + "two", id="case 142: two long texts that differ at the end"),
]


@pytest.mark.parametrize(("one", "other"), APART)
def test_two_statements_that_are_not_one_slot_are_both_held(graph: Graph, one: str, other: str) -> None:
    """Cases 22, 61, 142."""
    marek = graph.person("Marek")
    first, second = graph.say(one, marek), graph.say(other, marek)
    assert first != second
    assert free(graph.by) == sorted([one.strip(), other.strip()])
    assert not Case.objects.exists()


def test_two_alike_that_a_person_merges_are_one_in_every_answer(graph: Graph, reviewer: Principal) -> None:
    """Case 61: what was merged away is in the history alone."""
    marek = graph.person("Marek")
    one, two = graph.say("Marek keeps pigeons", marek), graph.say("Marek has a dovecote", marek)
    graph.relate("conflict", ("claim", one), ("claim", two))
    decide(reviewer, "merged", text="Marek keeps pigeons in a dovecote")
    assert free(graph.by) == ["Marek keeps pigeons in a dovecote"]
    merged = Belief.objects.get(content="Marek keeps pigeons in a dovecote")
    assert {one["content"] for one in why.why(graph.by, merged.pk)["ancestors"]} == {one.content, two.content}


def test_one_decision_told_in_twelve_conversations_by_two_agents_is_one_belief(
    graph: Graph, agent: Callable[..., Principal]
) -> None:
    """Cases 92, 107: twelve sources, whoever told them, and no number or agent in its identity."""
    tove = graph.person("Tove")
    agents = [Graph(agent(graph.by.workspace, ["curate", "lookup"], name)) for name in ("North", "South")]
    for month in range(1, 13):
        teller = agents[month % 2]
        source = graph.source(f"2025-{month:02}-03")
        teller.say("We print on grey paper", tove, kind="decision", evidence=(Quoted(source),))
    belief = Belief.objects.get(kind="decision")
    evidence = RelationPlayer.objects.filter(
        kind="sourcing", role="evidence", relation__players__belief=belief, relation__state="activated"
    )
    assert evidence.count() == 12


def test_sixty_that_are_over_are_never_current_and_always_in_the_history(graph: Graph) -> None:
    """Case 17."""
    tove = graph.person("Tove")
    beliefs = [graph.say(f"Habit {number}", tove, said_at="2026-01-05") for number in range(100)]
    for belief in beliefs[:60]:
        graph.do(
            lambda write, belief=belief: graph_services.retire(
                write, belief, reason="It is over.", at=moment("2026-04-01")
            )
        )
    assert len(free(graph.by)) == 40
    assert len(free(graph.by, valid_at=at("2026-02-01"))) == 100
    everything = views.beliefs(graph.by, views.Scope(kinds=("preference",)))
    assert sorted({belief.status for belief in everything}) == ["activated", "archived"]
    assert everything.count() == 100


def test_what_is_told_late_holds_from_when_it_was_said(graph: Graph) -> None:
    """Cases 13, 14: one by one and in a batch."""
    tove = graph.person("Tove")
    days = ["2017-05-04", "2018-06-05", "2019-04-02"]
    beliefs = [graph.say(f"We adopted form {day}", tove, kind="decision", said_at=day) for day in days]
    assert [belief.valid_from for belief in beliefs] == [at(day) for day in days]
    assert all(belief.recorded_at.year >= 2026 for belief in beliefs)
    assert free(graph.by, valid_at=at("2018-01-01")) == ["We adopted form 2017-05-04"]


def test_true_until_june_and_otherwise_since_are_both_true(graph: Graph) -> None:
    """Case 98."""
    tove = graph.person("Tove")
    graph.say("The fee was 4 %", tove, topic="fee", said_at="2026-01-01", valid_to=moment("2026-06-01"))
    graph.say("The fee is 3 %", tove, topic="fee", said_at="2026-06-01")
    assert free(graph.by, valid_at=at("2026-05-01")) == ["The fee was 4 %"]
    assert free(graph.by, valid_at=at("2026-07-01")) == ["The fee is 3 %"]
    assert not Case.objects.exists()


def test_a_correction_leaves_the_right_one_and_says_what_was_wrong(graph: Graph) -> None:
    """Cases 64, 91: what a person says never was so is hidden, and the history says why."""
    tove = graph.person("Tove")
    belief = graph.say("The fitting is at 3", tove, kind="user")
    right = graph.do(
        lambda write: graph_services.edit(write, belief, content="The fitting is at 4", reason="She looked it up.")
    )
    assert free(graph.by) == ["The fitting is at 4"]
    graph.do(lambda write: graph_services.retract(write, right, reason="There is no fitting."))
    assert free(graph.by) == []
    assert why.why(graph.by, right.pk)["history"][-1]["reason"] == "There is no fitting."


def test_nothing_is_left_of_a_relation_whose_player_cannot_go(graph: Graph) -> None:
    """T33 (DB), case 133: what plays in a shipment is refused to leave, so that no half of one remains."""
    dock, wheel, shelf = (graph.node("organization", name=name) for name in ("Dock", "Wheel", "Shelf"))
    graph.relate("shipment", ("shipper", dock), ("carrier", wheel), ("receiver", shelf))
    with pytest.raises(Exception, match=r"append-only|deleted|referenced|PROTECT|protected"):
        wheel.delete()
    shipment = Relation.objects.get(kind="shipment")
    for row in (wheel, shipment, *shipment.players.all()):
        with pytest.raises(DatabaseError), transaction.atomic():
            type(row)._base_manager.filter(pk=row.pk)._raw_delete(using="default")  # type: ignore[attr-defined]
    with pytest.raises(DatabaseError), transaction.atomic():
        shipment.players.filter(role="carrier").update(role="receiver")
    assert sorted(shipment.players.values_list("role", flat=True)) == ["carrier", "receiver", "shipper"]


def test_a_refused_write_leaves_not_one_row(graph: Graph) -> None:
    """Case 89: a failure is an error, and nothing half-written."""
    tove = graph.person("Tove")
    before = [model._base_manager.count() for model in (Belief, Relation, RelationPlayer, Node, Case)]
    for act in (
        lambda: graph.say("Tove likes tea", tove, kind="preferance"),
        lambda: graph.upsert("person", email="a@mail.example", nickname="A"),
        lambda: graph.connect(tove, "worksAt", NodeKeys("organization", {"name": "Nowhere"})),
        lambda: graph.relate("extension", ("base", tove)),
    ):
        with pytest.raises(DomainError):
            act()
    assert [model._base_manager.count() for model in (Belief, Relation, RelationPlayer, Node, Case)] == before
