"""What the language model has cost a workspace, for the page of its settings."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from memoryapp.index.language import asking, client
from memoryapp.ledger.principal import Principal


def told(by: Principal) -> dict[str, Any]:
    """The model, the budget of a day with what is left of it, and what was spent today, this month and in all."""
    if not client.configured():
        return {}
    today = timezone.now().astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    spent = asking.tokens_since(by.workspace, today, ~Q(purpose=asking.EMBEDDING))
    budget = asking.budget_of(by.workspace)
    spans = (
        ("Today", asking.spent_by(by.workspace, today)),
        ("This month", asking.spent_by(by.workspace, today.replace(day=1))),
        ("In all", asking.spent_by(by.workspace)),
    )
    return {
        "name": settings.MODEL_NAME,
        "budget": budget,
        "left": max(0, budget - spent),
        "spans": [
            {"title": title, "figures": [(name.replace("_", " "), value) for name, value in one.items()]}
            for title, one in spans
        ],
    }
