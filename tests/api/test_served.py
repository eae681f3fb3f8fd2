"""Whatever carries the words of a belief to an agent is noted, so that a wrong one's reach is known.

The addresses come from the URL map, so a new one is asked without being listed.
"""

from __future__ import annotations

import uuid

import pytest

from memoryapp.ledger.models import ServedItem, Workspace
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


def test_every_answer_with_the_words_of_a_file_or_an_entry_is_noted(workspace: Workspace) -> None:
    """X1, F3: also of a version that is not the latest, and of what an entry said before."""
    desk = Caller(workspace, ["lookup", "find-notes", "curate", "context"], "Desk")
    file = {"path": "/notes/a.md", "content": "Zephyrine berths.", "summary": "Zephyrine"}
    [file] = desk.post("files", file).json()["items"]
    desk.post("files/edit", {"path": "/notes/a.md", "old": "berths", "new": "quays"})
    entry = {"section": "Writing", "title": "Tone", "content": "Zephyrine, please."}
    [entry] = desk.post("context/entries", entry).json()["items"]
    of_a_file = [
        desk.get(f"files/{one}")
        for one in (
            "read?path=/notes/a.md",
            "read?path=/notes/a.md&version=1",
            "grep?pattern=Zeph",
            "difference?path=/notes/a.md&before=1",
        )
    ]
    of_a_file += [desk.post("files/search", {"question": "zephyrine"}), desk.get(f"why/{file['id']}")]
    asked = ("entries", f"entries/{entry['id']}", f"entries/{entry['id']}/history", "render")
    of_an_entry = [*(desk.get(f"context/{one}") for one in asked), desk.get(f"why/{entry['id']}")]
    for answers, target in ((of_a_file, file["id"]), (of_an_entry, entry["id"])):
        for answer in answers:
            assert "ephyrine" in answer.content.decode()
            served = uuid.UUID(answer.headers["Commonplace-Served"])
            assert ServedItem.objects.filter(served=served, target_id=target).exists()


def _evidence_of(curator: Caller, belief: uuid.UUID) -> str:
    found: str = curator.get(f"beliefs/{belief}/evidence").json()["sources"][0]["source"]
    return found
