"""Approving, applying and rolling back: by people, whole or not at all."""

from __future__ import annotations

import datetime as dt
from typing import Any

from memoryapp.doors.errors import Conflict, Denied, DomainError, Invalid, Stale
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Retyping, Workspace, Write
from memoryapp.ontology.changeset import apply, differences, read_changes
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.following import moves_back
from memoryapp.ontology.models import OntologyVersion, Proposal, Status
from memoryapp.ontology.models.proposals import OPEN
from memoryapp.ontology.queries.editions import current_ontology, ontology_at
from memoryapp.ontology.queries.proposals import BACK, JOB, applied_between, outlook, revision_of
from memoryapp.ontology.services.declaring import Ahead, declare
from memoryapp.ontology.services.moving import move, require_person
from memoryapp.ontology.services.proposing import Draft, _write_revision, ask, close
from memoryapp.ontology.services.replaying import replay

SELF_APPROVAL = "filer_may_approve"
"""The workspace's setting by which who filed a proposal may approve it: off unless it is true."""


def ask_back(write: Write, proposal: Proposal, question: str) -> Proposal:
    """Send it back to the filer with a question."""
    write.by.require("decide_cases")
    if not question.strip():
        raise Invalid.at("/rationale", "rationale_missing", "Asking back needs a question.", "a sentence")
    return move(write, proposal, Status.NEEDS_CHANGES, question)


def reject(write: Write, proposal: Proposal, reason: str) -> Proposal:
    """It is not to be. What was parked on it stays where it is, unwritten."""
    require_person(write)
    return move(write, proposal, Status.REJECTED, reason)


def approve(write: Write, proposal: Proposal, reason: str = "", *, at: dt.datetime | None = None) -> Proposal:
    """A person says it may be applied; with `at`, that it is applied then.

    Raises Denied `only_people`, `filer_never_approves`; Stale `stale` when it was drawn against another edition;
    Conflict with everything that stands in the way.
    """
    require_person(write)
    refuse_filer(write, proposal)
    revision = revision_of(proposal)
    _refuse_stale(revision.base_edition, current_ontology(write.workspace).number)
    refuse_impossible(outlook(write.by, revision.changes))
    if at is not None and at <= write.recorded_at:
        raise Invalid.at("/at", "already_over", "That time has passed.", "a time in the future")
    proposal.apply_at = at
    move(write, proposal, Status.APPROVED, reason or f"{write.by.actor.name} approved it.")
    if at is not None:
        delay = at - write.recorded_at
        jobs.enqueue(write, JOB, proposal.pk, {"lock": proposal.lock}, dedupe=str(proposal.pk), delay=delay)
    return proposal


def apply_in_a_job(write: Write, proposal: Proposal) -> Job:
    """Have an approved proposal applied by a worker: for what moves very many rows."""
    require_person(write)
    _refuse_not_approved(proposal)
    return jobs.enqueue(write, JOB, proposal.pk, {"lock": proposal.lock}, dedupe=str(proposal.pk))


def apply_proposal(
    write: Write, proposal: Proposal, *, edition: int | None = None, ahead: Ahead | None = None
) -> Proposal:
    """Put an approved proposal in force: a new edition, stored rows follow, and what was parked is written once.

    All in this one transaction, or nothing. Applying what is applied does nothing. `edition` is the one whoever asks
    looked at, `ahead` what a job prepared of the rows. Raises Stale `stale`, and Conflict with everything that stands
    in the way.
    """
    require_person(write)
    if proposal.status == Status.APPLIED:
        return proposal
    _refuse_not_approved(proposal)
    revision = revision_of(proposal)
    ontology = current_ontology(write.workspace)
    for drawn in (revision.base_edition, edition):
        if drawn is not None:
            _refuse_stale(drawn, ontology.number)
    changed = apply(ontology.document, read_changes(revision.changes))
    version = declare(write, changed.document, moves=changed.moves, ahead=ahead)
    report = {"edition": version.number, "rows": _moved(write)}
    proposal.applied_edition = version.number
    report |= replay(write, proposal)
    return move(write, proposal, Status.APPLIED, _said(write, report), report)


def note_failure(write: Write, proposal: Proposal, error: DomainError) -> Proposal:
    """Say that applying was refused, and why. Nothing of it was kept."""
    if proposal.status != Status.APPROVED:
        return proposal
    return move(write, proposal, Status.FAILED, f"It could not be applied: {error.detail}"[:2000], _refused(error))


def note_not_rolled_back(write: Write, proposal: Proposal, error: DomainError) -> Proposal:
    """Say that rolling back was refused, and why. It stays in force."""
    if proposal.status != Status.APPLIED:
        return proposal
    said = f"It could not be rolled back: {error.detail}"[:2000]
    return move(write, proposal, Status.APPLIED, said, _refused(error))


def _refused(error: DomainError) -> dict[str, Any]:
    return {"code": error.code, "errors": [one.as_dict() for one in error.violations][:50]}


def rebase(write: Write, proposal: Proposal) -> Proposal:
    """Draw a proposal against the edition in force. Approval stands when nothing that has changed since is what the
    proposal changes; otherwise it is to be looked at anew. Raises Conflict or Invalid when it cannot be made any more.
    """
    if write.by.actor.pk != proposal.filer_id:
        write.by.require("apply_schema")
    if proposal.status not in OPEN:
        raise Conflict(f"Proposal {proposal.number} is closed.", "not_possible", extra={"status": proposal.status})
    revision, now = revision_of(proposal), current_ontology(write.workspace)
    if revision.base_edition == now.number:
        return proposal
    shared = overlap(ontology_at(write.workspace, revision.base_edition), now, revision.changes)
    draft = Draft(revision.changes, revision.rationale, tuple(revision.alternatives))
    _write_revision(write, proposal, draft, read_changes(revision.changes))
    if shared and proposal.status in (Status.APPROVED, Status.FAILED):
        names = ", ".join(shared)
        move(write, proposal, Status.PROPOSED, f"{names} changed since it was approved.")
        ask(write, proposal)
        return proposal
    proposal.lock += 1
    proposal.save(update_fields=["revision", "base_edition", "kind", "severity", "lock"])
    return proposal


