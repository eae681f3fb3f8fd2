"""Files as pages show them: their addresses, crumbs, rows and versions."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from memoryapp.access.paths import ROOT, above
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address
from memoryapp.files.models import Entry, Link, Version
from memoryapp.ledger.principal import Principal

PAGES = {"node": "graph:node", "belief": "graph:belief", "source": "sources:source"}
"""Where other things that a file leads to have their pages."""


def file_url(by: Principal, path: str = ROOT, view: str = "files:files", **more: Any) -> str:
    """The page of a path."""
    query = ({"path": path} if path != ROOT or view != "files:files" else {}) | more
    base = address(by, view)
    return f"{base}?{urlencode(query)}" if query else base


def crumbs(by: Principal, path: str) -> list[dict[str, str]]:
    """The directories above a path, each with its page."""
    return [{"name": one.rpartition("/")[2], "url": file_url(by, one)} for one in above(path)]


def row(by: Principal, entry: Entry) -> dict[str, Any]:
    return {
        "entry": entry,
        "name": entry.name,
        "path": entry.path,
        "directory": entry.is_directory,
        "url": file_url(by, entry.path),
        "branch_url": file_url(by, entry.path, "files:branch"),
        "size": entry.size,
        "at": entry.modified_at,
    }


def link(by: Principal, one: Link) -> dict[str, str]:
    """Where a file leads."""
    if one.target_type == Link.To.FILE:
        return {"words": one.target, "url": file_url(by, one.target), "note": "file"}
    view = PAGES.get(one.target_type, "")
    url = address(by, view, uuid.UUID(one.target)) if view else ""
    if one.target_type == Link.To.EPISODE:
        url = address(by, "timeline:episode", uuid.UUID(one.target))
    return {"words": f"{one.target_type.capitalize()} {one.target[:8]}", "url": url, "note": one.target_type}


WORDS = {
    "write": "Written",
    "edit": "Edited",
    "mkdir": "Made",
    "move": "Moved",
    "relink": "Links written anew",
    "metadata": "Described",
    "remove": "Removed",
    "restore": "Restored",
    "withdraw": "Taken out of sight",
    "return": "Back in sight",
    "attach": "Uploaded",
    "tell": "Told as a source",
}


def version(by: Principal, entry: Entry, one: Version) -> dict[str, Any]:
    """A version in the history of a file."""
    return {
        "number": one.sequence,
        "what": WORDS.get(one.action, one.action.capitalize()),
        "where": one.path if one.path != entry.path else "",
        "why": one.reason,
        "actor": one.write.actor,
        "at": one.recorded_at,
        "url": file_url(by, entry.path, version=one.sequence),
        "changed_url": file_url(by, entry.path, "files:difference", before=one.sequence - 1, after=one.sequence)
        if one.sequence > 1 and one.body_id
        else "",
        "difference_url": file_url(by, entry.path, "files:difference", before=one.sequence)
        if one.sequence != entry.lock
        else "",
    }


def in_words(error: DomainError) -> str:
    """A refusal as a person is told it, who knows of no locks."""
    if error.code == "file_exists":
        return "There is a file of that name already. Open it to edit it, or to put another in its place."
    return error.detail


def differing(found: str) -> list[dict[str, str]]:
    """A difference line by line, each with what it is."""
    lines = found.split("\n") if found else []
    if lines and lines[0].startswith("--- "):
        lines = lines[2:]
    return [{"text": line or " ", "kind": _KINDS.get(line[:1], "same")} for line in lines]


_KINDS = {"+": "added", "-": "gone", "@": "place"}
