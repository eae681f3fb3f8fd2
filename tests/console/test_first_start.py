"""An empty installation is given enough to try the product with, once, and the demonstration shows what it is for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from formsengine.models import FormResponse, FormVersion
from memoryapp.access.models import Agent, AgentKey, Membership, User
from memoryapp.access.services import operator, principal_for_member
from memoryapp.console import firstrun
from memoryapp.console.management.commands.up import QUESTION
from memoryapp.context.models import Entry as ContextEntry
from memoryapp.extraction.models import Candidate
from memoryapp.files.models import Entry as FileEntry
from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.services import create_workspace, record
from memoryapp.ontology.attempting import apply_now
from memoryapp.ontology.models import Occurrence, Proposal
from memoryapp.ontology.services import approve
from memoryapp.recall.asked import Asked
from memoryapp.recall.services import recall
from memoryapp.review.models import Case
from memoryapp.review.services import decide
from memoryapp.sources.models import Source

pytestmark = pytest.mark.django_db


def test_a_first_start_makes_everything_once() -> None:
    first = firstrun.prepare()
    assert first.made == ["workspace", "administrator", "agent", "demonstration"]
    administrator = User.objects.get(username=first.username)
    assert administrator.check_password(first.password)
    assert first.key.startswith(f"cpl_{AgentKey.objects.get().prefix}")
    assert 55 <= Source.objects.count() <= 65
    second = firstrun.prepare()
    assert (second.made, second.password, second.key) == ([], "", "")
    assert (User.objects.count(), Agent.objects.count(), Workspace.objects.count()) == (1, 1, 1)


def test_a_first_start_that_was_cut_short_is_completed_by_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(firstrun, "_make_agent", cut)
        with pytest.raises(KeyboardInterrupt):
            firstrun.prepare()
    completed = firstrun.prepare()
    assert completed.made == ["agent", "demonstration"]
    assert Membership.objects.count() == 1


def test_an_installation_with_a_workspace_of_its_own_is_left_alone() -> None:
    create_workspace("quay", "Quay")
    assert firstrun.prepare().made == []
    assert Workspace.objects.count() == 1
    assert not User.objects.exists()


def test_without_the_demonstration_the_workspace_is_empty() -> None:
    assert firstrun.prepare(demonstration=False).made == ["workspace", "administrator", "agent"]
    assert not Source.objects.exists()


def test_no_room_of_the_demonstration_is_empty() -> None:
    """A form is live with a response begun, files lie, words are kept in mind, and two things wait for a person."""
    firstrun.prepare()
    assert set(FormVersion.objects.values_list("title", "state")) == {
        (title, "live") for title in ("Injury intake", "Household survey", "Site inspection")
    }
    begun = FormResponse.objects.get()
    assert (str(begun.subject), begun.assigned_to) == ("Tomas Brandt", Membership.objects.get().actor)
    assert 5 < begun.progress["answered"] < begun.progress["asked"]
    assert FileEntry.objects.filter(kind="file").count() == 3
    assert ContextEntry.objects.count() == 2
    assert (Proposal.objects.get().occurrences, Occurrence.objects.filter(state="parked").count()) == (2, 2)
    assert sorted(Case.objects.values_list("kind", flat=True)) == ["merge_suggestion", "schema_proposal"]


def test_the_administrator_approves_what_the_demonstration_proposes_and_it_is_there() -> None:
    workspace = firstrun.prepare().workspace
    assert workspace is not None
    by = principal_for_member(Membership.objects.get().user, workspace.slug)
    proposal = Proposal.objects.get()
    record(by, "approve_proposal", lambda write: approve(write, proposal))
    apply_now(by, proposal.pk)
    assert sorted(Node.objects.filter(node_class="material").values_list("label", flat=True)) == ["Beech", "Oak"]


def test_the_demonstration_ends_in_the_doubt_it_is_told_for(work: Callable[[], int]) -> None:
    """R25: March's weekly emails stay current, June's monthly summary waits, and a person is asked."""
    firstrun.prepare()
    work()
    weekly = Belief.objects.get(content__contains="weekly status emails")
    monthly = Belief.objects.get(content__contains="monthly summary is enough")
    assert (weekly.status, monthly.status) == ("activated", "resolving")
    cases = Case.objects.filter(kind="belief_conflict", state="open")
    assert cases.filter(subjects__subject_id=weekly.pk).filter(subjects__subject_id=monthly.pk).count() == 1


def test_once_a_person_decided_the_question_of_the_greeting_is_answered_with_june(work: Callable[[], int]) -> None:
    """R25: the printed question finds March before the decision and June after it."""
    workspace = firstrun.prepare().workspace
    work()
    assert workspace is not None
    by = operator(workspace, trace_id="demonstration")

    def first() -> str:
        return str(recall(by, Asked(QUESTION)).recalled.shaped()["hits"][0]["text"])

    assert "weekly status emails" in first()
    weekly = Belief.objects.get(content__contains="weekly status emails")
    case = Case.objects.get(kind="belief_conflict", state="open", subjects__subject_id=weekly.pk)
    record(by, "decide", lambda write: decide(write, case.pk, lock=case.lock, verdict="newer_replaces", edits={}))
    assert "monthly summary is enough" in first()


def test_what_a_tool_says_is_held_for_a_person_and_the_assistants_words_are_nobodys_act(
    work: Callable[[], int],
) -> None:
    firstrun.prepare()
    work()
    from_tools = Candidate.objects.filter(source__speaker="tool")
    assert {candidate.state for candidate in from_tools} == {"held"}
    assert not Candidate.objects.filter(source__speaker="assistant").exists()
    assert not Belief.objects.filter(content__contains="quick-settle").exists()
