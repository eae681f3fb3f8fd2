"""Setting entries: new ones, the same ones said anew, and a section as a whole."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryapp.context import queries
from memoryapp.context.inputs import UNCHANGED, Change, EntryInput
from memoryapp.context.models import Audience, EntryRevision, State
from memoryapp.context.services import drafts
from memoryapp.context.services.drafts import Draft
from memoryapp.context.services.standing import Standing, check_names, check_size, standing
from memoryapp.context.services.storing import differs, new_entry, revise, tombstone
from memoryapp.doors import etags
from memoryapp.doors.errors import Conflict, Invalid, NotFound, Violation
from memoryapp.ledger.models import Write
from memoryapp.ontology.normalise import normal_text

MOST = 100
"""Entries in one act."""


@dataclass(frozen=True)
class Done:
    """An entry after an act; `changed` when the act changed it."""

    revision: EntryRevision
    changed: bool


def set_entries(write: Write, told: Sequence[EntryInput]) -> list[Done]:
    """Set entries: all or none, in order. One of the same section and title is said anew, as it is told now.

    What stands so already is left as it is. Raises Invalid with every violation and its row.
    """
    write.by.require("write_context")
    if not 0 < len(told) <= MOST:
        raise Invalid.at("", "too_many", f"{len(told)} entries at once cannot be.", f"1 to {MOST}")
    read = [drafts.drafted(write, one) for one in told]
    if wrong := [one for row, draft in enumerate(read) for one in drafts.in_row(draft.wrong, row)]:
        raise Invalid.all(wrong)
    _refuse_repeats(read)
    there = standing(write)
    done = [_set(write, there, draft) for draft in read]
    check_size(write)
    return done


def _refuse_repeats(read: Sequence[Draft]) -> None:
    seen: set[tuple[object, ...]] = set()
    wrong = []
    for row, draft in enumerate(read):
        name = (*draft.name, draft.said["audience"])
        if name in seen:
            message = f"“{draft.said['title']}” is set twice in “{draft.said['section']}”."
            wrong.append(Violation("/title", "repeated_title", message, "each title once in a section", row))
        seen.add(name)
    if wrong:
        raise Invalid.all(wrong)


def _set(write: Write, there: Standing, draft: Draft) -> Done:
    before = there.named(draft)
    if before is None:
        key = draft.said["section_key"]
        draft.said |= {"section_position": there.section_position(key), "position": there.after_last(key)}
        made = new_entry(write, draft)
        there.add(made)
        return Done(made, True)
    draft.said |= {"section_position": before.section_position, "position": before.position}
    return _said_anew(write, before, draft)


def _said_anew(write: Write, before: EntryRevision, draft: Draft) -> Done:
    if not differs(draft, before):
        return Done(before, False)
    return Done(revise(write, before.entry, draft), True)


def set_section(write: Write, section: str, told: Sequence[EntryInput], *, lock: int) -> list[Done]:
    """Let a section hold exactly these entries, in this order: one act, undone as one. What else stood in it is unset.

    `lock` is what `section_lock` said when it was read. Raises Stale, Invalid with every violation and its row.
    """
    write.by.require("write_context")
    etags.check(queries.section_lock(write.by, section), lock)
    if not 0 < len(told) <= MOST:
        raise Invalid.at("/entries", "too_many", f"A section of {len(told)} cannot be.", f"1 to {MOST}")
    read = [drafts.drafted(write, replace(one, section=section)) for one in told]
    if wrong := [one for row, draft in enumerate(read) for one in drafts.in_row(draft.wrong, row)]:
        raise Invalid.all(wrong)
    _refuse_repeats(read)
    there = standing(write)
    key = normal_text(section)
    place = there.section_position(key)
    found = [there.named(draft) for draft in read]
    kept = {one.entry_id for one in found if one}
    for one in there.in_section(key):
        if one.entry_id not in kept:
            tombstone(write, one, State.UNSET)
    done = []
    for position, (draft, before) in enumerate(zip(read, found, strict=True), start=1):
        draft.said |= {"section_position": place, "position": position}
        done.append(_said_anew(write, before, draft) if before else Done(new_entry(write, draft), True))
    check_size(write)
    return done


def unset_section(write: Write, section: str, *, reason: str = "", lock: int) -> list[EntryRevision]:
    """Unset everything that stands in a section: one act, undone as one. Raises NotFound, Stale."""
    write.by.require("write_context")
    there = standing(write).in_section(normal_text(section))
    if not there:
        raise NotFound("Nothing stands in such a section.", code="no_such_section")
    etags.check(queries.section_lock(write.by, section), lock)
    draft = Draft()
    drafts.read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    return [tombstone(write, one, State.UNSET, draft.reason) for one in there]


def update(write: Write, entry_id: uuid.UUID, change: Change, *, reason: str = "", lock: int) -> EntryRevision:
    """Say anew what is given of an entry; what it said before stays readable.

    Raises NotFound, Stale, Conflict `not_set` of a tombstone and `title_taken`, Invalid with every violation.
    """
    write.by.require("write_context")
    latest = latest_of(write, entry_id, lock)
    if latest.state != State.SET:
        raise Conflict("It is unset. Restore it first.", code="not_set")
    draft = drafts.said_by(latest)
    _change(write, draft, change, latest)
    drafts.read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    if not differs(draft, latest):
        raise Invalid.at("", "nothing_changed", "This is what it says already.", "something that differs")
    revision = revise(write, latest.entry, draft)
    check_names(write)
    return revision


def _change(write: Write, draft: Draft, change: Change, latest: EntryRevision) -> None:
    if change.section is not None:
        drafts.read_section(draft, change.section)
        if (key := draft.said["section_key"]) != latest.section_key:
            there = standing(write)
            draft.said |= {"section_position": there.section_position(key), "position": there.after_last(key)}
    if change.title is not None:
        drafts.read_title(draft, change.title)
    if change.content is not None:
        drafts.read_content(draft, change.content)
    if change.pinned is not None:
        draft.said["pinned"] = change.pinned
    if change.expires_at is not UNCHANGED:
        drafts.read_expiry(draft, write, change.expires_at)
    if change.links is not None:
        drafts.read_links(draft, write, change.links)
    if change.audience is not None or change.readers:
        drafts.read_audience(draft, write, change.audience or latest.audience, change.readers)
    if not draft.wrong and (change.links is not None or change.audience is not None or change.readers):
        drafts.keep_within(draft, write, set(latest.entry.readers.values_list("actor", flat=True)))
        if change.audience == Audience.WORKSPACE != draft.said["audience"]:
            message = "What it is linked to is for fewer."
            draft.add("/audience", "wider_than_source", message, "the audience named, or other links")


def unset(write: Write, entry_id: uuid.UUID, *, reason: str = "", lock: int) -> EntryRevision:
    """Take an entry away: a tombstone. What it said stays in its history. Raises NotFound, Stale, Conflict."""
    write.by.require("write_context")
    latest = latest_of(write, entry_id, lock)
    if latest.state != State.SET:
        raise Conflict("It is unset already.", code="already_unset")
    draft = Draft()
    drafts.read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    return tombstone(write, latest, State.UNSET, draft.reason)


def latest_of(write: Write, entry_id: uuid.UUID, lock: int) -> EntryRevision:
    """The latest revision of an entry that the writer saw at this lock."""
    found = queries.entry(write.by, entry_id)
    etags.check(found.lock, lock)
    return EntryRevision.objects.select_related("entry").get(entry=found, sequence=found.lock)
