"""The recall lab: the answer an agent would get, with what was left out; looking leaves no trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.ledger.models import Served, Write
from memoryapp.ledger.principal import Principal
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
