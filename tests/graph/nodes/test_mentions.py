"""Names without an identity key are bound where that is certain; else a person is asked, once."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.graph import services
from memoryapp.graph.models import Belief, Mention, Node
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from memoryapp.review.registry import kind_named
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db


def mention(graph: Graph, text: str, name: str, circle: Node | None, node_class: str = "person") -> Mention:
    source = graph.source(text=text)
    start = text.index(name)
    noted: Mention = graph.do(
        lambda write: services.mention(
            write, name, node_class, source=source, start=start, end=start + len(name), circle=circle
        )
    )
    return noted


def decide(by: Principal, verdict: str, **edits: Any) -> Decision:
    case = Case.objects.get(state="open")
    done: Decision = record(
        by, "decide", lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits=edits)
    )
    return done


def test_the_one_known_person_of_that_name_in_the_circle_is_meant(graph: Graph) -> None:
    ines, ivo = graph.person("Ines"), graph.person("Ivo")
    graph.connect(ines, "reportsTo", ivo)
    assert mention(graph, "My manager Ivo agreed.", "Ivo", ines).node == ivo
    assert not Case.objects.exists()


def test_a_look_alike_in_the_circle_is_not_meant(graph: Graph) -> None:
    """C3: Tavin is not Avin, however near and recent."""
    ines, avin = graph.person("Ines"), graph.person("Avin")
    graph.connect(ines, "knows", avin)
    assert mention(graph, "I met Tavin today.", "Tavin", ines).node is None
    assert Case.objects.get().kind == "unbound_mention"


def test_somebody_of_that_name_outside_the_circle_is_not_meant(graph: Graph) -> None:
    ines = graph.person("Ines")
    graph.person("Ivo")
    assert mention(graph, "Ivo called.", "Ivo", ines).node is None


def test_a_name_that_is_a_key_leads_to_its_node(graph: Graph) -> None:
    kestrel = graph.node("project", name="Kestrel")
    assert mention(graph, "We start kestrel.", "kestrel", None, "project").node == kestrel


def test_a_name_taken_for_a_group_of_classes_is_offered_all_below_it_and_makes_no_node(
    graph: Graph, reviewer: Principal
) -> None:
    quay = graph.node("organization", name="Quay Nine")
    noted = mention(graph, "I run Quay Nine.", "Quay Nine", graph.person("Ines"), "thing")
    noted.refresh_from_db()
    case = Case.objects.get(state="open")
    assert kind_named("unbound_mention").blocked(reviewer, case).keys() == {"new_node"}
    shown = kind_named("unbound_mention").present(reviewer, case)
    assert [node["label"] for node in shown["nodes"]] == ["Quay Nine"]
    decide(reviewer, "bind", node=str(quay.pk))
    assert Mention.objects.get(pk=noted.pk).node == quay


def test_a_name_is_asked_about_once_and_the_answer_holds_for_all(graph: Graph, reviewer: Principal) -> None:
    ines, ivo = graph.person("Ines"), graph.person("Ivo")
    first = mention(graph, "Ivo agreed.", "Ivo", ines)
    second = mention(graph, "Then Ivo left.", "Ivo", ines)
    assert Case.objects.count() == 1
    decided = decide(reviewer, "bind", node=str(ivo.pk))
    assert set(Mention.objects.filter(node=ivo)) == {first, second}
    assert mention(graph, "Ivo is back.", "Ivo", ines).node == ivo
    record(reviewer, "undo", lambda write: review.undo(write, decided.pk))
    assert not Mention.objects.filter(node__isnull=False).exists()


def test_a_person_may_say_it_is_somebody_new_and_take_it_back(graph: Graph, reviewer: Principal) -> None:
    ines = graph.person("Ines")
    noted = mention(graph, "Ivo agreed.", "Ivo", ines)
    decided = decide(reviewer, "new_node")
    noted.refresh_from_db()
    assert noted.node is not None
    assert (noted.node.label, noted.node.node_class) == ("Ivo", "person")
    record(reviewer, "undo", lambda write: review.undo(write, decided.pk))
    noted.refresh_from_db()
    assert noted.node is None
    assert Node.objects.get(label="Ivo").state == "retired"
    assert Belief.objects.get(subject__label="Ivo").standing == "retracted"
    assert Case.objects.get().state == "open"


def test_a_name_that_names_nothing_is_not_asked_about_again(graph: Graph, reviewer: Principal) -> None:
    ines = graph.person("Ines")
    mention(graph, "Thanks, Captain!", "Captain", ines)
    decide(reviewer, "not_an_entity")
    assert mention(graph, "Aye, Captain.", "Captain", ines).dismissed
    assert not Case.objects.filter(state="open").exists()


def test_a_span_that_is_not_there_is_refused(graph: Graph) -> None:
    source = graph.source(text="Short.")
    with pytest.raises(Invalid):
        graph.do(lambda write: services.mention(write, "Ivo", "person", source=source, start=2, end=99))


def test_a_pair_told_apart_is_never_suggested_again(graph: Graph, reviewer: Principal) -> None:
    """V3, for nodes."""
    from memoryapp.graph.services.lookalikes import open_suggestion

    one, other = graph.node("project", name="O'Neil"), graph.node("project", name="ONeil")
    decide(reviewer, "not_the_same")
    assert graph.do(lambda write: open_suggestion(write, other, one, "spelling")) is None
    assert Node.objects.filter(state="active").count() == 2
