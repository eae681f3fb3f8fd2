"""What becomes of a statement: a new belief, one more evidence, or nothing."""

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.graph import services
from memoryapp.graph.models import Belief, RelationPlayer
from memoryapp.graph.queries import views
from memoryapp.ledger.principal import Principal
from tests.graph.telling import Memory, at

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


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
