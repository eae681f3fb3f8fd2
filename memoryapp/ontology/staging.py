"""Making ahead of time what becomes of very many rows when types change, so that the change itself is short.

Rows are rehearsed in chunks: each in a transaction that does all that the change does, to these rows alone, and is
never committed. What came of it is kept beside (`PreparedRows`), with a mark of each row. Readers and writers go on
with the edition they have. The change then stores what is kept for every row whose mark is still the same, and makes
the rest anew, all in one transaction. A worker that dies leaves what it prepared to whoever takes the job over.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import transaction

from memoryapp.doors.errors import Stale
from memoryapp.ledger import jobs
from memoryapp.ledger.jobs import Run
from memoryapp.ledger.models import Erasure, Job, Workspace, Write
from memoryapp.ledger.services import record
from memoryapp.ontology import following
from memoryapp.ontology.changeset import apply, read_changes
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.compiled import Ontology, consistent
from memoryapp.ontology.document import OntologyDocument
from memoryapp.ontology.following import Only, Touched
from memoryapp.ontology.models import PreparedRows, Proposal
from memoryapp.ontology.queries.editions import current_ontology, ontology_at
from memoryapp.ontology.queries.proposals import revision_of
from memoryapp.ontology.services.declaring import digest_of, put_in_force

AT_ONCE = 2000
"""Rows that are made anew within the change itself; more are prepared before."""
CHUNK = 200
MARKED = 2000
ROUNDS = 5
"""How often rows that changed meanwhile are prepared anew before the change goes ahead."""
BREATH_SECONDS = 0.01
"""Between two chunks, for whoever else wants to write."""


@dataclass(frozen=True)
class Plan:
    """From the edition in force to another document, with the moves of rows."""

    workspace: Workspace
    old: Ontology
    document: OntologyDocument
    moves: tuple[Move, ...]

    @cached_property
    def digest(self) -> str:
        return digest_of(
            {
                "from": self.old.number,
                "to": digest_of(self.document.as_data()),
                "moves": [move.as_data() for move in self.moves],
            }
        )

    @cached_property
    def new(self) -> Ontology:
        return consistent(self.document, digest_of(self.document.as_data()))

    @cached_property
    def before(self) -> Touched:
        """The types whose rows are made anew, as they are called before."""
        after = following.touched(self.old, self.new, self.moves)
        return following.touched_before(self.old, after, self.moves)

    @property
    def families(self) -> list[str]:
        return [one for one in following.families() if self.before.of(one)]

    def rows(self) -> int:
        """How many rows are made anew."""
        return sum(following.rows_of(self.workspace, one, self.before).count() for one in self.families)


def plan_to(workspace: Workspace, document: OntologyDocument, moves: Sequence[Move]) -> Plan:
    """What leads from the edition in force to a document."""
    return Plan(workspace, current_ontology(workspace), document, tuple(moves))


def is_large(proposal: Proposal) -> bool:
    """Whether so many rows would follow that a worker has to prepare them. Not when it is stale: then it is refused."""
    revision, now = revision_of(proposal), current_ontology(proposal.workspace)
    if revision.base_edition != now.number:
        return False
    changed = apply(now.document, read_changes(revision.changes))
    return plan_to(proposal.workspace, changed.document, changed.moves).rows() > AT_ONCE


def plan_back(proposal: Proposal) -> Plan:
    """What leads from the edition of an applied proposal, the one in force, to the one before."""
    workspace = proposal.workspace
    number = current_ontology(workspace).number - 1
    return plan_to(workspace, ontology_at(workspace, number).document, following.moves_back(workspace, number))


def is_large_back(proposal: Proposal) -> bool:
    """Whether so many rows would go back that a worker has to prepare them. Not of what is not the latest: that is
    refused."""
    latest = proposal.applied_edition == current_ontology(proposal.workspace).number
    return latest and plan_back(proposal).rows() > AT_ONCE


def prepare(run: Run, plan: Plan) -> None:
    """Prepare what is not prepared yet, chunk by chunk, each committed with the progress of the job.

    Raises what rehearsing raises (Conflict where rows do not fit), Stale `stale` when another edition came, and
    LostLease when the job is no longer this worker's: then nothing of the chunk is kept.
    """
    job = run.job
    PreparedRows.objects.filter(job=job).exclude(plan=plan.digest).delete()
    progress = _Progress(run, plan.rows())
    for family in plan.families:
        rows = following.rows_of(plan.workspace, family, plan.before).values_list("pk", flat=True)
        kept = PreparedRows.objects.filter(job=job, family=family).exclude(last=None).order_by("-number").first()
        last = kept.last if kept else None
        while ids := list((rows.filter(pk__gt=last) if last else rows)[:CHUNK]):
            last = ids[-1]
            _prepare(progress, plan, family, ids, last)
    for _ in range(ROUNDS):
        stale = {family: sorted(_changed(job, plan, family)) for family in plan.families}
        if sum(map(len, stale.values())) <= AT_ONCE:
            break
        for family, ids in stale.items():
            for start in range(0, len(ids), CHUNK):
                _prepare(progress, plan, family, ids[start : start + CHUNK], None)
    run.progress(progress.total, progress.total)


@dataclass
class _Progress:
    """How many rows of the job's are prepared, and the number of the next chunk."""

    run: Run
    total: int
    number: int = 0
    done: int = 0

    def __post_init__(self) -> None:
        kept = PreparedRows.objects.filter(job=self.run.job).values_list("number", "marks", "last")
        for number, marks, last in kept:
            self.number = max(self.number, number)
            self.done += len(marks) if last else 0
        self.run.progress(min(self.done, self.total), self.total)


