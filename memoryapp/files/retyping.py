"""How files follow a change of the declared roots: those of a root that has another path move there, and what is below
one that came, went or moved is entered into the index or taken out of it. A few at once, within the change itself; many
by a job, a part at a time."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Q, QuerySet

from memoryapp.access.paths import territory
from memoryapp.files import feeding, services
from memoryapp.files.models import Entry, Kind, State
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.services import record
from memoryapp.ontology import following
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.following import Follower, Only, Touched

JOB = "files_index"
AT_ONCE = 400
"""Files that are entered within the change of the roots itself, and within each write of the job."""


def register() -> None:
    """Let files follow."""
    jobs.register(JOB, enter, title="Files below other roots", capabilities=("read_files",))
    following.register("files", Follower(count, move, clear=follow))


def count(workspace: Workspace, move: Move) -> dict[str, int]:
    """How many files would move."""
    if move.family != "file_roots":
        return {}
    below = Entry.objects.filter(territory(move.type), workspace=workspace, kind=Kind.FILE, state=State.CURRENT)
    return {"files": below.count()}


def move(write: Write, move: Move, only: Only | None = None) -> dict[str, int]:
    """Move what is at the path of a root, as whoever moves a directory does."""
    if move.family != "file_roots" or only is not None:
        return {}
    there = Entry.objects.filter(workspace=write.workspace, path=move.type, state=State.CURRENT)
    if not there.exists():
        return {"files": 0}
    moving = count(write.workspace, move)
    services.move(write, move.type, move.to)
    return moving


def follow(write: Write, touched: Touched) -> None:
    """Bring the index up to date with what is below these roots. Where that is much, a job does it."""
    roots = sorted(touched.of("file_roots"))
    if not roots:
        return
    found = list(_below(write.workspace, roots)[: AT_ONCE + 1])
    feeding.put(write, found[:AT_ONCE])
    if len(found) > AT_ONCE:
        jobs.enqueue(write, JOB, write.pk, {"roots": roots, "after": str(found[AT_ONCE - 1])})


def enter(run: jobs.Run) -> Mapping[str, Any]:
    """The rest of the files below these roots, in the order of their ids. What is written meanwhile is entered by its
    own write."""
    roots, after, count = run.job.arguments["roots"], uuid.UUID(run.job.arguments["after"]), 0
    while True:
        ids = list(_below(run.job.workspace, roots).filter(pk__gt=after)[:AT_ONCE])
        if not ids:
            return {"files": count}
        record(run.by, "index_files", lambda write, ids=ids: feeding.put(write, ids))  # type: ignore[misc]
        after, count = ids[-1], count + len(ids)
        run.progress(count, count + AT_ONCE)


def _below(workspace: Workspace, roots: Iterable[str]) -> QuerySet[Entry, uuid.UUID]:
    within = Q()
    for root in roots:
        within |= territory(root)
    found = Entry.objects.filter(within, workspace=workspace, kind=Kind.FILE, state=State.CURRENT)
    return found.order_by("pk").values_list("pk", flat=True)
