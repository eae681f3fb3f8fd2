"""Putting a revision down: its row, its links, and the head that repeats how it stands."""

from __future__ import annotations

from memoryapp.context.models import Entry, EntryLink, EntryReader, EntryRevision, State
from memoryapp.context.services.drafts import SAID, Draft, said_by, target_of
from memoryapp.ledger.models import Actor, Write

REPEATED = ("state", "audience")
"""What the head repeats."""


def new_entry(write: Write, draft: Draft) -> EntryRevision:
    """A new entry with its first revision."""
    entry = Entry(workspace=write.workspace, write=write, recorded_at=write.recorded_at)
    for name in REPEATED:
        setattr(entry, name, draft.said[name])
    entry.save(force_insert=True)
    return _store(write, entry, draft)


def revise(write: Write, entry: Entry, draft: Draft) -> EntryRevision:
    """The next revision of an entry, and the head that repeats it."""
    entry.lock += 1
    for name in REPEATED:
        setattr(entry, name, draft.said[name])
    revision = _store(write, entry, draft)
    entry.save(update_fields=[*REPEATED, "lock"])
    return revision


def tombstone(write: Write, latest: EntryRevision, state: str, reason: str = "") -> EntryRevision:
    """A revision without words: where the entry stood is kept, what it said stays in the revision before."""
    draft = said_by(latest)
    draft.said |= {"state": state, "content": ""}
    draft.reason = reason
    return revise(write, latest.entry, draft)


def differs(draft: Draft, latest: EntryRevision) -> bool:
    """Whether a draft says anything else than the latest revision."""
    before = {name: getattr(latest, name) for name in SAID}
    links = [target_of(one) for one in EntryLink.objects.filter(revision=latest).order_by("position")]
    return draft.said != before or draft.links != links or bool(_unnamed(latest.entry, draft))


def stands(revision: EntryRevision) -> bool:
    return revision.state == State.SET


def _store(write: Write, entry: Entry, draft: Draft) -> EntryRevision:
    revision = EntryRevision(
        workspace=write.workspace,
        entry=entry,
        sequence=entry.lock,
        reason=draft.reason,
        link_count=len(draft.links),
        write=write,
        recorded_at=write.recorded_at,
        **draft.said,
    )
    revision.save(force_insert=True)
    EntryLink.objects.bulk_create(
        EntryLink(
            workspace=write.workspace, entry=entry, revision=revision, position=position, **{f"{what}_id": target}
        )
        for position, (what, target) in enumerate(draft.links)
    )
    _name(write, entry, draft)
    return revision


def _unnamed(entry: Entry, draft: Draft) -> list[Actor]:
    """Those of a draft's readers that are not named yet."""
    if not draft.readers:
        return []
    known = set(entry.readers.values_list("actor", flat=True))
    return [actor for actor in dict.fromkeys(draft.readers) if actor.pk not in known]


def _name(write: Write, entry: Entry, draft: Draft) -> None:
    EntryReader.objects.bulk_create(
        EntryReader(workspace=write.workspace, entry=entry, actor=actor, write=write)
        for actor in _unnamed(entry, draft)
    )
