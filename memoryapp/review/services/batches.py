"""Batches: what their maker says is to be done, and what the job that does it notes."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping

from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write
from memoryapp.review import queries, registry
from memoryapp.review.models import Batch, BatchItem, Case
from memoryapp.review.queries.several import Outlook, asks_nothing

JOB = "batch"
"""Kind of the job that looks at a batch, carries it out or takes it back, as its phase says."""
Phase = Batch.Phase
WORKING = (Phase.LOOKING, Phase.DECIDING, Phase.UNDOING)


def look_at_many(write: Write, *, kind: str, verdict: str, query: str) -> Batch:
    """Ask what a verdict would do with all cases of the queue that match; the reason given goes with each decision.

    Nothing is decided before `carry_out`. Raises Invalid for a kind or a verdict that cannot be given to several.
    """
    write.by.require("decide_cases")
    offered = {known.name: [one for one in known.verdicts if asks_nothing(one)] for known in registry.kinds()}
    if not offered.get(kind):
        accepted = ", ".join(name for name, some in offered.items() if some)
        raise Invalid.at("/kind", "unknown_kind", "No cases of this kind are decided together.", accepted)
    chosen = next((one for one in offered[kind] if one.key == verdict), None)
    if chosen is None:
        accepted = ", ".join(one.key for one in offered[kind])
        raise Invalid.at("/verdict", "unknown_verdict", "This verdict is given to one case at a time.", accepted)
    if chosen.rationale_required and not write.rationale.strip():
        message = f"“{chosen.label}” needs a reason."
        raise Invalid.at("/rationale", "rationale_missing", message, "a sentence saying why")
    batch = Batch.objects.create(
        workspace=write.workspace,
        kind=kind,
        verdict=verdict,
        rationale=write.rationale,
        query=query,
        write=write,
        recorded_at=write.recorded_at,
    )
    jobs.enqueue(write, JOB, batch.pk, dedupe=str(batch.pk))
    return batch


def carry_out(write: Write, batch_id: uuid.UUID) -> Batch:
    """Decide what was looked at, or go on with it after the job was stopped."""
    return _begin(write, batch_id, Phase.DECIDING, (Phase.READY, Phase.DECIDING))


def take_back(write: Write, batch_id: uuid.UUID) -> Batch:
    """Take back everything of it that stands, or go on with that; also of one that was stopped half way."""
    return _begin(write, batch_id, Phase.UNDOING, (Phase.DECIDING, Phase.DONE, Phase.UNDOING))


def reached(batch: Batch, phase: Phase) -> None:
    """The job has done what the phase before asked for."""
    batch.phase = phase
    batch.save(update_fields=["phase"])


def note_outlook(write: Write, batch: Batch, found: Iterable[Outlook], first: int) -> None:
    """Keep what would be done with these cases, numbered from `first`."""
    BatchItem.objects.bulk_create(
        BatchItem(
            workspace=write.workspace,
            batch=batch,
            case=one.case,
            number=number,
            lock=one.case.lock,
            state=BatchItem.State.LEFT if one.why_not else BatchItem.State.WILL,
            why_not=one.why_not[:500],
        )
        for number, one in enumerate(found, start=first)
    )


def note(item: BatchItem, state: BatchItem.State, why_not: str = "") -> None:
    """Keep what became of one, in the write that did it."""
    item.state, item.why_not = state, why_not[:500]
    item.save(update_fields=["state", "why_not"])


def note_failures(failed: Mapping[BatchItem, str], state: BatchItem.State) -> None:
    """Keep why these could not be done."""
    for item, why_not in failed.items():
        note(item, state, why_not)


def _begin(write: Write, batch_id: uuid.UUID, phase: Phase, after: tuple[Phase, ...]) -> Batch:
    write.by.require("decide_cases")
    batch = queries.batch_of(write.by, batch_id)
    if batch is None:
        raise NotFound("There is no such batch of yours.", code="no_such_batch")
    if batch.phase not in after or (batch.phase != phase and jobs.at_work(write, JOB, str(batch.pk))):
        raise Conflict(f"It is {batch.get_phase_display().lower()} now.", code="not_now")
    reached(batch, phase)
    jobs.enqueue(write, JOB, batch.pk, dedupe=str(batch.pk))
    return batch


def cases_about(batch: Batch) -> set[uuid.UUID]:
    """What the cases that will be decided are about."""
    will = BatchItem.objects.filter(batch=batch, state=BatchItem.State.WILL).values("case")
    found = Case.objects.filter(pk__in=will).values_list("subjects__subject_id", flat=True)
    return {one for one in found if one is not None}
