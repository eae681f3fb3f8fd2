"""What is erased of cases: the words about what goes, in their reasons, changes and decisions."""

from __future__ import annotations

import uuid
from typing import Any

from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Blanks, Eraser, Marked
from memoryapp.ledger.models import Write
from memoryapp.review.models import Batch, BatchItem, Case, CaseChange, CaseRemark, CaseSubject, Decision
from memoryapp.review.services import void_case

ERASED = "Erased."


def register() -> None:
    """Take part in erasures."""
    says = ((Decision, "rationale"), (CaseRemark, "text"), (Batch, "rationale"))
    erasing.register("review", Eraser(_mark, _prepare, says=says, blanks=BLANKS))


def _about(marked: Marked) -> Any:
    subjects = CaseSubject.objects.filter(workspace=marked.workspace, subject_id__in=marked.ids())
    return Case.objects.filter(pk__in=subjects.values("case"))


def _mark(marked: Marked) -> None:
    cases = set(_about(marked).values_list("pk", flat=True))
    marked.add(Case, cases)
    marked.add(CaseChange, CaseChange.objects.filter(case__in=cases).values_list("pk", flat=True))
    marked.add(CaseRemark, CaseRemark.objects.filter(case__in=cases).values_list("pk", flat=True))
    decisions = Decision.objects.filter(case__in=cases)
    marked.add(Decision, decisions.values_list("pk", flat=True))
    marked.add(Write, decisions.values_list("write", flat=True))
    items = BatchItem.objects.filter(case__in=cases)
    marked.add(BatchItem, items.values_list("pk", flat=True))
    marked.add(Batch, items.values_list("batch", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    for case in _about(marked).filter(state=Case.State.OPEN).order_by("pk"):
        void_case(write, case, "What it was about was erased.")


def _key(row: Case) -> str:
    """An id stays, by which the case's kind finds what it is about; the digest of a name does not."""
    try:
        return str(uuid.UUID(row.key))
    except ValueError:
        return f"erased:{row.pk}"


BLANKS: Blanks = {
    (Case, "key"): _key,
    (Case, "reason"): lambda row: ERASED,
    (CaseChange, "what"): lambda row: ERASED,
    (CaseRemark, "text"): lambda row: ERASED,
}
