"""Batches: one verdict for many cases, and what became of each."""

from __future__ import annotations

import uuid

from django.db.models import Count, QuerySet

from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Batch, BatchItem, Case

MOST_TOGETHER = 100_000
"""Cases of one batch at most."""


def batch_of(by: Principal, batch_id: uuid.UUID) -> Batch | None:
    """A batch of the caller's own."""
    by.require("read_cases")
    mine = Batch.objects.filter(workspace=by.workspace, write__actor=by.actor, pk=batch_id)
    return mine.select_related("write__actor").first()


def counted(batch: Batch) -> dict[str, int]:
    """How many of its cases are in each state."""
    by_state = BatchItem.objects.filter(batch=batch).order_by().values_list("state").annotate(Count("pk"))
    return dict.fromkeys(BatchItem.State.values, 0) | dict(by_state)


def items(by: Principal, batch: Batch, state: str) -> QuerySet[BatchItem]:
    """Its cases in a state, those still in sight, in the order in which they are decided."""
    found = BatchItem.objects.filter(batch=batch, state=state, case__in=Case.objects.visible_to(by).values("pk"))
    return found.select_related("case__claimed_by", "case__assignee", "case__write__actor").order_by("number")
