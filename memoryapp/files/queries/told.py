"""Directories, files and versions as every door tells them."""

from __future__ import annotations

from typing import Any

from memoryapp.access.paths import name_of
from memoryapp.files.models import Entry, Version
from memoryapp.files.queries.leading import InSight, of_versions
from memoryapp.ledger.principal import Principal

Told = dict[str, Any]
LISTED = ("id", "path", "kind", "form", "size", "state", "modified_at", "lock")
"""What of an entry is told in a list: nothing else is read for one."""


def told(entry: Entry) -> Told:
    """An entry in a list: where it is, what it is, how large, and the lock that a change must name."""
    return {
        "id": str(entry.id),
        "path": entry.path,
        "name": name_of(entry.path),
        "kind": entry.kind,
        "form": entry.form,
        "size": entry.size,
        "state": entry.state,
        "modified_at": entry.modified_at.isoformat(),
        "lock": entry.lock,
    }


def told_version(by: Principal, version: Version, seen: InSight | None = None) -> Told:
    """One version: what it says beside the text, who made it, and how. Links to what is out of sight are left out;
    `seen` says which those are, for whoever tells several."""
    seen = seen or of_versions(by, [version])
    body = version.body
    return {
        "version": version.sequence,
        "action": version.action,
        "path": version.path,
        "state": version.state,
        "summary": version.summary,
        "tags": version.tags,
        "properties": version.properties,
        "links": [one for one in version.links if seen.holds(one["to"], one["target"])],
        "form": body.form if body else "",
        "size": body.size if body else 0,
        "lines": body.lines if body else 0,
        "url": body.url if body else "",
        "taken_at": body.taken_at.isoformat() if body and body.taken_at else None,
        "media_type": body.media_type if body else "",
        "reason": version.reason,
        "recorded_at": version.recorded_at.isoformat(),
        "by": version.write.actor.name,
        "by_kind": version.write.actor.kind,
        "channel": version.write.channel,
    }


def told_whole(by: Principal, entry: Entry, version: Version, seen: InSight | None = None) -> Told:
    """An entry with its latest version: everything but its text."""
    return told_version(by, version, seen) | told(entry)
