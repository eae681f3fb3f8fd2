"""Taking a source back: what falls with it, what stands, what comes back, what a person is asked, and undoing it."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.queries import views, withdrawals
from memoryapp.graph.queries.why import why
from memoryapp.graph.services import give_way, withdrawing
from memoryapp.graph.services.remembering import remember_all
from memoryapp.graph.statements import Quoted, Statement
from memoryapp.index.models import IndexEntry
from memoryapp.ledger import dump, integrity
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.recall.queries import compose
from memoryapp.review import services as review
from memoryapp.review.models import Case
from memoryapp.sources.models import Source, Withdrawal
from tests.graph.effort import effort, miscount
from tests.graph.telling import Memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines Ferro")


def take_back(by: Principal, source: Source) -> Withdrawal:
    done, _ = record(by, "take_back", lambda write: withdrawing.take_back(write, source=source.pk), rationale="Wrong.")
    return done


def current(by: Principal) -> set[str]:
    return {belief.content for belief in views.current(by)}


def standing(belief: Belief) -> tuple[str, str]:
    belief.refresh_from_db()
    return belief.status, belief.standing


def decide(by: Principal, case: Case, verdict: str, **edits: Any) -> Any:
    case.refresh_from_db()
    return record(
        by,
        "decide",
        lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits=edits),
        rationale="So it is.",
    )


def sound(by: Principal) -> bool:
    return [report.check.name for report in integrity.examine(by.workspace) if report.findings] == []


def let_fall(by: Principal) -> None:
    decide(by, Case.objects.get(kind="fallen", state="open"), "let_fall")


def test_what_lost_its_last_support_leaves_at_once_and_what_others_confirm_stays(
    memory: Memory, ines: Node, reviewer: Principal
) -> None:
    """R12, and case 49: a fact of two sources stands on the other one. All of it before anybody has decided."""
    first, second = memory.source("2026-03-02", "Ines keeps bees"), memory.source("2026-03-09", "Ines keeps bees")
    both = memory.say("2026-03-02", "Ines keeps bees", ines, source=first).belief
    memory.say("2026-03-09", "Ines keeps bees", ines, source=second)
    alone = memory.say("2026-03-02", "Ines sails", ines, source=first).belief
    foreseen = withdrawals.preview(memory.by, source=first.pk)
    assert [one["content"] for one in foreseen["falls"]["items"]] == ["Ines sails"]
    assert [one["content"] for one in foreseen["stands"]["items"]] == ["Ines keeps bees"]
    withdrawal = take_back(memory.by, first)
    assert current(memory.by) == {"Ines keeps bees"}
    assert standing(alone) == ("archived", "withdrawn")
    assert standing(both) == ("activated", "holds")
    assert withdrawals.described(memory.by, withdrawal)["complete"] is False
    assert sound(memory.by)
    let_fall(reviewer)
    assert current(memory.by) == {"Ines keeps bees"}
    assert withdrawals.described(memory.by, withdrawal)["complete"] is True


def test_all_that_fell_is_one_question_and_is_kept_or_asked_about_one_by_one(
    memory: Memory, ines: Node, reviewer: Principal
) -> None:
    """R12: one case for a withdrawal, however much fell; kept as somebody's own, or each by itself; undone."""
    source = memory.source("2026-03-02", "Ines sails, swims and rows")
    words = {"Ines sails", "Ines swims", "Ines rows"}
    for one in sorted(words):
        memory.say("2026-03-02", one, ines, source=source)
    withdrawal = take_back(memory.by, source)
    case = Case.objects.get(state="open")
    assert (case.kind, case.reason) == ("fallen", "3 beliefs stood on it alone and fell.")
    decision = decide(reviewer, case, "keep_all", on="I saw her do all of it.")
    assert words <= current(memory.by)
    assert withdrawals.described(memory.by, withdrawal)["complete"] is True
    record(reviewer, "undo", lambda write: review.undo(write, decision.pk))
    assert not words & current(memory.by)
    decide(reviewer, case, "one_by_one")
    assert Case.objects.filter(kind="lost_support", state="open").count() == 3
    assert withdrawals.described(memory.by, withdrawal)["complete"] is False
    assert sound(memory.by)


def test_a_conclusion_falls_with_one_of_its_premises_and_a_person_is_asked(
    memory: Memory, ines: Node, reviewer: Principal
) -> None:
    """R12: one of two premises gone. The withdrawal is complete when nobody has anything left to decide."""
    source = memory.source("2026-03-02", "Ines sails")
    premise = memory.say("2026-03-02", "Ines sails", ines, source=source).belief
    other = memory.say("2026-03-03", "Ines swims", ines).belief
    drawn = memory.conclude("Ines likes water", premise, other)
    further = memory.conclude("Ines would like the coast", drawn)
    withdrawal = take_back(memory.by, source)
    assert current(memory.by) == {"Ines swims"}
    cases = {case.key: case for case in Case.objects.filter(kind="lost_support")}
    assert set(cases) == {str(drawn.pk), str(further.pk)}
    assert withdrawals.described(memory.by, withdrawal)["complete"] is False
    let_fall(reviewer)
    assert withdrawals.described(memory.by, withdrawal)["complete"] is False
    decide(reviewer, cases[str(further.pk)], "archive")
    decide(reviewer, cases[str(drawn.pk)], "still_holds", on="She told me so at the harbour.")
    of_the_reviewer = {"Reviewer is called Reviewer", "Reviewer's handle is reviewer"}
    assert current(memory.by) - of_the_reviewer == {"Ines swims", "Ines likes water"}
    assert withdrawals.described(memory.by, withdrawal)["complete"] is True
    assert sound(memory.by)


