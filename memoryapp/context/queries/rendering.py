"""The block: what is to be kept in mind, rendered for a prompt and marked as ours."""

from __future__ import annotations

import datetime as dt
import hashlib
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.context.models import EntryLink, EntryRevision
from memoryapp.context.queries.entries import Asked, narrowed, now
from memoryapp.doors import marker
from memoryapp.doors.budgets import tokens
from memoryapp.doors.errors import Invalid
from memoryapp.graph.queries import views
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal

USUAL_BUDGET = 1000
LEAST_BUDGET = 50
MOST_BUDGET = 1_000_000
KIND = "context"
HEADING = "Keep in mind, in the user's own words:"
NOTHING = "Nothing is set."
PINNED = Asked(pinned=True)


class EntryRow(NamedTuple):
    """What of an entry is rendered."""

    entry_id: uuid.UUID
    section: str
    section_key: str
    title: str
    content: str


@dataclass(frozen=True)
class Block:
    """The rendered entries in `text`, within the budget; `left_out` are those that did not fit."""

    workspace: str
    text: str
    entries: list[EntryRow]
    left_out: list[EntryRow]

    @property
    def tokens(self) -> int:
        return tokens(self.text)

    @property
    def digest(self) -> str:
        """The same exactly as long as the text is."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:32]


def render(by: Principal, asked: Asked = PINNED, budget_tokens: int = USUAL_BUDGET) -> Block:
    """The entries that are asked for as one markdown block: by section, in their order. One query.

    The same entries give the same text. It never takes more tokens than the budget; what does not fit gives way to what
    follows, and is counted and named. What has expired, or is linked to a belief that is no longer held, is not there.
    """
    by.require("read_context")
    if not LEAST_BUDGET <= budget_tokens <= MOST_BUDGET:
        accepted = f"{LEAST_BUDGET} to {MOST_BUDGET}"
        raise Invalid.at("/budget_tokens", "out_of_range", "This is no budget for the context.", accepted)
    form = replace(asked, sections=(), known_at=None)
    at = asked.known_at or now(by)
    rows = prepared.rows(_standing, form, by=by, at=at, known_at=asked.known_at, keys=asked.keys)
    sections: dict[str, list[EntryRow]] = {}
    for row in map(EntryRow._make, rows):
        sections.setdefault(row.section_key, []).append(row)
    return _fitting(by, [one for section in sections.values() for one in section], budget_tokens)


def _standing(
    form: Asked, by: Principal, at: dt.datetime, known_at: dt.datetime | None, keys: Sequence[str]
) -> QuerySet[EntryRevision, Any]:
    rows = narrowed(by, replace(form, known_at=known_at), at=at, keys=keys)
    held = rows.select_related(None).exclude(Exists(_no_longer_held(by, known_at, at)))
    return held.values_list("entry", "section", "section_key", "title", "content")


def no_longer_held(by: Principal, rows: QuerySet[EntryRevision]) -> QuerySet[EntryRevision]:
    """Those of these that are linked to a belief that is not current: they are rendered for nobody who sees it so."""
    return rows.filter(Exists(_no_longer_held(by, None, now(by))))


def _no_longer_held(by: Principal, known_at: dt.datetime | None, at: dt.datetime) -> QuerySet[EntryLink]:
    held = (views.as_of(by, valid_at=known_at, known_at=known_at) if known_at else views.told(by, at=at)).filter(
        pk=OuterRef("belief")
    )
    linked = EntryLink.objects.filter(revision=OuterRef("pk"), belief__isnull=False)
    return linked.exclude(Exists(held))


def _fitting(by: Principal, rows: Sequence[EntryRow], budget: int) -> Block:
    """As many entries as fit, in their order, with room kept for the line that says how many do not."""
    kept = list(rows)
    left: list[EntryRow] = []
    text = _rendered(kept, left)
    if tokens(text) > budget:
        kept = []
        for row in rows:
            tried = [*kept, row]
            if _size(tried, len(rows) - len(tried)) <= budget:
                kept = tried
        chosen = {row.entry_id for row in kept}
        left = [row for row in rows if row.entry_id not in chosen]
        text = _rendered(kept, left, budget)
    return Block(by.workspace.slug, text, kept, left)


def _size(kept: Sequence[EntryRow], left: int) -> int:
    return tokens(_wrapped(kept, _left_out(left) if left else ""))


def _rendered(kept: Sequence[EntryRow], left: Sequence[EntryRow], budget: int = 0) -> str:
    """The block; as many of those left out are named as there is room for."""
    if not left:
        return _wrapped(kept, "")
    text = _wrapped(kept, _left_out(len(left)))
    names: list[str] = []
    for row in left:
        tried = [*names, f"{_line(row.section)}: {_line(row.title)}"]
        longer = _wrapped(kept, _left_out(len(left), tried))
        if tokens(longer) > budget:
            break
        names, text = tried, longer
    return text


def _left_out(count: int, names: Sequence[str] = ()) -> str:
    what = "1 entry" if count == 1 else f"{count} entries"
    more = "; and more" if names and len(names) < count else ""
    return f"Left out for length: {what}" + (f" ({'; '.join(names)}{more})." if names else ".")


def _wrapped(kept: Sequence[EntryRow], last: str) -> str:
    lines = [HEADING]
    section = None
    for row in kept:
        if row.section_key != section:
            section = row.section_key
            lines += ["", f"## {_line(row.section)}"]
        lines += _entry(row)
    if last:
        lines += ["", last]
    elif not kept:
        lines += [NOTHING]
    return marker.wrap(KIND, "\n".join(lines))


def _entry(row: EntryRow) -> list[str]:
    """One item of a list: the title, then what it says; further lines belong to it by being indented."""
    said = row.content.strip().splitlines()
    title = f"- **{_line(row.title)}**"
    if len(said) <= 1:
        return [f"{title}: {said[0].strip()}" if said else title]
    return [f"{title}:", *[f"  {line}".rstrip() for line in said]]


def _line(text: str) -> str:
    return " ".join(text.split())
