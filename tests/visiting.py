"""Visiting pages as somebody, and a small memory to visit: what two people told their agent in spring and in June."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.test import Client

from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.models import Thread
from memoryapp.sources.services import tell

INES = ParticipantInput(key="ines", role="user", name="Ines Ferro", identity={"email": "ines@ferro.example"})
DESK = ParticipantInput(key="desk", role="assistant", name="Desk")

SPRING = (
    ("ines", "2026-03-02T09:00:00+00:00", "I'd like weekly status emails."),
    ("desk", "2026-03-02T09:01:00+00:00", "Noted: every Monday."),
    ("ines", "2026-03-02T09:02:00+00:00", "We decided to use oak for the library stairs, not ash."),
)
JUNE = (
    ("desk", "2026-06-15T17:20:00+00:00", "Anything to change?"),
    ("ines", "2026-06-15T17:22:00+00:00", "A monthly summary is enough from now on."),
    ("ines", "2026-06-15T17:23:00+00:00", "I prefer bullet points to long paragraphs."),
)


def client_of(by: Principal) -> Client:
    """A browser without scripts in which this member is signed in."""
    client = Client()
    client.force_login(by.actor.membership.user)
    return client


def tell_a_story(agent: Principal, work: Any) -> dict[str, Thread]:
    """Two conversations, told and read: weekly emails in spring, a monthly summary in June, which contradicts it."""
    told = {}
    for name, turns in (("Setting up", SPRING), ("Fewer emails", JUNE)):
        given = [
            TurnInput(
                speaker="user" if by == "ines" else "assistant",
                by=by,
                content=words,
                said_at=dt.datetime.fromisoformat(at),
                message_id=f"{name}-{number}",
            )
            for number, (by, at, words) in enumerate(turns)
        ]
        thread = ThreadInput(external_id=name, title=name, time_zone="Europe/Lisbon")
        told[name] = record(agent, "tell", lambda write, t=thread, g=given: tell(write, t, [INES, DESK], g)).thread
        work()
    return told
