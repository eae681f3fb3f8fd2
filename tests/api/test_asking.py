"""Questions to the graph over REST, by themselves and as who took part in what happened."""

from __future__ import annotations

import pytest

from memoryapp.ledger.models import Served, ServedItem
from tests.api.calling import Caller
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db

AT_ACME = {"related": {"relationship": "worksAt", "where": {"name": "Acme"}}}


@pytest.fixture
def graph(curator: Caller) -> Graph:
    return Graph(curator.operator)


def test_a_question_is_answered_with_what_leads_on_and_noted_as_served(curator: Caller) -> None:
    graph = Graph(curator.operator)
    ines, acme = graph.person("Ines Ferro"), graph.node("organization", name="Acme")
    reader = Caller(curator.operator.workspace, ["lookup"], "Looker")
    edge = graph.connect(ines, "worksAt", acme).belief
    asked = {
        "class": "person",
        "where": AT_ACME,
        "select": ["email"],
        "expand": [{"relationship": "worksAt", "direction": "out", "select": []}],
    }
    answer = reader.post("nodes/query", asked)
    assert answer.status_code == 200
    [found] = answer.json()["items"]
    assert (found["label"], found["properties"]) == ("Ines Ferro", {"email": ["ines.ferro@mail.example"]})
    assert found["expanded"][0]["edges"][0]["node"]["label"] == "Acme"
    served = Served.objects.get(pk=answer["Commonplace-Served"])
    assert (served.form, served.parameters) == ("query", {})
    items = ServedItem.objects.filter(served=served).values_list("target_type", "target_id")
    assert set(items) == {("node", ines.pk), ("node", acme.pk), ("belief", edge.pk)}


@pytest.mark.parametrize(
    ("asked", "path", "code"),
    [
        ({"where": {}}, "/class", "missing"),
        ({"class": "persom"}, "/class", "undeclared_class"),
        ({"class": "person", "where": {"emial": "x"}}, "/where/emial", "undeclared_property"),
        ({"class": "person", "where": {"birthday": {"after": "1980"}}}, "/where/birthday/after", "unknown_operator"),
        ({"class": "person", "expand": [{"relation": "worksAt"}]}, "/expand/0/relation", "unknown_field"),
    ],
)
def test_what_cannot_be_asked_is_a_400_that_names_the_place(
    curator: Caller, asked: dict[str, object], path: str, code: str
) -> None:
    answer = curator.post("nodes/query", asked)
    assert answer.status_code == 400
    assert (path, code) in {(one["path"], one["code"]) for one in answer.json()["errors"]}


def test_a_time_without_offset_needs_the_zone_of_the_request(curator: Caller) -> None:
    """T36."""
    asked = {"class": "person", "where": {"@recorded_at": {"lt": "2026-05-03T14:30:00"}}}
    assert curator.post("nodes/query", asked).json()["errors"][0]["code"] == "naive_time"
    assert curator.post("nodes/query", asked | {"time_zone": "America/Lima"}).status_code == 200


def test_whom_we_met_is_a_question_to_the_graph_in_one_call(curator: Caller, graph: Graph) -> None:
    """E1: anyone who works at Acme, and whatever else the graph can say of who took part."""
    ines, mira = graph.person("Ines Ferro"), graph.person("Mira Oduya")
    graph.connect(ines, "worksAt", graph.node("organization", name="Acme"))
    graph.connect(mira, "worksAt", graph.node("organization", name="Quay Ltd"))
    told = [
        {"kind": "meeting", "content": words, "occurred_at": at, "participants": [{"node": str(node.pk)}]}
        for words, at, node in (
            ("Talked about prices.", "2026-03-02T10:00:00Z", ines),
            ("Talked about ropes.", "2026-03-03T10:00:00Z", ines),
            ("Talked about prices, too.", "2026-03-04T10:00:00Z", mira),
        )
    ]
    assert curator.post("episodes", {"items": told}).status_code == 201
    asked = {"question": "", "kinds": ["meeting"], "who": {"class": "person", "where": AT_ACME}}
    met = curator.post("episodes/search", asked).json()
    assert [one["content"] for one in met["items"]] == ["Talked about ropes.", "Talked about prices."]
    assert [one["label"] for one in met["connected"]] == ["Ines Ferro"]
    prices = curator.post("episodes/search", asked | {"question": "prices"}).json()
    assert [one["content"] for one in prices["items"]] == ["Talked about prices."]
    both = curator.post("episodes/search", asked | {"connected": "worksAt:Quay Ltd"}).json()
    assert both["items"] == []
    wrong = curator.post("episodes/search", asked | {"who": {"class": "person", "where": {"emial": "x"}}})
    assert (wrong.status_code, wrong.json()["errors"][0]["path"]) == (400, "/who/where/emial")
