"""What the language model and the embedder have cost a workspace, for the page of its settings."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.conf import settings
from django.db.models import Q
from django.utils import timezone

from memoryapp.index.embedding import client as embedder
from memoryapp.index.embedding.making import budget_of as budget_of_vectors
from memoryapp.index.language import asking, client
from memoryapp.ledger.principal import Principal

VECTORS = Q(purpose=asking.EMBEDDING)


WITHOUT = {
    "Language model": "None. The rules read what is told; everything works without one.",
    "Embedder": "None. What is searched is found by its words.",
}


def every(by: Principal) -> list[dict[str, Any]]:
    """Both, each with what is said where there is none."""
    found = {"Language model": told(by), "Embedder": told_of_vectors(by)}
    return [{"title": title, "without": WITHOUT[title], "spent": spent} for title, spent in found.items()]


def told(by: Principal) -> dict[str, Any]:
    """The model, the budget of a day with what is left of it, and what was spent today, this month and in all."""
    if not client.configured():
        return {}
    return _spent(by, str(settings.MODEL_NAME), asking.budget_of(by.workspace), ~VECTORS)


def told_of_vectors(by: Principal) -> dict[str, Any]:
    """The same of the embedder."""
    if not embedder.configured():
        return {}
    return _spent(by, str(settings.EMBEDDING_NAME), budget_of_vectors(by.workspace), VECTORS)


def _spent(by: Principal, name: str, budget: int, calls: Q) -> dict[str, Any]:
    today = timezone.now().astimezone(dt.UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    spans = (("Today", today), ("This month", today.replace(day=1)), ("In all", None))
    return {
        "name": name,
        "budget": budget,
        "left": max(0, budget - asking.tokens_since(by.workspace, today, calls)),
        "spans": [
            {"title": title, "figures": [(name.replace("_", " "), value) for name, value in spent.items()]}
            for title, since in spans
            if (spent := asking.spent_by(by.workspace, since, calls))
        ],
    }
