"""Why a response is there: who opened it, who said what and when, what it wrote into memory, what it rests on."""

from __future__ import annotations

import uuid
from typing import Any

from formsengine.models import FormResponse, ResponseState
from formsengine.queries.filled import history, outcomes, told
from memoryapp.graph.queries.told import provenance
from memoryapp.graph.queries.why import served
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source

MOST = 200
"""Commits, and sources, told of one response; where there are more, the answer says so."""


def why(by: Principal, response_id: uuid.UUID) -> dict[str, Any] | None:
    """Everything behind a response in sight; None when there is none of this id."""
    if not by.may("read_forms"):
        return None
    rows = FormResponse.objects.visible_to(by).exclude(state=ResponseState.ERASED).filter(pk=response_id)
    row = rows.select_related(
        "form", "version", "started_under", "subject", "opened_by", "assigned_to", "write__actor"
    ).first()
    if row is None:
        return None
    commits = history(by, row)["commits"]
    cited = Source.objects.visible_to(by).filter(form_citations__response=row).order_by("recorded_at", "pk")
    sources = [{"id": str(one.pk), "kind": one.kind, "said_at": one.said_at} for one in cited[:MOST]]
    return {
        "response": told(row),
        "recorded": provenance(row.write),
        "sources": sources if by.may("read_sources") else [],
        "history": commits[-MOST:],
        "wrote": outcomes(by, row),
        "cut": len(commits) > MOST,
        "served": served(by, row.pk),
    }
