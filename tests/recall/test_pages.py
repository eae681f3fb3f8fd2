"""The recall lab: the answer an agent would get, with what was left out; looking leaves no trace."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.models import Agent
from memoryapp.ledger.models import Served, Write
from memoryapp.ledger.principal import Principal
from tests.graph.telling import Memory
from tests.visiting import client_of, tell_a_story

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story(curator_agent: Principal, work: Callable[[], int]) -> Any:
    return tell_a_story(curator_agent, work)


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def test_the_answer_shows_where_it_comes_from_and_what_may_not_be_served(story: Any, viewer: Principal) -> None:
    shown = text_of(client_of(viewer).get("/w/harbour/recall/?q=weekly+emails+or+a+monthly+summary"))
    hits, left_out = shown.split("What holds the words and may not be served")
    assert "Ines Ferro would like weekly status emails" in hits
    assert "said by Ines Ferro, 2026-03-02, in Setting up" in hits
    assert "a monthly summary is enough" not in hits
    assert "For Ines Ferro, a monthly summary is enough" in left_out
    assert "Resolving" in left_out


def test_the_past_is_asked_for_by_date(story: Any, viewer: Principal) -> None:
    client = client_of(viewer)
    assert "weekly status emails</a>" in text_of(client.get("/w/harbour/recall/?q=weekly&valid_at=2026-04-01"))
    before = text_of(client.get("/w/harbour/recall/?q=weekly&valid_at=2026-01-01"))
    assert "0 hits" in before


def test_turns_are_searched_when_asked(story: Any, viewer: Principal) -> None:
    shown = text_of(client_of(viewer).get("/w/harbour/recall/?q=anything+to+change&over=turns"))
    assert "Anything to change?" in shown
    assert "/conversations/sources/" in shown


def test_an_administrator_asks_as_an_agent_and_sees_what_it_is_served_and_what_not(
    curator_agent: Principal,
    reader_agent: Principal,
    operator: Principal,
    administrator: Principal,
    viewer: Principal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What only the agent may see is counted and not told; what it is not served stands below; nothing is logged."""
    memory = Memory(curator_agent, operator)
    ines = memory.node("Ines")
    memory.say("2026-03-02", "Ines reads harbour notices", ines)
    for text, reader in (
        ("Ines dislikes harbour noise", reader_agent),
        ("Ines may buy the harbour shed", administrator),
    ):
        memory.say("2026-03-03", text, ines, audience="named", readers=(reader.actor.pk,))
    agent = Agent.objects.get(actor=reader_agent.actor)
    mine = text_of(client_of(administrator).get("/w/harbour/recall/?q=harbour"))
    assert "harbour shed" in mine
    assert "Reader</option>" in mine
    theirs = text_of(client_of(administrator).get(f"/w/harbour/recall/?q=harbour&agent={agent.pk}"))
    served, withheld = theirs.split("What you would be served and Reader is not")
    assert "1 hit for Reader" in served
    assert "Ines reads harbour notices" in served
    assert "1 more is served to Reader and out of your sight" in served
    assert "harbour shed" in withheld
    assert "noise" not in theirs
    assert "Ines reads harbour notices" not in withheld
    assert not Served.objects.exists()
    monkeypatch.setattr(sys.modules["memoryapp.recall.pages.lab"], "MOST_AGENTS", 0)
    assert "1 hit for Reader" in text_of(client_of(administrator).get(f"/w/harbour/recall/?q=harbour&agent={agent.pk}"))
    assert "Reader" not in text_of(client_of(viewer).get("/w/harbour/recall/?q=harbour"))
    refused = client_of(viewer).get(f"/w/harbour/recall/?q=harbour&agent={agent.pk}")
    assert (refused.status_code, "no such agent to ask as" in text_of(refused)) == (422, True)


def test_two_settings_stand_side_by_side_each_hit_with_its_place_in_the_other(story: Any, viewer: Principal) -> None:
    shown = text_of(client_of(viewer).get("/w/harbour/recall/?q=weekly&compare=yes&beside.valid_at=2026-01-01"))
    first, second = shown.split('id="beside.hits-title"')
    assert "weekly status emails</a>" in first
    assert "only here" in first
    assert "0 hits" in second
    same = text_of(client_of(viewer).get("/w/harbour/recall/?q=weekly&compare=yes&beside.valid_at=2026-04-01"))
    assert same.count("in the other</span>") == 2
    wrong = client_of(viewer).get("/w/harbour/recall/?q=weekly&compare=yes&beside.valid_at=soon")
    assert (wrong.status_code, "weekly status emails</a>" in text_of(wrong)) == (422, True)


def test_looking_leaves_no_trace(story: Any, viewer: Principal) -> None:
    before = Write.objects.count()
    client_of(viewer).get("/w/harbour/recall/?q=weekly&over=all")
    assert not Served.objects.exists()
    assert Write.objects.count() == before


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("q=x&over=dreams", "This cannot be searched."),
        ("q=x&valid_at=soon", "is not a time"),
        ("q=x&history=yes&known_at=2026-01-01", "History holds every time"),
        ("q=x&budget=plenty", "is not a number"),
        ("q=x&budget=3", "no budget"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(viewer: Principal, asked: str, told: str) -> None:
    refused = client_of(viewer).get(f"/w/harbour/recall/?{asked}")
    assert refused.status_code == 422
    assert told in text_of(refused)


@pytest.mark.parametrize("question", ["%00", "%ED%A0%80", "'\"*(", "a" * 5000, "%F0%9F%8C%8A"])
def test_any_text_is_a_question(viewer: Principal, question: str) -> None:
    assert client_of(viewer).get(f"/w/harbour/recall/?q={question}").status_code in (200, 422)
