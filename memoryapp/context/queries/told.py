"""Entries as plain data: the form in which every answer gives them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from memoryapp.context.models import EntryLink, EntryRevision
from memoryapp.context.queries.entries import Shown
from memoryapp.doors import moments

Told = dict[str, Any]


def told(shown: Shown, at: dt.datetime) -> Told:
    """An entry as every answer gives it; `expired` as of that time."""
    revision = shown.revision
    return {
        "id": str(revision.entry_id),
        "section": revision.section,
        "title": revision.title,
        "content": revision.content,
        "pinned": revision.pinned,
        "expires_at": expiry(revision),
        "expired": shown.expired(at),
        "state": revision.state,
        "links": [told_link(one) for one in shown.links],
        "audience": revision.audience,
        "recorded_at": shown.entry.recorded_at,
        "changed_at": revision.recorded_at,
        "lock": shown.entry.lock,
    }


def told_revision(shown: Shown) -> Told:
    """A revision: what it said from then on, by whom and why. `act` is what undoes it."""
    revision = shown.revision
    return {
        "sequence": revision.sequence,
        "section": revision.section,
        "title": revision.title,
        "content": revision.content,
        "pinned": revision.pinned,
        "expires_at": expiry(revision),
        "state": revision.state,
        "links": [told_link(one) for one in shown.links],
        "reason": revision.reason,
        "act": str(revision.write_id),
        "action": revision.write.action,
        "recorded_at": revision.recorded_at,
        "by": revision.write.actor.name,
        "by_kind": revision.write.actor.kind,
        "channel": revision.write.channel,
    }


def told_link(link: EntryLink) -> Told:
    """What an entry is linked to."""
    for what in ("node", "belief", "source"):
        if (target := getattr(link, f"{what}_id")) is not None:
            return {"what": what, "id": str(target)}
    raise AssertionError("A link leads somewhere.")


def expiry(revision: EntryRevision) -> str | None:
    """When it expires, as exactly as it was said and in the zone it was said in."""
    if revision.expires_at is None:
        return None
    zone = revision.expires_zone if revision.expires_precision == moments.Precision.INSTANT else "UTC"
    return moments.render(revision.expires_at, revision.expires_precision, zone)
