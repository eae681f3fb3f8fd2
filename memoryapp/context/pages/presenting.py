"""Entries as the console's templates take them."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection
from typing import Any

from memoryapp.context.models import EntryLink, EntryRevision, State
from memoryapp.context.queries import Act, Shown
from memoryapp.context.queries.told import expiry
from memoryapp.doors.pages import address
from memoryapp.graph.pages import presenting as graph_presenting
from memoryapp.ledger.principal import Principal

BADGES = {State.UNSET: "unset", State.WITHDRAWN: "withdrawn"}
WORDS = {
    "set_context": "Set",
    "set_context_section": "Set a section",
    "update_context": "Changed",
    "unset_context": "Unset",
    "unset_context_section": "Unset a section",
    "restore_context": "Restored",
    "undo_context": "Undone",
    "arrange_context": "Put in order",
}
"""What was done, in words, by the name of its write."""


def card(by: Principal, row: EntryRevision, at: dt.datetime, stale: Collection[uuid.UUID] = ()) -> dict[str, Any]:
    """One entry of the list. `stale` are rows linked to what is no longer held."""
    expired = row.ends_at is not None and row.ends_at <= at
    return {
        "id": row.entry_id,
        "url": address(by, "context:entry", row.entry_id),
        "title": row.title or "Erased",
        "content": row.content,
        "pinned": row.pinned,
        "state": BADGES.get(State(row.state), ""),
        "expired": expired,
        "expires": row.expires_at,
        "expires_words": expiry(row),
        "expires_precision": row.expires_precision,
        "stale": row.pk in stale,
        "named": row.audience == "named",
        "lock": row.entry.lock,
    }


def link(by: Principal, one: EntryLink) -> dict[str, str]:
    """What an entry is linked to, in words and with its address."""
    if one.node:
        return {"what": "About", "words": one.node.label, "url": address(by, "graph:node", one.node_id)}
    if one.belief:
        words = one.belief.content or "An erased belief"
        return {"what": "As held", "words": words, "url": address(by, "graph:belief", one.belief_id)}
    assert one.source is not None
    if not by.may("read_sources"):
        return {"what": "From", "words": "A source", "url": ""}
    return {"what": "From", "words": str(one.source), "url": address(by, "sources:source", one.source_id)}


def revision(by: Principal, shown: Shown, before: Shown | None) -> dict[str, Any]:
    """One step of an entry's history."""
    row = shown.revision
    what = WORDS.get(row.write.action, "Changed")
    if row.state == State.WITHDRAWN:
        what = "Its source was taken back"
    elif row.state == State.UNSET:
        what = "Unset"
    elif before is None:
        what = "Set"
    return {
        "what": what,
        "why": row.reason,
        "at": row.recorded_at,
        "actor": graph_presenting.actor(row.write.actor.name, row.write.actor.kind),
        "sequence": row.sequence,
        "place": f"{row.section}: {row.title}" if row.title else "",
        "content": row.content,
        "before": before.revision.content if before else "",
        "changed": bool(before and row.content and before.revision.content != row.content),
        "pinned": row.pinned,
        "expires_words": expiry(row),
        "restorable": row.state == State.SET and row.sequence != row.entry.lock and bool(row.title),
    }


def act(by: Principal, one: Act) -> dict[str, Any]:
    """One act of the list of what was done."""
    titles = [row.title or "erased" for row in one.revisions]
    return {
        "what": WORDS.get(one.write.action, "Changed"),
        "titles": titles[:4],
        "more": max(0, len(titles) - 4),
        "at": one.write.recorded_at,
        "actor": graph_presenting.actor(one.write.actor.name, one.write.actor.kind),
        "undo_url": address(by, "context:undo", one.write.pk) if one.latest and by.may("write_context") else "",
    }
