"""A case as a write finds it, and the one way it changes."""

from __future__ import annotations

import uuid

from memoryapp.doors.errors import Conflict, NotFound
from memoryapp.ledger.models import Write
from memoryapp.review import queries
from memoryapp.review.models import Case, CaseChange

Change = CaseChange.Change


def seen(write: Write, case_id: uuid.UUID) -> Case:
    case = Case.objects.visible_to(write.by).filter(pk=case_id).first()
    if case is None:
        raise NotFound("There is no such case.", code="no_such_case")
    return case


def still_open(write: Write, case_id: uuid.UUID) -> Case:
    case = seen(write, case_id)
    refuse_closed(case)
    return case


def refuse_closed(case: Case) -> None:
    if case.state == Case.State.VOID:
        last = case.changes.order_by("lock").last()
        because = f": {last.what}" if last else "."
        raise Conflict(f"This case no longer asks anything{because}", code="case_void", extra={"lock": case.lock})
    if case.state == Case.State.DECIDED:
        first = queries.standing_decision(case)
        assert first is not None
        raise Conflict(
            f"{first.decided_by.name} decided this already: {first.verdict.replace('_', ' ')}.",
            code="already_decided",
            extra={
                "lock": case.lock,
                "decision": {
                    "id": str(first.pk),
                    "verdict": first.verdict,
                    "rationale": first.rationale,
                    "decided_by": first.decided_by.name,
                    "decided_at": first.decided_at.isoformat(),
                },
            },
        )


def turn(write: Write, case: Case, state: Case.State, change: CaseChange.Change, what: str) -> None:
    """The one way a case changes: its lock counts up and the change says what happened."""
    if state != Case.State.OPEN:
        case.claimed_by, case.claimed_until = None, None
    case.state = state
    case.closed_at = None if state == Case.State.OPEN else write.recorded_at
    case.lock += 1
    case.save(update_fields=["state", "closed_at", "lock", "claimed_by", "claimed_until"])
    append_change(write, case, change, what)


def append_change(write: Write, case: Case, change: CaseChange.Change, what: str) -> None:
    change_of(write, case, change, what).save(force_insert=True)


def change_of(write: Write, case: Case, change: CaseChange.Change, what: str) -> CaseChange:
    return CaseChange(
        workspace=write.workspace,
        case=case,
        lock=case.lock,
        change=change,
        what=what[:500],
        write=write,
        recorded_at=write.recorded_at,
    )
