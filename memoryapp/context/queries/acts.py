"""Acts: what was changed in the context, each undone as a whole."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.context.models import Entry, EntryRevision
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal


def acts(by: Principal) -> QuerySet[Write]:
    """Writes that changed entries in sight, and none out of it."""
    by.require("read_context")
    changed = EntryRevision.objects.filter(write=OuterRef("pk"))
    seen = EntryRevision.objects.visible_to(by).filter(write=OuterRef("pk"))
    hidden = changed.exclude(entry__in=Entry.objects.visible_to(by))
    found = Write.objects.filter(workspace=by.workspace).filter(Exists(seen)).exclude(Exists(hidden))
    return found.select_related("actor").order_by("-sequence")


@dataclass(frozen=True)
class Act:
    """A write with what it changed; `latest` when nothing it changed was changed since."""

    write: Write
    revisions: list[EntryRevision]

    @property
    def latest(self) -> bool:
        return all(one.sequence == one.entry.lock for one in self.revisions)


def with_revisions(writes: list[Write]) -> list[Act]:
    """These acts with what each changed. One query."""
    rows = (
        EntryRevision.objects.filter(write__in=writes).select_related("entry").order_by("section_position", "position")
    )
    found: dict[uuid.UUID, list[EntryRevision]] = {}
    for one in rows if writes else ():
        found.setdefault(one.write_id, []).append(one)
    return [Act(write, found.get(write.pk, [])) for write in writes]
