"""Conversations in the console, with what was learned from each turn, and a member's own statement."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.ledger.principal import Principal
from memoryapp.sources import pages
from memoryapp.sources.models import Source
from tests.visiting import client_of, tell_a_story

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def story(curator_agent: Principal, work: Callable[[], int]) -> Any:
    return tell_a_story(curator_agent, work)


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def test_each_turn_shows_what_was_learned_from_it_once(story: Any, viewer: Principal) -> None:
    shown = text_of(client_of(viewer).get(f"/w/harbour/conversations/{story['Fewer emails'].pk}/"))
    turns = {turn.content: turn for turn in Source.objects.filter(thread=story["Fewer emails"])}
    words = "A monthly summary is enough from now on."
    part = shown.split(f'id="turn-{turns[words].pk}"')[1].split('id="turn-')[0]
    assert words in part
    assert "For Ines Ferro, a monthly summary" in part
    assert "Resolving" in part
    assert shown.count("Ines Ferro prefers bullet points to long paragraphs</a>") == 1


def test_a_turn_is_found_on_its_page_of_a_long_conversation(
    story: Any, viewer: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "TURNS", 2)
    client = client_of(viewer)
    turn = Source.objects.get(content="I prefer bullet points to long paragraphs.")
    address = client.get(f"/w/harbour/conversations/sources/{turn.pk}/")["Location"]
    assert address.endswith(f"#turn-{turn.pk}")
    assert f'id="turn-{turn.pk}"' in text_of(client.get(address.split("#")[0]))


def test_conversations_are_found_by_title_and_by_who_took_part(story: Any, viewer: Principal) -> None:
    client = client_of(viewer)
    assert "Fewer emails" in text_of(client.get("/w/harbour/conversations/?q=fewer"))
    assert "Setting up" not in text_of(client.get("/w/harbour/conversations/?q=fewer"))
    assert "Setting up" in text_of(client.get("/w/harbour/conversations/?q=ferro"))
    assert "Nothing matches" in text_of(client.get("/w/harbour/conversations/?q=zebra"))
    assert client.get("/w/harbour/conversations/?kind=dreams").status_code == 422


def test_a_member_writes_down_a_statement_and_it_is_read(reviewer: Principal, work: Callable[[], int]) -> None:
    client = client_of(reviewer)
    written = client.post("/w/harbour/conversations/statements/new/", {"content": "I prefer tea.", "said_at": ""})
    assert written.status_code == 302
    assert "It is being read now." in text_of(client.get(written["Location"]))
    assert work() == 1
    shown = text_of(client.get(written["Location"]))
    assert "I prefer tea." in shown
    assert "Statement by Reviewer" in shown
    assert "hx-trigger" not in shown, "nothing is asked for again once it has been read"
    assert "I prefer tea." in text_of(client.get("/w/harbour/conversations/?kind=statement"))


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        ({"content": "  "}, "There is nothing here."),
        ({"content": "I prefer tea.", "said_at": "the other day"}, "is not a time"),
        ({"content": "I prefer\x00tea."}, "NUL"),
    ],
)
def test_a_statement_that_cannot_be_is_refused_and_kept_in_the_form(
    reviewer: Principal, sent: dict[str, str], told: str
) -> None:
    refused = client_of(reviewer).post("/w/harbour/conversations/statements/new/", sent)
    assert refused.status_code == 422
    assert told in text_of(refused)
    assert not Source.objects.exists()


def test_who_may_only_look_writes_nothing_down(viewer: Principal) -> None:
    client = client_of(viewer)
    assert client.get("/w/harbour/conversations/statements/new/").status_code == 403
    assert client.post("/w/harbour/conversations/statements/new/", {"content": "I prefer tea."}).status_code == 403
    assert "Write down a statement" not in text_of(client.get("/w/harbour/conversations/"))


def test_another_workspace_has_no_such_conversation(story: Any, other_workspace: Any, person: Any) -> None:
    client = client_of(person(other_workspace, "admin", "Olga"))
    assert client.get(f"/w/lighthouse/conversations/{story['Setting up'].pk}/").status_code == 404
    assert client.get(f"/w/lighthouse/conversations/{uuid.uuid4()}/").status_code == 404


def test_a_time_that_the_zone_of_the_workspace_has_no_year_for_is_refused(reviewer: Principal) -> None:
    answer = client_of(reviewer).post(
        "/w/harbour/conversations/statements/new/", {"content": "Tea.", "said_at": "0001-01-01"}
    )
    assert answer.status_code == 422
    assert Source.objects.count() == 0
