"""The entries that stand while a write goes on, and the order they are in."""

from __future__ import annotations

from dataclasses import dataclass

from memoryapp.context.models import Entry, EntryRevision, State
from memoryapp.context.queries.entries import ORDER, known
from memoryapp.context.services.drafts import Draft
from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.ledger.models import Write

MOST_ENTRIES = 500
"""Entries that stand in a workspace: a few, each in every prompt."""


@dataclass(frozen=True)
class Standing:
    """What stands, in order. `mine` is what the writer sees of it."""

    every: list[EntryRevision]
    mine: list[EntryRevision]

    def add(self, made: EntryRevision) -> None:
        """One more that the writer set."""
        self.every.append(made)
        self.mine.append(made)

    def named(self, draft: Draft) -> EntryRevision | None:
        """The entry of the same section, title and audience that the writer sees."""
        for one in self.mine:
            if (one.section_key, one.title_key, one.audience) == (*draft.name, draft.said["audience"]):
                return one
        return None

    def in_section(self, key: str) -> list[EntryRevision]:
        return [one for one in self.mine if one.section_key == key]

    def section_position(self, key: str) -> int:
        """Where a section stands: its place, or the one after the last."""
        for one in self.every:
            if one.section_key == key:
                return one.section_position
        return max((one.section_position for one in self.every), default=0) + 1

    def after_last(self, key: str) -> int:
        """The place after the last entry of a section."""
        return max((one.position for one in self.every if one.section_key == key), default=0) + 1


def standing(write: Write) -> Standing:
    """What stands now. Writes of a workspace go one after another, so nobody changes it meanwhile."""
    rows = known(EntryRevision.objects.filter(workspace=write.workspace, state=State.SET), None)
    every = list(rows.select_related("entry").order_by(*ORDER))
    seen = set(Entry.objects.visible_to(write.by).values_list("pk", flat=True))
    return Standing(every, [one for one in every if one.entry_id in seen])


def check_size(write: Write) -> None:
    """Raise Invalid `too_many_entries` when more stand than can."""
    if Entry.objects.filter(workspace=write.workspace, state=State.SET).count() > MOST_ENTRIES:
        message = f"More than {MOST_ENTRIES} entries would stand."
        raise Invalid.at("", "too_many_entries", message, "fewer entries: unset what is no longer needed")


def check_names(write: Write) -> None:
    """Raise Conflict `title_taken` when two entries of the workspace stand in one section under one title."""
    seen: dict[tuple[str, str], EntryRevision] = {}
    for one in standing(write).mine:
        if one.audience == "named":
            continue
        if (one.section_key, one.title_key) in seen:
            message = f"“{one.title}” stands in “{one.section}” already."
            raise Conflict(
                message,
                code="title_taken",
                violations=(Violation("/title", "title_taken", message, "another title, or a change of that entry"),),
                extra={"entry": str(seen[one.section_key, one.title_key].entry_id)},
            )
        seen[one.section_key, one.title_key] = one
