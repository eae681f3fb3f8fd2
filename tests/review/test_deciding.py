"""One thing waits for a person; a person decides it, once; every decision can be taken back."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound, Stale
from memoryapp.doors.moments import Moment, Precision
from memoryapp.ledger import integrity
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case, Decision
from memoryapp.review.services import Subject
from memoryapp.sources.models import Thread
from tests.review.conftest import Letters

pytestmark = pytest.mark.django_db
Open = Callable[..., Case]


def decide(by: Principal, case: Case, verdict: str = "same", why: str = "", **how: Any) -> Decision:
    how.setdefault("lock", case.lock)
    return record(by, "decide", lambda write: services.decide(write, case.pk, verdict=verdict, **how), why)


def undo(by: Principal, decision: Decision) -> Decision:
    return record(by, "undo", lambda write: services.undo(write, decision.pk), "A slip of the key.")


def test_a_verdict_is_carried_out_and_kept_with_who_when_and_why(
    opened: Open, letters: Letters, reviewer: Principal
) -> None:
    case = opened()
    decision = decide(reviewer, case, why="Read both.")
    case.refresh_from_db()
    assert letters.carried_out == [("same", {})]
    assert (case.state, case.closed_at, case.lock) == ("decided", decision.decided_at, 2)
    assert (decision.decided_by, decision.rationale, decision.round) == (reviewer.actor, "Read both.", 1)
    assert decision.write.actor == reviewer.actor


def test_the_second_of_two_reviewers_gets_the_decision_of_the_first(
    opened: Open, letters: Letters, reviewer: Principal, administrator: Principal
) -> None:
    """V2: and nothing is carried out twice."""
    case = opened()
    decide(reviewer, case, why="Quick.")
    with pytest.raises(Conflict) as refused:
        decide(administrator, case, verdict="different", why="Slow.")
    assert refused.value.code == "already_decided"
    first = refused.value.extra["decision"]
    assert (first["verdict"], first["decided_by"], first["rationale"]) == ("same", reviewer.actor.name, "Quick.")
    assert len(letters.carried_out) == 1


def test_a_verdict_on_what_has_changed_since_is_refused_with_the_change(
    opened: Open, letters: Letters, reviewer: Principal, operator: Principal
) -> None:
    letter = Subject("letter", "letter", new_id())
    case = opened(subjects=[letter])
    record(operator, "edit", lambda write: services.subject_changed(write, [letter.subject_id], "A letter was edited."))
    with pytest.raises(Stale) as refused:
        decide(reviewer, case)
    assert refused.value.extra["lock"] == 2
    assert [change["what"] for change in refused.value.extra["changes"]] == ["A letter was edited."]
    assert letters.carried_out == []
    assert decide(reviewer, case, lock=2).verdict == "same"


def test_what_cannot_be_chosen_is_refused_by_name(opened: Open, letters: Letters, reviewer: Principal) -> None:
    case = opened()
    with pytest.raises(Invalid) as refused:
        decide(reviewer, case, verdict="burn")
    assert refused.value.violations[0].accepted == "same, at_times, different"
    with pytest.raises(Invalid) as refused:
        decide(reviewer, case, verdict="different", why="  ")
    assert refused.value.violations[0].path == "/rationale"
    letters.blocked = {"same": "One of them is gone."}
    with pytest.raises(Conflict, match="One of them is gone"):
        decide(reviewer, case)
    assert not Decision.objects.exists()
    assert not Write.objects.filter(action="decide").exists()


@pytest.mark.parametrize(
    ("edits", "path"),
    [
        ({}, "/edits/until"),
        ({"until": "  "}, "/edits/until"),
        ({"until": "soon"}, "/edits/until"),
        ({"until": "2026-06-01T10:00:00"}, "/edits/until"),
        ({"until": 2026}, "/edits/until"),
        ({"until": "2026-06", "side": "top"}, "/edits/side"),
        ({"until": "2026-06", "text": "a\x00b"}, "/edits/text"),
        ({"until": "2026-06", "colour": "red"}, "/edits/colour"),
    ],
)
def test_what_a_verdict_asks_for_is_checked(
    opened: Open, letters: Letters, reviewer: Principal, edits: dict[str, Any], path: str
) -> None:
    with pytest.raises(Invalid) as refused:
        decide(reviewer, opened(), verdict="at_times", edits=edits)
    assert [violation.path for violation in refused.value.violations] == [path]
    assert refused.value.violations[0].accepted
    assert letters.carried_out == []


def test_edits_reach_the_room_as_values_and_are_kept_as_given(
    opened: Open, letters: Letters, reviewer: Principal
) -> None:
    edits = {"until": "2026-06", "side": "left", "text": ""}
    decision = decide(reviewer, opened(), verdict="at_times", edits=edits)
    ((_, read),) = letters.carried_out
    june = Moment(dt.datetime(2026, 6, 1, tzinfo=dt.UTC), Precision.MONTH, "UTC")
    assert read == {"until": june, "side": "left"}
    assert decision.edits == {"until": "2026-06", "side": "left"}


def test_a_refusal_by_the_room_leaves_no_trace(opened: Open, letters: Letters, reviewer: Principal) -> None:
    case = opened()

    def refuse(write: Write) -> None:
        raise Conflict("No.", code="no")

    letters.then = refuse
    with pytest.raises(Conflict):
        decide(reviewer, case)
    case.refresh_from_db()
    assert (case.state, case.lock) == ("open", 1)
    assert not Decision.objects.exists()


def test_undo_takes_it_back_and_the_case_waits_again(
    opened: Open, letters: Letters, reviewer: Principal, administrator: Principal
) -> None:
    """V1: as a decision of its own; nothing is deleted."""
    case = opened()
    decision = decide(reviewer, case)
    taken_back = undo(administrator, decision)
    case.refresh_from_db()
    assert letters.taken_back == ["same"]
    assert (case.state, case.closed_at) == ("open", None)
    assert (taken_back.undoes, taken_back.decided_by) == (decision, administrator.actor)
    again = decide(reviewer, case, verdict="different", why="Looked closer.")
    assert again.round == 2
    with pytest.raises(Conflict) as refused:
        undo(reviewer, decision)
    assert refused.value.code == "already_undone"
    with pytest.raises(Conflict) as refused:
        undo(reviewer, taken_back)
    assert refused.value.code == "not_undoable"
    assert Decision.objects.count() == 3


def test_undo_that_something_later_rests_on_is_refused_whole(
    opened: Open, letters: Letters, reviewer: Principal
) -> None:
    case = opened()
    decision = decide(reviewer, case)
    letters.refuses_undo = True
    with pytest.raises(Conflict, match="A letter was sent since"):
        undo(reviewer, decision)
    case.refresh_from_db()
    assert case.state == "decided"


def test_undo_puts_back_the_cases_that_the_decision_closed_and_opened(
    opened: Open, letters: Letters, reviewer: Principal
) -> None:
    case, bystander = opened("a|b"), opened("b|c")
    new: list[Case] = []

    def close_one_and_open_one(write: Write) -> None:
        services.void_case(write, bystander, "It no longer asks anything.")
        made = services.open_case(write, kind="letter_pair", key="a|c", reason="A new pair.", subjects=[])
        assert made
        new.append(made)

    letters.then = close_one_and_open_one
    decision = decide(reviewer, case)
    bystander.refresh_from_db()
    assert bystander.state == "void"
    with pytest.raises(Conflict, match="no longer asks anything"):
        decide(reviewer, bystander)
    undo(reviewer, decision)
    bystander.refresh_from_db()
    new[0].refresh_from_db()
    assert (bystander.state, new[0].state) == ("open", "void")


def test_undo_waits_for_the_decisions_that_came_of_it(opened: Open, letters: Letters, reviewer: Principal) -> None:
    case = opened()
    letters.then = lambda write: opened_by.append(
        services.open_case(write, kind="letter_pair", key="a|c", reason="A new pair.", subjects=[])
    )
    opened_by: list[Case | None] = []
    decision = decide(reviewer, case)
    letters.then = lambda write: None
    assert opened_by[0] is not None
    decide(reviewer, opened_by[0])
    with pytest.raises(Conflict) as refused:
        undo(reviewer, decision)
    assert refused.value.code == "decided_again"


def test_a_remembered_verdict_is_never_asked_again_until_it_is_taken_back(
    opened: Open, letters: Letters, reviewer: Principal, operator: Principal
) -> None:
    """V3, A11: the same pair stays settled; other pairs and other verdicts do not."""

    def asked_again(key: str) -> Case | None:
        return record(
            operator,
            "open",
            lambda write: services.open_case(write, kind="letter_pair", key=key, reason="Alike.", subjects=[]),
        )

    case = opened("a|b")
    decision = decide(reviewer, case, verdict="different", why="Two people.")
    assert asked_again("a|b") is None
    assert asked_again("a|c") is not None
    undo(reviewer, decision)
    assert asked_again("a|b") == case
    decide(reviewer, Case.objects.get(pk=case.pk), verdict="same")
    assert asked_again("a|b") not in (None, case)


def test_the_same_question_is_open_once(opened: Open) -> None:
    case = opened("a|b", priority=40)
    letter = Subject("letter", "letter", new_id())
    again = opened("a|b", priority=80, subjects=[letter])
    assert again.pk == case.pk
    assert (again.priority, again.subjects.count(), again.lock) == (80, 2, 2)
    assert opened("a|b", subjects=[letter]).lock == 2
    assert Case.objects.count() == 1


@pytest.mark.sql
def test_the_database_refuses_two_open_cases_and_two_decisions_of_a_round(opened: Open, reviewer: Principal) -> None:
    """A11 (DB): closing one changes exactly one row, and nobody decides it twice."""
    case = opened("a|b")
    other = opened("b|c")
    twin = Case.objects.get(pk=case.pk)
    twin.pk = new_id()
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save(force_insert=True)
    decision = decide(reviewer, case)
    decision.pk = new_id()
    with pytest.raises(IntegrityError), transaction.atomic():
        decision.save(force_insert=True)
    other.refresh_from_db()
    assert (other.state, other.lock) == ("open", 1)


def test_what_a_policy_settles_is_its_own_decision_and_can_be_taken_back(
    letters: Letters, operator: Principal, reviewer: Principal
) -> None:
    """V5: with a write of its own, so that taking it back leaves what opened the case."""

    def open_and_settle(write: Write) -> Decision:
        case = services.open_case(write, kind="letter_pair", key="a|b", reason="Alike.", subjects=[])
        assert case is not None
        return services.settle(write, case, policy="equal letters", verdict="same", rationale="The words are equal.")

    decision = record(operator, "remember", open_and_settle)
    assert (decision.policy, decision.decided_by.kind) == ("equal letters", "policy")
    assert decision.write != decision.case.write
    assert decision.write.recorded_at > decision.case.opened_at
    assert list(queries.decisions(reviewer, policy="equal letters")) == [decision]
    undo(reviewer, decision)
    decision.case.refresh_from_db()
    assert decision.case.state == "open"


def test_only_who_may_decide_decides_and_an_agent_never_does(
    opened: Open, letters: Letters, viewer: Principal, curator_agent: Principal, reviewer: Principal
) -> None:
    case = opened()
    for by in (viewer, curator_agent):
        with pytest.raises(Denied):
            decide(by, case)
    decision = decide(reviewer, case)
    with pytest.raises(Denied):
        undo(viewer, decision)


def test_a_case_of_another_workspace_or_about_what_is_hidden_does_not_exist(
    opened: Open, letters: Letters, reviewer: Principal, person: Any, other_workspace: Workspace, operator: Principal
) -> None:
    """R6."""
    stranger = person(other_workspace, "reviewer", "Stranger")
    secret = record(
        operator,
        "tell",
        lambda write: Thread.objects.create(
            workspace=write.workspace, title="secret", write=write, recorded_at=write.recorded_at
        ),
    )
    ours, hidden = opened(), opened("s|t", subjects=[Subject("thread", "thread", secret.pk)])
    for by, case in ((stranger, ours), (reviewer, hidden)):
        with pytest.raises(NotFound):
            decide(by, case)
        with pytest.raises(NotFound):
            queries.presented(by, case.pk)
    assert [case.pk for case in queries.queue(reviewer)] == [ours.pk]
    assert queries.waiting(reviewer).total == 1
    assert queries.waiting(stranger).total == 0
    assert queries.about(reviewer, [secret.pk]) == {secret.pk: []}


def test_the_integrity_check_finds_a_case_that_is_not_as_its_history_says(
    opened: Open, letters: Letters, reviewer: Principal
) -> None:
    def found() -> list[str]:
        report = next(one for one in integrity.examine(reviewer.workspace) if one.check.name == "cases")
        return [finding.what for finding in report.findings]

    case, undone = opened("a|b"), opened("b|c")
    decide(reviewer, case)
    undo(reviewer, decide(reviewer, undone))
    assert found() == []
    Case.objects.filter(pk=case.pk).update(state="open")
    assert found() == ["A decision stands and yet it is not decided."]
    Case.objects.filter(pk=case.pk).update(state="decided", lock=9)
    assert found() == ["Its lock is not that of its latest change."]
    Case.objects.filter(pk=case.pk).update(lock=2)
    Case.objects.filter(pk=undone.pk).update(state="decided")
    assert found() == ["It is decided without one standing decision."]
