"""A proposal before a person: approve and apply, approve, ask back, reject."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.doors.errors import Conflict
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import services, staging
from memoryapp.ontology.models import Proposal, ProposalRevision, Status
from memoryapp.ontology.models.proposals import OPEN
from memoryapp.ontology.presenting import plain, presented
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.queries import proposals as queries
from memoryapp.ontology.services.applying import filer_may_approve
from memoryapp.ontology.services.moving import move
from memoryapp.ontology.services.proposing import CASE, SUBJECT
from memoryapp.review.models import Case, Decision
from memoryapp.review.registry import CaseKind, Suggestion, Verdict
from memoryapp.review.registry import register as register_kind
from memoryapp.review.sight import SubjectType
from memoryapp.review.sight import register as register_subject

APPLY = Verdict(
    "approve_and_apply",
    "Approve and apply",
    explains="It is in force at once: a new edition, stored rows follow, and what was parked is written. Where very "
    "many rows follow, a worker prepares them first.",
    alone=True,
)
APPROVE = Verdict("approve", "Approve", explains="It may be applied, now or at a time, from its own page.", alone=True)
ASK_BACK = Verdict(
    "ask_back", "Ask back", rationale_required=True, explains="The filer sees your question and says it otherwise."
)
REJECT = Verdict("reject", "Reject", rationale_required=True, explains="The types stay as they are.")


def register() -> None:
    """Make the case kind and its subject known to the review room."""
    register_subject(SubjectType(SUBJECT, search=search))
    register_kind(
        CaseKind(
            name=CASE,
            title="Change of types",
            verdicts=(APPLY, APPROVE, ASK_BACK, REJECT),
            present=present,
            decide=decide,
            undo=undo,
            suggest=suggest,
            blocked=blocked,
            told=told,
            explains="Something is to be declared otherwise, so that other things can be remembered.",
            headlines=headlines,
            template="ontology/cases/proposal.html",
        )
    )


def search(by: Principal, text: str) -> Any:
    """The ids of proposals whose reasons hold the text."""
    found = ProposalRevision.objects.filter(workspace=by.workspace, rationale__icontains=text)
    return found.values("proposal")


def proposal_of(by: Principal, case: Case) -> Proposal:
    """The proposal that a case is about."""
    return queries.seen(by, uuid.UUID(case.key))


def present(by: Principal, case: Case) -> dict[str, Any]:
    """As it is and as it would be, what would come of stored rows, and what was refused for want of it."""
    return presented(by, proposal_of(by, case))


def told(by: Principal, case: Case) -> dict[str, Any]:
    """What `present` shows, as plain data."""
    return plain(by, proposal_of(by, case))


def headlines(by: Principal, cases: Sequence[Case]) -> Mapping[uuid.UUID, str]:
    """What each proposes, in one line."""
    ids = {case.key: case.pk for case in cases}
    found = queries.latest_revisions(Proposal.objects.visible_to(by).filter(pk__in=list(ids)))
    return {ids[str(one.proposal_id)]: queries.title(one) for one in found}


def decide(write: Write, case: Case, verdict: str, edits: dict[str, Any]) -> None:
    """Carry a verdict out."""
    proposal = proposal_of(write.by, case)
    if verdict == ASK_BACK.key:
        services.ask_back(write, proposal, write.rationale)
    elif verdict == REJECT.key:
        services.reject(write, proposal, write.rationale)
    else:
        services.approve(write, proposal, write.rationale)
        if verdict == APPLY.key and staging.is_large(proposal):
            services.apply_in_a_job(write, proposal)
        elif verdict == APPLY.key:
            services.apply_proposal(write, proposal)


def undo(write: Write, decision: Decision) -> None:
    """It waits again. What was applied is rolled back, under the same checks."""
    proposal = proposal_of(write.by, decision.case)
    if proposal.status == Status.APPLIED:
        message = "It is applied. Roll it back from its own page, where what would come of it is shown."
        raise Conflict(message, code="applied_already", extra={"proposal": str(proposal.pk)})
    if proposal.status in (Status.REJECTED, Status.APPROVED, Status.NEEDS_CHANGES):
        move(write, proposal, Status.PROPOSED, write.rationale or "The decision was taken back.")
        return
    raise Conflict(f"Proposal {proposal.number} has gone on since.", code="decided_again")


def suggest(by: Principal, case: Case) -> Suggestion | None:
    """What was refused often and changes nothing that is stored is worth declaring."""
    proposal = proposal_of(by, case)
    if proposal.severity == "safe" and proposal.occurrences > 2:
        return Suggestion(APPLY.key, f"{proposal.occurrences} writes were refused for want of it, and no row changes.")
    return None


def blocked(by: Principal, case: Case) -> Mapping[str, str]:
    """Verdicts that cannot be chosen now, each with why."""
    proposal = proposal_of(by, case)
    if not by.may("apply_schema"):
        return dict.fromkeys((APPLY.key, APPROVE.key, REJECT.key), "Only an admin changes the declared types.")
    if proposal.status not in OPEN:
        closed = f"It is {proposal.get_status_display().lower()}."
        return dict.fromkeys((APPLY.key, APPROVE.key, ASK_BACK.key, REJECT.key), closed)
    found: dict[str, str] = {}
    if by.actor.pk == proposal.filer_id and not filer_may_approve(by.workspace):
        found = dict.fromkeys((APPLY.key, APPROVE.key), "You filed it; somebody else approves it.")
    elif proposal.base_edition != current_ontology(by).number:
        found = dict.fromkeys((APPLY.key, APPROVE.key), "The types have changed since. Rebase it on its own page.")
    return found
