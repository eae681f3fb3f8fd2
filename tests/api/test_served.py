"""Whatever carries the words of a belief to an agent is noted, so that a wrong one's reach is known.

The addresses come from the URL map, so a new one is asked without being listed.
"""

from __future__ import annotations

import uuid

import pytest

from memoryapp.ledger.models import ServedItem
from tests.api.calling import Caller
from tests.api.conftest import Things
from tests.api.test_every_address import ENDPOINTS, addresses
from tests.api.test_things_of_others import filled

pytestmark = pytest.mark.django_db

WORDS = ("likes weekly mail", "Ines likes a monthly summary", "Short mail")
"""Words of the beliefs that are there."""

NOT_WHAT_IS_HELD = {"cases", "case", "decisions", "decision", "sources"}
"""Names of addresses that tell what waits for a person, what was decided, or what was said."""


def test_every_answer_with_the_words_of_a_belief_is_noted(things: Things, curator: Caller) -> None:
    kinds = dict(ENDPOINTS)
    carried, missing = 0, []
    for address, pattern in addresses():
        if address not in kinds or "get" not in kinds[address].needs or pattern.name in NOT_WHAT_IS_HELD:
            continue
        named = [name for name in pattern.pattern.converters if name in things]
        for thing in things[named[0]] if named else [None]:
            answer = curator.get(filled(address, thing) if thing else address)
            if answer.status_code == 200 and any(words in answer.content.decode() for words in WORDS):
                carried += 1
                if "Commonplace-Served" not in answer.headers:
                    missing.append((pattern.name, address))
    assert missing == []
    assert carried > 5


def test_a_relation_a_history_and_what_would_follow_are_noted(things: Things, curator: Caller) -> None:
    """R9: `why` of a belief says where its history was served, and of a relation where that was."""
    belief, relation = things["belief_id"][0], things["relation_id"][0]
    for address, what in (
        (f"beliefs/{belief}/history", belief),
        (f"relations/{relation}", relation),
        (f"relations?player={belief}", relation),
        (f"sources/{_evidence_of(curator, belief)}/withdraw/preview", belief),
    ):
        served = uuid.UUID(curator.get(address).headers["Commonplace-Served"])
        assert ServedItem.objects.filter(served=served, target_id=what).exists(), address
    forms = {one["form"] for one in curator.get(f"beliefs/{belief}/why").json()["served"]}
    assert {"history", "preview"} <= forms


def _evidence_of(curator: Caller, belief: uuid.UUID) -> str:
    found: str = curator.get(f"beliefs/{belief}/evidence").json()["sources"][0]["source"]
    return found