def overlap(base: Ontology, now: Ontology, changes: Any) -> list[str]:
    """The types that changed since an edition and that the changes change as well."""
    since = {(one.family, one.type) for one in differences(base.document, now.document)}
    try:
        after = apply(base.document, read_changes(changes)).document
    except DomainError:
        return sorted({one for _, one in since})
    own = {(one.family, one.type) for one in differences(base.document, after)}
    return sorted({type for _, type in since & own})


def roll_back_in_a_job(write: Write, proposal: Proposal) -> Job:
    """Have an applied proposal rolled back by a worker, for the reason that this write gives: for what moves very many
    rows back."""
    require_person(write)
    if not write.rationale.strip():
        raise Invalid.at("/rationale", "rationale_missing", "Going back needs a reason.", "a sentence")
    refuse_not_latest(proposal)
    return jobs.enqueue(write, BACK, proposal.pk, {"lock": proposal.lock}, dedupe=str(proposal.pk))


def roll_back(write: Write, proposal: Proposal, reason: str, *, ahead: Ahead | None = None) -> Proposal:
    """Undo an applied proposal: a new edition that equals the one before it, under the same checks.

    Only of the latest edition. What was written meanwhile has to fit: rows of what would go are refused with the count.
    `ahead` is what a job prepared of the rows.
    """
    require_person(write)
    now = refuse_not_latest(proposal)
    go_back(write, now - 1, reason, ahead=ahead)
    return proposal


def refuse_not_latest(proposal: Proposal) -> int:
    """The edition in force, which is the proposal's. Raises Conflict for what is not applied, or not the latest."""
    if proposal.status != Status.APPLIED or proposal.applied_edition is None:
        raise Conflict(f"Proposal {proposal.number} is not applied.", "not_possible", extra={"status": proposal.status})
    now = current_ontology(proposal.workspace)
    if now.number != proposal.applied_edition:
        message = f"Edition {now.number} has come since. Roll that back first, or go back to an edition."
        raise Conflict(message, code="edited_since", extra={"edition": now.number})
    return now.number


def go_back(write: Write, number: int, reason: str, *, ahead: Ahead | None = None) -> OntologyVersion:
    """A new edition that equals an older one, under the same checks. Proposals applied since are superseded."""
    require_person(write)
    if not reason.strip():
        raise Invalid.at("/rationale", "rationale_missing", "Going back needs a reason.", "a sentence")
    now = current_ontology(write.workspace)
    older = ontology_at(write.workspace, number)
    since = list(applied_between(write.by, number, now.number))
    version = declare(write, older.document, moves=moves_back(write.workspace, number), ahead=ahead)
    for proposal in since:
        if proposal.status == Status.APPLIED:
            said = f"Edition {version.number} is edition {number} again: {reason}"
            move(write, proposal, Status.SUPERSEDED, said)
    return version


def superseded_by(write: Write, proposal: Proposal, other: Proposal) -> Proposal:
    """Another proposal stands in its place."""
    require_person(write)
    move(write, proposal, Status.SUPERSEDED, f"Proposal {other.number} stands in its place.")
    close(write, proposal, "Another proposal stands in its place.")
    return proposal


def refuse_filer(write: Write, proposal: Proposal) -> None:
    """Who filed it does not approve it, unless the workspace says otherwise."""
    if write.by.actor.pk == proposal.filer_id and not filer_may_approve(write.workspace):
        raise Denied("Who filed a proposal does not approve it.", code="filer_never_approves")


def filer_may_approve(workspace: Workspace) -> bool:
    """Whether the workspace lets who filed a proposal approve it."""
    settings = Workspace.objects.values_list("settings", flat=True).get(pk=workspace.pk)
    return settings.get(SELF_APPROVAL) is True


def refuse_impossible(found: Any) -> None:
    """Raise Conflict with everything that stands in the way of a proposal."""
    if found.problems:
        raise Conflict("These changes cannot be made.", code="not_applicable", extra={"problems": list(found.problems)})
    if violations := found.examined.violations:
        raise Conflict(
            f"{len(violations)} things stand in the way.",
            code=violations[0].code,
            violations=violations,
            extra={"examined": found.examined.as_data()},
        )


def _refuse_not_approved(proposal: Proposal) -> None:
    if proposal.status not in (Status.APPROVED, Status.FAILED):
        raise Conflict(
            f"Proposal {proposal.number} is not approved.", code="not_approved", extra={"status": proposal.status}
        )


def _refuse_stale(drawn: int, now: int) -> None:
    if drawn != now:
        message = f"It was drawn against edition {drawn}; edition {now} is in force. Rebase it."
        raise Stale(message, code="stale", extra={"base_edition": drawn, "edition": now})


def _moved(write: Write) -> dict[str, int]:
    counts = Retyping.objects.filter(workspace=write.workspace, write=write).values_list("counts", flat=True)
    return {name: count for one in counts for name, count in one.items()}


def _said(write: Write, report: dict[str, Any]) -> str:
    return f"{write.by.actor.name} applied it: edition {report['edition']}."
