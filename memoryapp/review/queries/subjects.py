"""What cases are about, found with the cases themselves."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import OuterRef, QuerySet

from memoryapp.ledger.together import Rows, read
from memoryapp.review.models import Case, CaseSubject


def with_subjects(found: QuerySet[Case]) -> QuerySet[Case]:
    """These cases, each with what it is about in the same query: see `bring_subjects`."""
    subjects = CaseSubject.objects.filter(case=OuterRef("pk")).order_by("pk")
    return found.annotate(about_what=Rows(subjects, "pk", "role", "subject_type", "subject_id"))


def bring_subjects(cases: Iterable[Case]) -> list[Case]:
    """The cases of `with_subjects`, whose subjects need not be asked for any more."""
    found = list(cases)
    for case in found:
        subjects: Any = case.subjects.all()
        subjects._result_cache = [_subject(case, *values) for values in read(case.about_what)]  # type: ignore[attr-defined]
        subjects._prefetch_done = True
        kept: Any = case.__dict__.setdefault("_prefetched_objects_cache", {})
        kept["subjects"] = subjects
    return found


def _subject(case: Case, pk: str, role: str, subject_type: str, subject_id: str) -> CaseSubject:
    subject = CaseSubject(
        pk=uuid.UUID(pk),
        workspace_id=case.workspace_id,
        case=case,
        role=role,
        subject_type=subject_type,
        subject_id=uuid.UUID(subject_id),
    )
    subject._state.adding, subject._state.db = False, case._state.db
    return subject
