"""One statement in the same words, a contact that changed, and what members say of themselves."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from memoryapp.extraction.agents import CandidateInput, ask_to_consider, suggest
from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.queries import views
from memoryapp.graph.queries.views import Scope
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Case, Decision
from memoryapp.review.services import undo
from memoryapp.sources.services import state
from tests.extraction.test_reading import JUNE, MARCH, Work, say

pytestmark = pytest.mark.django_db


def propose(by: Principal, line: str, at: dt.datetime, **told: Any) -> Candidate:
    """The agent tells a line of Ines's together with a candidate about it, as one does over REST."""

    def act(write: Any) -> Candidate:
        from memoryapp.sources.inputs import ThreadInput, TurnInput
        from memoryapp.sources.services import tell
        from tests.extraction.test_reading import DESK, INES, TOOL

        turns = [TurnInput("user", line, at, by="ines")]
        turn = tell(write, ThreadInput(external_id="status reports"), [INES, DESK, TOOL], turns).turns_new[0]
        [made] = suggest(write, [CandidateInput(turn, **{"quote": line.rstrip("."), **told})])
        ask_to_consider(write, [made.candidate])
        return made.candidate

    return record(by, "tell", act)


@pytest.mark.parametrize("topic", ["status emails", "reporting cadence", ""])
def test_what_a_rule_and_an_agent_find_in_the_same_words_is_one_belief(
    curator_agent: Principal, work: Work, topic: str
) -> None:
    """One statement never becomes two, and never contradicts itself."""
    candidate = propose(
        curator_agent,
        "Morning! I prefer weekly status emails.",
        MARCH,
        kind="preference",
        topic=topic,
        content="Wants status emails to come weekly.",
    )
    work()
    belief = Belief.objects.get(kind="preference")
    assert belief.status == "activated"
    assert not Case.objects.filter(state="open").exists()
    assert {one.state for one in Candidate.objects.all()} == {"accepted", "merged"}
    candidate.refresh_from_db()
    assert candidate.belief == belief
    quotes = RelationPlayer.objects.filter(role="evidence", relation__players__belief=belief)
    assert len(set(quotes.values_list("quote", flat=True))) == 2


def test_another_statement_in_the_same_sentence_stays_its_own(curator_agent: Principal, work: Work) -> None:
    line = "I prefer weekly status emails and the berth at the north pier is my favourite."
    told = {"kind": "preference", "content": "The berth at the north pier is the favourite of Ines."}
    propose(curator_agent, line, MARCH, **told)
    work()
    assert Belief.objects.filter(kind="preference", status="activated").count() == 2


def test_what_contradicts_the_same_words_is_put_before_a_person(curator_agent: Principal, work: Work) -> None:
    told = {"kind": "preference", "topic": "pickle", "content": "Ines hates pickles"}
    propose(curator_agent, "I love pickles.", MARCH, **told)
    work()
    assert Belief.objects.filter(kind="preference", status="resolving").count() == 1
    assert Case.objects.filter(kind="belief_conflict", state="open").count() == 1


def phones(by: Principal, **when: Any) -> set[str]:
    found = views.as_of(by, **when) if when else views.current(by)
    return {str(one.value) for one in found.filter(predicate="phone")}


OLD, NEW = "+351 555 013 477", "+351 555 013 999"


@pytest.mark.parametrize("line", [f"My new number is {NEW}.", f"I changed my number to {NEW}."])
def test_a_new_number_ends_the_one_before_it(
    curator_agent: Principal, reviewer: Principal, work: Work, line: str
) -> None:
    say(curator_agent, ("ines", f"My number is {OLD}.", MARCH))
    work()
    say(curator_agent, ("ines", line, JUNE))
    work()
    assert phones(curator_agent) == {NEW}
    assert phones(curator_agent, valid_at=JUNE - dt.timedelta(days=9)) == {OLD}
    assert not Case.objects.filter(state="open").exists()
    assert Relation.objects.filter(kind="supersession", state="activated").count() == 1
    decision = Decision.objects.get(case__key=str(Candidate.objects.get(source__said_at=JUNE).pk))
    record(reviewer, "undo", lambda write: undo(write, decision.pk))
    assert phones(curator_agent) == {OLD}


