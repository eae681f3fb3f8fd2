"""What is held: now, at another time, behind something, and for whom."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.doors.errors import Conflict, Invalid, NotFound, Stale
from memoryapp.graph import services as graph
from memoryapp.graph.models import ActorNode, Belief, Node, Relation
from memoryapp.graph.queries import views, walks, why
from memoryapp.graph.queries.views import Scope
from memoryapp.graph.services.assembling import Assembly, Playing
from memoryapp.graph.statements import Player, Quoted
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import services as ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Case
from tests.graph.telling import Memory, at, moment

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines")


def current(by: Principal, scope: Scope = views.EVERYTHING) -> list[str]:
    found = sorted(belief.content for belief in views.current(by, scope))
    assert found == sorted(belief.content for belief in views.as_of(by, scope))
    return found


def derive(memory: Memory, conclusion: Belief, *premises: Belief) -> None:
    def act(write: Write) -> None:
        assembly = Assembly(write, 1)
        players = [*(Playing("premise", belief=one) for one in premises), Playing("conclusion", belief=conclusion)]
        assembly.add("derivation", players, reason="Concluded.")
        assembly.finish()

    memory.do(act)


def chain(memory: Memory, ines: Node, length: int) -> list[Belief]:
    """A belief and `length` conclusions, each drawn from the one before."""
    found = [memory.say("2026-01-05", "Step 0", ines, kind="experience").belief]
    for step in range(1, length + 1):
        found.append(memory.conclude(f"Step {step}", found[-1]))
    return found


def test_t22_archiving_alone_and_superseding_alone_each_removes_it(memory: Memory, ines: Node) -> None:
    one = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    other = memory.say("2026-03-02", "Ines prefers a window", ines).belief
    third = memory.say("2026-04-02", "Ines prefers the aisle", ines).belief
    memory.do(lambda write: graph.retire(write, one, reason="It is over."))
    assert current(memory.by) == ["Ines prefers a window", "Ines prefers the aisle"]
    relation = memory.do(lambda write: graph.supersede(write, other, third, reason="She changed her mind."))
    assert current(memory.by) == ["Ines prefers the aisle"]
    memory.do(lambda write: graph.retract_relation(write, relation, reason="She did not."))
    assert current(memory.by) == ["Ines prefers a window", "Ines prefers the aisle"]


def test_t23_what_has_passed_or_lies_ahead_is_not_current(memory: Memory, ines: Node) -> None:
    memory.say("2025-01-02", "Ines is on leave", ines, kind="user", valid_to=moment("2025-02-01"))
    ahead = dt.datetime.now(dt.UTC) + dt.timedelta(days=40)
    memory.say("2026-01-02", "Ines is in Oslo", ines, kind="user", valid_from=moment(ahead.date().isoformat()))
    assert current(memory.by) == []
    assert [one.content for one in views.as_of(memory.by, valid_at=at("2025-01-15"))] == ["Ines is on leave"]
    later = ahead + dt.timedelta(days=2)
    assert [one.content for one in views.as_of(memory.by, valid_at=later)] == ["Ines is in Oslo"]


def test_a_successor_that_begins_later_leaves_the_older_one_current_until_then(memory: Memory, ines: Node) -> None:
    ahead = dt.datetime.now(dt.UTC) + dt.timedelta(days=40)
    one = memory.say("2026-03-02", "Ines lives in Porto", ines, kind="user").belief
    other = memory.say(
        "2026-04-02", "Ines lives in Faro", ines, kind="user", valid_from=moment(ahead.date().isoformat())
    ).belief
    memory.do(lambda write: graph.supersede(write, one, other, reason="She moves."))
    one.refresh_from_db()
    assert (one.status, one.standing) == ("activated", "holds")
    assert current(memory.by) == ["Ines lives in Porto"]
    later = ahead + dt.timedelta(days=2)
    assert [belief.content for belief in views.as_of(memory.by, valid_at=later)] == ["Ines lives in Faro"]


def test_r15_retiring_needs_no_successor_and_is_reversible(memory: Memory, ines: Node) -> None:
    belief = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    memory.do(lambda write: graph.retire(write, belief, reason="She said it is over."))
    assert current(memory.by) == []
    assert [one.content for one in views.as_of(memory.by, valid_at=at("2026-03-20"))] == ["Ines prefers tea"]
    memory.do(lambda write: graph.reinstate(write, belief, reason="It is not."))
    assert current(memory.by) == ["Ines prefers tea"]
    belief.refresh_from_db()
    assert (belief.status, belief.standing, belief.valid_to) == ("activated", "holds", None)


def test_r11_every_transition_says_from_what_to_what_when_who_and_why(memory: Memory, ines: Node) -> None:
    belief = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    memory.do(lambda write: graph.retract(write, belief, reason="It was a joke."))
    first, second = why.why(memory.by, belief.pk)["history"]
    assert (first["from"], first["to"]["status"]) == ({}, "activated")
    assert second["from"] == {"status": "activated", "standing": "holds"}
    assert second["to"] == {"status": "archived", "standing": "retracted"}
    assert (second["reason"], second["by"], second["channel"]) == ("It was a joke.", memory.by.actor.name, "command")
    assert second["at"] > first["at"]


def test_a_change_without_a_reason_or_of_an_older_head_is_refused(memory: Memory, ines: Node) -> None:
    belief = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    with pytest.raises(Invalid, match="reason"):
        memory.do(lambda write: graph.retire(write, belief, reason=" "))
    with pytest.raises(Stale) as stale:
        memory.do(lambda write: graph.retire(write, belief, reason="Over.", lock=7))
    assert stale.value.extra["lock"] == 1
    with pytest.raises(Invalid, match="before it began"):
        memory.do(lambda write: graph.retire(write, belief, reason="Over.", at=moment("2026-01-01")))


def test_case_98_true_until_june_is_served_in_may_and_the_new_rate_in_july(memory: Memory, ines: Node) -> None:
    memory.say("2026-01-01", "The rate is 4 %", ines, kind="user", topic="rate", valid_to=moment("2026-06-01"))
    memory.say("2026-06-01", "The rate is 3 %", ines, kind="user", topic="rate")
    assert [one.content for one in views.as_of(memory.by, valid_at=at("2026-05-01"))] == ["The rate is 4 %"]
    assert [one.content for one in views.as_of(memory.by, valid_at=at("2026-07-01"))] == ["The rate is 3 %"]


def test_case_64_a_correction_leaves_the_right_one_to_be_found(memory: Memory, ines: Node) -> None:
    belief = memory.say("2026-03-02", "The meeting is at 3", ines, kind="user").belief
    edited = memory.do(lambda write: graph.edit(write, belief, content="The meeting is at 4", reason="Corrected."))
    assert current(memory.by) == ["The meeting is at 4"]
    assert edited.valid_from == at("2026-03-02")
    answer = why.why(memory.by, edited.pk)
    assert [one["content"] for one in answer["ancestors"]] == ["The meeting is at 3"]
    assert [one["belief"]["content"] for one in answer["supersedes"]] == ["The meeting is at 3"]


def test_reinstating_into_a_filled_slot_is_refused_and_names_what_fills_it(memory: Memory, ines: Node) -> None:
    one = memory.say("2026-03-02", "Ines eats fish", ines, topic="diet").belief
    memory.do(lambda write: graph.retract(write, one, reason="No."))
    other = memory.say("2026-03-03", "Ines eats no fish", ines, topic="diet").belief
    with pytest.raises(Conflict) as refused:
        memory.do(lambda write: graph.reinstate(write, one, reason="Yes."))
    assert refused.value.code == "slot_taken"
    assert refused.value.extra["beliefs"] == [str(other.pk)]
    assert current(memory.by) == ["Ines eats no fish"]


def test_t25_evidence_lists_each_ancestor_once_over_a_diamond(memory: Memory, ines: Node) -> None:
    steps = chain(memory, ines, 4)
    left = memory.conclude("Left", steps[4])
    right = memory.conclude("Right", steps[4])
    top = memory.conclude("Top", left, right)
    walk = walks.evidence(memory.by, top.pk)
    assert walk.distance == {
        left.pk: 1,
        right.pk: 1,
        **{step.pk: 2 + back for back, step in enumerate(reversed(steps))},
    }
    assert not walk.circular
    assert walks.evidence(memory.by, steps[0].pk).ids == []


def test_r8_a_circle_ends_the_walk_and_is_reported(memory: Memory, ines: Node) -> None:
    steps = chain(memory, ines, 2)
    derive(memory, steps[0], steps[2])
    answer = why.why(memory.by, steps[0].pk)
    assert answer["circular"]
    assert sorted(one["content"] for one in answer["ancestors"]) == ["Step 1", "Step 2"]
    walk = walks.evidence(memory.by, steps[0].pk)
    assert walk.circular
    assert set(walk.ids) == {steps[1].pk, steps[2].pk}


def test_t26_what_is_not_in_the_evidence_of_a_belief(memory: Memory, ines: Node) -> None:
    """T26."""
    steps = chain(memory, ines, 3)
    memory.say("2026-02-02", "Elsewhere", ines, kind="experience")
    assert current(memory.by, Scope(not_in_evidence_of=steps[2].pk)) == ["Elsewhere", "Step 2", "Step 3"]
    assert current(memory.by, Scope(in_evidence_of=steps[2].pk)) == ["Step 0", "Step 1"]


def test_t27_a_new_derivation_is_in_the_next_answer(memory: Memory, ines: Node) -> None:
    """T27."""
    one = memory.say("2026-02-02", "One", ines, kind="experience").belief
    other = memory.say("2026-02-02", "Other", ines, kind="experience").belief
    assert walks.evidence(memory.by, one.pk).ids == []
    derive(memory, one, other)
    assert walks.evidence(memory.by, one.pk).ids == [other.pk]


def test_r7_why_at_depth_two_says_that_it_was_cut(memory: Memory, ines: Node) -> None:
    steps = chain(memory, ines, 4)
    answer = why.why(memory.by, steps[4].pk, depth=2)
    assert [(one["content"], one["distance"]) for one in answer["ancestors"]] == [("Step 3", 1), ("Step 2", 2)]
    assert answer["cut"]
    assert not why.why(memory.by, steps[4].pk, depth=4)["cut"]


def test_why_makes_no_query_for_each_ancestor(memory: Memory, ines: Node) -> None:
    few = [memory.say("2026-02-02", f"Few {number}", ines, kind="experience").belief for number in range(2)]
    many = [memory.say("2026-02-02", f"Many {number}", ines, kind="experience").belief for number in range(30)]
    small, large = memory.conclude("Small", *few), memory.conclude("Large", *many)
    counts = []
    for belief in (small, large):
        with CaptureQueriesContext(connection) as captured:
            assert why.why(memory.by, belief.pk)["ancestors"]
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_t20_a_source_of_a_supersession_is_shown_by_why(memory: Memory, ines: Node) -> None:
    one = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    other = memory.say("2026-04-02", "Ines prefers coffee", ines).belief
    relation = memory.do(lambda write: graph.supersede(write, one, other, reason="She changed her mind."))
    note = memory.source("2026-04-03", "She told me so herself.")
    memory.do(
        lambda write: graph.relate(
            write,
            "sourcing",
            [Player("evidence", source=Quoted(note, 0, 8)), Player("sourced", relation=relation.pk)],
        )
    )
    quoted = [source["quote"] for source in why.why(memory.by, one.pk)["superseded_by"][0]["sources"]]
    assert quoted == ["", "She told"]
    assert [source["quote"] for source in why.why(memory.by, relation.pk)["sources"]] == ["", "She told"]


def test_r10_r17_two_that_contradict_stay_stored_and_name_each_other(memory: Memory, ines: Node) -> None:
    one = memory.say("2026-03-02", "Ines eats fish", ines, topic="diet").belief
    other = memory.say("2026-04-02", "Ines eats no fish", ines, topic="diet").belief
    for mine, theirs in ((one, other), (other, one)):
        (conflict,) = why.why(memory.by, mine.pk)["conflicts"]
        assert conflict["state"] == "open"
        assert [belief["id"] for belief in conflict["with"]] == [str(theirs.pk)]
        assert conflict["case"] == str(Case.objects.get().pk)


def test_what_would_fall_with_a_source(memory: Memory, ines: Node) -> None:
    first, second = memory.source("2026-03-02"), memory.source("2026-03-03")
    alone = memory.say("", "Alone", ines, kind="experience", source=first).belief
    both = memory.say("", "Both", ines, kind="experience", source=first).belief
    memory.say("", "Both", ines, kind="experience", source=second)
    falls = memory.conclude("Rests on both of them", alone, both)
    memory.conclude("Rests on what others confirm", both)
    circle = memory.conclude("Rests on the fallen", falls)
    derive(memory, falls, circle)
    fallen = walks.dependants(memory.by, source=first.pk)
    assert fallen == sorted([alone.pk, falls.pk, circle.pk])
    assert walks.dependants(memory.by, belief=both.pk) == sorted(
        belief.pk for belief in Belief.objects.exclude(content__in=["Alone", "Both"])
    )


def test_r6_what_is_for_its_owners_does_not_exist_for_others(
    memory: Memory, ines: Node, person: Callable[..., Principal]
) -> None:
    nadia = person(memory.by.workspace, "reviewer", "Nadia")
    stranger = person(memory.by.workspace, "reviewer", "Tomas")
    memory.do(
        lambda write: ActorNode.objects.create(workspace=write.workspace, actor=nadia.actor, node=ines, write=write)
    )
    private = memory.say("2026-03-02", "Ines is unwell", ines, kind="user", audience="owners").belief
    public = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    secret = memory.conclude("Ines may cancel", public, kind="insight")
    assert current(nadia) == ["Ines is unwell", "Ines may cancel", "Ines prefers tea"]
    assert current(stranger) == ["Ines may cancel", "Ines prefers tea"]
    with pytest.raises(NotFound):
        why.why(stranger, private.pk)
    derive(memory, secret, private)
    answer = why.why(stranger, secret.pk)
    assert [one["content"] for one in answer["ancestors"]] == ["Ines prefers tea"]
    assert answer["withheld"] >= 1
    assert "unwell" not in str(answer)
    assert str(private.pk) not in str(answer)


def test_named_readers_alone_are_served(memory: Memory, ines: Node, person: Callable[..., Principal]) -> None:
    nadia = person(memory.by.workspace, "reviewer", "Nadia")
    belief = memory.say(
        "2026-03-02", "Ines is unwell", ines, kind="user", audience="named", readers=(nadia.actor.pk,)
    ).belief
    assert current(nadia) == ["Ines is unwell"]
    assert current(memory.by) == []
    memory.do(lambda write: graph.change_audience(write, belief, audience="workspace", reason="It is known."))
    assert current(memory.by) == ["Ines is unwell"]


def test_another_workspace_sees_nothing(memory: Memory, ines: Node, other_workspace: object) -> None:
    from memoryapp.access.services import operator

    belief = memory.say("2026-03-02", "Ines prefers tea", ines).belief
    stranger = operator(other_workspace)  # type: ignore[arg-type]
    assert list(views.current(stranger)) == []
    with pytest.raises(NotFound):
        why.why(stranger, belief.pk)


def test_t3_t42_a_named_view_includes_a_kind_declared_later(memory: Memory, ines: Node) -> None:
    memory.say("2026-03-02", "Ines prefers tea", ines)
    assert [belief.content for belief in views.named(memory.by, "preferences")] == ["Ines prefers tea"]
    document = current_ontology(memory.by).document.as_data()
    document["belief_kinds"]["travel_preference"] = {"title": "Travel preference", "parent": "preference"}
    memory.do(lambda write: ontology.declare(write, document))
    memory.say("2026-04-02", "Ines prefers trains", ines, kind="travel_preference")
    assert [one.content for one in views.named(memory.by, "preferences")] == ["Ines prefers tea", "Ines prefers trains"]
    assert current(memory.by, Scope(kinds=("preference",), exact=True)) == ["Ines prefers tea"]
    with pytest.raises(Invalid, match="preferences"):
        views.named(memory.by, "preferenses")


def test_t21_a_relation_keeps_when_it_was_recorded(memory: Memory, ines: Node) -> None:
    memory.say("2026-03-02", "Ines prefers tea", ines)
    relation = Relation.objects.filter(kind="sourcing").get()
    assert relation.recorded_at == relation.write.recorded_at
    with pytest.raises(Exception, match="append-only"):
        Relation.objects.filter(pk=relation.pk).update(recorded_at=at("2026-01-01"))


def test_what_an_owner_holds_is_the_same_gathered_or_asked_row_by_row(
    memory: Memory, ines: Node, monkeypatch: pytest.MonkeyPatch
) -> None:
    bram = memory.node("Bram")
    memory.say("2026-03-02", "Both drink tea", ines, bram)
    memory.say("2026-03-03", "Bram drinks coffee", bram)
    gone = memory.say("2026-03-04", "Ines drinks water", ines).belief
    memory.do(lambda write: graph.retire(write, gone, reason="She said so."))
    for owner, held in ((ines, ["Both drink tea"]), (bram, ["Both drink tea", "Bram drinks coffee"])):
        assert current(memory.by, Scope(owner=owner.pk)) == held
        assert current(memory.by, Scope(owner=owner.pk, row_by_row=True)) == held
    monkeypatch.setattr(views, "FEW", 2)
    single = memory.node("Somebody new")
    assert [views.for_a_page(Scope(owner=one.pk)).row_by_row for one in (ines, single)] == [True, False]
    assert views.for_a_page(views.EVERYTHING) == views.EVERYTHING
