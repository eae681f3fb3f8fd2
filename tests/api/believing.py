"""Beliefs as agents write them in tests."""

from __future__ import annotations

from typing import Any

from tests.api.calling import Caller

INES = {"class": "person", "keys": {"email": "ines@ferro.example"}}


def note(content: str, said_at: str, path: str = "/notes/ines.md") -> dict[str, Any]:
    """Evidence that comes along: a note that says it."""
    return {"new_source": {"kind": "document", "path": path, "content": content, "said_at": said_at}}


def preference(content: str, said_at: str, topic: str = "status emails", **more: Any) -> dict[str, Any]:
    """A preference of Ines, read in a note of that time."""
    told = {"kind": "preference", "content": content, "owners": [INES], "topic": topic}
    return told | {"evidence": [note(content, said_at, f"/notes/{said_at[:10]}.md")]} | more


WEEKLY = preference("Wants status emails every week.", "2026-03-02T09:00:00-05:00")
MONTHLY = preference("A monthly summary is enough.", "2026-06-01T09:00:00-05:00")


def remembered(caller: Caller, body: dict[str, Any]) -> dict[str, Any]:
    answer = caller.post("beliefs", body)
    assert answer.status_code == 201, answer.json()
    belief: dict[str, Any] = answer.json()["items"][0]["belief"]
    return belief


def contents(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.json()
    return [item["content"] for item in answer.json()["items"]]
