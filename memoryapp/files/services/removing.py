"""Taking files away behind a tombstone, and bringing them back: what was removed, and any version there was."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from memoryapp.access import paths
from memoryapp.access.paths import normal, territory
from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.doors.strict import unreadable_characters
from memoryapp.files import queries
from memoryapp.files.models import Entry, State, Version
from memoryapp.files.queries.tree import ERASED
from memoryapp.files.services import placing
from memoryapp.files.services.moving import territory_of
from memoryapp.files.services.storing import Next, put_down, sources_of
from memoryapp.files.services.writing import Written, check_lock
from memoryapp.ledger.models import Write
from memoryapp.sources.queries import taken_back

LONGEST_REASON = 2000


@dataclass(frozen=True)
class Removed:
    """What was taken away, or brought back, and how many entries in all."""

    entry: Entry
    version: Version
    count: int


def remove(write: Write, path: str, *, recursive: bool = False, reason: str = "", lock: int | None = None) -> Removed:
    """Take a file or directory away; a tombstone and every version stay, and it can be restored.

    Raises NotFound; Conflict `not_empty` for a directory that holds something unless `recursive`; Denied when anything
    of it may not be written; Stale.
    """
    write.by.require("remove_files")
    path = normal(path)
    entry = queries.entry(write.by, path)
    placing.may_write(write, path)
    check_lock(write, entry, lock)
    if len(reason) > LONGEST_REASON or unreadable_characters(reason):
        raise Invalid.at("/reason", "too_long", "This cannot be a reason.", f"at most {LONGEST_REASON} characters")
    gone = territory_of(write, entry)
    if len(gone) > 1 and not recursive:
        raise Conflict(f"{path} is not empty. Say recursive to remove all of it.", code="not_empty")
    latest = queries.latest_of([one.pk for one in gone])
    versions = put_down(
        write, [Next(one, "remove", latest[one.pk], state=State.REMOVED, reason=reason) for one in gone]
    )
    return Removed(gone[0], versions[0], len(gone))


def restore(write: Write, path: str = "", *, entry_id: uuid.UUID | None = None) -> Removed:
    """Bring back what was removed last at a path, or the entry of an id, with all that was removed with it.

    Raises NotFound `nothing_removed`; Conflict `target_exists` when the path is taken, `erased`; Denied.
    """
    write.by.require("write_files")
    rows = Entry.objects.visible_to(write.by).filter(state=State.REMOVED)
    rows = rows.filter(pk=entry_id) if entry_id else rows.filter(path=normal(path))
    entry = rows.order_by("-modified_at", "-pk").first()
    if entry is None:
        raise NotFound("Nothing that was removed is there.", code="nothing_removed", extra={"path": path})
    if entry.directory == ERASED:
        raise Conflict("It was erased: there is nothing to bring back.", code="erased")
    placing.may_write(write, entry.path)
    if placing.here(write, entry.path) is not None:
        raise Conflict(f"There is something at {entry.path} already. Move it first.", code="target_exists")
    placing.make_way(write, entry.path)
    return bring_back(write, entry, removed_with(write, entry))


def removed_with(write: Write, entry: Entry) -> list[Entry]:
    """What was removed in the same act, below the entry, which comes first."""
    tombstone = queries.latest(entry)
    if not entry.is_directory:
        return [entry]
    gone = Version.objects.filter(territory(entry.path), workspace=write.workspace, write=tombstone.write_id)
    gone = gone.filter(state=State.REMOVED).exclude(entry=entry)
    together = Entry.objects.filter(pk__in=gone.values("entry"), state=State.REMOVED, modified_at=entry.modified_at)
    return [entry, *together.order_by("path")]


def bring_back(write: Write, entry: Entry, together: Sequence[Entry], action: str = "restore") -> Removed:
    """Let these stand again as they were said last. Raises Denied when any of it may not be written, Conflict
    `taken_back`."""
    policy = paths.of(write.by)
    if not all(policy.may_write(one.path) for one in together):
        raise Denied("Not everything below is yours to change. Nothing was done.", code="protected_below")
    latest = queries.latest_of([one.pk for one in together])
    for version in latest.values():
        refuse_taken_back(version)
    versions = put_down(write, [Next(one, action, latest[one.pk], state=State.CURRENT) for one in together])
    return Removed(together[0], versions[0], len(together))


def refuse_taken_back(version: Version) -> None:
    """Raises Conflict `taken_back` for a version that was made from nothing that still stands."""
    made_from = {one.pk for one in sources_of(version)}
    if made_from and made_from == taken_back(made_from):
        message = f"What {version.path} was made from was taken back. It returns with that."
        raise Conflict(message, code="taken_back", extra={"path": version.path})


def restore_version(write: Write, path: str, version: int, *, lock: int | None = None) -> Written:
    """Let a file say again what a version of it said, as a new version; where it is stays as it is.

    Raises NotFound `no_such_version`, Conflict `taken_back`, Invalid `nothing_changed`, Stale with what differs.
    """
    write.by.require("write_files")
    path = normal(path)
    entry, before = queries.file(write.by, path)
    placing.may_write(write, path)
    check_lock(write, entry, lock)
    wanted = queries.version(write.by, entry, version)
    refuse_taken_back(wanted)
    about = {name: getattr(wanted, name) for name in ("summary", "tags", "properties", "links")}
    if wanted.body_id == before.body_id and all(getattr(before, name) == value for name, value in about.items()):
        raise Invalid.at("/version", "nothing_changed", "This is what it says already.", "another version")
    planned = Next(entry, "restore", before, body=wanted.body, about=about, sources=sources_of(wanted))
    return Written(entry, put_down(write, [planned])[0])
