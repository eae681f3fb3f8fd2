"""Who takes part in a conversation becomes a node by the identity keys they came with."""

from __future__ import annotations

import pytest

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Node, ParticipantNode
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review.models import Case
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.services import tell
from tests.graph.nodes.telling import Graph, at

pytestmark = pytest.mark.django_db


def conversation(by: Principal, called: str, key: str, thread: str, **identity: str) -> None:
    participant = ParticipantInput(key=key, name=called, role="user", identity=identity)
    turn = TurnInput(speaker="user", by=key, content=f"Hello, this is {called}.", said_at=at("2026-03-02"))
    record(by, "tell", lambda write: tell(write, ThreadInput(external_id=thread), [participant], [turn]))


def test_who_speaks_becomes_a_node_and_is_the_same_in_the_next_conversation(curator_agent: Principal) -> None:
    conversation(curator_agent, "Ines", "ines", "one", email="ines@ferro.example")
    conversation(curator_agent, "Ines Ferro", "user-1", "two", email="INES@ferro.example")
    node = Node.objects.get()
    assert node.properties == {"email": ["ines@ferro.example"], "name": "Ines", "alias": ["Ines Ferro"]}
    assert ParticipantNode.objects.filter(node=node).count() == 2
    assert not Case.objects.exists()


def test_a_reviewer_who_may_tell_but_not_curate_brings_people_in_too(reviewer: Principal) -> None:
    conversation(reviewer, "Ines", "ines", "one", email="ines@ferro.example")
    assert Node.objects.get().label == "Ines"


def test_keys_of_two_people_keep_the_turns_and_ask_a_person(graph: Graph) -> None:
    graph.node("person", email="a@mail.example")
    graph.node("person", handle="bee")
    conversation(graph.by, "A", "a", "one", email="a@mail.example", handle="bee")
    assert Case.objects.get().kind == "ambiguous_identity"
    assert not ParticipantNode.objects.exists()


def test_an_identity_that_is_none_is_refused_with_what_is_accepted(curator_agent: Principal) -> None:
    with pytest.raises(Invalid) as refused:
        conversation(curator_agent, "Ines", "ines", "one", emial="ines@ferro.example")
    assert "emial" in refused.value.violations[0].path
    with pytest.raises(Invalid) as refused:
        conversation(curator_agent, "Ines", "ines", "one", name="Ines")
    assert refused.value.violations[0].code == "identity_missing"
    assert "email" in refused.value.violations[0].accepted


def test_two_of_one_conversation_who_turn_out_to_be_one_with_a_third_keep_the_turns(curator_agent: Principal) -> None:
    people = [
        ParticipantInput(key="a", role="user", identity={"email": "a@mail.example"}),
        ParticipantInput(key="b", role="user", identity={"handle": "bee"}),
        ParticipantInput(key="c", role="user", identity={"email": "a@mail.example", "handle": "bee"}),
    ]
    turns = [TurnInput(speaker="user", by=key, content=f"I am {key}.", said_at=at("2026-03-02")) for key in "abc"]
    told = record(curator_agent, "tell", lambda write: tell(write, ThreadInput(external_id="t"), people, turns))
    assert len(told.turns_new) == 3
    assert Node.objects.count() == ParticipantNode.objects.count() == 2
    assert Case.objects.get().kind == "ambiguous_identity"
