"""Kinds of fault that broke other memories, tried on what is recalled, by the numbers of the cases."""

from __future__ import annotations

import pytest

from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Node
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.recall.asked import Asked
from memoryapp.recall.queries import compose, find
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.api.calling import Caller
from tests.graph.nodes.telling import Graph, at, moment

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def texts(by: Principal, question: str, **asked: object) -> list[str]:
    hits = find(by, Asked(question, **asked)).hits  # type: ignore[arg-type]
    return [hit.text for hit in hits if hit.what == "belief"]


def test_what_is_over_is_served_only_where_the_past_is_asked_for(graph: Graph) -> None:
    """C6, case 17: sixty of a hundred are over."""
    tove = graph.person("Tove")
    beliefs = [graph.say(f"The lantern habit {number}", tove, said_at="2026-01-05") for number in range(100)]
    for belief in beliefs[:60]:
        graph.do(
            lambda write, belief=belief: graph_services.retire(
                write, belief, reason="It is over.", at=moment("2026-04-01")
            )
        )
    over = {f"The lantern habit {number}" for number in range(60)}
    assert len(texts(graph.by, "lantern habit", limit=100)) == 40
    assert not over & set(texts(graph.by, "lantern habit", limit=100))
    assert len(texts(graph.by, "lantern habit", limit=100, valid_at=at("2026-02-01"))) == 100
    assert over < set(texts(graph.by, "lantern habit", limit=100, history=True))
    brief = compose(graph.by, tove.pk, 100_000).text
    assert not any(f"{text}\n" in f"{brief}\n" or f"{text} (" in brief for text in over)


def test_the_newer_address_is_served_though_the_question_names_the_older(graph: Graph, reviewer: Principal) -> None:
    """Case 118."""
    tove = graph.person("Tove")
    graph.say("Deliver to Mill Lane", tove, topic="delivery", said_at="2026-03-01")
    graph.say("Deliver to Dock 9", tove, topic="delivery", said_at="2026-06-01")
    assert texts(graph.by, "deliver to Mill Lane?") == ["Deliver to Mill Lane"]
    case = Case.objects.get()
    record(reviewer, "d", lambda write: review.decide(write, case.pk, lock=1, verdict="newer_replaces"), "She moved.")
    assert texts(graph.by, "deliver to Mill Lane?") == ["Deliver to Dock 9"]
    assert texts(graph.by, "deliver to Mill Lane?", valid_at=at("2026-04-15")) == ["Deliver to Mill Lane"]
    assert set(texts(graph.by, "deliver", history=True)) == {"Deliver to Mill Lane", "Deliver to Dock 9"}


def test_a_question_knows_nothing_of_the_one_before(graph: Graph, workspace: Workspace) -> None:
    """Case 116: the same answer, whatever was asked in between and by whom."""
    tove = graph.person("Tove")
    for text in ("The customs office is slow", "The second point is the roof", "The kiln is mended"):
        graph.say(text, tove)
    one, other = Caller(workspace, ["recall"], "One"), Caller(workspace, ["recall"], "Other")
    first = one.post("recall", {"question": "And the second point?"}).json()
    assert one.post("recall", {"question": "Is the customs office slow?"}).status_code == 200
    assert one.post("recall", {"question": "And the second point?"}).json() == first
    assert other.post("recall", {"question": "And the second point?"}).json() == first


@pytest.mark.parametrize(
    "body", [{"question": "harbour", "space_nmae": "north"}, {"question": "harbour", "onwer": "x"}]
)
def test_a_misspelt_narrowing_is_refused_and_never_widened(
    graph: Graph, workspace: Workspace, body: dict[str, str]
) -> None:
    """Case 115."""
    graph.say("The harbour is closed", graph.person("Tove"))
    answer = Caller(workspace, ["recall"], "One").post("recall", body)
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "unknown_field"
    assert "harbour is closed" not in answer.content.decode()


def test_two_employers_are_never_both_in_a_brief(graph: Graph) -> None:
    """Case 19: the one held, with since when; the other waits."""
    tove = graph.person("Tove")
    for name, day in (("Inkwell", "2026-01-05"), ("Reedworks", "2026-05-06")):
        graph.say(f"Tove is employed by {name}", tove, kind="user", topic="employer", said_at=day)
    brief = compose(graph.by, Node.objects.get(label="Tove").pk, 1000).text
    assert "Inkwell" in brief
    assert "2026-01-05" in brief
    assert "Reedworks" not in brief
