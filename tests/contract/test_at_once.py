"""T31, V2 and what else must hold while many write and read at once: real threads, on every engine."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from typing import Any

import pytest

from memoryapp.access import services as access
from memoryapp.doors.errors import Conflict
from memoryapp.graph import services as graph_services
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.queries import views
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.ledger import integrity
from memoryapp.ledger.models import Job, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import create_workspace, record
from memoryapp.ontology.services import start
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from memoryapp.sources.inputs import ParticipantInput, SourceInput, ThreadInput, TurnInput
from memoryapp.sources.models import Source, Thread
from memoryapp.sources.services import read, tell
from tests.graph.nodes.telling import Graph
from tests.racing import at_once

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]

MARCH = dt.datetime(2026, 3, 3, 9, tzinfo=dt.UTC)
INES = ParticipantInput("ines", "user", "Ines Ferro", {"email": "ines@ferro.example"})


@pytest.fixture
def by(transactional_db: None) -> Principal:
    return founded("harbour")


def founded(slug: str) -> Principal:
    made = access.operator(create_workspace(slug, slug.capitalize()))
    record(made, "declare", start)
    return made


def test_one_external_id_told_by_many_at_once_is_one_thread_and_one_source(by: Principal) -> None:
    """T31."""
    turn = TurnInput("user", "I prefer weekly status emails.", MARCH, by="ines", message_id="m-1")
    document = SourceInput("document", "We adopted the blue form.", MARCH, path="forms.md", external_id="doc-1")

    def conversation() -> Any:
        return record(by, "tell", lambda write: tell(write, ThreadInput(external_id="mail-31"), [INES], [turn]))

    def reading() -> Any:
        return record(by, "read", lambda write: read(write, document))

    answers = at_once([conversation, reading] * 8)
    assert [one for one in answers if isinstance(one, Exception)] == []
    assert Thread.objects.count() == 1
    assert Counter(Source.objects.values_list("kind", flat=True)) == {"chat_turn": 1, "document": 1}
    assert Node.objects.count() == 1


def test_of_reviewers_who_decide_at_once_one_decides_and_the_others_are_told(by: Principal) -> None:
    """V2."""
    from memoryapp.access.models import User

    graph = Graph(by)
    ines = graph.person("Ines")
    graph.say("Weekly mails", ines, topic="reporting cadence")
    graph.say("A monthly summary", ines, said_at="2026-06-01", topic="reporting cadence")
    case = Case.objects.get()
    people = []
    for number in range(6):
        user = User.objects.create_user(f"reviewer-{number}", password="a long enough password")
        name = f"Reviewer {number}"
        record(
            by,
            "create_member",
            lambda write, user=user, name=name: access.create_member(write, user=user, role="reviewer", name=name),
        )
        people.append(access.principal_for_member(user, by.workspace.slug))

    def decide(person: Principal, verdict: str) -> Decision:
        return record(
            person,
            "decide",
            lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict),
            f"{person.actor.name} says so.",
        )

    chosen = ["newer_replaces", "older_stands"] * 3
    answers = at_once([lambda p=p, v=v: decide(p, v) for p, v in zip(people, chosen, strict=True)])
    [first] = [one for one in answers if isinstance(one, Decision)]
    told = [one for one in answers if isinstance(one, Conflict)]
    assert len(told) == 5
    assert {one.code for one in told} == {"already_decided"}
    assert {one.extra["decision"]["decided_by"] for one in told} == {first.decided_by.name}
    assert Decision.objects.count() == 1
    assert Relation.objects.filter(kind="supersession").count() == (first.verdict == "newer_replaces")


def test_two_workspaces_written_at_once_stay_apart(by: Principal) -> None:
    """Case 44: every row of either names things of its own workspace alone, and all of them are there."""
    both = [by, founded("lighthouse")]

    def tell_of(principal: Principal, number: int) -> Any:
        graph = Graph(principal)
        node = graph.node("project", name=f"Project {number % 5}")
        return graph.say(f"{principal.workspace.name} says {number}", node)

    answers = at_once([lambda p=p, n=n: tell_of(p, n) for n in range(15) for p in both])
    assert [one for one in answers if isinstance(one, Exception)] == []
    for principal in both:
        mine = views.current(principal, views.Scope(kinds=("preference",)))
        assert sorted(one.content for one in mine) == sorted(f"{principal.workspace.name} says {n}" for n in range(15))
        assert Node.objects.filter(workspace=principal.workspace).count() == 5
        assert [finding for report in integrity.examine(principal.workspace) for finding in report.findings] == []


def test_rivals_that_arrive_at_once_leave_one_current(by: Principal) -> None:
    """T24, case 119: whoever comes first is held, every other one waits with a case of its own."""
    graph = Graph(by)
    ines = graph.person("Ines")
    quoted = Quoted(graph.source())

    def claim(number: int) -> Any:
        statement = Statement(
            kind="preference", content=f"Cadence {number}", owners=(ines.pk,), topic="cadence", evidence=(quoted,)
        )
        return record(by, "remember", lambda write: graph_services.remember(write, statement)).outcome

    answers = at_once([lambda n=n: claim(n) for n in range(10)])
    assert Counter(answers) == {"created": 1, "resolving": 9}
    assert Belief.objects.filter(topic="cadence", status="activated").count() == 1
    assert Case.objects.filter(state="open").count() == 9


def test_readers_are_not_held_up_by_one_another_or_by_a_writer(by: Principal) -> None:
    """Case 124."""
    graph = Graph(by)
    ines = graph.person("Ines")
    graph.say("Ines likes tea", ines)

    def look() -> int:
        return len(views.current(by, views.Scope(kinds=("preference",))))

    def write() -> int:
        Graph(by).say("Ines likes figs", ines)
        return 1

    answers = at_once([look] * 10 + [write])
    assert {one for one in answers if not isinstance(one, Exception)} <= {1, 2}
    assert [one for one in answers if isinstance(one, Exception)] == []


def test_the_same_conversation_is_read_by_one_run_however_often_it_is_told(by: Principal) -> None:
    """Case 130."""
    turn = TurnInput("user", "I prefer weekly status emails.", MARCH, by="ines")
    at_once([lambda: record(by, "tell", lambda write: tell(write, ThreadInput(external_id="t"), [INES], [turn]))] * 8)
    assert Job.objects.filter(kind="extract").count() == 1
    assert Workspace.objects.get(pk=by.workspace.pk).write_sequence >= 8
