"""The memory doubts: one current belief in a slot, a newcomer that waits, and a person who decides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, DomainError, Invalid
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.queries import views, why
from memoryapp.graph.services import verdicts
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case, Decision
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db

WEEKLY, MONTHLY = "Ines likes weekly status emails", "Ines finds a monthly summary enough"
TOPIC = "reporting cadence"


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines")


@pytest.fixture
def decide(reviewer: Principal) -> Callable[..., Decision]:
    def act(case: Case, verdict: str, rationale: str = "", **edits: Any) -> Decision:
        case.refresh_from_db()
        return record(
            reviewer,
            "decide",
            lambda write: review.decide(write, case.pk, lock=case.lock, verdict=verdict, edits=edits),
            rationale,
        )

    return act


@pytest.fixture
def undo(reviewer: Principal) -> Callable[[Decision], Decision]:
    return lambda decision: record(reviewer, "undo", lambda write: review.undo(write, decision.pk))


def contents(by: Principal, **when: Any) -> list[str]:
    found = views.as_of(by, **when) if when else views.current(by)
    return sorted(belief.content for belief in found)


def heads() -> dict[Any, Any]:
    """What undo must restore: the heads of beliefs, relations and cases."""
    beliefs = {
        belief.pk: (belief.status, belief.standing, belief.valid_from, belief.valid_to, belief.audience)
        for belief in Belief.objects.all()
    }
    relations = {one.pk: (one.kind, one.state, one.valid_from, one.valid_to) for one in Relation.objects.all()}
    return beliefs | relations | {case.pk: case.state for case in Case.objects.all()}


def weekly_and_monthly(memory: Memory, ines: Node) -> Case:
    memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC)
    remembered = memory.say("2026-06-01", MONTHLY, ines, topic="status emails")
    assert remembered.outcome == "resolving"
    return remembered.conflicts[0]


def test_t24_while_a_newcomer_waits_the_older_one_stays_current(memory: Memory, ines: Node) -> None:
    case = weekly_and_monthly(memory, ines)
    assert contents(memory.by) == [WEEKLY]
    assert contents(memory.by, valid_at=at("2026-07-01")) == [WEEKLY]
    assert case.kind == "belief_conflict"


def test_r25_newer_replaces_older_which_ended_and_is_served_for_its_time(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    before = views.now(memory.by.workspace)
    decide(case, "newer_replaces", "She said so.")
    assert contents(memory.by) == [MONTHLY]
    assert contents(memory.by, valid_at=at("2026-04-15")) == [WEEKLY]
    assert contents(memory.by, valid_at=at("2026-07-01"), known_at=before) == [WEEKLY]
    older = Belief.objects.get(content=WEEKLY)
    assert (older.status, older.standing, older.valid_to) == ("archived", "ended", at("2026-06-01"))
    answer = why.why(memory.by, older.pk)
    assert [one["belief"]["content"] for one in answer["superseded_by"]] == [MONTHLY]
    assert [quote["content"] for quote in answer["superseded_by"][0]["sources"]] == [MONTHLY]
    assert answer["conflicts"][0]["state"] == "settled"
    assert answer["conflicts"][0]["decisions"][0]["verdict"] == "newer_replaces"
    assert "She said so." in answer["history"][-1]["reason"]


def test_never_right_and_ended_answer_differently_for_a_past_time(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    before = views.now(memory.by.workspace)
    decide(case, "newer_replaces", never_right=True)
    assert contents(memory.by) == [MONTHLY]
    assert contents(memory.by, valid_at=at("2026-04-15")) == []
    assert contents(memory.by, valid_at=at("2026-04-15"), known_at=before) == [WEEKLY]


def test_older_stands(memory: Memory, ines: Node, decide: Callable[..., Decision]) -> None:
    case = weekly_and_monthly(memory, ines)
    decide(case, "older_stands")
    assert contents(memory.by) == [WEEKLY]
    newcomer = Belief.objects.get(content=MONTHLY)
    assert (newcomer.status, newcomer.standing) == ("archived", "retracted")


def test_both_at_different_times_without_dates_ends_the_earlier_one_where_the_later_begins(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    decide(case, "both_at_different_times")
    assert contents(memory.by) == [MONTHLY]
    assert contents(memory.by, valid_at=at("2026-05-31")) == [WEEKLY]


def test_dates_by_which_both_still_hold_are_refused_and_nothing_changes(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    before = heads()
    with pytest.raises(Invalid, match="still hold"):
        decide(case, "both_at_different_times", older_to="2026-08")
    assert heads() == before


def test_both_in_different_circumstances_records_the_condition(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    decide(case, "both_in_different_circumstances", condition="When Ines is on leave")
    assert {WEEKLY, MONTHLY} <= set(contents(memory.by))
    conditioning = Relation.objects.get(kind="conditioning")
    assert [player.belief.content for player in conditioning.players.order_by("position") if player.belief] == [
        "When Ines is on leave",
        MONTHLY,
    ]


def test_c61_merged_into_a_new_statement_that_rests_on_both(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    decide(case, "merged", text="Ines wants a monthly summary and a weekly line when something is late")
    merged = views.current(memory.by).get()
    assert merged.content.startswith("Ines wants a monthly summary")
    answer = why.why(memory.by, merged.pk)
    assert {one["content"] for one in answer["ancestors"]} == {WEEKLY, MONTHLY}
    assert contents(memory.by, valid_at=at("2026-04-15")) == [WEEKLY]


def test_v3_not_a_conflict_is_never_raised_again_for_that_pair(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    decide(case, "not_a_conflict")
    assert contents(memory.by) == sorted([WEEKLY, MONTHLY])
    again = memory.say("2026-07-01", MONTHLY, ines, topic=TOPIC)
    assert again.outcome == "said_again"
    assert not Case.objects.filter(state="open").exists()


def test_neither(memory: Memory, ines: Node, decide: Callable[..., Decision]) -> None:
    decide(weekly_and_monthly(memory, ines), "neither")
    assert contents(memory.by) == []
    assert Belief.objects.filter(status="resolving").count() == 0


def test_a_text_edited_first_is_a_statement_of_the_persons_own(
    memory: Memory, ines: Node, decide: Callable[..., Decision], reviewer: Principal
) -> None:
    case = weekly_and_monthly(memory, ines)
    decide(
        case, "newer_replaces", newcomer_text="Ines finds a short monthly summary enough", newcomer_from="2026-06-15"
    )
    edited = views.current(memory.by).get()
    assert edited.content == "Ines finds a short monthly summary enough"
    assert edited.write.actor == reviewer.actor
    assert Belief.objects.get(content=MONTHLY).standing == "retracted"
    assert Belief.objects.get(content=WEEKLY).standing == "ended"


@pytest.mark.parametrize(
    ("verdict", "edits"),
    [
        ("newer_replaces", {}),
        ("newer_replaces", {"never_right": True}),
        ("newer_replaces", {"newcomer_text": "Monthly is enough for Ines", "older_to": "2026-05-01"}),
        ("older_stands", {}),
        ("both_at_different_times", {"older_to": "2026-05-01"}),
        ("both_in_different_circumstances", {"condition": "On leave", "older_condition": "At work"}),
        ("merged", {"text": "Ines wants monthly, weekly in a pinch"}),
        ("both_in_different_circumstances", {"condition": "On leave", "newcomer_text": "Monthly is enough for Ines"}),
        ("not_a_conflict", {}),
        ("not_a_conflict", {"older_text": "Ines likes an email a week"}),
        ("neither", {}),
    ],
)
def test_v1_undoing_a_verdict_leaves_every_touched_head_as_it_was(
    memory: Memory,
    ines: Node,
    decide: Callable[..., Decision],
    undo: Callable[[Decision], Decision],
    verdict: str,
    edits: dict[str, Any],
) -> None:
    case = weekly_and_monthly(memory, ines)
    before = heads()
    decision = decide(case, verdict, **edits)
    undo(decision)
    after = heads()
    assert {key: after[key] for key in before} == before
    made = Belief.objects.exclude(pk__in=before)
    assert {(belief.status, belief.standing) for belief in made} <= {("archived", "retracted")}
    assert contents(memory.by) == [WEEKLY]
    decide(case, verdict, **edits)


def test_undo_is_refused_when_something_later_rests_on_it_and_names_the_write(
    memory: Memory, ines: Node, decide: Callable[..., Decision], undo: Callable[[Decision], Decision]
) -> None:
    decision = decide(weekly_and_monthly(memory, ines), "newer_replaces")
    memory.conclude("Ines is busy", Belief.objects.get(content=MONTHLY))
    with pytest.raises(Conflict) as refused:
        undo(decision)
    assert refused.value.code == "later_write"
    assert refused.value.extra["action"] == "test"
    assert contents(memory.by) == sorted([MONTHLY, "Ines is busy"])


def test_every_further_rival_gets_its_own_conflict_and_is_reconsidered_when_one_is_settled(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    first = weekly_and_monthly(memory, ines)
    second = memory.say("2026-09-01", "Ines wants a quarterly report", ines, topic=TOPIC).conflicts[0]
    decide(first, "newer_replaces")
    second.refresh_from_db()
    assert second.state == "void"
    third = Case.objects.get(state="open")
    assert contents(memory.by) == [MONTHLY]
    decide(third, "newer_replaces")
    assert contents(memory.by) == ["Ines wants a quarterly report"]
    assert contents(memory.by, valid_at=at("2026-07-01")) == [MONTHLY]


def test_t39_weekly_then_monthly_then_weekly_again(memory: Memory, ines: Node, decide: Callable[..., Decision]) -> None:
    march = memory.source("2026-03-02")
    memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC, source=march)
    decide(memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC).conflicts[0], "newer_replaces")
    decide(memory.say("2026-09-01", WEEKLY, ines, topic=TOPIC).conflicts[0], "newer_replaces")
    assert contents(memory.by) == [WEEKLY]
    assert memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC, source=march).outcome == "already_known"
    assert Belief.objects.count() == 3
    assert Relation.objects.filter(kind="supersession", state="activated").count() == 2


def test_c9_reading_march_again_in_july_does_not_bring_it_back(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    decide(weekly_and_monthly(memory, ines), "newer_replaces")
    again = memory.say("2026-03-05", WEEKLY, ines, topic=TOPIC)
    assert again.outcome == "said_again"
    assert contents(memory.by) == [MONTHLY]


def test_a_statement_told_late_about_an_earlier_time_ends_where_the_one_held_now_begins(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC)
    case = memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC).conflicts[0]
    decide(case, "newer_replaces")
    assert contents(memory.by) == [MONTHLY]
    assert contents(memory.by, valid_at=at("2026-04-15")) == [WEEKLY]


def test_a_statement_wholly_before_the_one_held_now_is_no_conflict(memory: Memory, ines: Node) -> None:
    from tests.graph.telling import moment

    memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC)
    earlier = memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC, valid_to=moment("2026-05-01"))
    assert earlier.outcome == "created"
    assert contents(memory.by, valid_at=at("2026-04-15")) == [WEEKLY]


def test_case_20_loving_then_hating_pickles_leaves_exactly_one_current(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    memory.say("2026-03-02", "Ines loves pickles", ines)
    hates = memory.say("2026-06-01", "Ines hates pickles.", ines)
    assert hates.outcome == "resolving"
    assert memory.say("2026-06-01", "Ines hates olives", ines).outcome == "created"
    decide(hates.conflicts[0], "newer_replaces")
    assert contents(memory.by) == ["Ines hates olives", "Ines hates pickles."]


def test_case_119_two_who_run_one_project_are_a_conflict_of_two(memory: Memory) -> None:
    pelican = memory.node("Pelican", "project")
    orlin, ysolde = memory.node("Orlin"), memory.node("Ysolde")
    memory.say("2026-03-02", predicate="runs", subject=orlin.pk, object=pelican.pk)
    newcomer = memory.say("2026-04-02", predicate="runs", subject=ysolde.pk, object=pelican.pk)
    assert newcomer.outcome == "resolving"
    assert contents(memory.by) == ["Orlin runs Pelican"]


def test_two_emails_are_two_values_and_two_roles_a_property_conflict(memory: Memory, ines: Node) -> None:
    for email in ("ines@ferro.example", "ines@quay.example"):
        assert memory.say("2026-03-02", predicate="email", subject=ines.pk, value=email).outcome == "created"
    memory.say("2026-03-02", predicate="role", subject=ines.pk, value="Head of Operations")
    newcomer = memory.say("2026-05-02", predicate="role", subject=ines.pk, value="Director")
    assert newcomer.conflicts[0].kind == "property_conflict"


def test_v5_what_policy_settles_is_a_decision_of_its_own_and_can_be_undone(
    memory: Memory, ines: Node, undo: Callable[[Decision], Decision]
) -> None:
    memory.by.workspace.settings = {
        "conflict_policy": [{"name": "later word", "kinds": ["user"], "later": True, "verdict": "newer_replaces"}]
    }
    memory.by.workspace.save(update_fields=["settings"])
    memory.say("2026-03-02", WEEKLY, ines, topic=TOPIC)
    before = memory.say("2026-06-01", MONTHLY, ines, topic=TOPIC)
    assert contents(memory.by) == [MONTHLY]
    decision = Decision.objects.get()
    assert (decision.policy, decision.decided_by.kind) == ("later word", "policy")
    undo(decision)
    assert contents(memory.by) == [WEEKLY]
    assert Belief.objects.get(pk=before.belief.pk).status == "resolving"


def test_the_case_shows_both_sides_with_their_sources(memory: Memory, ines: Node, reviewer: Principal) -> None:
    from memoryapp.review import queries

    shown = queries.presented(reviewer, weekly_and_monthly(memory, ines).pk)
    assert [side["belief"]["content"] for side in shown.view["sides"]] == [WEEKLY, MONTHLY]
    assert [side["sources"][0]["content"] for side in shown.view["sides"]] == [WEEKLY, MONTHLY]
    assert shown.suggestion is not None
    assert shown.suggestion.verdict == verdicts.NEWER_REPLACES


def test_a_verdict_that_is_refused_leaves_nothing_behind(
    memory: Memory, ines: Node, decide: Callable[..., Decision]
) -> None:
    case = weekly_and_monthly(memory, ines)
    before = heads()
    with pytest.raises(DomainError):
        decide(case, "newer_replaces", newcomer_text=WEEKLY)
    assert heads() == before
