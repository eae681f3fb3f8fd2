"""Where something may be written: the path policy, the declared roots, and the directories on the way."""

from __future__ import annotations

from collections.abc import Iterable

from memoryapp.access import paths
from memoryapp.access.paths import above, parent
from memoryapp.doors.errors import Conflict, Denied, Invalid, Violation
from memoryapp.files.models import Entry, Kind, State, Version
from memoryapp.files.queries.tree import ERASED
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.queries import current_ontology

MOST_AT_ONCE = 10_000
"""Directories and files that one act moves or takes away."""


def may_write(write: Write, path: str, place: str = "/path") -> None:
    """Raises Invalid: `is_the_root`, `reserved_path`. Raises Denied: `path_not_writable` by the policy, `outside_roots`
    for an agent outside every declared root.

    Nothing in the answer depends on whether there is something at the path.
    """
    if path == paths.ROOT:
        raise Invalid.at(place, "is_the_root", "The root itself cannot be written.", "a path below it")
    if path == ERASED or path.startswith(f"{ERASED}/"):
        message = f"{ERASED} is where the tombstones of what was erased are."
        raise Invalid.at(place, "reserved_path", message, "a path elsewhere")
    if not paths.of(write.by).may_write(path):
        message = f"You may not write {path}. {paths.of(write.by).in_words()}"
        violation = Violation(place, "path_not_writable", message, "a path that you may write")
        raise Denied(message, code="path_not_writable", violations=(violation,))
    if write.by.actor.kind in (Actor.Kind.AGENT, Actor.Kind.JOB):
        _within_roots(write, path, place)


def _within_roots(write: Write, path: str, place: str) -> None:
    ontology = current_ontology(write.workspace)
    if ontology.file_root(path) is not None:
        return
    named = ", ".join(sorted(ontology.document.file_roots)) or "none is declared"
    message = f"{path} lies in no declared root. Write within: {named}."
    violation = Violation(place, "outside_roots", message, named)
    raise Denied(message, code="outside_roots", violations=(violation,), extra={"roots": named.split(", ")})


def allowed(write: Write, path: str) -> bool:
    """Whether `may_write` lets it pass."""
    try:
        may_write(write, path)
    except Denied:
        return False
    return True


def here(write: Write, path: str) -> Entry | None:
    """What is at a path now, whoever may see it."""
    return Entry.objects.filter(workspace=write.workspace, path=path, state=State.CURRENT).first()


def way_is_free(write: Write, path: str) -> bool:
    """Whether no file stands in the way of a path."""
    files = Entry.objects.filter(workspace=write.workspace, path__in=above(path), state=State.CURRENT, kind=Kind.FILE)
    return not files.exists()


def make_way(write: Write, path: str, place: str = "/path") -> None:
    """Make the directories above a path that are not there yet. Raises Conflict `not_a_directory`."""
    wanted = above(path)
    if not wanted:
        return
    found = Entry.objects.filter(workspace=write.workspace, path__in=wanted, state=State.CURRENT)
    known = dict(found.values_list("path", "kind"))
    for one in wanted:
        if known.get(one) == Kind.FILE:
            message = f"{one} is a file: nothing can be put into it."
            raise Conflict(message, code="not_a_directory", violations=(Violation(place, "not_a_directory", message),))
    make_directories(write, [one for one in wanted if one not in known])


def make_directories(write: Write, wanted: Iterable[str]) -> list[Entry]:
    """These directories, which are not there yet, the upper ones first."""
    made = [
        Entry(
            workspace=write.workspace,
            kind=Kind.DIRECTORY,
            path=path,
            directory=parent(path),
            write=write,
            recorded_at=write.recorded_at,
            modified_at=write.recorded_at,
        )
        for path in wanted
    ]
    Entry.objects.bulk_create(made)
    Version.objects.bulk_create(
        Version(
            workspace=write.workspace,
            entry=one,
            sequence=1,
            action="mkdir",
            path=one.path,
            state=State.CURRENT,
            write=write,
            recorded_at=write.recorded_at,
        )
        for one in made
    )
    return made
