"""What tests of the context say in one line: something is to be kept in mind."""

from __future__ import annotations

import uuid
from typing import Any

from memoryapp.context import queries, services
from memoryapp.context.inputs import Change, EntryInput
from memoryapp.context.models import Entry, EntryRevision
from memoryapp.context.queries import Asked
from memoryapp.doors.moments import parse
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


class Context:
    """A workspace as one principal keeps things in mind."""

    def __init__(self, by: Principal) -> None:
        self.by = by

    def do(self, act: Any, by: Principal | None = None) -> Any:
        return record(by or self.by, "test", act)

    def set(self, title: str, content: str = "", section: str = "Writing", **more: Any) -> Entry:
        told = entry(title, content, section, **more)
        entry_set: Entry = self.do(lambda write: services.set_entries(write, [told]))[0].revision.entry
        return entry_set

    def set_section(self, section: str, *entries: EntryInput, by: Principal | None = None) -> uuid.UUID:
        """Gives the act."""
        return self.act(
            lambda write: services.set_section(write, section, entries, lock=queries.section_lock(write.by, section)),
            by,
        )

    def act(self, act: Any, by: Principal | None = None) -> uuid.UUID:
        """Do it, and give the act."""

        def acted(write: Write) -> uuid.UUID:
            act(write)
            return write.pk

        done: uuid.UUID = self.do(acted, by)
        return done

    def update(self, entry: Entry, by: Principal | None = None, **more: Any) -> EntryRevision:
        lock = Entry.objects.get(pk=entry.pk).lock
        revision: EntryRevision = self.do(lambda write: services.update(write, entry.pk, Change(**more), lock=lock), by)
        return revision

    def unset(self, entry: Entry) -> EntryRevision:
        lock = Entry.objects.get(pk=entry.pk).lock
        revision: EntryRevision = self.do(lambda write: services.unset(write, entry.pk, lock=lock))
        return revision

    def restore(self, entry: Entry, sequence: int) -> EntryRevision:
        lock = Entry.objects.get(pk=entry.pk).lock
        revision: EntryRevision = self.do(lambda write: services.restore(write, entry.pk, sequence=sequence, lock=lock))
        return revision

    def undo(self, act: uuid.UUID) -> uuid.UUID:
        return self.act(lambda write: services.undo(write, act))

    def stands(self, by: Principal | None = None, **asked: Any) -> list[tuple[str, str, str]]:
        """Section, title and content of what is asked for, in order."""
        rows = queries.revisions(by or self.by, Asked(**asked))
        return [(one.section, one.title, one.content) for one in rows]

    def block(self, budget: int = 1000, **asked: Any) -> str:
        return queries.render(self.by, Asked(**({"pinned": True} | asked)), budget).text


def entry(title: str, content: str = "", section: str = "Writing", expires: str = "", **more: Any) -> EntryInput:
    return EntryInput(section, title, content, expires_at=parse(expires) if expires else None, **more)


def moments_of(thing: Entry) -> list[Any]:
    """When each revision was recorded."""
    return list(thing.revisions.order_by("sequence").values_list("recorded_at", flat=True))
