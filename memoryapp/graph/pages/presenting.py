"""Beliefs in the shapes that the console's components take."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from memoryapp.doors import moments
from memoryapp.doors.pages import address
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries import listing
from memoryapp.graph.queries.told import Told
from memoryapp.ledger.principal import Principal
from memoryapp.sources.learned import Learned

CHANNELS = {"rest": "REST", "mcp": "MCP", "console": "the console", "job": "a job", "command": "a command"}


def state_of(status: str, standing: str, valid_from: dt.datetime | None, valid_to: dt.datetime | None) -> str:
    """The one word for how a belief stands today: its status, and what its dates and standing add to it."""
    now = timezone.now()
    if status == Status.ARCHIVED:
        return standing if standing != Standing.HOLDS else status
    if status != Status.ACTIVATED:
        return status
    if valid_to and valid_to <= now:
        return "ended"
    return "upcoming" if valid_from and valid_from > now else "current"


def card(by: Principal, belief: Belief, owners: Sequence[Node] = (), *, linked: bool = True) -> dict[str, Any]:
    """A belief as a statement card or a row of a list."""
    return {
        "id": belief.pk,
        "content": belief.content,
        "kind": belief.predicate if belief.predicate else belief.kind,
        "status": state_of(belief.status, belief.standing, belief.valid_from, belief.valid_to),
        "confidence": _rounded(belief.confidence),
        "owners": [node.label for node in owners],
        "valid_from": belief.valid_from,
        "from_precision": belief.valid_from_precision,
        "valid_to": belief.valid_to,
        "to_precision": belief.valid_to_precision,
        "recorded_at": belief.recorded_at,
        "url": address(by, "graph:belief", belief.pk) if linked else "",
    }


def told_card(by: Principal, told: Told) -> dict[str, Any]:
    """The same of a belief that is plain data already."""
    since, until = moment_of(told["valid_from"]), moment_of(told["valid_to"])
    start, end = (since.instant if since else None), (until.instant if until else None)
    return {
        "id": told["id"],
        "content": told["content"],
        "kind": told["kind"],
        "status": state_of(told["status"], told["standing"], start, end),
        "confidence": _rounded(told["confidence"]),
        "valid_from": start,
        "from_precision": since.precision if since else "",
        "valid_to": end,
        "to_precision": until.precision if until else "",
        "url": address(by, "graph:belief", uuid.UUID(told["id"])),
    }


def recorded(told: Told) -> dict[str, Any]:
    """Who recorded something, through what and with which model, from its provenance."""
    return {
        "actor": actor(told["by"], told["by_kind"]),
        "channel": CHANNELS.get(told["channel"], told["channel"]),
        "at": told["at"],
        "model": told["model"],
        "prompt_version": told["prompt_version"],
        "run": told["run"],
        "thread": told["thread"],
        "trace_id": told["trace_id"],
        "rationale": told["rationale"],
    }


def actor(name: str, kind: str) -> dict[str, str]:
    """An actor as the component takes it."""
    return {"name": name, "kind": kind}


def source(by: Principal, told: Told) -> dict[str, Any]:
    """A quoted source: a turn inside its conversation, or a document, page or statement by itself."""
    start, end = told["span"] or (None, None)
    return {
        "title": _source_title(told),
        "url": _source_url(by, told),
        "turn": {
            "speaker_name": told["by"] or told["title"] or told["kind"].replace("_", " ").capitalize(),
            "speaker": told["speaker"],
            "said_at": instant(told["said_at"]),
            "content": told["content"] if told["content"] is not None else told["quote"],
        },
        "start": start if told["content"] is not None else None,
        "end": end if told["content"] is not None else None,
        "before": _turn(told["turn_before"]),
        "after": _turn(told["turn_after"]),
    }


def learned_from(by: Principal, source_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Learned]]:
    """The beliefs that stand on each source, for the page of a conversation."""
    cited = listing.standing_on(by, source_ids)
    waiting = [one.belief.pk for items in cited.values() for one in items if one.belief.status == Status.RESOLVING]
    cases = listing.open_cases(by, waiting)
    return {
        source_id: [
            Learned(
                key=one.belief.pk,
                words=one.belief.content,
                kind=one.belief.predicate or one.belief.kind,
                state=state_of(one.belief.status, one.belief.standing, one.belief.valid_from, one.belief.valid_to),
                url=address(by, "graph:belief", one.belief.pk),
                case_url=address(by, "review:case", cases[one.belief.pk].pk) if one.belief.pk in cases else "",
                start=one.start,
            )
            for one in items
        ]
        for source_id, items in cited.items()
    }


def moment_of(text: str | None) -> moments.Moment | None:
    """A date of an answer, read back."""
    return moments.parse(text) if text else None


def instant(text: str | None) -> dt.datetime | None:
    """The instant of a date of an answer."""
    found = moment_of(text)
    return found.instant if found else None


def _turn(told: Told | None) -> dict[str, Any] | None:
    if told is None:
        return None
    return {"speaker_name": told["by"] or told["speaker"], "speaker": told["speaker"], "content": told["content"]}


def _source_title(told: Told) -> str:
    return str(
        told["thread_title"]
        or told["title"]
        or told["path"]
        or told["url"]
        or told["kind"].replace("_", " ").capitalize()
    )


def _source_url(by: Principal, told: Told) -> str:
    if not by.may("read_sources"):
        return ""
    return address(by, "sources:source", uuid.UUID(told["source"]))


def _rounded(confidence: float | None) -> int | None:
    return round(confidence) if confidence is not None else None
