"""Cases decided, by a person or by a policy, and decisions taken back.

A decision is one transaction with everything it changes in other rooms. Each carries its own `Write`, by which undo
finds what it changed. Nothing here is overwritten: undoing is another decision, and the case is open again.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Max

from memoryapp.access import capabilities
from memoryapp.doors.errors import Conflict, Invalid, NotFound, Stale, Violation
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.services import actor_named, begin
from memoryapp.review import edits as asked
from memoryapp.review import registry
from memoryapp.review.models import Case, CaseChange, Decision
from memoryapp.review.registry import CaseKind, Verdict
from memoryapp.review.services.opening import void_case
from memoryapp.review.services.turning import Change, refuse_closed, seen, turn


def decide(
    write: Write,
    case_id: uuid.UUID,
    *,
    lock: int,
    verdict: str,
    edits: Mapping[str, Any] | None = None,
    batch_id: uuid.UUID | None = None,
) -> Decision:
    """Settle a case by a person's verdict; the reason given is the rationale of the write.

    `lock` is the case as that person saw it. Raises NotFound; Conflict `already_decided` with the first one's decision;
    Stale `case_changed` with what changed since; Invalid for an unknown verdict, a missing rationale or wrong edits.
    """
    write.by.require("decide_cases")
    case = seen(write, case_id)
    refuse_closed(case)
    if lock != case.lock:
        raise _stale(case, lock)
    return _carry_out(write, case, verdict, edits or {}, batch_id=batch_id)


def settle_by_right(write: Write, case: Case, *, verdict: str, edits: Mapping[str, Any] | None = None) -> Decision:
    """Settle an open case for whoever may do what it asks for by themselves: their room checked that right."""
    refuse_closed(case)
    return _carry_out(write, case, verdict, edits or {})


def settle(
    write: Write, case: Case, *, policy: str, verdict: str, rationale: str, edits: Mapping[str, Any] | None = None
) -> Decision:
    """Settle an open case by a named policy, inside the write that opened it but with a `Write` of its own.

    The decision is the policy's, listed and undone like a person's.
    """
    actor = actor_named(write.workspace, Actor.Kind.POLICY, policy, policy)
    by = replace(write.by, actor=actor, capabilities=capabilities.of_role("curator"))
    own = begin(by, "settle", rationale)
    case = Case.objects.get(pk=case.pk)
    refuse_closed(case)
    return _carry_out(own, case, verdict, edits or {}, policy=policy)


def undo(write: Write, decision_id: uuid.UUID) -> Decision:
    """Take a decision back: everything its write changed is as it was, and the case waits again.

    Itself a decision. Raises Conflict: `already_undone`, `not_undoable` (it is an undoing), `decided_again` when a
    later decision stands on this case or on one that this decision opened, or the code of the room whose later write
    stands in the way.
    """
    write.by.require("decide_cases")
    return undo_by_right(write, decision_id)


def undo_by_right(write: Write, decision_id: uuid.UUID) -> Decision:
    """What `undo` does, for whoever may take it back by themselves: their room checked that right."""
    decision = _undoable(write, decision_id)
    case = decision.case
    _refuse_opened_again(case)
    _put_back_cases(write, decision)
    registry.kind_named(case.kind).undo(write, decision)
    undone = Decision.objects.create(
        workspace=write.workspace,
        case=case,
        round=decision.round,
        verdict="undo",
        rationale=write.rationale,
        decided_by=write.by.actor,
        undoes=decision,
        write=write,
        decided_at=write.recorded_at,
    )
    turn(write, case, Case.State.OPEN, Change.UNDONE, f"{write.by.actor.name} took the decision back.")
    return undone


def _stale(case: Case, lock: int) -> Stale:
    changes = case.changes.filter(lock__gt=lock).select_related("write__actor").order_by("lock")
    return Stale(
        "This case has changed since you looked at it.",
        code="case_changed",
        extra={
            "lock": case.lock,
            "changes": [
                {"what": change.what, "by": change.write.actor.name, "at": change.recorded_at.isoformat()}
                for change in changes
            ],
        },
    )


def _carry_out(
    write: Write,
    case: Case,
    verdict: str,
    edits: Mapping[str, Any],
    *,
    policy: str = "",
    batch_id: uuid.UUID | None = None,
) -> Decision:
    kind = registry.kind_named(case.kind)
    chosen = _possible(write, case, kind, verdict)
    if chosen.rationale_required and not write.rationale.strip():
        raise Invalid.at(
            "/rationale", "rationale_missing", f"“{chosen.label}” needs a reason.", "a sentence saying why"
        )
    read = asked.checked(chosen, edits)
    last = case.decisions.aggregate(last=Max("round"))["last"] or 0
    decision = Decision.objects.create(
        workspace=write.workspace,
        case=case,
        round=last + 1,
        verdict=verdict,
        rationale=write.rationale,
        edits={name: edits[name] for name in read},
        decided_by=write.by.actor,
        policy=policy,
        batch_id=batch_id,
        write=write,
        decided_at=write.recorded_at,
    )
    turn(write, case, Case.State.DECIDED, Change.DECIDED, f"{write.by.actor.name} decided: {chosen.label}.")
    kind.decide(write, case, verdict, read)
    return decision


def _possible(write: Write, case: Case, kind: CaseKind, verdict: str) -> Verdict:
    chosen = kind.verdict(verdict)
    if chosen is None:
        accepted = ", ".join(each.key for each in kind.verdicts)
        raise Invalid.at("/verdict", "unknown_verdict", f"There is no verdict “{verdict[:100]}” here.", accepted)
    blocked = kind.blocked(write.by, case)
    if verdict in blocked:
        possible = ", ".join(each.key for each in kind.verdicts if each.key not in blocked)
        violation = Violation("/verdict", "not_possible", blocked[verdict], possible)
        raise Conflict(blocked[verdict], code="not_possible", violations=(violation,))
    return chosen


def _undoable(write: Write, decision_id: uuid.UUID) -> Decision:
    decision = (
        Decision.objects.filter(workspace=write.workspace, pk=decision_id, case__in=Case.objects.visible_to(write.by))
        .select_related("case", "decided_by", "write")
        .first()
    )
    if decision is None:
        raise NotFound("There is no such decision.", code="no_such_decision")
    if decision.undoes_id:
        raise Conflict("This took a decision back. Decide the case again instead.", code="not_undoable")
    by = Decision.objects.filter(undoes=decision).select_related("decided_by").first()
    if by:
        raise Conflict(f"{by.decided_by.name} has taken this back already.", code="already_undone")
    return decision


def _put_back_cases(write: Write, decision: Decision) -> None:
    """Cases the decision voided wait again; cases it opened are void, unless somebody decided one since."""
    changes = list(CaseChange.objects.filter(write=decision.write).exclude(case=decision.case).select_related("case"))
    for change in changes:
        case = change.case
        if change.change == Change.OPENED:
            if case.state == Case.State.DECIDED:
                raise Conflict(
                    "A case that this decision opened has been decided since; take that back first.",
                    code="decided_again",
                    extra={"case": str(case.pk)},
                )
            void_case(write, case, "The decision that opened it was taken back.")
        elif change.change == Change.VOID and case.state == Case.State.VOID:
            _refuse_opened_again(case)
            turn(write, case, Case.State.OPEN, Change.REOPENED, "The decision that closed it was taken back.")


def _refuse_opened_again(case: Case) -> None:
    again = Case.objects.filter(workspace=case.workspace, kind=case.kind, key=case.key, state=Case.State.OPEN).first()
    if again is not None:
        message = "The same question has been opened again since; settle that one."
        raise Conflict(message, code="opened_again", extra={"case": str(again.pk)})
