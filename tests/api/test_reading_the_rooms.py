"""What waits for a person, what is declared, named views and why, as an agent reads them."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from memoryapp.graph.queries import views
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services as ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.api.calling import Caller
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def _conflict(graph: Graph) -> tuple[Any, Any, Case]:
    ines = graph.person("Ines Ferro")
    weekly = graph.say("Ines prefers weekly status emails", ines, said_at="2026-03-02", topic="reporting cadence")
    monthly = graph.say("Ines prefers a monthly summary", ines, said_at="2026-06-02", topic="reporting cadence")
    return weekly, monthly, Case.objects.get(kind="belief_conflict")


def test_a_conflict_is_read_with_both_sides_and_cannot_be_decided_by_an_agent(graph: Graph, curator: Caller) -> None:
    weekly, monthly, case = _conflict(graph)
    listed = curator.get("cases").json()
    assert [one["id"] for one in listed["items"]] == [str(case.pk)]
    answer = curator.get(f"cases/{case.pk}")
    told = answer.json()
    assert answer["ETag"] == f'"{case.lock}"'
    assert {side["belief"]["id"] for side in told["view"]["sides"]} == {str(weekly.pk), str(monthly.pk)}
    assert "newer_replaces" in [one["key"] for one in told["verdicts"]]
    for verb in ("POST", "PUT", "PATCH", "DELETE"):
        assert curator.send(verb, f"cases/{case.pk}", b"{}").status_code == 405
        assert curator.send(verb, "decisions", b"{}").status_code == 405


def test_a_decision_is_read_with_who_gave_it(graph: Graph, curator: Caller, reviewer: Principal) -> None:
    _, _, case = _conflict(graph)

    record(
        reviewer,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict="newer_replaces"),
        "She said so.",
    )
    decided = curator.get("decisions").json()["items"]
    assert [(one["verdict"], one["by"], one["rationale"]) for one in decided] == [
        ("newer_replaces", reviewer.actor.name, "She said so.")
    ]
    assert curator.get(f"decisions/{decided[0]['id']}").json() == decided[0]
    assert curator.get("cases").json()["items"] == []
    assert curator.get("cases?state=decided").json()["items"][0]["id"] == str(case.pk)


def test_filters_that_cannot_be_are_refused_with_what_would_be_taken(curator: Caller) -> None:
    assert "belief_conflict" in curator.get("cases?kind=belief_conflcit").json()["errors"][0]["accepted"]
    assert curator.get("cases?assignee=somebody").status_code == 422
    assert curator.get("cases?state=closed").status_code == 400
    assert curator.get("decisions?by=me").json()["code"] == "unknown_parameter"


def test_declared_types_are_answered_whole_and_with_what_is_inherited(curator: Caller, workspace: Workspace) -> None:
    answer = curator.get("ontology")
    told = answer.json()
    assert told["document"] == current_ontology(workspace).document.as_data()
    assert ["email"] in told["rendered"]["node_classes"]["person"]["identified_by"]
    assert "iri" in told["rendered"]["node_classes"]["person"]["properties"]
    assert not told["rendered"]["belief_kinds"]["memory"]["usable"]
    assert answer["ETag"] == f'"{told["edition"]}"'
    assert curator.get("ontology?edition=99").status_code == 404


def test_a_view_by_rest_is_the_view_in_python_and_holds_a_subkind_declared_later(
    graph: Graph, curator: Caller, operator: Principal
) -> None:
    """T3, T42."""
    ines = graph.person("Ines Ferro")
    graph.say("Ines prefers aisle seats", ines, topic="seat")
    data = current_ontology(operator).document.as_data()
    data["belief_kinds"]["travel_preference"] = {"title": "Travel preference", "parent": "preference"}
    record(operator, "declare", lambda write: ontology.declare(write, data))
    graph.say("Ines prefers night trains", ines, kind="travel_preference", topic="night trains")
    by_rest = [one["id"] for one in curator.get("views/preferences").json()["items"]]
    assert by_rest == [str(one.pk) for one in views.named(graph.by, "preferences")]
    assert len(by_rest) == 2
    assert "preferences" in [one["name"] for one in curator.get("views").json()["items"]]


def test_a_view_nobody_declared_is_not_found_and_the_nearest_is_named(curator: Caller) -> None:
    answer = curator.get("views/preferences_")
    assert (answer.status_code, answer.json()["code"]) == (404, "no_such_view")
    assert "preferences" in answer.json()["detail"]


def test_why_answers_for_every_kind_of_id(graph: Graph, curator: Caller) -> None:
    ines = graph.person("Ines Ferro")
    source = graph.source("2026-03-02", "Ines prefers weekly status emails")
    belief = graph.say("Ines prefers weekly status emails", ines, evidence=(Quoted(source, 0, 12),))
    other = graph.say("Ines likes short texts", ines)
    relation = graph.relate("extension", ("base", belief), ("addition", other))
    told = {thing.pk: curator.get(f"why/{thing.pk}").json() for thing in (ines, source, belief, relation)}
    assert [told[one.pk]["what"] for one in (ines, source, belief, relation)] == [
        "node",
        "source",
        "belief",
        "relation",
    ]
    assert told[belief.pk]["sources"][0]["quote"] == "Ines prefers"
    assert told[source.pk]["beliefs"][0]["id"] == str(belief.pk)
    assert told[source.pk]["would_fall"] == [str(belief.pk)]
    assert "person: email" in told[ines.pk]["identified_by"]
    assert len(told[relation.pk]["players"]) == 2
    for one in told.values():
        assert one["recorded"]["by"] == graph.by.actor.name


def test_why_of_another_workspaces_thing_or_of_nothing_is_not_found(graph: Graph, stranger: Caller) -> None:
    ines = graph.person("Ines Ferro")
    belief = graph.say("Ines prefers weekly status emails", ines)
    for one in (ines.pk, belief.pk, belief.write.pk, uuid.uuid4()):
        answer = stranger.get(f"why/{one}")
        assert (answer.status_code, answer.json()["code"]) == (404, "no_such_thing")


def test_depth_is_bounded(graph: Graph, curator: Caller) -> None:
    assert curator.get(f"why/{uuid.uuid4()}?depth=51").status_code == 400
    assert curator.get(f"why/{uuid.uuid4()}?depth=-1").status_code == 400