def _prepare(progress: _Progress, plan: Plan, family: str, ids: list[uuid.UUID], last: uuid.UUID | None) -> None:
    erased = Erasure.objects.filter(workspace=plan.workspace).count()
    marks, data = rehearsed(progress.run, plan, family, ids)
    with transaction.atomic():
        Workspace.objects.select_for_update().get(pk=plan.workspace.pk)
        if Erasure.objects.filter(workspace=plan.workspace).count() != erased:
            return  # What was rehearsed may hold what is erased; these rows are prepared in a later round.
        progress.number += 1
        progress.done += len(ids) if last else 0
        PreparedRows.objects.create(
            workspace=plan.workspace,
            job=progress.run.job,
            number=progress.number,
            plan=plan.digest,
            family=family,
            last=last,
            marks=marks,
            data=data,
        )
        jobs.keep(progress.run, done=min(progress.done, progress.total), total=progress.total)
    time.sleep(BREATH_SECONDS)


class _Rehearsed(Exception):
    """Carries what was rehearsed out of the transaction that is given up."""

    def __init__(self, marks: dict[str, str], data: dict[str, Any]) -> None:
        super().__init__()
        self.marks, self.data = marks, data


def rehearsed(run: Run, plan: Plan, family: str, ids: list[uuid.UUID]) -> tuple[dict[str, str], dict[str, Any]]:
    """The marks of these rows, and what the change makes of them, by room. Nothing is stored."""

    def act(write: Write) -> None:
        if current_ontology(plan.workspace).number != plan.old.number:
            raise Stale("The types have changed since.", code="stale")
        marks = _marks(plan.workspace, family, ids)
        following.begin(write, plan.moves, Only(family, ids))
        put_in_force(write, plan.old.number + 1, plan.document)
        data = {
            room: {str(id): made for id, made in follower.rehearse(write, family, ids).items()}
            for room, follower in following.followers().items()
        }
        raise _Rehearsed(marks, {room: made for room, made in data.items() if made})

    try:
        record(run.by, "rehearse_change_of_types", act)
    except _Rehearsed as done:
        return done.marks, done.data
    raise AssertionError("A rehearsal is never committed.")


def _marks(workspace: Workspace, family: str, ids: Sequence[uuid.UUID]) -> dict[str, str]:
    rooms = following.followers().values()
    found = [follower.marks(workspace, family, ids) for follower in rooms]
    return {str(id): "|".join(str(marks.get(id, "")) for marks in found) for id in ids}


def _changed(job: Job, plan: Plan, family: str) -> set[uuid.UUID]:
    """The rows that came, or changed, since they were prepared."""
    wanted = following.rows_of(plan.workspace, family, plan.before).values_list("pk", flat=True)
    return set(wanted) - set(_holding(job, plan, family))


def _holding(job: Job, plan: Plan, family: str) -> dict[uuid.UUID, int]:
    """The rows of which what was prepared still holds, with the number of the chunk that has it."""
    kept: dict[str, tuple[str, int]] = {}
    chunks = PreparedRows.objects.filter(job=job, plan=plan.digest, family=family).order_by("number")
    for number, marks in chunks.values_list("number", "marks").iterator():
        kept.update((id, (mark, number)) for id, mark in marks.items())
    found: dict[uuid.UUID, int] = {}
    ids = list(kept)
    for start in range(0, len(ids), MARKED):
        several = ids[start : start + MARKED]
        now = _marks(plan.workspace, family, [uuid.UUID(one) for one in several])
        found |= {uuid.UUID(id): kept[id][1] for id in several if now[id] == kept[id][0]}
    return found


@dataclass(frozen=True)
class Ahead:
    """What a job prepared, for the transaction that makes the change."""

    job: Job
    plan: Plan
    holding: dict[str, dict[uuid.UUID, int]]

    def install(self, write: Write) -> dict[str, set[uuid.UUID]]:
        """Store what was prepared of every row that has not changed since. Gives these rows, by family."""
        for family, holding in self.holding.items():
            for room, follower in following.followers().items():
                follower.install(write, family, self._of(room, family, holding))
        return {family: set(holding) for family, holding in self.holding.items()}

    def _of(self, room: str, family: str, holding: dict[uuid.UUID, int]) -> Iterator[tuple[uuid.UUID, Any]]:
        chunks = PreparedRows.objects.filter(job=self.job, plan=self.plan.digest, family=family).order_by("number")
        for number, data in chunks.values_list("number", f"data__{room}").iterator(chunk_size=20):
            for id, made in (data or {}).items():
                if holding.get(uuid.UUID(id)) == number:
                    yield uuid.UUID(id), made


def ahead(job: Job, plan: Plan) -> Ahead:
    """What was prepared and still holds. Asked within the transaction of the change, before its first move."""
    return Ahead(job, plan, {family: _holding(job, plan, family) for family in plan.families})


def forget(job: Job) -> None:
    """Leave nothing of what a job prepared."""
    PreparedRows.objects.filter(job=job).delete()
