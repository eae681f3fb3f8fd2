"""Taking changes back: one entry to what it said before, an act as a whole, and another order."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from memoryapp.context import queries
from memoryapp.context.models import EntryRevision, State
from memoryapp.context.services import drafts
from memoryapp.context.services.drafts import Draft
from memoryapp.context.services.setting import latest_of
from memoryapp.context.services.standing import check_names, check_size, standing
from memoryapp.context.services.storing import differs, revise, tombstone
from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.ledger.models import Write
from memoryapp.ontology.normalise import normal_text
from memoryapp.sources.queries import taken_back


def restore(write: Write, entry_id: uuid.UUID, *, sequence: int, reason: str = "", lock: int) -> EntryRevision:
    """Let an entry say again what it said in an earlier revision. Raises NotFound, Stale, Conflict."""
    write.by.require("write_context")
    latest = latest_of(write, entry_id, lock)
    found = EntryRevision.objects.select_related("entry").filter(entry=latest.entry, sequence=sequence).first()
    if found is None:
        raise NotFound("There is no such revision of it.", code="no_such_revision")
    if found.state != State.SET:
        raise Conflict("It said nothing then. Restore the revision before.", code="nothing_said")
    draft = drafts.said_by(found)
    drafts.read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    if not differs(draft, latest):
        raise Invalid.at("/sequence", "nothing_changed", "This is what it says already.", "an earlier revision")
    revision = _again(write, latest, draft)
    check_names(write)
    check_size(write)
    return revision


def undo(write: Write, act_id: uuid.UUID, *, reason: str = "") -> list[EntryRevision]:
    """Let every entry that an act changed say again what it said before: one act, which can itself be undone.

    Raises NotFound `no_such_act`, and Conflict `changed_since` with the entries that were changed after it.
    """
    write.by.require("write_context")
    act = queries.acts(write.by).filter(pk=act_id).first()
    if act is None:
        raise NotFound("There is no such act.", code="no_such_act")
    [found] = queries.with_revisions([act])
    if later := [one for one in found.revisions if one.sequence != one.entry.lock]:
        names = ", ".join(f"“{one.title}”" for one in later[:5])
        raise Conflict(
            f"Changed since then: {names}. Undo that first, or restore one entry by itself.",
            code="changed_since",
            extra={"entries": [str(one.entry_id) for one in later]},
        )
    before = _before(found.revisions)
    draft = Draft()
    drafts.read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    done = []
    for one in found.revisions:
        earlier = before.get(one.entry_id)
        if one.state == State.WITHDRAWN or (earlier and earlier.state == State.WITHDRAWN):
            raise Conflict("A source was taken back, or given back, here. Undo that.", code="not_an_act_of_context")
        if earlier is None or earlier.state != State.SET:
            done.append(tombstone(write, one, State.UNSET, draft.reason))
        else:
            again = drafts.said_by(earlier)
            again.reason = draft.reason
            done.append(_again(write, one, again))
    check_names(write)
    check_size(write)
    return done


def _before(revisions: Sequence[EntryRevision]) -> dict[uuid.UUID, EntryRevision]:
    """What each entry said before these revisions."""
    wanted = {(one.entry_id, one.sequence - 1) for one in revisions}
    rows = EntryRevision.objects.filter(entry__in=[one.entry_id for one in revisions]).select_related("entry")
    return {one.entry_id: one for one in rows if (one.entry_id, one.sequence) in wanted}


def _again(write: Write, latest: EntryRevision, draft: Draft) -> EntryRevision:
    """Revise with what was said before, if it can still be said."""
    if not draft.said["title"]:
        raise Conflict("What it said then was erased.", code="erased")
    sources = [target for what, target in draft.links if what == "source"]
    if sources and len(taken_back(sources)) == len(set(sources)):
        raise Conflict("What it was linked to was taken back.", code="source_taken_back")
    drafts.keep_within(draft, write, set(latest.entry.readers.values_list("actor", flat=True)))
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    return revise(write, latest.entry, draft)


def arrange(write: Write, section: str, entries: Sequence[uuid.UUID]) -> list[EntryRevision]:
    """Put the entries of a section in this order; those that are not named follow. One act. Raises NotFound."""
    write.by.require("write_context")
    there = standing(write).in_section(normal_text(section))
    known = {one.entry_id for one in there}
    if unknown := [one for one in entries if one not in known]:
        raise NotFound(f"There is no entry {unknown[0]} in such a section.", code="no_such_entry")
    wanted = list(dict.fromkeys(entries))
    ordered = sorted(there, key=lambda one: wanted.index(one.entry_id) if one.entry_id in wanted else len(wanted))
    return _moved(write, [(one, {"position": place}) for place, one in enumerate(ordered, start=1)])


def arrange_sections(write: Write, sections: Sequence[str]) -> list[EntryRevision]:
    """Put sections in this order; those that are not named follow. One act. Raises NotFound."""
    write.by.require("write_context")
    there = standing(write)
    keys = list(dict.fromkeys(one.section_key for one in there.every))
    wanted = list(dict.fromkeys(normal_text(one) for one in sections))
    seen = {one.section_key for one in there.mine}
    if unknown := [one for one in sections if normal_text(one) not in seen]:
        raise NotFound(f"Nothing stands in a section “{unknown[0][:60]}”.", code="no_such_section")
    places = {key: place for place, key in enumerate([*wanted, *(key for key in keys if key not in wanted)], start=1)}
    return _moved(write, [(one, {"section_position": places[one.section_key]}) for one in there.mine])


def _moved(write: Write, rows: Sequence[tuple[EntryRevision, dict[str, int]]]) -> list[EntryRevision]:
    done = []
    for one, place in rows:
        if any(getattr(one, name) != value for name, value in place.items()):
            draft = drafts.said_by(one)
            draft.said |= place
            done.append(revise(write, one.entry, draft))
    if not done:
        raise Invalid.at("", "nothing_changed", "They stand in this order already.", "another order")
    return done
