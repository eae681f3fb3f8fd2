"""What a person confirmed only a person changes: an agent's verbs are refused, and its news waits for a verdict."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.queries import views
from memoryapp.graph.statements import Moment, Player, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources import services as sources
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db

WEEKLY, MONTHLY = "Ines likes weekly status emails", "Ines finds a monthly summary enough"
DAILY = "Ines wants a line every day"
TOPIC = "reporting cadence"


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def desk(agent: Callable[..., Principal], memory: Memory) -> Principal:
    """An agent with every surface that changes what is held."""
    return agent(memory.by.workspace, ["lookup", "curate", "steward"])


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines")


def decide(reviewer: Principal, case: Case, verdict: str) -> None:
    case.refresh_from_db()
    record(reviewer, "decide", lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits={}))


@pytest.fixture
def weekly(memory: Memory, ines: Node, reviewer: Principal) -> Belief:
    """What is held, and a person said that it stands."""
    held = memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC).belief
    case = memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC).conflicts[0]
    decide(reviewer, case, "older_stands")
    return held


def players(kind: str, *beliefs: Belief) -> list[Player]:
    roles = {"supersession": ("superseded", "successor"), "conflict": ("claim", "claim")}[kind]
    return [Player(role, belief=belief.pk) for role, belief in zip(roles, beliefs, strict=True)]


Change = Callable[[Write, Belief, Belief], Any]

VERBS: dict[str, Change] = {
    "supersede": lambda write, belief, other: graph.give_way(write, belief, to=other, reason="News."),
    "supersession": lambda write, belief, other: graph.relate(
        write, "supersession", players("supersession", belief, other)
    ),
    "retire": lambda write, belief, other: graph.retire(write, belief, reason="Over."),
    "retract": lambda write, belief, other: graph.retract(write, belief, reason="Wrong."),
    "validity": lambda write, belief, other: graph.change_validity(
        write, belief, valid_from=None, valid_to=Moment(at("2026-04-01")), reason="It ended."
    ),
    "audience": lambda write, belief, other: graph.change_audience(write, belief, audience="owners", reason="Secret."),
    "edit": lambda write, belief, other: graph.edit(write, belief, content="Ines likes no emails", reason="Better."),
}


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_of_an_agent_changes_what_a_person_ruled_to_stand(
    memory: Memory, ines: Node, weekly: Belief, desk: Principal, verb: str
) -> None:
    other = memory.say("2026-07-01", DAILY, ines, topic="something else").belief
    with pytest.raises(Conflict) as refused:
        memory.do(lambda write: VERBS[verb](write, weekly, other), by=desk)
    assert refused.value.code == "confirmed_by_person"
    assert refused.value.extra == {"beliefs": [str(weekly.pk)]}
    assert "conflict" in str(refused.value)
    assert sorted(one.content for one in views.current(memory.by)) == sorted([WEEKLY, DAILY])


@pytest.mark.parametrize("verb", VERBS)
def test_an_agent_may_still_change_what_no_person_confirmed(
    memory: Memory, ines: Node, desk: Principal, verb: str
) -> None:
    held = memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC).belief
    other = memory.say("2026-07-01", DAILY, ines, topic="something else").belief
    memory.do(lambda write: VERBS[verb](write, held, other), by=desk)
    held.refresh_from_db()
    assert held.lock == 2


def test_a_person_may_change_what_a_person_confirmed(
    memory: Memory, weekly: Belief, person: Callable[..., Principal]
) -> None:
    curator = person(memory.by.workspace, "curator")
    memory.do(lambda write: graph.retire(write, weekly, reason="She left."), by=curator)
    assert not views.current(memory.by).exists()


def test_what_a_person_took_out_of_sight_no_agent_holds_true_again(
    memory: Memory, ines: Node, desk: Principal, person: Callable[..., Principal]
) -> None:
    held = memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC).belief
    curator = person(memory.by.workspace, "curator")
    memory.do(lambda write: graph.retract(write, held, reason="Never said."), by=curator)
    with pytest.raises(Conflict, match="only a person"):
        memory.do(lambda write: graph.reinstate(write, held, reason="It was."), by=desk)


def test_what_rests_on_a_members_own_statement_is_confirmed(
    memory: Memory, ines: Node, desk: Principal, reviewer: Principal
) -> None:
    stated = record(reviewer, "state", lambda write: sources.state(write, WEEKLY))
    held = memory.say("2026-03-02", WEEKLY, ines, source=stated, topic=TOPIC).belief
    with pytest.raises(Conflict, match="only a person"):
        memory.do(lambda write: graph.retract(write, held, reason="Wrong."), by=desk)


def test_a_supersession_that_a_person_decided_no_agent_takes_back(
    memory: Memory, ines: Node, desk: Principal, reviewer: Principal
) -> None:
    memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC)
    decide(reviewer, memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC).conflicts[0], "newer_replaces")
    supersession = Relation.objects.get(kind="supersession")
    with pytest.raises(Conflict, match="only a person"):
        memory.do(lambda write: graph.retract_relation(write, supersession, reason="No."), by=desk)
    assert [one.content for one in views.current(memory.by)] == [MONTHLY]


def test_of_two_claims_that_an_agent_relates_the_confirmed_one_stays_and_the_other_waits(
    memory: Memory, ines: Node, weekly: Belief, desk: Principal
) -> None:
    other = memory.say("2026-02-01", DAILY, ines, topic="something else").belief
    memory.do(lambda write: graph.relate(write, "conflict", players("conflict", other, weekly)), by=desk)
    weekly.refresh_from_db()
    other.refresh_from_db()
    assert (weekly.status, other.status) == ("activated", "resolving")


def test_a_confirmed_claim_stays_also_when_it_is_the_newer_one(
    memory: Memory, ines: Node, desk: Principal, reviewer: Principal
) -> None:
    older = memory.say("2026-02-01", DAILY, ines, topic="something else").belief
    memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC)
    decide(reviewer, memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC).conflicts[0], "newer_replaces")
    monthly = Belief.objects.get(content=MONTHLY)
    memory.do(lambda write: graph.relate(write, "conflict", players("conflict", older, monthly)), by=desk)
    case = Case.objects.get(state="open")
    assert dict(case.subjects.values_list("role", "subject_id"))["older"] == monthly.pk
    older.refresh_from_db()
    assert (Belief.objects.get(content=MONTHLY).status, older.status) == ("activated", "resolving")
    decide(reviewer, case, "older_stands")
    assert [one.content for one in views.current(memory.by)] == [MONTHLY]


def test_two_confirmed_claims_are_not_set_against_each_other_by_an_agent(
    memory: Memory, ines: Node, weekly: Belief, desk: Principal, reviewer: Principal
) -> None:
    stated = record(reviewer, "state", lambda write: sources.state(write, DAILY))
    other = memory.say("2026-07-01", DAILY, ines, source=stated, topic="something else").belief
    with pytest.raises(Conflict) as refused:
        memory.do(lambda write: graph.relate(write, "conflict", players("conflict", weekly, other)), by=desk)
    assert refused.value.extra == {"beliefs": sorted([str(weekly.pk), str(other.pk)])}


def test_other_qualifiers_of_an_edge_that_a_person_confirmed_wait(
    memory: Memory, ines: Node, desk: Principal, reviewer: Principal
) -> None:
    ferro = memory.node("Ferro Studio", "organization")
    stated = record(reviewer, "state", lambda write: sources.state(write, "Ines is the editor", at("2026-03-02")))

    def edge(role: str, source: Any) -> Callable[[Write], Any]:
        given = Statement(
            subject=ines.pk,
            predicate="worksAt",
            object=ferro.pk,
            qualifiers={"role": role},
            evidence=(Quoted(source),),
        )
        return lambda write: graph.connect_all(write, [given])[0]

    held = memory.do(edge("editor", stated), by=desk).belief
    newcomer = memory.do(edge("publisher", memory.source("2026-06-01")), by=desk)
    held.refresh_from_db()
    assert newcomer.outcome == "resolving"
    assert (held.status, held.valid_to) == ("activated", None)
    decide(reviewer, newcomer.conflicts[0], "newer_replaces")
    held.refresh_from_db()
    assert (held.status, held.standing) == ("archived", "ended")
    with pytest.raises(Conflict, match="only a person"):
        memory.do(lambda write: graph.disconnect(write, newcomer.belief, reason="She left."), by=desk)
