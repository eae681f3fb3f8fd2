"""Applying in a worker: at a time, or because very many rows follow. One transaction with the job's own end.

A worker that dies leaves nothing: whoever takes the job over begins again, and readers stay on the edition they have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from memoryapp.access.services import principal_of_actor
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address
from memoryapp.ledger import jobs
from memoryapp.ledger.jobs import Failed, Run, Subject
from memoryapp.ledger.models import Job, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.models import Proposal, ProposalMove, Status
from memoryapp.ontology.queries.proposals import looked_at
from memoryapp.ontology.services.applying import JOB

LONGEST_SECONDS = 3600.0
"""How long rows may take to follow before the job is taken for stuck."""


def register() -> None:
    jobs.register(JOB, apply_when_due, title="Change of types", capabilities=("apply_schema",), subjects=subjects)


def apply_when_due(run: Run) -> Mapping[str, Any] | None:
    """Apply the proposal as the person who approved it, while it is as they approved it."""
    proposal = Proposal.objects.select_related("filer").get(workspace=run.job.workspace, pk=run.job.subject_id)
    if proposal.status not in (Status.APPROVED, Status.FAILED) or proposal.lock != run.job.arguments.get("lock"):
        return {"applied": False}
    by = _approver(run, proposal)
    moving = looked_at(by, proposal).examined.moving
    total = max(1, sum(moving.values()))
    run.progress(0, total)
    # It has no word to give before it commits; a living worker keeps it all the same.
    run.alive_at += LONGEST_SECONDS

    def act(write: Write) -> None:
        fresh = Proposal.objects.select_related("filer").get(pk=proposal.pk)
        done = services.apply_proposal(write, fresh)
        run.progress(total, total)
        run.finish({"applied": True, "edition": done.applied_edition})

    try:
        record(by, "apply_proposal", act, rationale="Applied when it was due.")
    except DomainError as error:
        refused = error

        def note(write: Write) -> None:
            services.note_failure(write, Proposal.objects.get(pk=proposal.pk), refused)

        record(by, "apply_proposal", note, rationale="Applying was refused.")
        raise Failed(f"It could not be applied ({error.code}). Its page says why.") from error
    return None


def _approver(run: Run, proposal: Proposal) -> Principal:
    """Who approved it, by the rights they have today."""
    moves = ProposalMove.objects.filter(proposal=proposal, to_status=Status.APPROVED).select_related("write__actor")
    approved = moves.order_by("-sequence").first()
    if approved is None:
        raise Failed("Nobody approved it.")
    try:
        by = principal_of_actor(approved.write.actor, channel="job", trace_id=run.by.trace_id)
    except DomainError as error:
        raise Failed("Who approved it is no longer here.") from error
    return replace(by, workspace=run.job.workspace)


def subjects(by: Principal, of: list[Job]) -> Mapping[Any, Subject]:
    """The proposals that these jobs apply."""
    found = Proposal.objects.visible_to(by).in_bulk([job.subject_id for job in of])
    return {
        job.pk: Subject(f"Proposal {one.number}", address(by, "ontology:proposal", one.pk))
        for job in of
        if (one := found.get(job.subject_id))
    }
