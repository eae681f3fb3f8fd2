"""Sections: which there are, in their order, and the lock that a change of a whole one must name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Max

from memoryapp.context.models import EntryRevision
from memoryapp.context.queries.entries import Asked, revisions
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import normal_text


@dataclass(frozen=True)
class Section:
    """A section with what stands in it, expired or not."""

    name: str
    key: str
    entries: list[EntryRevision]


def sections(by: Principal) -> list[Section]:
    """The sections in which something stands, in their order. One query."""
    return grouped(list(revisions(by, Asked(expired=True))))


def grouped(rows: Sequence[EntryRevision]) -> list[Section]:
    """These rows by section, in their order."""
    found: dict[str, Section] = {}
    for row in rows:
        found.setdefault(row.section_key, Section(row.section, row.section_key, [])).entries.append(row)
    return list(found.values())


def section_lock(by: Principal, section: str) -> int:
    """A number that rises with every change of what is or was in the section; 0 when there never was such a one."""
    by.require("read_context")
    seen = EntryRevision.objects.visible_to(by)
    ever = seen.filter(section_key=normal_text(section)).values("entry")
    latest: int | None = seen.filter(entry__in=ever).aggregate(latest=Max("write__sequence"))["latest"]
    return latest or 0


def section_locks(by: Principal) -> dict[str, int]:
    """The locks of all sections that there are or were, by their keys. Two queries."""
    by.require("read_context")
    seen = EntryRevision.objects.visible_to(by)
    latest = dict(seen.values_list("entry").annotate(latest=Max("write__sequence")).order_by())
    found: dict[str, int] = {}
    for key, entry in seen.values_list("section_key", "entry").order_by().distinct():
        found[key] = max(found.get(key, 0), latest[entry])
    return found
