"""Several cases at once: what one verdict would do with each of them, said before it is done."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet

from memoryapp.ledger.principal import Principal
from memoryapp.review import registry
from memoryapp.review.models import Case, Decision
from memoryapp.review.queries.decided import decisions
from memoryapp.review.queries.subjects import bring_subjects, with_subjects
from memoryapp.review.registry import Verdict

MOST = 100
"""Cases that are decided together at most."""


@dataclass(frozen=True)
class Outlook:
    """What a verdict would do with one case: settle it, or not, because."""

    case: Case
    why_not: str = ""


def some(by: Principal, case_ids: Sequence[uuid.UUID], most: int = MOST) -> list[Case]:
    """These cases, those in sight, in the order in which they were named."""
    by.require("read_cases")
    named = Case.objects.visible_to(by).filter(pk__in=case_ids[:most])
    named = named.select_related("claimed_by", "assignee", "write__actor")
    found = {case.pk: case for case in bring_subjects(with_subjects(named))}
    return [found[one] for one in dict.fromkeys(case_ids) if one in found]


def verdicts_for(cases: Sequence[Case]) -> list[tuple[registry.CaseKind, list[Verdict]]]:
    """Of each kind among these cases the verdicts that can be given to several at once."""
    kinds = [registry.kind_named(name) for name in dict.fromkeys(case.kind for case in cases)]
    return [(kind, [verdict for verdict in kind.verdicts if asks_nothing(verdict)]) for kind in kinds]


def outlook(
    by: Principal,
    cases: Sequence[Case],
    kind: str,
    verdict: str,
    rationale: str,
    taken: set[uuid.UUID] | None = None,
) -> list[Outlook]:
    """What giving this verdict of this kind to all of them would do, case by case in their order.

    `taken` is what those before them are about; what these are about is added."""
    chosen = registry.kind_named(kind).verdict(verdict)
    taken = set() if taken is None else taken
    found = []
    for case in cases:
        subjects = {one.subject_id for one in case.subjects.all()}
        why_not = _why_not(by, case, kind, chosen, rationale, subjects & taken)
        if not why_not:
            taken |= subjects
        found.append(Outlook(case, why_not))
    return found


def batch(by: Principal, batch_id: uuid.UUID) -> QuerySet[Decision]:
    """What was decided together, in the order in which it was."""
    return decisions(by).filter(batch_id=batch_id, undoes__isnull=True).order_by("decided_at", "pk")


def asks_nothing(verdict: Verdict) -> bool:
    """Whether a verdict can be given to several cases at once."""
    return not verdict.alone and not verdict.opens and not any(one.required for one in verdict.asks)


def _why_not(
    by: Principal, case: Case, kind: str, chosen: Verdict | None, rationale: str, shared: set[uuid.UUID]
) -> str:
    if case.kind != kind:
        return "It is another kind of case, which has verdicts of its own."
    if case.state != Case.State.OPEN:
        return "It is decided already." if case.state == Case.State.DECIDED else "It no longer asks anything."
    if chosen is None or not asks_nothing(chosen):
        return "This verdict is given to one case at a time."
    if chosen.rationale_required and not rationale.strip():
        return "This verdict needs a reason."
    if shared:
        return "It is about something that another of these is about; decide it after that one."
    return registry.kind_named(kind).blocked(by, case).get(chosen.key, "")
