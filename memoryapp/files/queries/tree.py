"""The tree: what is at a path, what is in a directory, now and as it was known at any time.

Everything below a path is a range of one index, and what is in one directory an equality of another: a tree of a
million files costs no more than what is asked of it.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from memoryapp.access import paths
from memoryapp.access.paths import ROOT, territory
from memoryapp.access.paths import below as beneath
from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.files.models import Entry, Kind, State, Version
from memoryapp.ledger.principal import Principal

EVERYTHING = ROOT
ERASED = "/erased"
"""Where the tombstones of what was erased are kept."""


def entry(by: Principal, path: str, place: str = "/path") -> Entry:
    """What is at a path (in normal form) now. Raises NotFound, the same for what is out of sight, and Invalid
    `is_the_root`."""
    by.require("read_files")
    if path == ROOT:
        message = "The root holds every directory and has no versions. List it."
        raise Invalid.at(place, "is_the_root", message, "a path below it")
    found = Entry.objects.visible_to(by).filter(path=path, state=State.CURRENT).first()
    if found is None:
        raise NotFound(f"There is nothing at {path}.", code="no_such_file", extra={"path": path})
    return found


def entry_by_id(by: Principal, entry_id: uuid.UUID) -> Entry:
    """An entry of any state, wherever it was moved. Raises NotFound."""
    by.require("read_files")
    found = Entry.objects.visible_to(by).filter(pk=entry_id).select_related("write__actor").first()
    if found is None:
        raise NotFound("There is no such file.", code="no_such_file", extra={"id": str(entry_id)})
    return found


def file(by: Principal, path: str) -> tuple[Entry, Version]:
    """The file at a path with its latest version. Raises NotFound, Conflict `is_a_directory`."""
    found = entry(by, path)
    if found.is_directory:
        raise Conflict(f"{path} is a directory.", code="is_a_directory")
    return found, latest(found)


def directory(by: Principal, path: str) -> None:
    """Raises NotFound when there is nothing at the path, and Conflict `not_a_directory` when a file is."""
    if path != ROOT and not entry(by, path).is_directory:
        raise Conflict(f"{path} is a file.", code="not_a_directory")


def exists(by: Principal, path: str) -> bool:
    """Whether there is anything at a path. What is out of sight is not there."""
    by.require("read_files")
    return path == ROOT or Entry.objects.visible_to(by).filter(path=path, state=State.CURRENT).exists()


def ls(by: Principal, path: str = EVERYTHING, *, recursive: bool = False) -> QuerySet[Entry]:
    """What is in a directory, or everything below it, by path. Raises NotFound, Conflict `not_a_directory`."""
    by.require("read_files")
    directory(by, path)
    found: QuerySet[Entry] = Entry.objects.visible_to(by).filter(state=State.CURRENT)
    found = found.filter(beneath(path)) if recursive else found.filter(directory=path)
    return found.order_by("path")


def removed(by: Principal, path: str = EVERYTHING, *, recursive: bool = False) -> QuerySet[Entry]:
    """What was removed from a directory, or from everywhere below it, the latest first; whether the directory is there
    still or not. What was removed with a directory is in that directory. What was erased is told by nobody."""
    by.require("read_files")
    found = Entry.objects.readable_to(by).filter(state=State.REMOVED).exclude(directory=ERASED)
    found = found.filter(beneath(path)) if recursive else found.filter(directory=path)
    return found.order_by("-modified_at", "-pk")


@dataclass(frozen=True)
class Branch:
    """A directory in a tree of directories, and whether it holds others."""

    path: str
    holds: bool


def branches(
    by: Principal, within: Sequence[str], size: int, *, also: Sequence[str] = (), after: str = ""
) -> list[Branch]:
    """The directories in sight within each of these, by path: at most `size` of each, and those named in `also`.

    One query, however deep: directories have an index of their own, so that files cost nothing here.
    """
    by.require("read_files")
    directories = Entry.objects.visible_to(by).filter(state=State.CURRENT, kind=Kind.DIRECTORY)
    rows = directories.filter(directory__in=within, path__gt=after).annotate(
        place=Window(RowNumber(), partition_by="directory", order_by="path"),
        holds=Exists(directories.filter(directory=OuterRef("path"))),
    )
    chosen = rows.filter(Q(place__lte=size) | Q(path__in=also)).order_by("path")
    return [Branch(path, holds) for path, holds in chosen.values_list("path", "holds")]


def recallable(by: Principal, *, known_at: dt.datetime | None = None) -> QuerySet[Entry]:
    """Current files that may be read by their own path; `known_at`: that had been written by then and were there."""
    found: QuerySet[Entry] = Entry.objects.readable_to(by).filter(kind=Kind.FILE, state=State.CURRENT)
    if not known_at:
        return found
    then = _known(Version.objects.filter(entry=OuterRef("pk"), state=State.CURRENT), known_at)
    return found.filter(Exists(then))


def as_known(by: Principal, known_at: dt.datetime, path: str = EVERYTHING, *, below: bool = True) -> QuerySet[Version]:
    """How the tree was known then: of everything at a path, and below it, the version that was the latest."""
    by.require("read_files")
    here = Q(path=path) if not below else territory(path)
    seen = Entry.objects.readable_to(by).values("pk")
    found = Version.objects.filter(here, workspace=by.workspace, state=State.CURRENT, entry__in=seen)
    return (
        _known(found.filter(paths.of(by).readable()), known_at)
        .select_related("entry", "body", "write__actor")
        .order_by("path")
    )


def latest(of: Entry) -> Version:
    """How an entry is now."""
    return Version.objects.select_related("body__extract", "write__actor", "entry").get(entry=of, sequence=of.lock)


def latest_of(ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Version]:
    """How these entries are now, by their ids."""
    found: dict[uuid.UUID, Version] = {}
    for start in range(0, len(ids), 500):
        rows = Version.objects.filter(entry__in=ids[start : start + 500], sequence=F("entry__lock"))
        for one in rows.select_related("body__extract", "write__actor", "entry"):
            found[one.entry_id] = one
    return found


def versions(by: Principal, of: Entry) -> QuerySet[Version]:
    """Every version that stood where the caller may read, the latest first, each with who made it."""
    found = Version.objects.filter(paths.of(by).readable(), entry=of)
    return found.select_related("body__extract", "write__actor", "entry").order_by("-sequence")


def version(by: Principal, of: Entry, sequence: int) -> Version:
    """One version. Raises NotFound `no_such_version`."""
    found = versions(by, of).filter(sequence=sequence).first()
    if found is None:
        message = f"There is no version {sequence} of {of.path}; the latest is {of.lock}."
        raise NotFound(message, code="no_such_version", extra={"latest": of.lock})
    return found


def _known(found: QuerySet[Version], known_at: dt.datetime) -> QuerySet[Version]:
    newer = Version.objects.filter(
        entry=OuterRef("entry"), recorded_at__lte=known_at, sequence__gt=OuterRef("sequence")
    )
    return found.filter(recorded_at__lte=known_at).exclude(Exists(newer))
