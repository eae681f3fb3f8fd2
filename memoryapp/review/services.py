"""Every write of the room: cases opened, decided, undone; claimed, released, snoozed.

A decision is one transaction with everything it changes in other rooms. Each carries its own `Write`, by which undo
finds what it changed. Nothing here is overwritten: undoing is another decision, and the case is open again.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from django.db.models import Max

from memoryapp.access import capabilities
from memoryapp.doors.errors import Conflict, Invalid, NotFound, Stale, Violation
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.services import actor_named, begin
from memoryapp.review import edits as asked
from memoryapp.review import queries, registry, sight
from memoryapp.review.models import Case, CaseChange, CaseSubject, Decision
from memoryapp.review.registry import CaseKind, Verdict
from memoryapp.review.registry import Subject as Subject

LEASE = dt.timedelta(minutes=15)
"""How long a claim lasts without activity. Others may take over at any time."""

Change = CaseChange.Change


def open_case(
    write: Write,
    *,
    kind: str,
    key: str,
    reason: str,
    subjects: Sequence[tuple[str, str, uuid.UUID]],
    priority: int = 50,
    due: dt.datetime | None = None,
) -> Case | None:
    """Put something before a person.

    The same kind and key that is open already is that case, raised to the higher priority and given what is new of the
    subjects (each a `Subject` or its parts). How far it reaches is asked of its kind now, and kept. None when a
    standing decision said never again. `reason` is a sentence that holds nobody's words.
    """
    registered = registry.kind_named(kind)
    named = [Subject(*subject) for subject in subjects]
    for subject in named:
        if not sight.known(subject.subject_type):
            raise ValueError(f"“{subject.subject_type}” is not registered: see memoryapp.review.sight.register.")
    case = Case.objects.filter(workspace=write.workspace, kind=kind, key=key, state=Case.State.OPEN).first()
    if case is not None:
        return _raised(write, case, named, priority, registered.reach(write, named))
    if _settled_for_good(write, registered, key):
        return None
    case = Case.objects.create(
        workspace=write.workspace,
        kind=kind,
        key=key,
        reason=reason,
        priority=priority,
        reach=registered.reach(write, named),
        due=due,
        write=write,
        opened_at=write.recorded_at,
    )
    _add_subjects(case, named)
    _append_change(write, case, Change.OPENED, reason)
    return case


class Opening(NamedTuple):
    """A case to be opened: see `open_case`."""

    key: str
    reason: str
    subjects: tuple[Subject, ...]
    priority: int = 50


def open_cases(write: Write, kind: str, openings: Sequence[Opening]) -> None:
    """Put several things of a kind before a person: what `open_case` does for each, in a few statements for all."""
    if not openings:
        return
    keys = [opening.key for opening in openings]
    there = {
        case.key: case
        for case in Case.objects.filter(workspace=write.workspace, kind=kind, key__in=keys, state=Case.State.OPEN)
    }
    registered = registry.kind_named(kind)
    new: list[tuple[Case, Opening]] = []
    for opening in openings:
        if opening.key in there:
            _raised(write, there[opening.key], opening.subjects, opening.priority, 0)
        elif not _settled_for_good(write, registered, opening.key):
            case = Case(
                workspace=write.workspace,
                kind=kind,
                key=opening.key,
                reason=opening.reason,
                priority=opening.priority,
                reach=registered.reach(write, opening.subjects),
                write=write,
                opened_at=write.recorded_at,
            )
            new.append((case, opening))
    Case.objects.bulk_create(case for case, _ in new)
    CaseSubject.objects.bulk_create(subject for case, opening in new for subject in _subjects(case, opening.subjects))
    CaseChange.objects.bulk_create(_change(write, case, Change.OPENED, opening.reason) for case, opening in new)


def settle_by_right(write: Write, case: Case, *, verdict: str, edits: Mapping[str, Any] | None = None) -> Decision:
    """Settle an open case for whoever may do what it asks for by themselves: their room checked that right."""
    _refuse_closed(case)
    return _carry_out(write, case, verdict, edits or {})


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
    case = _seen(write, case_id)
    _refuse_closed(case)
    if lock != case.lock:
        raise _stale(case, lock)
    return _carry_out(write, case, verdict, edits or {}, batch_id=batch_id)


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
    _refuse_closed(case)
    return _carry_out(own, case, verdict, edits or {}, policy=policy)


def undo(write: Write, decision_id: uuid.UUID) -> Decision:
    """Take a decision back: everything its write changed is as it was, and the case waits again.

    Itself a decision. Raises Conflict: `already_undone`, `not_undoable` (it is an undoing), `decided_again` when a
    later decision stands on this case or on one that this decision opened, or the code of the room whose later write
    stands in the way.
    """
    write.by.require("decide_cases")
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
    _turn(write, case, Case.State.OPEN, Change.UNDONE, f"{write.by.actor.name} took the decision back.")
    return undone


def void_case(write: Write, case: Case, reason: str = "It no longer asks anything.") -> Case:
    """Close an open case that no longer asks anything, without a decision. A closed one stays as it is."""
    fresh = Case.objects.get(pk=case.pk, workspace=write.workspace)
    if fresh.state == Case.State.OPEN:
        _turn(write, fresh, Case.State.VOID, Change.VOID, reason)
    return fresh


def subject_changed(write: Write, subject_ids: Iterable[uuid.UUID], what: str) -> list[Case]:
    """Say that something open cases are about has changed, so that nobody decides on what they no longer see."""
    about = CaseSubject.objects.filter(workspace=write.workspace, subject_id__in=list(subject_ids)).values("case_id")
    cases = list(Case.objects.filter(workspace=write.workspace, state=Case.State.OPEN, pk__in=about).order_by("pk"))
    for case in cases:
        if not CaseChange.objects.filter(case=case, write=write).exists():
            _turn(write, case, Case.State.OPEN, Change.CHANGED, what)
    return cases


def claim(write: Write, case_id: uuid.UUID) -> Case:
    """Say that one is looking at a case, for the length of a lease; takes over from whoever did before."""
    write.by.require("decide_cases")
    case = _open(write, case_id)
    case.claimed_by, case.claimed_until = write.by.actor, write.recorded_at + LEASE
    case.save(update_fields=["claimed_by", "claimed_until"])
    return case


def release(write: Write, case_id: uuid.UUID) -> Case:
    """Let go of a case one had claimed. Somebody else's claim stays."""
    write.by.require("decide_cases")
    case = _open(write, case_id)
    if case.claimed_by_id == write.by.actor.pk:
        case.claimed_by, case.claimed_until = None, None
        case.save(update_fields=["claimed_by", "claimed_until"])
    return case


