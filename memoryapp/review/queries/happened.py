"""What happened to a case: its changes and the decisions on it."""

from __future__ import annotations

from django.db.models import FilteredRelation

from memoryapp.review.models import Case, CaseChange, Decision


def happened(case: Case) -> tuple[list[CaseChange], list[Decision]]:
    """The changes of a case in their order and the decisions on it, the earliest first, in one query.

    A case that was only opened is its own whole history, and nothing is asked.
    """
    if case.lock == 1:
        return [_opening(case)], []
    found = CaseChange.objects.filter(case=case).order_by("lock", "pk")
    joined = found.annotate(decided=FilteredRelation("write__decisions"))
    changes: dict[object, CaseChange] = {}
    decisions: dict[object, Decision] = {}
    for change in joined.select_related("write__actor", "decided__decided_by"):  # type: ignore[misc]
        changes.setdefault(change.pk, change)
        decision: Decision | None = getattr(change, "decided", None)
        if decision is not None and decision.case_id == case.pk:
            decision.case, decision.write = case, change.write
            decisions.setdefault(decision.pk, decision)
    taken_back = {one.undoes_id: one for one in decisions.values() if one.undoes_id}
    undone_by = Decision._meta.get_field("undone_by")
    for decision in decisions.values():
        undone_by.set_cached_value(decision, taken_back.get(decision.pk))
    return list(changes.values()), sorted(decisions.values(), key=lambda one: (one.decided_at, one.round))


def _opening(case: Case) -> CaseChange:
    """The change by which a case opened, as it is stored."""
    return CaseChange(
        workspace_id=case.workspace_id,
        case=case,
        lock=1,
        change=CaseChange.Change.OPENED,
        what=case.reason,
        write=case.write,
        recorded_at=case.opened_at,
    )
