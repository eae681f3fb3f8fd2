"""Filing a proposal, saying it otherwise, taking it back; and counting refusals of one shape as one proposal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from memoryapp.doors.errors import Conflict, Invalid, Stale, Violation
from memoryapp.doors.strict import unreadable_characters
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology import parking
from memoryapp.ontology.changeset import Change, apply, as_data, kind_of, read_changes
from memoryapp.ontology.compiled import compile_document
from memoryapp.ontology.compiled.declared import Gap
from memoryapp.ontology.examining import examine
from memoryapp.ontology.inferring import definition
from memoryapp.ontology.models import Occurrence, Proposal, ProposalRevision, Status
from memoryapp.ontology.models.proposals import OPEN, Origin
from memoryapp.ontology.queries.editions import current_ontology
from memoryapp.ontology.queries.proposals import revision_of, seen
from memoryapp.ontology.services.moving import begin, move
from memoryapp.review.services import open_case, subject_changed

CASE = "schema_proposal"
SUBJECT = "proposal"
LONGEST = 10_000
MOST_ALTERNATIVES = 20
LOOKED_AT = 200
"""Payloads from which a definition is inferred: the latest of a gap."""


@dataclass(frozen=True)
class Draft:
    """What somebody proposes: changes as plain values, why, and what else was thought of."""

    changes: Any
    rationale: str = ""
    alternatives: tuple[str, ...] = ()


def propose(write: Write, draft: Draft, *, base_edition: int | None = None, origin: Origin | None = None) -> Proposal:
    """File a proposal against the edition in force.

    Raises Invalid for changes that cannot be read, cannot be made or do not fit together, Stale `stale` when
    `base_edition` is not the edition in force, Conflict `proposed_already` for the changes of an open proposal.
    """
    write.by.require("propose_schema")
    ontology = current_ontology(write.workspace)
    if base_edition is not None and base_edition != ontology.number:
        raise _stale(base_edition, ontology.number)
    changes = read_changes(draft.changes)
    _refuse_twice(write, changes)
    return _file(write, draft, changes, origin or _origin(write))


def revise(write: Write, proposal: Proposal, draft: Draft, *, lock: int | None = None, reason: str = "") -> Proposal:
    """Say otherwise what is proposed, against the edition in force. It is to be approved anew.

    The filer may, and whoever applies changes. Raises Stale `proposal_changed`, Conflict `not_possible`.
    """
    _refuse_strangers(write, proposal)
    check_lock(proposal, lock)
    if proposal.status not in OPEN:
        raise Conflict(f"Proposal {proposal.number} is closed.", "not_possible", extra={"status": proposal.status})
    changes = read_changes(draft.changes)
    _write_revision(write, proposal, draft, changes)
    if proposal.status == Status.PROPOSED:
        proposal.lock += 1
        proposal.save(update_fields=["revision", "base_edition", "kind", "severity", "lock"])
        subject_changed(write, [proposal.pk], "Its changes were edited.")
        return proposal
    move(write, proposal, Status.PROPOSED, reason or "Its changes were edited.")
    ask(write, proposal)
    return proposal


def withdraw(write: Write, proposal: Proposal, reason: str = "", *, lock: int | None = None) -> Proposal:
    """The filer takes it back. What was parked on it is dropped."""
    _refuse_strangers(write, proposal)
    check_lock(proposal, lock)
    move(write, proposal, Status.WITHDRAWN, reason or "The filer took it back.")
    close(write, proposal, "It was withdrawn.")
    return proposal


def close(write: Write, proposal: Proposal, reason: str) -> None:
    """Nothing more comes of a proposal: its case asks nothing, and nothing waits for it."""
    from memoryapp.review.models import Case
    from memoryapp.review.services import void_case

    for case in Case.objects.filter(workspace=write.workspace, kind=CASE, key=str(proposal.pk), state=Case.State.OPEN):
        void_case(write, case, reason)
    drop(proposal)


def drop(proposal: Proposal) -> None:
    """What is parked on a proposal is not written."""
    Occurrence.objects.filter(proposal=proposal, state=Occurrence.State.PARKED).update(state=Occurrence.State.DROPPED)


@dataclass(frozen=True)
class Met:
    """One row of a request that was refused for want of one thing."""

    gap: Gap
    action: str
    payload: Any
    violations: Sequence[Violation]


def meet(write: Write, met: Met, *, park: bool) -> Occurrence:
    """Count a refusal. The first of its shape files a proposal with a definition inferred from what was refused; each
    later one adds to it, and to the definition while nobody has edited it. The same row is parked once."""
    gap = gap_digest(met.gap)
    proposal = Proposal.objects.filter(workspace=write.workspace, gap=gap, status__in=OPEN).first()
    if proposal is None:
        changes = definition(current_ontology(write.workspace), met.gap, [met.payload])
        proposal = _file(write, Draft(as_data(changes), _why(met.gap)), changes, Origin.REFUSED, gap=gap)
    occurrence = _note(write, proposal, met, park=park)
    if proposal.occurrences > 1:
        _infer_again(write, proposal, met)
    return occurrence


def gap_digest(gap: Gap) -> str:
    """The same for what is the same thing to declare."""
    parts = [gap.family, gap.type, gap.part, gap.name, gap.value]
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def check_lock(proposal: Proposal, lock: int | None) -> None:
    """Refuse a change that was drawn against an older head. None means: whatever the head is."""
    if lock is not None and lock != proposal.lock:
        raise Stale(
            "The proposal has changed since you looked at it.", code="proposal_changed", extra={"lock": proposal.lock}
        )


def ask(write: Write, proposal: Proposal) -> None:
    """Put it before a person."""
    open_case(
        write,
        kind=CASE,
        key=str(proposal.pk),
        reason="A change of the declared types was proposed.",
        subjects=[(SUBJECT, SUBJECT, proposal.pk)],
        priority=45 if proposal.severity == "safe" else 70,
    )


def _file(write: Write, draft: Draft, changes: Sequence[Change], origin: Origin, *, gap: str = "") -> Proposal:
    last = Proposal.objects.filter(workspace=write.workspace).aggregate(last=Max("number"))["last"] or 0
    proposal = Proposal(
        workspace=write.workspace,
        number=last + 1,
        origin=origin,
        filer=write.by.actor,
        gap=gap,
        revision=0,
        write=write,
        recorded_at=write.recorded_at,
    )
    _write_revision(write, proposal, draft, changes, new=True)
    begin(write, proposal, Status.PROPOSED, draft.rationale[:500] or "It was filed.")
    ask(write, proposal)
    return proposal


def _write_revision(
    write: Write, proposal: Proposal, draft: Draft, changes: Sequence[Change], *, new: bool = False
) -> None:
    ontology = current_ontology(write.workspace)
    _refuse_unreadable(draft)
    changed = apply(ontology.document, changes)
    after = compile_document(changed.document, ontology.number + 1)
    if changed.document == ontology.document:
        raise Invalid.at("/changes", "nothing_changes", "These changes change nothing.", "a change")
    proposal.kind = kind_of(changes, ontology.document)
    proposal.severity = examine(write.by, ontology, after, changed.moves).severity
    proposal.base_edition = ontology.number
    proposal.revision += 1
    if new:
        proposal.save(force_insert=True)
    ProposalRevision.objects.create(
        workspace=write.workspace,
        proposal=proposal,
        number=proposal.revision,
        base_edition=ontology.number,
        changes=as_data(changes),
        rationale=draft.rationale,
        alternatives=list(draft.alternatives),
        write=write,
        recorded_at=write.recorded_at,
    )


def _note(write: Write, proposal: Proposal, met: Met, *, park: bool) -> Occurrence:
    digest = parking.digest_of(write.by.actor.pk, met.action, met.payload)
    waiting = Occurrence.objects.filter(
        workspace=write.workspace, proposal=proposal, digest=digest, state=Occurrence.State.PARKED
    ).exists()
    proposal.occurrences += 1
    proposal.save(update_fields=["occurrences"])
    return Occurrence.objects.create(
        workspace=write.workspace,
        proposal=proposal,
        sequence=proposal.occurrences,
        state=Occurrence.State.PARKED if park and not waiting else Occurrence.State.NOTED,
        action=met.action,
        actor=write.by.actor,
        private=parking.is_private(write.workspace.pk, met.payload),
        payload=met.payload,
        violations=[violation.as_dict() for violation in met.violations],
        digest=digest,
        edition=current_ontology(write.workspace).number,
        write=write,
        recorded_at=write.recorded_at,
    )


def _infer_again(write: Write, proposal: Proposal, met: Met) -> None:
    """While nobody edited what refusals propose, it is what all of them together suggest."""
    ontology = current_ontology(write.workspace)
    untouched = not proposal.revisions.exclude(rationale=_why(met.gap)).exists()
    if proposal.status != Status.PROPOSED or not untouched or proposal.base_edition != ontology.number:
        return
    latest = Occurrence.objects.filter(proposal=proposal).order_by("-sequence")[:LOOKED_AT]
    payloads = list({one.digest: one.payload for one in reversed(latest)}.values())
    changes = definition(ontology, met.gap, payloads)
    if as_data(changes) == revision_of(proposal).changes:
        return
    _write_revision(write, proposal, Draft(as_data(changes), _why(met.gap)), changes)
    proposal.lock += 1
    proposal.save(update_fields=["revision", "base_edition", "kind", "severity", "lock"])
    subject_changed(write, [proposal.pk], "More was refused for want of it.")


def _why(gap: Gap) -> str:
    return "Writes were refused for want of it; the definition is drawn from what they held."


def _refuse_twice(write: Write, changes: Sequence[Change]) -> None:
    data = as_data(changes)
    for proposal in Proposal.objects.filter(workspace=write.workspace, status__in=OPEN).order_by("number"):
        if revision_of(proposal).changes == data:
            raise Conflict(
                f"Proposal {proposal.number} proposes the same.",
                code="proposed_already",
                extra={"proposal": str(proposal.pk)},
            )


def _refuse_strangers(write: Write, proposal: Proposal) -> None:
    seen(write.by, proposal.pk)
    if write.by.actor.pk != proposal.filer_id:
        write.by.require("apply_schema")
    else:
        write.by.require("propose_schema")


def _refuse_unreadable(draft: Draft) -> None:
    wrong = []
    texts = {"/rationale": draft.rationale, **{f"/alternatives/{n}": t for n, t in enumerate(draft.alternatives)}}
    for path, text in texts.items():
        if what := unreadable_characters(text):
            wrong.append(Violation(path, "unreadable_text", f"This holds {what}.", "text without it"))
        elif len(text) > LONGEST:
            wrong.append(Violation(path, "too_long", "This is too long.", f"at most {LONGEST} characters"))
    if len(draft.alternatives) > MOST_ALTERNATIVES:
        wrong.append(Violation("/alternatives", "too_many", "These are too many.", f"at most {MOST_ALTERNATIVES}"))
    if wrong:
        raise Invalid.all(wrong)


def _origin(write: Write) -> Origin:
    return Origin.AGENT if write.by.actor.kind == Actor.Kind.AGENT else Origin.PERSON


def _stale(base: int, now: int) -> Stale:
    return Stale(
        f"It was drawn against edition {base}; edition {now} is in force.",
        code="stale",
        extra={"base_edition": base, "edition": now},
    )