def test_another_number_is_held_beside_the_first(curator_agent: Principal, work: Work) -> None:
    say(curator_agent, ("ines", f"My number is {OLD}.", MARCH))
    say(curator_agent, ("ines", f"My number is {NEW}.", JUNE))
    work()
    assert phones(curator_agent) == {OLD, NEW}


def test_a_new_number_of_a_sort_of_its_own_ends_no_other(curator_agent: Principal, work: Work) -> None:
    say(curator_agent, ("ines", f"My number is {OLD}.", MARCH))
    say(curator_agent, ("ines", f"My new work number is {NEW}.", JUNE))
    work()
    assert phones(curator_agent) == {OLD, NEW}


def test_late_news_of_a_number_ends_no_later_one(curator_agent: Principal, work: Work) -> None:
    """C9."""
    say(curator_agent, ("ines", f"My number is {OLD}.", JUNE))
    work()
    say(curator_agent, ("ines", f"My new number is {NEW}.", MARCH))
    work()
    assert OLD in phones(curator_agent)


def test_an_address_that_changed_is_a_change_and_no_conflict(curator_agent: Principal, work: Work) -> None:
    say(curator_agent, ("ines", "My address is 12 Tarn Street, Porto.", MARCH))
    work()
    say(curator_agent, ("ines", "My new address is 9 Quay Road, Porto.", JUNE))
    work()
    addresses = views.current(curator_agent).filter(predicate="address").values_list("value", flat=True)
    assert list(addresses) == ["9 Quay Road, Porto"]
    assert not Case.objects.filter(state="open").exists()


def test_a_number_that_a_person_confirmed_waits_for_a_person(curator_agent: Principal, person: Any, work: Work) -> None:
    member = person(curator_agent.workspace, "curator", "Ines Ferro")
    member_user = member.actor.membership.user
    member_user.email = "ines@ferro.example"
    member_user.save()
    record(member, "state", lambda write: state(write, f"My number is {OLD}.", MARCH))
    work()
    say(curator_agent, ("ines", f"My new number is {NEW}.", JUNE))
    work()
    assert phones(curator_agent) == {OLD}
    assert Case.objects.get(state="open").kind == "property_conflict"


def test_a_members_own_statement_is_theirs_and_believed_at_once(
    reviewer: Principal, curator_agent: Principal, work: Work
) -> None:
    said = record(reviewer, "state", lambda write: state(write, "I prefer weekly status emails."))
    work()
    belief = views.current(reviewer).get(kind="preference")
    assert belief.content == "Reviewer prefers weekly status emails"
    node = Node.objects.get(label="Reviewer")
    assert views.current(reviewer, Scope(owner=node.pk)).filter(pk=belief.pk).exists()
    assert said.member == reviewer.actor
    assert not Case.objects.filter(state="open").exists()


def test_a_member_is_the_person_whom_conversations_know_by_the_same_address(
    curator_agent: Principal, person: Any, work: Work
) -> None:
    say(curator_agent, ("ines", "I prefer weekly status emails.", MARCH))
    work()
    member = person(curator_agent.workspace, "reviewer", "Ines")
    user = member.actor.membership.user
    user.email = "Ines@Ferro.example"
    user.save()
    record(member, "state", lambda write: state(write, "A monthly summary is enough now.", JUNE))
    work()
    older, newer = Belief.objects.filter(kind="preference").order_by("valid_from")
    assert (older.slot, newer.status) == (newer.slot, "resolving")


def test_an_agents_candidate_about_a_members_statement_is_the_members(
    curator_agent: Principal, reviewer: Principal, work: Work
) -> None:
    said = record(reviewer, "state", lambda write: state(write, "Berth nine suits me best."))
    given = CandidateInput(said, quote="Berth nine", kind="preference", content="Likes berth nine best.")
    [made] = record(curator_agent, "tell", lambda write: suggest(write, [given]))
    record(curator_agent, "ask", lambda write: ask_to_consider(write, [made.candidate]))
    work()
    node = Node.objects.get(label="Reviewer")
    assert views.current(reviewer, Scope(owner=node.pk)).get(kind="preference").content == "Likes berth nine best."
