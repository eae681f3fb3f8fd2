"""What the design page shows: invented people, statements and cases, in the shapes the components take."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django import forms

from memoryapp.console.navigation import ENTRIES, Link
from memoryapp.console.plots import bars
from memoryapp.console.wording import STATES

INES = {"name": "Ines Ferro", "kind": "person"}
NADIA = {"name": "Nadia Brandt", "kind": "person"}
DESK = {"name": "Front desk", "kind": "agent"}
EXTRACTION = {"name": "Extraction", "kind": "job"}
POLICY = {"name": "Owner speaks for themselves", "kind": "policy"}

SWATCHES = {
    "Ground": ("ground", "surface", "sunken", "raised", "hover", "selected"),
    "Ink and lines": ("ink", "ink-soft", "ink-faint", "line", "line-strong", "line-control"),
    "Accent": ("accent", "accent-strong", "accent-soft", "focus", "primary", "primary-hover"),
    "States": ("good", "warn", "bad", "quiet", "good-soft", "warn-soft", "bad-soft", "quiet-soft"),
    "Marks": ("marker", "ins", "del"),
}
ICONS = [
    "home",
    "queue",
    "belief",
    "conversation",
    "recall",
    "job",
    "agent",
    "ontology",
    "settings",
    "book",
    "clock",
    "quote",
    "person",
    "reach",
    "served",
    "edit",
    "undo",
    "check",
    "close",
    "plus",
    "search",
    "filter",
    "key",
    "lock",
    "copy",
    "print",
    "alert",
    "info",
    "policy",
    "hand",
    "snooze",
    "offline",
    "keyboard",
    "sun",
    "moon",
    "system",
    "left",
    "right",
    "chevron",
    "choose",
    "leave",
    "external",
]


class _Example(forms.Form):
    name = forms.CharField(
        initial="Front desk", help_text="As people see it.", widget=forms.TextInput(attrs={"class": "input"})
    )


def _at(month: int, day: int, hour: int = 9, minute: int = 0) -> dt.datetime:
    return dt.datetime(2026, month, day, hour, minute, tzinfo=dt.UTC)


def content() -> dict[str, Any]:
    """Everything on the page."""
    return {
        "nav_links": [Link(entry, "#", entry.key == "g q", 12 if entry.key == "g q" else None) for entry in ENTRIES],
        "swatches": SWATCHES,
        "icons": ICONS,
        "states": list(STATES),
        "kinds": ["preference", "decision", "commitment", "fact", "long_term", "experience"],
        "actors": [INES, DESK, EXTRACTION, POLICY],
        "older": _older(),
        "newer": _newer(),
        "erased": {"kind": "preference", "status": "deleted", "content": "", "valid_from": _at(1, 8)},
        "march": _march(),
        "june": _june(),
        "events": _events(),
        "evidence": _evidence(),
        "cases": _cases(),
        "verdicts": _verdicts(),
        "trend": _trend(),
        "views": {
            "name": "Everything",
            "given": [{"name": "Everything", "url": "#views", "here": True}, {"name": "Old", "url": "#views"}],
            "kept": [{"name": "Ferro, unclaimed", "url": "#views", "whose": "Nadia"}],
        },
        "tabs": [
            {"title": "Why", "url": "#tabs", "here": True},
            {"title": "History", "url": "#tabs", "count": 4},
            {"title": "Relations", "url": "#tabs", "count": 2},
            {"title": "Served", "url": "#tabs", "count": 31},
        ],
        "choices": _choices(),
        "field": _Example(auto_id="design-%s")["name"],
        "filters_set": [
            {"words": "Kind: preference", "clear_url": "#filters"},
            {"words": "Older than 7 days", "clear_url": "#filters"},
        ],
        "nadia": NADIA,
        "now": _at(6, 2, 14, 3),
    }


def _trend() -> dict[str, Any]:
    numbers = [(3, 2, 9), (5, 4, 12), (2, 5, 7), (0, 0, 0), (1, 0, 2), (8, 6, 15), (4, 7, 11)]
    days = [(dt.date(2026, 6, day), one) for day, one in enumerate(numbers, start=1)]
    names = (("opened", "Opened"), ("people", "Decided by people"), ("policy", "Settled by policy"))
    return {"plot": bars(days, [css for css, _ in names]), "days": days, "names": names}


def _older() -> dict[str, Any]:
    return {
        "side": "Older",
        "content": "Ines Ferro prefers a weekly status email on Mondays.",
        "kind": "preference",
        "status": "activated",
        "confidence": 92,
        "owners": ["Ines Ferro"],
        "valid_from": _at(3, 9),
        "said_at": _at(3, 9, 9, 41),
        "recorded_by": DESK,
        "channel": "REST",
        "recorded_at": _at(3, 9, 9, 42),
        "reach": "2 conclusions rest on it",
        "served": "Served 31 times since March",
    }


def _newer() -> dict[str, Any]:
    return {
        "side": "Newer",
        "content": "Ines Ferro prefers a monthly summary by email.",
        "kind": "preference",
        "status": "resolving",
        "confidence": 88,
        "owners": ["Ines Ferro"],
        "valid_from": _at(6, 2),
        "said_at": _at(6, 2, 14, 2),
        "recorded_by": EXTRACTION,
        "channel": "a job",
        "recorded_at": _at(6, 2, 14, 3),
        "model": "built-in rules",
        "reach": "Nothing rests on it yet",
    }


def _turn(name: str, at: dt.datetime, words: str, speaker: str = "user") -> dict[str, Any]:
    return {"speaker_name": name, "speaker": speaker, "said_at": at, "content": words}


def _march() -> dict[str, Any]:
    words = "Let's do weekly status emails, Monday mornings please, so I can plan the week before the yard opens."
    quote = "weekly status emails, Monday mornings"
    start = words.index(quote)
    return {
        "title": "Kick-off, slipway project",
        "url": "#source",
        "before": _turn("Front desk", _at(3, 9, 9, 40), "How would you like to hear from us?", "assistant"),
        "turn": _turn("Ines Ferro", _at(3, 9, 9, 41), words),
        "after": _turn("Front desk", _at(3, 9, 9, 42), "Noted. The first one goes out on Monday.", "assistant"),
        "start": start,
        "end": start + len(quote),
    }


def _june() -> dict[str, Any]:
    words = "The Monday mails pile up now that we are building. A monthly summary is enough for me from here on."
    quote = "A monthly summary is enough for me from here on"
    start = words.index(quote)
    return {
        "title": "Check-in, June",
        "url": "#source",
        "before": _turn("Tomas Reyl", _at(6, 2, 14, 0), "Anything we should do differently on our side?"),
        "turn": _turn("Ines Ferro", _at(6, 2, 14, 2), words),
        "after": None,
        "start": start,
        "end": start + len(quote),
    }


def _events() -> list[dict[str, Any]]:
    return [
        {
            "what": "Newer replaces older",
            "from_state": "activated",
            "to_state": "archived",
            "actor": NADIA,
            "at": _at(6, 2, 16, 20),
            "why": "She says so herself, and the project has moved on to building.",
            "undo_url": "#history",
        },
        {
            "what": "Conflict opened",
            "actor": EXTRACTION,
            "at": _at(6, 2, 14, 3),
            "why": "A newer statement fills the same slot over the same time.",
        },
        {"what": "Said again", "actor": DESK, "at": _at(4, 14, 11, 5), "why": "One more turn says the same."},
        {"what": "Accepted", "to_state": "activated", "actor": POLICY, "at": _at(3, 9, 9, 42)},
    ]


def _evidence() -> dict[str, Any]:
    return {
        "content": "Send Ines the summary on the first Monday of the month.",
        "label": "decision, inferred",
        "status": "current",
        "rests_on": [
            {
                "content": "Ines Ferro prefers a monthly summary by email.",
                "label": "preference",
                "status": "current",
                "url": "#evidence",
                "rests_on": [
                    {
                        "content": "A monthly summary is enough for me from here on",
                        "label": "Ines Ferro, 2 June 2026",
                        "is_source": True,
                    }
                ],
            },
            {
                "content": "The yard plans its month on the first Monday.",
                "label": "fact",
                "status": "current",
                "url": "#evidence",
                "rests_on": [
                    {
                        "content": "We sit down on the first Monday and plan the month",
                        "label": "Tomas Reyl, 11 May 2026",
                        "is_source": True,
                    },
                    {
                        "content": "first Monday, month plan, whole crew",
                        "label": "yard-calendar.md, 1 May 2026",
                        "is_source": True,
                    },
                ],
            },
        ],
    }


def _cases() -> list[dict[str, Any]]:
    return [
        {
            "id": 1,
            "kind_words": "Conflict",
            "title": "Ines Ferro prefers a monthly summary by email.",
            "opened_at": _at(6, 2, 14, 3),
            "reason": "Same slot, overlapping time; served 31 times",
            "url": "#queue",
        },
        {
            "id": 2,
            "kind_words": "Held",
            "title": "Always send invoices to billing@ferro.example.",
            "opened_at": _at(6, 1, 8, 30),
            "reason": "A tool said it, not a participant",
            "claimed_by": "Nadia is on this",
            "url": "#queue",
        },
        {
            "id": 3,
            "kind_words": "Ambiguous identity",
            "title": "Is “my manager Ivo” Ivo Marchetti of Ferro Studio, or somebody new whom nobody has named before?",
            "opened_at": _at(5, 28, 17, 12),
            "url": "#queue",
        },
        {
            "id": 4,
            "kind_words": "Stale conclusion",
            "title": "Send Ines the summary on the first Monday of the month.",
            "opened_at": _at(5, 20, 10, 0),
            "reason": "One of two premises fell",
            "url": "#queue",
        },
    ]


def _verdicts() -> list[dict[str, Any]]:
    return [
        {"value": "replace", "words": "Newer replaces older", "key": "1", "suggested": True},
        {"value": "stand", "words": "Older stands", "key": "2"},
        {"value": "times", "words": "Both, at different times", "key": "3", "needs": "keyboard-help"},
        {"value": "circumstances", "words": "Both, in different circumstances", "key": "4", "needs": "keyboard-help"},
        {"value": "merge", "words": "Merge into one", "key": "5", "needs": "keyboard-help"},
        {"value": "unrelated", "words": "Not a conflict", "key": "6"},
        {"value": "neither", "words": "Neither", "key": "7", "disabled_because": "A person confirmed the older one."},
    ]


def _choices() -> list[dict[str, Any]]:
    return [
        {
            "label": "Any kind",
            "name": "kind",
            "chosen": "preference",
            "options": [("preference", "Preference"), ("decision", "Decision"), ("commitment", "Commitment")],
        },
        {"label": "Anybody's", "name": "owner", "chosen": "", "options": [("ines", "Ines Ferro")]},
    ]
