"""Agents in the console: made by an administrator, their keys shown once."""

from __future__ import annotations

import re
from typing import Any

import pytest

from memoryapp.access.models import Agent, AgentKey
from memoryapp.ledger.principal import Principal
from tests.visiting import client_of

pytestmark = pytest.mark.django_db(transaction=True)


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def key_in(page: str) -> str:
    found = re.search(r'<code id="new-key">([^<]+)</code>', page)
    return found.group(1) if found else ""


def test_a_new_agent_gets_a_key_that_is_shown_once_and_works(administrator: Principal) -> None:
    client = client_of(administrator)
    made = client.post("/w/harbour/agents/", {"name": "Front desk", "surfaces": ["lookup", "recall"]})
    key = key_in(text_of(made))
    assert key
    assert "no-store" in made["Cache-Control"]
    agent = Agent.objects.get(name="Front desk")
    assert agent.surfaces == ["lookup", "recall"]
    for page in ("/w/harbour/agents/", f"/w/harbour/agents/{agent.pk}/"):
        assert key not in text_of(client.get(page))
    asked = client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {key}"})
    assert asked.status_code == 403, "it is known, and may not see jobs"


def test_a_revoked_key_no_longer_works(administrator: Principal) -> None:
    client = client_of(administrator)
    key = key_in(text_of(client.post("/w/harbour/agents/", {"name": "Desk", "surfaces": ["curate"]})))
    assert client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {key}"}).status_code == 200
    stored = AgentKey.objects.get()
    assert client.post(f"/w/harbour/agents/keys/{stored.pk}/revoke/").status_code == 302
    assert client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {key}"}).status_code == 401
    another = text_of(client.post(f"/w/harbour/agents/{stored.agent_id}/keys/"))
    assert key_in(another) not in ("", key)


def test_a_replaced_key_works_for_as_long_as_was_chosen(administrator: Principal) -> None:
    client = client_of(administrator)

    def opens(key: str) -> bool:
        return bool(client.get("/api/v1/jobs", headers={"Authorization": f"Bearer {key}"}).status_code == 200)

    first = key_in(text_of(client.post("/w/harbour/agents/", {"name": "Desk", "surfaces": ["curate"]})))
    stored = AgentKey.objects.get()
    second = key_in(text_of(client.post(f"/w/harbour/agents/keys/{stored.pk}/rotate/", {"overlap": "1"})))
    assert opens(first)
    assert opens(second)
    stored.refresh_from_db()
    assert stored.expires_at is not None
    newer = AgentKey.objects.exclude(pk=stored.pk).get()
    third = key_in(text_of(client.post(f"/w/harbour/agents/keys/{newer.pk}/rotate/", {"overlap": "0"})))
    assert not opens(second)
    assert opens(third)


def test_a_key_may_be_issued_for_a_time(administrator: Principal) -> None:
    client = client_of(administrator)
    client.post("/w/harbour/agents/", {"name": "Desk", "surfaces": ["curate"]})
    agent = Agent.objects.get()
    assert key_in(text_of(client.post(f"/w/harbour/agents/{agent.pk}/keys/", {"days": "30"})))
    ends = AgentKey.objects.latest("id").expires_at
    assert ends is not None
    assert 29 <= (ends - agent.created_at).days <= 30
    assert client.post(f"/w/harbour/agents/{agent.pk}/keys/", {"days": "31"}).status_code == 422


def test_surfaces_are_replaced_and_an_agent_is_retired(administrator: Principal) -> None:
    client = client_of(administrator)
    client.post("/w/harbour/agents/", {"name": "Desk", "surfaces": ["curate"]})
    agent = Agent.objects.get()
    client.post(f"/w/harbour/agents/{agent.pk}/", {"surfaces": ["lookup"]})
    agent.refresh_from_db()
    assert agent.surfaces == ["lookup"]
    client.post(f"/w/harbour/agents/{agent.pk}/retire/")
    shown = text_of(client.get(f"/w/harbour/agents/{agent.pk}/"))
    assert "Retired" in shown
    assert "Surfaces changed" in shown
    assert "Issue another key" not in shown


@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        ({"name": " ", "surfaces": ["lookup"]}, 422, "An agent needs a name."),
        ({"name": "Desk", "surfaces": ["everything"]}, 422, "There is no surface"),
    ],
)
def test_an_agent_that_cannot_be_is_refused_in_words(
    administrator: Principal, sent: dict[str, Any], status: int, told: str
) -> None:
    refused = client_of(administrator).post("/w/harbour/agents/", sent)
    assert refused.status_code == status
    assert told in text_of(refused)
    assert not Agent.objects.exists()


def test_agents_are_for_administrators(reviewer: Principal) -> None:
    client = client_of(reviewer)
    assert client.get("/w/harbour/agents/").status_code == 403
    assert client.post("/w/harbour/agents/", {"name": "Desk"}).status_code == 403
    assert not Agent.objects.exists()
