"""The one way a proposal moves: what may follow what, and a row that says who, when and why.

| from | to | who |
|---|---|---|
| (filed) | proposed | whoever may propose; a refused write |
| proposed | needs_changes | whoever decides cases |
| proposed | approved | a person who may apply, never the filer |
| proposed, needs_changes, approved, failed | rejected | a person who may apply |
| proposed, needs_changes, approved, failed | withdrawn | the filer |
| needs_changes, approved, failed | proposed | a revision |
| approved, failed | applied | a person who may apply, or the job they asked for |
| approved | failed | applying that was refused |
| applied | superseded | a person who rolls it back |
| applied | applied | rolling back in a job that was refused: it stays |
| proposed, needs_changes, approved, failed | superseded | another that declares the same |
| rejected, approved, needs_changes | proposed | a decision taken back |
"""

from __future__ import annotations

from typing import Any

from memoryapp.doors.errors import Conflict, Denied
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.models import Proposal, ProposalMove, Status

MAY_BECOME: dict[str, frozenset[str]] = {
    "": frozenset((Status.PROPOSED,)),
    Status.PROPOSED: frozenset(
        (Status.NEEDS_CHANGES, Status.APPROVED, Status.REJECTED, Status.WITHDRAWN, Status.SUPERSEDED)
    ),
    Status.NEEDS_CHANGES: frozenset((Status.PROPOSED, Status.REJECTED, Status.WITHDRAWN, Status.SUPERSEDED)),
    Status.APPROVED: frozenset(
        (Status.PROPOSED, Status.APPLIED, Status.FAILED, Status.REJECTED, Status.WITHDRAWN, Status.SUPERSEDED)
    ),
    Status.FAILED: frozenset((Status.PROPOSED, Status.APPLIED, Status.REJECTED, Status.WITHDRAWN, Status.SUPERSEDED)),
    Status.APPLIED: frozenset((Status.APPLIED, Status.SUPERSEDED)),
    Status.REJECTED: frozenset((Status.PROPOSED,)),
    Status.WITHDRAWN: frozenset(),
    Status.SUPERSEDED: frozenset(),
}
"""What may follow what. A status that nothing follows is the end."""

NEVER = (Actor.Kind.AGENT, Actor.Kind.POLICY)
"""Who never approves or applies, whatever they are granted."""


def move(write: Write, proposal: Proposal, to: Status, reason: str, report: dict[str, Any] | None = None) -> Proposal:
    """Move a proposal and say so. Raises Conflict `not_possible` for a step that there is not."""
    if to not in MAY_BECOME[proposal.status]:
        said = proposal.get_status_display().lower()
        raise Conflict(f"Proposal {proposal.number} is {said}.", code="not_possible", extra={"status": proposal.status})
    return begin(write, proposal, to, reason, before=proposal.status, report=report)


def begin(
    write: Write,
    proposal: Proposal,
    to: Status,
    reason: str,
    *,
    before: str = "",
    report: dict[str, Any] | None = None,
) -> Proposal:
    """Write the row of a step, and the head after it."""
    ProposalMove.objects.create(
        workspace=write.workspace,
        proposal=proposal,
        sequence=ProposalMove.objects.filter(proposal=proposal).count() + 1,
        from_status=before,
        to_status=to,
        reason=reason.strip() or "No reason was given.",
        report=report or {},
        write=write,
        recorded_at=write.recorded_at,
    )
    proposal.status = to
    proposal.lock += 1 if before else 0
    proposal.save(
        update_fields=["status", "lock", "applied_edition", "base_edition", "revision", "kind", "severity", "apply_at"]
    )
    return proposal


def require_person(write: Write) -> None:
    """Refuse whoever is no person, and whoever may not apply changes of types: no key and no policy ever may."""
    write.by.require("apply_schema")
    if write.by.actor.kind in NEVER:
        raise Denied("Only a person approves or applies changes of the declared types.", code="only_people")
