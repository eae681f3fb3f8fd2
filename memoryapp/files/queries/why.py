"""Why a file is there: who wrote it, what it was made from, every version, where it leads and what leads to it."""

from __future__ import annotations

import uuid

from memoryapp.files.models import Entry, Version
from memoryapp.files.queries.leading import of_versions
from memoryapp.files.queries.linking import links_for, links_from
from memoryapp.files.queries.told import Told, told, told_version
from memoryapp.files.queries.tree import versions
from memoryapp.graph.queries.told import cited, provenance
from memoryapp.graph.queries.why import served
from memoryapp.ledger.principal import Principal
from memoryapp.sources.queries import hidden

MOST = 200
"""Versions and links listed. Where there are more, the answer says so."""


def why(by: Principal, entry_id: uuid.UUID) -> Told | None:
    """Everything behind a directory or file in sight; None when there is none of this id."""
    if not by.may("read_files"):
        return None
    found = Entry.objects.visible_to(by).filter(pk=entry_id).select_related("write__actor").first()
    if found is None:
        return None
    history = list(versions(by, found)[: MOST + 1])
    seen = of_versions(by, history)
    pointing = list(links_for(by, found.path)[: MOST + 1])
    return {
        "file": told(found),
        "recorded": provenance(found.write),
        "sources": made_from(by, history[0]),
        "history": [told_version(by, one, seen) for one in history[:MOST]],
        "links": [{"to": one.target_type, "target": one.target} for one in links_from(by, found)],
        "linked_from": [one.entry.path for one in pointing[:MOST]],
        "cut": len(history) > MOST or len(pointing) > MOST,
        "served": served(by, found.pk),
    }


def made_from(by: Principal, version: Version) -> list[Told]:
    """The sources in sight that a version was made from, and the one it was told as; nothing for who may not read
    sources."""
    if not by.may("read_sources"):
        return []
    rows = version.sources.select_related("source__participant", "source__thread").order_by("source__said_at", "pk")
    rows = rows.exclude(source__in=hidden(by))
    return [cited(one.source) | {"told": one.told} for one in rows]
