"""Applying in a worker: at a time, or because very many rows follow.

What becomes of very many rows is prepared first, in chunks that nobody reads, with progress (see `staging`); the
change itself is one transaction with the job's own end. A worker that dies leaves the edition as it is, and what it
prepared to whoever takes the job over; a job that is cancelled leaves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from memoryapp.access.services import principal_of_actor
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address
from memoryapp.ledger import jobs
from memoryapp.ledger.jobs import Failed, Run, Subject
from memoryapp.ledger.models import Actor, Job, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services, staging
from memoryapp.ontology.changeset import apply, read_changes
from memoryapp.ontology.models import Proposal, ProposalMove, Status
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries.proposals import BACK, JOB, revision_of

LONGEST_SECONDS = 3600.0
"""How long rows may take to follow before the job is taken for stuck."""


def register() -> None:
    jobs.register(
        JOB,
        apply_when_due,
        title="Change of types",
        capabilities=("apply_schema",),
        subjects=subjects,
        given_up=staging.forget,
    )
    jobs.register(
        BACK,
        roll_back_when_asked,
        title="Roll a change of types back",
        capabilities=("apply_schema",),
        subjects=subjects,
        given_up=staging.forget,
    )


def apply_when_due(run: Run) -> Mapping[str, Any] | None:
    """Apply the proposal as the person who approved it, while it is as they approved it."""
    proposal = _proposal(run)
    if not _is_as_approved(run, proposal):
        staging.forget(run.job)
        return {"applied": False}
    by = _approver(run, proposal)

    try:
        switch(run, by, prepare(run, proposal))
    except DomainError as error:
        _note(run, by, "apply_proposal", services.note_failure, error, "Applying was refused.")
        raise Failed(f"It could not be applied ({error.code}). Its page says why.") from error
    return None


def _note(
    run: Run,
    by: Principal,
    action: str,
    say: Callable[[Write, Proposal, DomainError], Proposal],
    refused: DomainError,
    rationale: str,
) -> None:
    """Say on the proposal that it was refused, and leave nothing of what was prepared."""

    def note(write: Write) -> None:
        say(write, _proposal(run), refused)
        staging.forget(run.job)

    record(by, action, note, rationale=rationale)


def roll_back_when_asked(run: Run) -> Mapping[str, Any] | None:
    """Roll the proposal back as the person who asked for it and for their reason, while it is as they saw it."""
    proposal, asked = _proposal(run), run.job.write
    if proposal.status != Status.APPLIED or proposal.lock != run.job.arguments.get("lock"):
        staging.forget(run.job)
        return {"rolled_back": False}
    by = _person(run, asked.actor)

    def act(write: Write) -> None:
        ahead = staging.ahead(run.job, plan) if plan else None
        services.roll_back(write, _proposal(run), asked.rationale, ahead=ahead)
        staging.forget(run.job)
        run.finish({"rolled_back": True})

    try:
        services.refuse_not_latest(proposal)
        plan = _made_ready(run, staging.plan_back(proposal))
        run.alive_at += LONGEST_SECONDS
        record(by, "roll_back_proposal", act, rationale=asked.rationale)
    except DomainError as error:
        _note(run, by, "roll_back_proposal", services.note_not_rolled_back, error, "Rolling back was refused.")
        raise Failed(f"It could not be rolled back ({error.code}). Its page says why.") from error
    return None


def switch(run: Run, by: Principal, plan: staging.Plan | None) -> None:
    """Put it in force, in one transaction with the end of the job."""

    def act(write: Write) -> None:
        ahead = staging.ahead(run.job, plan) if plan else None
        done = services.apply_proposal(write, _proposal(run), ahead=ahead)
        staging.forget(run.job)
        run.finish({"applied": True, "edition": done.applied_edition})

    # It has no word to give before it commits; a living worker keeps it all the same.
    run.alive_at += LONGEST_SECONDS
    record(by, "apply_proposal", act, rationale="Applied when it was due.")


def _proposal(run: Run) -> Proposal:
    return Proposal.objects.select_related("filer").get(workspace=run.job.workspace, pk=run.job.subject_id)


def _is_as_approved(run: Run, proposal: Proposal) -> bool:
    may = proposal.status in (Status.APPROVED, Status.FAILED)
    return may and proposal.lock == run.job.arguments.get("lock")


def prepare(run: Run, proposal: Proposal) -> staging.Plan | None:
    """Have what becomes of very many rows prepared; None where few follow, or the proposal is stale."""
    revision, now = revision_of(proposal), current_ontology(run.job.workspace)
    if revision.base_edition != now.number:
        return None
    changed = apply(now.document, read_changes(revision.changes))
    return _made_ready(run, staging.plan_to(run.job.workspace, changed.document, changed.moves))


def _made_ready(run: Run, plan: staging.Plan) -> staging.Plan | None:
    rows = plan.rows()
    if rows <= staging.AT_ONCE:
        run.progress(rows, rows)
        return None
    staging.prepare(run, plan)
    return plan


def _approver(run: Run, proposal: Proposal) -> Principal:
    """Who approved it, by the rights they have today."""
    moves = ProposalMove.objects.filter(proposal=proposal, to_status=Status.APPROVED).select_related("write__actor")
    approved = moves.order_by("-sequence").first()
    if approved is None:
        raise Failed("Nobody approved it.")
    return _person(run, approved.write.actor)


def _person(run: Run, actor: Actor) -> Principal:
    """Somebody by the rights they have today."""
    try:
        by = principal_of_actor(actor, channel="job", trace_id=run.by.trace_id)
    except DomainError as error:
        raise Failed("Who decided it is no longer here.") from error
    return replace(by, workspace=run.job.workspace)


def subjects(by: Principal, of: list[Job]) -> Mapping[Any, Subject]:
    """The proposals that these jobs apply."""
    found = Proposal.objects.visible_to(by).in_bulk([job.subject_id for job in of])
    return {
        job.pk: Subject(f"Proposal {one.number}", address(by, "ontology:proposal", one.pk))
        for job in of
        if (one := found.get(job.subject_id))
    }
