"""Cases opened, raised and closed by the rooms whose things they are about."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from memoryapp.ledger.models import Write
from memoryapp.review import registry, sight
from memoryapp.review.models import Case, CaseChange, CaseSubject, Decision
from memoryapp.review.registry import CaseKind, Subject
from memoryapp.review.services.turning import Change, append_change, change_of, turn


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
    append_change(write, case, Change.OPENED, reason)
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
    CaseChange.objects.bulk_create(change_of(write, case, Change.OPENED, opening.reason) for case, opening in new)


def void_case(write: Write, case: Case, reason: str = "It no longer asks anything.") -> Case:
    """Close an open case that no longer asks anything, without a decision. A closed one stays as it is."""
    fresh = Case.objects.get(pk=case.pk, workspace=write.workspace)
    if fresh.state == Case.State.OPEN:
        turn(write, fresh, Case.State.VOID, Change.VOID, reason)
    return fresh


def subject_changed(write: Write, subject_ids: Iterable[uuid.UUID], what: str) -> list[Case]:
    """Say that something open cases are about has changed, so that nobody decides on what they no longer see."""
    about = CaseSubject.objects.filter(workspace=write.workspace, subject_id__in=list(subject_ids)).values("case_id")
    cases = list(Case.objects.filter(workspace=write.workspace, state=Case.State.OPEN, pk__in=about).order_by("pk"))
    for case in cases:
        if not CaseChange.objects.filter(case=case, write=write).exists():
            turn(write, case, Case.State.OPEN, Change.CHANGED, what)
    return cases


def _raised(write: Write, case: Case, subjects: Sequence[Subject], priority: int, reach: int) -> Case:
    if priority > case.priority or reach > case.reach:
        case.priority, case.reach = max(priority, case.priority), max(reach, case.reach)
        case.save(update_fields=["priority", "reach"])
    there = set(case.subjects.values_list("role", "subject_id"))
    more = [subject for subject in subjects if (subject.role, subject.subject_id) not in there]
    if more:
        _add_subjects(case, more)
        turn(write, case, Case.State.OPEN, Change.CHANGED, "More belongs to this case.")
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
