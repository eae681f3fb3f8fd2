"""Tags that turn what a case of this room says into what the console's components draw."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import NoReverseMatch, reverse

from memoryapp.doors import moments
from memoryapp.sources.models import Source
from memoryapp.sources.queries import InPlace

register = template.Library()

CHANNELS = {"rest": "REST", "mcp": "MCP", "job": "a job", "console": "the console", "command": "a command"}


@register.simple_tag
def side_statement(side: dict[str, Any], slug: str) -> dict[str, Any]:
    """One side of a conflict as a statement card."""
    belief, recorded = side["belief"], side["recorded"]
    valid_from, from_precision = _moment(belief["valid_from"])
    valid_to, to_precision = _moment(belief["valid_to"])
    said = [_moment(source["said_at"])[0] for source in side["sources"] if source["said_at"]]
    return {
        "side": side["name"],
        "content": belief["content"],
        "kind": belief["kind"],
        "status": belief["status"],
        "confidence": None if belief["confidence"] is None else round(belief["confidence"]),
        "owners": side["owners"],
        "valid_from": valid_from,
        "valid_to": valid_to,
        "from_precision": from_precision,
        "to_precision": to_precision,
        "said_at": min(said) if said and min(said) != valid_from else None,
        "recorded_by": {"name": recorded["by"], "kind": recorded["by_kind"]},
        "channel": CHANNELS.get(recorded["channel"], recorded["channel"]),
        "recorded_at": recorded["at"],
        "model": recorded["model"],
        "prompt_version": recorded["prompt_version"],
        "reach": _resting(side["resting_on_it"]),
        "served": _served(side["served"], side["side"] == "newcomer"),
        "url": _address("graph:belief", slug, belief["id"]),
    }


@register.simple_tag
def quoted_source(quote: dict[str, Any], slug: str) -> dict[str, Any]:
    """A quote as the words inside their turn, with the turn before and the one after."""
    start, end = quote["span"] or (None, None)
    content = quote["content"]
    return {
        "title": quote["thread_title"] or quote["title"] or quote["path"] or quote["url"] or quote["kind"],
        "url": _in_thread(slug, quote["thread"], quote["source"]),
        "turn": {
            "speaker_name": quote["by"] or quote["kind"].replace("_", " ").capitalize(),
            "speaker": quote["speaker"],
            "said_at": _moment(quote["said_at"])[0],
            "content": quote["quote"] if content is None else content,
        },
        "start": None if content is None else start,
        "end": None if content is None else end,
        "before": _around(quote["turn_before"]),
        "after": _around(quote["turn_after"]),
    }


@register.simple_tag
def placed_source(place: InPlace | None, start: int, end: int, slug: str) -> dict[str, Any] | None:
    """A source where it stands, with a span of it marked."""
    if place is None:
        return None
    source = place.source
    thread = source.thread
    return {
        "title": (thread.title if thread else "") or source.title or source.path or source.url or source.kind,
        "url": _in_thread(slug, str(source.thread_id) if source.thread_id else None, str(source.pk)),
        "turn": _turn(source),
        "start": start,
        "end": end,
        "before": _turn(place.before) if place.before else None,
        "after": _turn(place.after) if place.after else None,
    }


@register.filter
def of_side(edits: dict[str, Any], side: str) -> list[Any]:
    """The fields that put one side right."""
    return [one for name, one in edits.items() if name.startswith(f"{side}_")]


def _turn(source: Source) -> dict[str, Any]:
    who = source.participant
    return {
        "speaker_name": (who.name or who.key) if who else source.get_kind_display(),
        "speaker": source.speaker,
        "said_at": source.said_at,
        "content": source.content,
    }


def _around(turn: dict[str, Any] | None) -> dict[str, Any] | None:
    if turn is None:
        return None
    return {"speaker_name": turn["by"], "speaker": turn["speaker"], "said_at": None, "content": turn["content"]}


def _moment(told: str | None) -> tuple[Any, str]:
    if not told:
        return None, "day"
    moment = moments.parse(told)
    precision = "day" if moment.precision == moments.Precision.INSTANT else str(moment.precision)
    return moment.instant, precision


def _resting(count: int) -> str:
    if not count:
        return "Nothing rests on it"
    return "1 conclusion rests on it" if count == 1 else f"{count} conclusions rest on it"


def _served(count: int, since: bool) -> str:
    if not count:
        return "Not served" + (" since the case opened" if since else " so far")
    times = "Served once" if count == 1 else f"Served {count} times"
    return times + (" since the case opened" if since else "")


def _in_thread(slug: str, thread: str | None, source: str) -> str:
    address = _address("sources:thread", slug, thread) if thread else ""
    return f"{address}#turn-{source}" if address else ""


def _address(view: str, slug: str, thing: str) -> str:
    try:
        return reverse(view, args=[slug, thing])
    except NoReverseMatch:
        return ""
