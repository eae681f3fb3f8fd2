"""R8 to R11, R14, T25: what `why` tells, and what a walk over derivations meets."""

from __future__ import annotations

import itertools

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Belief
from memoryapp.graph.queries import views, walks, why
from memoryapp.graph.queries.relations import relations
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph, at, moment

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def graph(operator: Principal) -> Graph:
    return Graph(operator)


def concluded(graph: Graph, text: str, *premises: Belief) -> Belief:
    return graph.say(text, kind="insight", evidence=(), premises=tuple(one.pk for one in premises))


def chain(graph: Graph, name: str, length: int) -> list[Belief]:
    found = [graph.say(f"{name} begins", graph.person(name), kind="experience")]
    for step in range(length):
        found.append(concluded(graph, f"{name} {step}", found[-1]))
    return found


def test_a_walk_over_six_steps_a_diamond_and_a_circle_meets_each_once(graph: Graph) -> None:
    """T25."""
    steps = chain(graph, "Ines", 4)
    left, right = concluded(graph, "Left", steps[4]), concluded(graph, "Right", steps[4])
    top = concluded(graph, "Top", left, right)
    walk = walks.evidence(graph.by, top.pk)
    assert len(walk.ids) == len(set(walk.ids)) == 7
    assert walk.distance[steps[0].pk] == 6
    assert not walk.circular
    graph.relate("derivation", ("premise", top), ("conclusion", steps[1]))
    round_and_round = walks.evidence(graph.by, top.pk)
    assert round_and_round.circular
    assert set(round_and_round.ids) == set(walk.ids)
    assert walks.evidence(graph.by, steps[0].pk).ids == []


def test_a_circle_costs_no_more_queries_than_the_chain_it_closes(graph: Graph) -> None:
    """R8: each once, the circle said, and a number of queries that the circle does not raise."""

    def cost(belief: Belief) -> tuple[int, list[str], bool]:
        with CaptureQueriesContext(connection) as captured:
            answer = why.why(graph.by, belief.pk)
        return len(captured), sorted(one["content"] for one in answer["ancestors"]), answer["circular"]

    plain = chain(graph, "Ana", 2)
    closed = chain(graph, "Bram", 2)
    graph.relate("derivation", ("premise", closed[2]), ("conclusion", closed[0]))
    straight, ancestors, circular = cost(plain[2])
    assert (ancestors, circular) == (["Ana 0", "Ana begins"], False)
    around, ancestors, circular = cost(closed[2])
    assert (ancestors, circular) == (["Bram 0", "Bram begins"], True)
    assert around <= straight + 3


def replaced(graph: Graph) -> list[Belief]:
    """Three beliefs, each in the place of the one before."""
    ines = graph.person("Ines")
    said = [
        graph.say(text, ines, said_at=day)
        for text, day in (("Weekly", "2026-03-01"), ("Monthly", "2026-06-01"), ("Yearly", "2026-09-01"))
    ]
    for older, newer in itertools.pairwise(said):
        graph.do(lambda write, a=older, b=newer: graph_services.supersede(write, a, b, reason="She said so."))
    return said


def test_why_names_what_was_replaced_and_what_replaced_it(graph: Graph) -> None:
    """R9: for the one in the middle both, for the ends one each."""
    told = [why.why(graph.by, one.pk) for one in replaced(graph)]
    names = [
        (
            [one["belief"]["content"] for one in each["supersedes"]],
            [one["belief"]["content"] for one in each["superseded_by"]],
        )
        for each in told
    ]
    assert names == [([], ["Monthly"]), (["Weekly"], ["Yearly"]), (["Monthly"], [])]


def test_what_was_replaced_stays_and_answers_for_its_time(graph: Graph) -> None:
    """R14."""
    weekly, monthly, yearly = replaced(graph)
    assert Belief.objects.count() == 3 + Belief.objects.filter(shape="property").count()
    free = views.Scope(kinds=("preference",))
    for when, held in (("2026-04-01", weekly), ("2026-07-01", monthly), ("2026-10-01", yearly)):
        assert list(views.as_of(graph.by, free, valid_at=at(when))) == [held]