def snooze(write: Write, case_id: uuid.UUID, until: dt.datetime) -> Case:
    """Keep a case out of the queue until a time to come."""
    write.by.require("decide_cases")
    case = _open(write, case_id)
    if until <= write.recorded_at:
        raise Invalid.at("/until", "already_over", "That time has passed.", "a time in the future")
    case.snoozed_until = until
    case.save(update_fields=["snoozed_until"])
    return case


def wake(write: Write, case_id: uuid.UUID) -> Case:
    """Bring a snoozed case back at once."""
    write.by.require("decide_cases")
    case = _open(write, case_id)
    case.snoozed_until = None
    case.save(update_fields=["snoozed_until"])
    return case


def _seen(write: Write, case_id: uuid.UUID) -> Case:
    case = Case.objects.visible_to(write.by).filter(pk=case_id).first()
    if case is None:
        raise NotFound("There is no such case.", code="no_such_case")
    return case


def _open(write: Write, case_id: uuid.UUID) -> Case:
    case = _seen(write, case_id)
    _refuse_closed(case)
    return case


def _refuse_closed(case: Case) -> None:
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
    _turn(write, case, Case.State.DECIDED, Change.DECIDED, f"{write.by.actor.name} decided: {chosen.label}.")
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
            _turn(write, case, Case.State.OPEN, Change.REOPENED, "The decision that closed it was taken back.")


def _refuse_opened_again(case: Case) -> None:
    again = Case.objects.filter(workspace=case.workspace, kind=case.kind, key=case.key, state=Case.State.OPEN).first()
    if again is not None:
        message = "The same question has been opened again since; settle that one."
        raise Conflict(message, code="opened_again", extra={"case": str(again.pk)})


def _raised(write: Write, case: Case, subjects: Sequence[Subject], priority: int, reach: int) -> Case:
    if priority > case.priority or reach > case.reach:
        case.priority, case.reach = max(priority, case.priority), max(reach, case.reach)
        case.save(update_fields=["priority", "reach"])
    there = set(case.subjects.values_list("role", "subject_id"))
    more = [subject for subject in subjects if (subject.role, subject.subject_id) not in there]
    if more:
        _add_subjects(case, more)
        _turn(write, case, Case.State.OPEN, Change.CHANGED, "More belongs to this case.")
    return case


def _settled_for_good(write: Write, kind: CaseKind, key: str) -> bool:
    return (
        bool(kind.remembered)
        and Decision.objects.filter(
            case__workspace=write.workspace,
            case__kind=kind.name,
            case__key=key,
            verdict__in=kind.remembered,
            undoes__isnull=True,
            undone_by__isnull=True,
        ).exists()
    )


def _add_subjects(case: Case, subjects: Sequence[Subject]) -> None:
    CaseSubject.objects.bulk_create(_subjects(case, subjects))


def _subjects(case: Case, subjects: Sequence[Subject]) -> list[CaseSubject]:
    return [
        CaseSubject(
            workspace=case.workspace,
            case=case,
            role=subject.role,
            subject_type=subject.subject_type,
            subject_id=subject.subject_id,
        )
        for subject in subjects
    ]


def _turn(write: Write, case: Case, state: Case.State, change: CaseChange.Change, what: str) -> None:
    """The one way a case changes: its lock counts up and the change says what happened."""
    if state != Case.State.OPEN:
        case.claimed_by, case.claimed_until = None, None
    case.state = state
    case.closed_at = None if state == Case.State.OPEN else write.recorded_at
    case.lock += 1
    case.save(update_fields=["state", "closed_at", "lock", "claimed_by", "claimed_until"])
    _append_change(write, case, change, what)


def _append_change(write: Write, case: Case, change: CaseChange.Change, what: str) -> None:
    _change(write, case, change, what).save(force_insert=True)


def _change(write: Write, case: Case, change: CaseChange.Change, what: str) -> CaseChange:
    return CaseChange(
        workspace=write.workspace,
        case=case,
        lock=case.lock,
        change=change,
        what=what[:500],
        write=write,
        recorded_at=write.recorded_at,
    )
