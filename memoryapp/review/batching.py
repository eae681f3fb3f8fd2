"""The job of a batch: looks at every case that matches, decides each by itself when told to, and takes them back.

Each case is decided in a write of its own, by whoever made the batch and with what they may do at that moment. A job
that is taken over goes on where the one before stopped.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from memoryapp.access.services import principal_of_actor
from memoryapp.doors.errors import Denied, DomainError
from memoryapp.doors.pages import address
from memoryapp.ledger import jobs
from memoryapp.ledger.jobs import Failed, Run, Subject
from memoryapp.ledger.models import Job, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, registry, services
from memoryapp.review.models import Batch, BatchItem, Decision
from memoryapp.review.queries.several import Outlook
from memoryapp.review.services import batches

AT_ONCE = 200
"""Cases that are read together."""
State, Phase = BatchItem.State, Batch.Phase


def register() -> None:
    """Let workers do it."""
    jobs.register(batches.JOB, run, title="One verdict for many cases", subjects=_subjects)


def run(work: Run) -> Mapping[str, Any] | None:
    """Do what the phase of the batch asks for."""
    batch = Batch.objects.select_related("write__actor").get(pk=work.job.subject_id)
    try:
        by = principal_of_actor(batch.write.actor, channel="job", trace_id=work.by.trace_id)
    except Denied as error:
        raise Failed("Whoever asked for it is no longer here.") from error
    steps = {Phase.LOOKING: _look, Phase.DECIDING: _decide, Phase.UNDOING: _undo}
    if step := steps.get(Phase(batch.phase)):
        step(work, by, batch)
    return None


def _look(work: Run, by: Principal, batch: Batch) -> None:
    """Note of every case that matches whether it will be decided, or why not."""
    known = set(BatchItem.objects.filter(batch=batch).values_list("case", flat=True))
    taken = batches.cases_about(batch) if known else set()
    ids = [one for one in _matching(by, batch) if one not in known]
    total = len(known) + len(ids)
    for some in _in_chunks(ids):
        cases = queries.some(by, some, AT_ONCE)
        found = queries.outlook(by, cases, batch.kind, batch.verdict, batch.rationale, taken)
        first = len(known) + 1
        known |= set(some)
        noted = partial(_noted, work, (len(known), total), batch, found, first)
        record(work.by, "look_at_many", noted)
    _finish(work, batch, Phase.READY)


def _noted(
    work: Run, so_far: tuple[int, int], batch: Batch, found: Sequence[Outlook], first: int, write: Write
) -> None:
    _keep(work, so_far)
    batches.note_outlook(write, batch, found, first)


def _keep(work: Run, so_far: tuple[int, int]) -> None:
    """Let the write be the job's own, or none: one that was stopped, or taken over, writes nothing more."""
    done, total = so_far
    jobs.keep(work, done=done, total=total)


def _matching(by: Principal, batch: Batch) -> list[uuid.UUID]:
    """The cases that were meant, in the order of the queue."""
    from django.http import QueryDict

    from memoryapp.review.pages.address import Address

    filters = Address.of(by, QueryDict(batch.query)).filters
    return list(queries.queue(by, filters).values_list("pk", flat=True)[: queries.MOST_TOGETHER])


def _decide(work: Run, by: Principal, batch: Batch) -> None:
    """Give the verdict to every case as it was looked at; what cannot be is noted and left."""

    def one(write: Write, item: BatchItem) -> None:
        services.decide(write, item.case_id, lock=item.lock, verdict=batch.verdict, batch_id=batch.pk)
        batches.note(item, State.DECIDED)

    _each(work, by, batch, (State.WILL, State.FAILED), one, ("decide", batch.rationale), order="number")
    _finish(work, batch, Phase.DONE)


def _undo(work: Run, by: Principal, batch: Batch) -> None:
    """Take everything that stands back, the latest first."""

    def one(write: Write, item: BatchItem) -> None:
        standing = Decision.objects.filter(workspace=write.workspace, batch_id=batch.pk, case=item.case_id)
        decision = standing.filter(undoes__isnull=True, undone_by__isnull=True).first()
        if decision is not None:
            services.undo(write, decision.pk)
        batches.note(item, State.UNDONE)

    _each(work, by, batch, (State.DECIDED, State.KEPT), one, ("undo", ""), order="-number")
    _finish(work, batch, Phase.UNDONE)


def _each(
    work: Run,
    by: Principal,
    batch: Batch,
    states: tuple[BatchItem.State, BatchItem.State],
    act: Callable[[Write, BatchItem], None],
    said: tuple[str, str],
    *,
    order: str,
) -> None:
    """Do one thing with every item in the first of these states; what is refused comes into the second, with why."""
    waiting, refused = states
    action, rationale = said
    rest = BatchItem.objects.filter(batch=batch, state=waiting).order_by(order)
    done, total = 0, rest.count()
    while some := list(rest[:AT_ONCE]):
        failed: dict[BatchItem, str] = {}
        for item in some:
            done += 1
            try:
                record(by, action, partial(_acted, work, (done, total), act, item), rationale)
            except DomainError as error:
                failed[item] = error.detail
        if failed:
            record(work.by, "note_failures", partial(_failed, work, (done, total), failed, refused))


def _acted(
    work: Run, so_far: tuple[int, int], act: Callable[[Write, BatchItem], None], item: BatchItem, write: Write
) -> None:
    _keep(work, so_far)
    act(write, item)


def _failed(
    work: Run, so_far: tuple[int, int], failed: Mapping[BatchItem, str], state: BatchItem.State, write: Write
) -> None:
    _keep(work, so_far)
    batches.note_failures(failed, state)


def _finish(work: Run, batch: Batch, phase: Batch.Phase) -> None:
    counts = queries.counted(batch)

    def end(write: Write) -> None:
        batches.reached(batch, phase)
        work.finish({name: count for name, count in counts.items() if count})

    record(work.by, "batch", end)


def _in_chunks(ids: list[uuid.UUID]) -> list[list[uuid.UUID]]:
    return [ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE)]


def _subjects(by: Principal, of: list[Job]) -> Mapping[uuid.UUID, Subject]:
    """The verdict, with the page of the batch for who made it."""
    mine = Batch.objects.filter(workspace=by.workspace, write__actor=by.actor, pk__in=[job.subject_id for job in of])
    known = mine.in_bulk()
    return {
        job.pk: Subject(words_of(batch), address(by, "review:many", batch.pk))
        for job in of
        if (batch := known.get(job.subject_id))
    }


def words_of(batch: Batch) -> str:
    """Its verdict as the button says it."""
    chosen = registry.kind_named(batch.kind).verdict(batch.verdict)
    return chosen.label if chosen else batch.verdict.replace("_", " ").capitalize()