def test_a_conclusion_drawn_in_two_ways_stands_on_the_other(memory: Memory, ines: Node) -> None:
    source = memory.source("2026-03-02", "Ines sails")
    premise = memory.say("2026-03-02", "Ines sails", ines, source=source).belief
    other = memory.say("2026-03-03", "Ines swims", ines).belief
    memory.conclude("Ines likes water", premise)
    memory.conclude("Ines likes water", other)
    take_back(memory.by, source)
    assert current(memory.by) == {"Ines swims", "Ines likes water"}


def test_what_a_person_confirmed_stays_with_a_case(memory: Memory, ines: Node, reviewer: Principal) -> None:
    """R12: never archived by itself. Let go, it falls with what stands on it, and what it replaced holds again."""
    memory.say("2026-03-02", "Ines wants weekly mail", ines, topic="reports")
    june = memory.source("2026-06-02", "Ines wants monthly mail")
    memory.say("2026-06-02", "Ines wants monthly mail", ines, source=june, topic="reports")
    decide(reviewer, Case.objects.get(kind="belief_conflict"), "newer_replaces")
    monthly = Belief.objects.get(content="Ines wants monthly mail")
    memory.conclude("Ines reads little mail", monthly)
    withdrawal = take_back(memory.by, june)
    assert current(memory.by) == {"Ines wants monthly mail", "Ines reads little mail"}
    case = Case.objects.get(kind="lost_support")
    assert not withdrawals.described(memory.by, withdrawal)["complete"]
    decision = decide(reviewer, case, "archive")
    asked = Case.objects.get(kind="does_it_hold_again")
    decide(reviewer, asked, "hold_again")
    assert current(memory.by) == {"Ines wants weekly mail"}
    with pytest.raises(Conflict):
        record(reviewer, "undo", lambda write: review.undo(write, decision.pk))
    assert sound(memory.by)


def test_what_the_withdrawn_source_had_retired_holds_again(memory: Memory, ines: Node) -> None:
    """Case 49: E3 retires a fact; E3 gone, it is restored."""
    older = memory.say("2026-03-02", "Ines lives in Porto", ines).belief
    source = memory.source("2026-06-02", "Ines lives in Braga")
    newer = memory.say("2026-06-02", "Ines lives in Braga", ines, source=source).belief
    memory.do(lambda write: give_way(write, older, to=newer, reason="She moved."))
    assert current(memory.by) == {"Ines lives in Braga"}
    foreseen = withdrawals.preview(memory.by, source=source.pk)
    assert [one["content"] for one in foreseen["comes_back"]["items"]] == ["Ines lives in Porto"]
    take_back(memory.by, source)
    assert current(memory.by) == {"Ines lives in Porto"}
    assert standing(older) == ("activated", "holds")
    assert older.valid_to is None
    assert Relation.objects.get(kind="supersession").state == "retracted"
    assert sound(memory.by)


def test_a_newcomer_that_fell_waits_no_more_and_one_that_waited_on_the_fallen_is_held(
    memory: Memory, ines: Node
) -> None:
    first = memory.source("2026-03-02", "weekly")
    second = memory.source("2026-06-02", "monthly")
    memory.say("2026-03-02", "Ines wants weekly mail", ines, source=first, topic="reports")
    memory.say("2026-06-02", "Ines wants monthly mail", ines, source=second, topic="reports")
    take_back(memory.by, first)
    assert current(memory.by) == {"Ines wants monthly mail"}
    assert Case.objects.get(kind="belief_conflict").state == "void"
    assert sound(memory.by)


def test_undoing_puts_everything_back(memory: Memory, ines: Node, reviewer: Principal) -> None:
    """V1: the touched objects are as they were; the words are found again."""
    source = memory.source("2026-03-02", "Ines sails")
    premise = memory.say("2026-03-02", "Ines sails", ines, source=source).belief
    drawn = memory.conclude("Ines likes water", premise)
    before = dump.heads([premise, drawn])
    entries = set(IndexEntry.objects.values_list("target_id", flat=True))
    withdrawal = take_back(memory.by, source)
    assert set(IndexEntry.objects.values_list("target_id", flat=True)) == entries - {source.pk, premise.pk, drawn.pk}
    decision = withdrawals.described(memory.by, withdrawal)["decision"]
    record(reviewer, "undo", lambda write: review.undo(write, uuid.UUID(decision)), rationale="It was right.")
    assert dump.heads([premise, drawn]) == before
    assert set(IndexEntry.objects.values_list("target_id", flat=True)) == entries
    assert [case.state for case in Case.objects.filter(kind="lost_support")] == ["void"]
    assert withdrawals.withdrawal(memory.by, source=source.pk) is None
    take_back(memory.by, source)
    assert standing(premise) == ("archived", "withdrawn")
    assert sound(memory.by)


