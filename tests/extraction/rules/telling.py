"""A way to say something in a test: Ines speaks to her assistant on Wednesday 10 June 2026 at noon, UTC."""

from datetime import UTC, datetime

from memoryapp.extraction.proposals import Conversation, Participant, Proposal, Speaker, Turn
from memoryapp.extraction.rules import extract

NOON = datetime(2026, 6, 10, 12, tzinfo=UTC)
INES = Participant("ines", "Ines")
BRAM = Participant("bram", "Bram Okafor")
ASSISTANT = Participant("helper", "Helper", "assistant")


def turn(
    text: str, *, speaker: Speaker = "user", by: str = "", at: datetime = NOON, zone: str = "", position: int = 0
) -> Turn:
    """One turn; a user's is by Ines unless said otherwise."""
    by = by or {"user": "ines", "assistant": "helper"}.get(speaker, "")
    return Turn(f"turn-{position}", position, speaker, by, "", text, at, zone)


def learned(*turns: Turn, participants: tuple[Participant, ...] = (INES, ASSISTANT)) -> list[Proposal]:
    """What the rules find in these turns."""
    return extract(Conversation(turns, participants))


def said(text: str, *, speaker: Speaker = "user", at: datetime = NOON, zone: str = "") -> list[Proposal]:
    """What the rules find in one turn."""
    return learned(turn(text, speaker=speaker, at=at, zone=zone))


def slot(proposal: Proposal) -> str:
    """The slot of a proposal as one word, as the tables write it."""
    if proposal.kind == "commitment":
        return f"due={proposal.due.as_text()}" if proposal.due else ""
    if proposal.object is not None:
        return f"{proposal.predicate}>{proposal.object.name}"
    return f"{proposal.predicate}={proposal.value}" if proposal.predicate else proposal.topic
