"""A belief is given another owner: by a link of its own, and the slot it fills is then of both."""

from __future__ import annotations

import pytest

from memoryapp.doors.errors import Conflict
from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.queries import views
from memoryapp.graph.queries.views import Scope
from memoryapp.graph.statements import Player
from memoryapp.ledger.principal import Principal
from tests.graph.telling import Memory

pytestmark = pytest.mark.django_db


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines")


@pytest.fixture
def bram(memory: Memory) -> Node:
    return memory.node("Bram")


def give(memory: Memory, belief: Belief, owner: Node) -> Belief:
    done: Belief = memory.do(lambda write: graph.give_owner(write, belief, owner=owner.pk, reason="Both said so."))
    return done


def test_it_is_the_memory_of_both_and_history_says_so(memory: Memory, ines: Node, bram: Node) -> None:
    """T14."""
    held = memory.say("2026-03-02", "We paint the pier", ines, topic="pier").belief
    give(memory, held, bram)
    for owner in (ines, bram):
        assert list(views.current(memory.by, Scope(owner=owner.pk))) == [held]
    last = held.states.get(sequence=2)
    assert (last.owners, last.reason) == (sorted([str(ines.pk), str(bram.pk)]), "Both said so.")
    assert Relation.objects.filter(kind="ownership", state="activated").count() == 2
    assert give(memory, held, bram).lock == 2


def test_what_both_say_next_is_said_again_or_contradicts_it(memory: Memory, ines: Node, bram: Node) -> None:
    held = memory.say("2026-03-02", "We paint the pier", ines, topic="pier").belief
    give(memory, held, bram)
    again = memory.say("2026-04-02", "We paint the pier", ines, bram, topic="pier")
    assert (again.belief, again.outcome) == (held, "said_again")
    assert memory.say("2026-05-02", "We leave the pier", bram, ines, topic="pier").outcome == "resolving"


def test_owners_who_hold_it_or_another_already_are_not_given_it(memory: Memory, ines: Node, bram: Node) -> None:
    mine = memory.say("2026-03-02", "We paint the pier", ines, topic="pier").belief
    ours = memory.say("2026-03-02", "We paint the pier", ines, bram, topic="pier").belief
    with pytest.raises(Conflict) as refused:
        give(memory, mine, bram)
    assert (refused.value.code, refused.value.extra) == ("already_held", {"belief": str(ours.pk)})
    other = memory.say("2026-03-02", "We leave the quay", ines, topic="quay").belief
    memory.say("2026-03-02", "We sweep the quay", ines, bram, topic="quay")
    with pytest.raises(Conflict) as taken:
        give(memory, other, bram)
    assert taken.value.code == "slot_taken"
    assert Belief.objects.get(pk=other.pk).lock == 1


def test_what_superseded_something_keeps_its_owners(memory: Memory, ines: Node, bram: Node) -> None:
    """T38."""
    older = memory.say("2026-03-02", "We paint the pier", ines).belief
    newer = memory.say("2026-06-02", "We leave the pier", ines).belief
    memory.do(lambda write: graph.give_way(write, older, to=newer, reason="So it is."))
    with pytest.raises(Conflict) as refused:
        give(memory, newer, bram)
    assert refused.value.code == "supersedes"


def test_an_ownership_that_is_related_is_the_same_as_giving_an_owner(memory: Memory, ines: Node, bram: Node) -> None:
    held = memory.say("2026-03-02", "We paint the pier", ines, topic="pier").belief
    players = [Player("owner", node=bram.pk), Player("owned", belief=held.pk)]
    memory.do(lambda write: graph.relate(write, "ownership", players))
    assert memory.say("2026-04-02", "We paint the pier", ines, bram, topic="pier").outcome == "said_again"