def test_nothing_new_stands_on_what_was_taken_back(memory: Memory, ines: Node) -> None:
    source = memory.source("2026-03-02", "Ines sails")
    take_back(memory.by, source)
    with pytest.raises(Invalid) as refused:
        memory.say("2026-03-02", "Ines sails", ines, source=source)
    assert [(one.path, one.code) for one in refused.value.violations] == [("/evidence/0/source", "source_withdrawn")]
    with pytest.raises(Conflict, match="taken back already"):
        take_back(memory.by, source)


def test_said_again_in_another_source_it_is_believed_anew(memory: Memory, ines: Node) -> None:
    source = memory.source("2026-06-02", "Ines sails")
    fallen = memory.say("2026-06-02", "Ines sails", ines, source=source).belief
    take_back(memory.by, source)
    again = memory.say("2026-03-02", "Ines sails", ines)
    assert (again.outcome, again.belief.pk != fallen.pk) == ("created", True)
    assert current(memory.by) == {"Ines sails"}


def test_no_words_of_it_are_served_from_anywhere(memory: Memory, ines: Node, reviewer: Principal) -> None:
    """R13: no index row holds the text, also while a person is asked; why answers and marks what was taken back."""
    source = memory.source("2026-03-02", "Ines said the code word is MARLIN")
    belief = memory.say("2026-03-02", "The code word is MARLIN", ines, source=source).belief
    withdrawal = take_back(memory.by, source)
    assert not IndexEntry.objects.filter(text__icontains="marlin").exists()
    assert withdrawals.traces(withdrawal) == 0
    because = why(memory.by, belief.pk)
    assert [quoted["withdrawn"] for quoted in because["sources"]] == [True]
    assert [one["complete"] for one in because["withdrawals"]] == [False]
    let_fall(reviewer)
    assert [one["complete"] for one in why(memory.by, belief.pk)["withdrawals"]] == [True]


def test_a_summary_of_it_falls_and_is_found_by_nobody(memory: Memory, ines: Node, reviewer: Principal) -> None:
    """R13, C6: neither the summary, nor a summary of that, is recalled, indexed or in the brief of its owner."""
    source = memory.source("2026-03-02", "The code word is MARLIN")
    said = memory.say("2026-03-02", "The code word is MARLIN", ines, source=source).belief
    other = memory.say("2026-03-03", "Ines sails", ines).belief
    lower = memory.conclude("Ines sails; the word is MARLIN", said, other, kind="summary", owners=(ines.pk,))
    memory.conclude("All of Ines: MARLIN, sails", lower, kind="summary", owners=(ines.pk,))
    assert "MARLIN" in compose(memory.by, ines.pk).text
    withdrawal = take_back(memory.by, source)
    assert current(memory.by) == {"Ines sails"}
    assert "MARLIN" not in compose(memory.by, ines.pk).text
    assert not IndexEntry.objects.filter(text__icontains="marlin").exists()
    assert withdrawals.described(memory.by, withdrawal)["complete"] is False


def test_what_was_known_before_the_withdrawal_is_still_answered_as_it_was_known(memory: Memory, ines: Node) -> None:
    """T40: withdrawn is out of every valid time, and the ledger still says what was known then."""
    source = memory.source("2026-03-02", "Ines sails")
    belief = memory.say("2026-03-02", "Ines sails", ines, source=source).belief
    known = belief.recorded_at
    take_back(memory.by, source)
    assert list(views.as_of(memory.by, known_at=known)) == [belief]
    assert list(views.as_of(memory.by, valid_at=known)) == []


def test_only_who_may_withdraw_does_and_with_a_reason(memory: Memory, viewer: Principal) -> None:
    source = memory.source("2026-03-02", "Ines sails")
    with pytest.raises(Denied):
        take_back(viewer, source)
    with pytest.raises(Invalid, match="needs a reason"):
        record(memory.by, "take_back", lambda write: withdrawing.take_back(write, source=source.pk))


def test_taking_back_many_beliefs_takes_few_statements_and_work_in_step_with_them(memory: Memory, ines: Node) -> None:
    """Also where the server takes the tables for empty: what was loaded has not been counted yet."""

    def filled(count: int) -> Source:
        source = memory.source("2026-03-02", f"{count} likings")
        quoted, owners = (Quoted(source),), (ines.pk,)
        likings = [f"Ines likes {number} of {count}" for number in range(count)]
        statements = [Statement(kind="preference", content=one, owners=owners, evidence=quoted) for one in likings]
        memory.do(lambda write: remember_all(write, statements))
        return source

    made = []
    for count in (20, 120):
        source = filled(count)
        miscount()
        with effort() as took:
            take_back(memory.by, source)
        made.append(took)
    assert made[1].statements < made[0].statements + 20
    assert made[1].done < 12 * made[0].done, made
    assert not current(memory.by)
