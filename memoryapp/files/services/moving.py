"""Moving a file or a whole directory: it keeps its id and history, and links that pointed at it still do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memoryapp.access import paths
from memoryapp.access.paths import normal, territory
from memoryapp.doors.errors import Conflict, Denied, Invalid
from memoryapp.files import queries
from memoryapp.files.links import rewritten
from memoryapp.files.models import Body, Entry, Form, Link, State, Version
from memoryapp.files.services import placing
from memoryapp.files.services.storing import Next, new_body, put_down
from memoryapp.files.services.writing import check_lock
from memoryapp.ledger.models import Write


@dataclass(frozen=True)
class Moved:
    """What was moved, how many entries in all, and which files had links written anew. `links_left` are files in sight
    that the mover may not write: their links lead nowhere now."""

    entry: Entry
    version: Version
    count: int
    relinked: list[str]
    links_left: list[str]


def move(write: Write, source: str, target: str, *, lock: int | None = None) -> Moved:
    """Move what is at one path to another, where nothing is. Directories on the way are made.

    Raises NotFound; Denied when anything of it, there or here, may not be written; Conflict `target_exists`; Invalid
    `under_itself`, `nothing_changed`, `too_many`; Stale.
    """
    write.by.require("write_files")
    source, target = normal(source, "/source"), normal(target, "/target")
    entry = queries.entry(write.by, source, "/source")
    placing.may_write(write, source, "/source")
    placing.may_write(write, target, "/target")
    check_lock(write, entry, lock)
    _refuse_impossible(write, entry, target)
    moving = territory_of(write, entry)
    new_paths = {one.pk: _moved(one.path, source, target) for one in moving}
    _refuse_unwritable(write, moving, new_paths)
    placing.make_way(write, target, "/target")
    return _move(write, entry, moving, new_paths, lambda path: _moved(path, source, target))


def territory_of(write: Write, entry: Entry) -> list[Entry]:
    """An entry and everything below it, the upper ones first. Raises Denied when any of it may not be written."""
    here = Entry.objects.filter(territory(entry.path), workspace=write.workspace, state=State.CURRENT)
    if not entry.is_directory:
        return [entry]
    found = list(here.order_by("path")[: placing.MOST_AT_ONCE + 1])
    if len(found) > placing.MOST_AT_ONCE:
        raise Invalid.at("/path", "too_many", "There is too much in it.", f"at most {placing.MOST_AT_ONCE} entries")
    policy = paths.of(write.by)
    if not all(policy.may_write(one.path) for one in found):
        message = f"Not everything below {entry.path} is yours to change. Nothing was done."
        raise Denied(message, code="protected_below")
    return found


def _refuse_impossible(write: Write, entry: Entry, target: str) -> None:
    if target == entry.path:
        raise Invalid.at("/target", "nothing_changed", "It is there already.", "another path")
    if target.startswith(f"{entry.path}/"):
        raise Invalid.at("/target", "under_itself", "A directory cannot be moved into itself.", "a path outside of it")
    if placing.here(write, target) is not None:
        raise Conflict(f"There is something at {target} already.", code="target_exists")


def _refuse_unwritable(write: Write, moving: Sequence[Entry], new_paths: dict[Any, str]) -> None:
    """What is below a path in a root is in that root: the rules alone have to be asked of each."""
    policy = paths.of(write.by)
    for one in moving:
        if not policy.may_write(normal(new_paths[one.pk], "/target")):
            message = f"Not everything below {moving[0].path} may be put there. Nothing was done."
            raise Denied(message, code="protected_below")


def _move(
    write: Write,
    entry: Entry,
    moving: Sequence[Entry],
    new_paths: dict[Any, str],
    moved: Callable[[str], str],
) -> Moved:
    latest = queries.latest_of([one.pk for one in moving])
    pointing, left = _pointing(write, [one.path for one in moving], {one.pk for one in moving})
    planned = []
    relinked: list[str] = []
    for one in moving:
        before = latest[one.pk]
        changed = _relinked(write, before, one.path, new_paths[one.pk], moved)
        if changed:
            relinked.append(new_paths[one.pk])
        planned.append(Next(one, "move", before, path=new_paths[one.pk], **changed))
    for one in pointing:
        changed = _relinked(write, queries.latest(one), one.path, one.path, moved)
        if changed:
            relinked.append(one.path)
            planned.append(Next(one, "relink", queries.latest(one), **changed))
    versions = put_down(write, planned)
    mine = next(version for version in versions if version.entry_id == entry.pk)
    whole = next(one for one in moving if one.pk == entry.pk)
    return Moved(whole, mine, len(moving), relinked, left)


def _pointing(write: Write, moved: Sequence[str], but: set[Any]) -> tuple[list[Entry], list[str]]:
    """Files elsewhere that lead to one of these paths: those that may be written anew, and those in sight that may
    not."""
    found: dict[Any, Entry] = {}
    for start in range(0, len(moved), 500):
        links = Link.objects.filter(
            workspace=write.workspace, target_type="file", target__in=moved[start : start + 500]
        )
        for link in links.select_related("entry").order_by("pk"):
            if link.entry_id not in but:
                found[link.entry_id] = link.entry
    policy = paths.of(write.by)
    mine = [one for one in found.values() if placing.allowed(write, one.path)]
    left = [one.path for one in found.values() if one not in mine and policy.may_read(one.path)]
    return mine, sorted(left)


def _relinked(write: Write, before: Version, old: str, new: str, moved: Callable[[str], str]) -> dict[str, Any]:
    """What of a version has to be said anew so that its links lead where their targets are now."""
    changed: dict[str, Any] = {}
    links = [link | {"target": moved(link["target"])} if link["to"] == Link.To.FILE else link for link in before.links]
    if links != before.links:
        about = {name: getattr(before, name) for name in ("summary", "tags", "properties")}
        changed["about"] = about | {"links": links}
    body: Body | None = before.body
    if body is not None and body.form == Form.MARKDOWN:
        text = rewritten(body.text, old, new, moved)
        if text != body.text:
            changed["body"] = new_body(write, body.form, text)
    return changed


def _moved(path: str, source: str, target: str) -> str:
    """Where a path is after the move; outside of what is moved where it was."""
    if path == source or path.startswith(f"{source}/"):
        return target + path[len(source) :]
    return path
