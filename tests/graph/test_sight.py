"""R6: what is out of sight is not there, neither by what is said of it nor by whose it is."""

from __future__ import annotations

from typing import Any

import pytest

from memoryapp.doors.errors import Conflict, NotFound
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Node, RelationPlayer
from memoryapp.graph.queries.listing import owning_nodes
from memoryapp.graph.queries.why import why
from memoryapp.graph.services import give_way, retract_relation, upsert_node, withdrawing
from memoryapp.graph.statements import NodeKeys, Quoted
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.services import tell
from tests.graph.telling import Memory, at

pytestmark = [pytest.mark.django_db, pytest.mark.sql]


@pytest.fixture
def memory(operator: Principal) -> Memory:
    return Memory(operator)


def test_whose_every_belief_is_out_of_sight_is_nobodys_owner(memory: Memory, viewer: Principal) -> None:
    """R6."""
    ines, ivo = memory.node("Ines"), memory.node("Ivo")
    memory.say("2026-03-02", "Ines sails", ines)
    memory.say("2026-03-02", "Ivo sings", ivo, audience="named", readers=(memory.by.actor.pk,))
    assert owning_nodes(memory.by) == [ines, ivo]
    assert owning_nodes(viewer) == [ines]


def test_the_source_of_a_hidden_supersession_is_not_there(memory: Memory, viewer: Principal) -> None:
    """R6, T20: what a relation out of sight rests on is as little there as the relation."""
    ivo = memory.node("Ivo")
    hidden: dict[str, Any] = {"audience": "named", "readers": (memory.by.actor.pk,)}
    older = memory.say("2026-03-02", "Ivo lives in Porto", ivo, **hidden).belief
    newer = memory.say("2026-06-02", "Ivo lives in Braga", ivo, **hidden).belief
    memory.do(lambda write: give_way(write, older, to=newer, reason="He moved."))
    of_it = RelationPlayer.objects.get(kind="sourcing", role="sourced", played_by__kind="supersession").relation_id
    assert why(memory.by, of_it)["relation"]["kind"] == "sourcing"
    with pytest.raises(NotFound):
        why(viewer, of_it)


def test_whom_few_know_is_named_by_these_alone(memory: Memory, viewer: Principal, reviewer: Principal) -> None:
    """R6: by id or by keys; a description with the same keys finds them, and makes them known to who describes."""
    known = ParticipantInput(key="zoe", role="user", name="Zoe", identity={"email": "zoe@sail.example"})
    turn = TurnInput(speaker="user", by="zoe", content="Zoe here.", said_at=at("2026-05-01"), message_id="m-1")
    few = ThreadInput(external_id="few", title="Few", readers=(reviewer.actor.pk,))
    record(memory.by, "tell", lambda write: tell(write, few, [known], [turn]))
    zoe = Node.objects.get(known_to_all=False)
    keys = NodeKeys("person", {"email": "zoe@sail.example"})
    for reference in (zoe.pk, keys):
        assert resolve(reviewer, reference) == zoe
        with pytest.raises(NotFound):
            resolve(viewer, reference)
    note = Quoted(memory.source("2026-05-02"))
    described = memory.do(lambda write: upsert_node(write, "person", dict(keys.keys), [note]))
    assert (described.node, described.created) == (zoe, False)
    assert resolve(viewer, zoe.pk) == zoe


def test_a_source_that_was_taken_back_is_no_support(memory: Memory) -> None:
    """T11: what stands on one source and one taken back keeps the one."""
    ines = memory.node("Ines")
    gone, kept = memory.source("2026-03-02", "Ines sails"), memory.source("2026-03-09", "Ines sails")
    belief = memory.say("2026-03-02", "Ines sails", ines, source=gone).belief
    memory.say("2026-03-09", "Ines sails", ines, source=kept)
    record(memory.by, "take_back", lambda write: withdrawing.take_back(write, source=gone.pk), rationale="Not hers.")
    last = RelationPlayer.objects.get(kind="sourcing", role="evidence", source=kept).relation
    with pytest.raises(Conflict, match="the last that the belief stands on"):
        memory.do(lambda write: retract_relation(write, last, reason="Misread."))
    belief.refresh_from_db()
    assert belief.status == "activated"
