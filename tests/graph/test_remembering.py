"""What becomes of a statement: a new belief, one more evidence, or nothing."""

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.graph import services
from memoryapp.graph.models import Belief, BeliefState, Node, RelationPlayer
from memoryapp.graph.queries import views
from memoryapp.graph.statements import Moment
from memoryapp.ledger.principal import Principal
from memoryapp.sources.services import state
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines")


def test_what_was_said_is_held_from_when_it_was_said(memory: Memory) -> None:
    ines = memory.node("Ines")
    remembered = memory.say("2026-03-02", "Ines prefers a window seat.", ines)
    assert remembered.outcome == "created"
    assert remembered.belief.valid_from == at("2026-03-02")
    assert list(views.current(memory.by)) == [remembered.belief]
    assert list(views.as_of(memory.by)) == [remembered.belief]
    assert not views.as_of(memory.by, valid_at=at("2026-03-01")).exists()


def test_the_same_said_twelve_times_is_one_belief_with_twelve_evidences(memory: Memory) -> None:
    ines = memory.node("Ines")
    for month in range(1, 13):
        memory.say(f"2025-{month:02}-03", "Ines  prefers a Window seat", ines)
    assert Belief.objects.count() == 1
    assert RelationPlayer.objects.filter(kind="sourcing", role="evidence").count() == 12


def test_reading_the_same_source_again_stores_nothing(memory: Memory) -> None:
    ines = memory.node("Ines")
    source = memory.source("2026-03-02")
    memory.say("2026-03-02", "Ines prefers a window seat", ines, source=source)
    assert memory.say("2026-03-02", "Ines prefers a window seat", ines, source=source).outcome == "already_known"
    assert RelationPlayer.objects.filter(kind="sourcing", role="evidence").count() == 1


def test_a_reason_that_is_no_text_is_refused(memory: Memory) -> None:
    belief = memory.say("2026-03-02", "Ines prefers a window seat", memory.node("Ines")).belief
    with pytest.raises(Invalid, match="NUL"):
        memory.do(lambda write: services.retire(write, belief, reason="Over.\x00"))


UNTIL_JUNE = Moment(at("2026-06-30"))


def test_a_repeat_that_names_an_end_ends_what_is_held_and_says_so(memory: Memory, ines: Node) -> None:
    held = memory.say("2026-03-02", "The berth is ours", ines).belief
    again = memory.say("2026-05-02", "The berth is ours", ines, valid_to=UNTIL_JUNE)
    held.refresh_from_db()
    assert (again.belief, again.outcome, held.valid_to) == (held, "ended", UNTIL_JUNE.instant)
    assert (held.status, held.standing) == ("archived", "ended")
    assert BeliefState.objects.get(belief=held, sequence=2).reason == "It was said again, with its end."
    later = memory.say("2026-07-02", "The berth is ours", ines)
    assert later.outcome == "created"


def test_an_end_that_is_still_ahead_is_only_known(memory: Memory, ines: Node) -> None:
    held = memory.say("2026-03-02", "The berth is ours", ines).belief
    again = memory.say("2026-05-02", "The berth is ours", ines, valid_to=Moment(at("2190-01-01")))
    held.refresh_from_db()
    assert (again.outcome, held.status, held.valid_to) == ("ended", "activated", at("2190-01-01"))


def test_an_end_named_before_it_was_said_again_ends_nothing(memory: Memory, ines: Node) -> None:
    """C9: late news of an earlier time."""
    held = memory.say("2026-08-02", "The berth is ours", ines, valid_from=Moment(at("2026-03-01"))).belief
    again = memory.say("2026-05-02", "The berth is ours", ines, valid_to=UNTIL_JUNE)
    held.refresh_from_db()
    assert (again.outcome, held.status, held.valid_to) == ("said_again", "activated", None)


def test_an_end_of_what_a_person_confirmed_waits_for_a_person(
    memory: Memory, ines: Node, reviewer: Principal, curator_agent: Principal
) -> None:
    stated = memory.do(lambda write: state(write, "The berth is ours", at("2026-03-02")), by=reviewer)
    held = memory.say("2026-03-02", "The berth is ours", ines, source=stated).belief
    memory.by = curator_agent
    again = memory.say("2026-05-02", "The berth is ours", ines, valid_to=UNTIL_JUNE)
    held.refresh_from_db()
    assert (again.outcome, len(again.conflicts), held.status, held.valid_to) == ("resolving", 1, "activated", None)
