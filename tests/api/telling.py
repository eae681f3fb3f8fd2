"""Conversations as agents tell them in tests."""

from __future__ import annotations

from typing import Any

INES = {"key": "ines", "role": "user", "name": "Ines Duarte", "identity": {"email": "ines@ferro.example"}}
DESK = {"key": "desk", "role": "assistant", "name": "Desk"}


def said(content: str, said_at: str, message_id: str = "", **more: Any) -> dict[str, Any]:
    """A turn of Ines."""
    turn = {"speaker": "user", "by": "ines", "content": content, "said_at": said_at}
    return turn | ({"message_id": message_id} if message_id else {}) | more


def conversation(*turns: dict[str, Any], external_id: str = "mail-31", **more: Any) -> dict[str, Any]:
    """A conversation of Ines and the desk."""
    return {"thread": {"external_id": external_id}, "participants": [INES, DESK], "turns": list(turns)} | more


WEEKLY = said("Please send me status emails every week.", "2026-03-02T09:15:00-05:00", "m-1")
MONTHLY = said("A monthly summary is enough from now on.", "2026-06-01T10:00:00-05:00", "m-9")