def test_why_lists_open_and_settled_conflicts_with_verdict_and_reviewer(graph: Graph, reviewer: Principal) -> None:
    """R10: also after the verdict was taken back, with both."""
    ines = graph.person("Ines")
    weekly = graph.say("Weekly mails", ines, topic="reporting cadence")
    for text, day in (("A monthly summary", "2026-06-01"), ("A quarterly letter", "2026-09-01")):
        graph.say(text, ines, said_at=day, topic="reporting cadence")
    case = Case.objects.order_by("opened_at", "pk")[0]
    decided = record(
        reviewer,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict="older_stands"),
        "She said so.",
    )
    found = {one["with"][0]["content"]: one for one in why.why(graph.by, weekly.pk)["conflicts"]}
    assert {name: one["state"] for name, one in found.items()} == {
        "A monthly summary": "settled",
        "A quarterly letter": "open",
    }
    assert found["A quarterly letter"]["decisions"] == []
    [decision] = found["A monthly summary"]["decisions"]
    assert (decision["verdict"], decision["by"], decision["rationale"]) == (
        "older_stands",
        reviewer.actor.name,
        "She said so.",
    )
    record(reviewer, "undo", lambda write: review.undo(write, decided.pk))
    again = {one["with"][0]["content"]: one for one in why.why(graph.by, weekly.pk)["conflicts"]}
    assert again["A monthly summary"]["state"] == "open"
    assert [one["verdict"] for one in again["A monthly summary"]["decisions"]] == ["older_stands", "undo"]


def test_a_whole_life_is_in_the_history(graph: Graph, reviewer: Principal) -> None:
    """R11: recorded, ended, held again, dated anew, retracted: each with from, to, when, who and why."""
    belief = graph.say("Ines likes tea", graph.person("Ines"))
    acts = [
        ("It is over.", lambda write: graph_services.retire(write, belief, reason="It is over.")),
        ("It is not.", lambda write: graph_services.reinstate(write, belief, reason="It is not.")),
        (
            "Since May.",
            lambda write: graph_services.change_validity(
                write, belief, valid_from=moment("2026-05-01"), valid_to=None, reason="Since May."
            ),
        ),
        ("Never was.", lambda write: graph_services.retract(write, belief, reason="Never was.")),
    ]
    for reason, act in acts:
        belief.refresh_from_db()
        record(graph.by, "change", act)
        assert reason
    told = why.why(graph.by, belief.pk)["history"]
    assert [one["reason"] for one in told[1:]] == [reason for reason, _ in acts]
    assert all(one["by"] == graph.by.actor.name and one["at"] and one["to"] for one in told)
    assert [one["at"] for one in told] == sorted(one["at"] for one in told)
    assert [bool(one["from"]) for one in told] == [False, True, True, True, True]


def test_why_of_a_premise_of_very_many_conclusions_lists_some_counts_all_and_leads_to_the_rest(
    operator: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoryapp.graph.queries.why.MOST", 3)
    graph = Graph(operator)
    premise = graph.say("Ines sails", graph.person("Ines"))
    for number in range(5):
        graph.say(f"Ines likes water, for reason {number}", kind="insight", evidence=(), premises=(premise.pk,))
    told = why.why(operator, premise.pk)
    assert len(told["relations"]) == 3
    assert (told["relations_count"], told["relations_cut"]) == (5, True)
    assert told["relations_next"] == f"/api/v1/relations?player={premise.pk}"
    assert relations(operator, "derivation", player=premise.pk).count() == 5
    few = why.why(operator, Belief.objects.filter(kind="insight")[0].pk)
    assert (few["relations_count"], few["relations_cut"], few["relations_next"]) == (0, False, None)
