"""What was decided."""

from __future__ import annotations

import uuid

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, Decision


def decisions(by: Principal, *, actor_id: uuid.UUID | None = None, policy: str = "") -> QuerySet[Decision]:
    """What was decided, the latest first; of one actor, or of one policy, when named."""
    by.require("read_cases")
    seen = Case.objects.visible_to(by).filter(pk=OuterRef("case"))
    found = Decision.objects.filter(Exists(seen), workspace=by.workspace)
    if actor_id:
        found = found.filter(decided_by=actor_id)
    if policy:
        found = found.filter(policy=policy)
    return found.select_related("case", "decided_by", "undone_by__decided_by").order_by("-decided_at", "-pk")


def decision(by: Principal, decision_id: uuid.UUID) -> Decision:
    """One decision."""
    found = decisions(by).filter(pk=decision_id).first()
    if found is None:
        raise NotFound("There is no such decision.", code="no_such_decision")
    return found


def standing_decision(case: Case) -> Decision | None:
    """The decision that holds: the latest that is neither undone nor an undoing."""
    standing = case.decisions.filter(undoes__isnull=True, undone_by__isnull=True).select_related("decided_by")
    return standing.order_by("-round").first()
