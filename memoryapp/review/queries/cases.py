"""One case with all it takes to decide it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry
from memoryapp.review.models import Case, CaseChange, Decision
from memoryapp.review.queries.happened import happened
from memoryapp.review.queries.judging import precedents
from memoryapp.review.queries.subjects import bring_subjects, with_subjects
from memoryapp.review.registry import Suggestion, Verdict


@dataclass(frozen=True)
class Choice:
    """A verdict as it is offered: chosen by `digit`, or not now, because."""

    digit: int
    verdict: Verdict
    blocked: str = ""


@dataclass(frozen=True)
class Presented:
    """A case with everything needed to decide it."""

    case: Case
    kind: registry.CaseKind
    view: dict[str, Any]
    choices: list[Choice]
    suggestion: Suggestion | None
    changes: list[CaseChange]
    policy: str = ""
    precedents: list[Decision] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)


def case(by: Principal, case_id: uuid.UUID) -> Case:
    """One case with what it is about."""
    by.require("read_cases")
    named = Case.objects.visible_to(by).filter(pk=case_id).select_related("claimed_by", "assignee", "write__actor")
    found = bring_subjects(with_subjects(named))
    if not found:
        raise NotFound("There is no such case.", code="no_such_case")
    return found[0]


def presented(by: Principal, case_id: uuid.UUID) -> Presented:
    """A case with everything needed to decide it: the view of its kind, the verdicts, a suggestion, its history."""
    return shown(by, case(by, case_id))


def shown(by: Principal, found: Case) -> Presented:
    """The same of a case that was found already."""
    kind = registry.kind_named(found.kind)
    is_open = found.state == Case.State.OPEN
    blocked = kind.blocked(by, found) if is_open else {}
    changes, decisions = happened(found)
    return Presented(
        case=found,
        kind=kind,
        view=kind.present(by, found),
        choices=[
            Choice(digit, verdict, blocked.get(verdict.key, "")) for digit, verdict in enumerate(kind.verdicts, start=1)
        ],
        suggestion=kind.suggest(by, found) if is_open else None,
        changes=changes,
        policy=kind.policy(by, found) if is_open else "",
        precedents=precedents(by, found) if is_open else [],
        decisions=decisions,
    )


def about(by: Principal, subject_ids: list[uuid.UUID]) -> dict[uuid.UUID, list[Case]]:
    """The cases about each of these things, open and closed, oldest first, in two queries."""
    cases: QuerySet[Case] = (
        Case.objects.visible_to(by)
        .filter(subjects__subject_id__in=subject_ids)
        .distinct()
        .order_by("opened_at", "pk")
        .prefetch_related("subjects")
    )
    found: dict[uuid.UUID, list[Case]] = {subject_id: [] for subject_id in subject_ids}
    for each in cases:
        for subject_id in {subject.subject_id for subject in each.subjects.all()} & found.keys():
            found[subject_id].append(each)
    return found
