"""Why an entry is there: who set it, everything that was said of it, and where it was served."""

from __future__ import annotations

import uuid

from memoryapp.context.models import Entry
from memoryapp.context.queries.entries import history, now
from memoryapp.context.queries.told import Told, told, told_revision
from memoryapp.graph.queries.told import provenance
from memoryapp.graph.queries.why import served
from memoryapp.ledger.principal import Principal


def why(by: Principal, entry_id: uuid.UUID) -> Told | None:
    """Everything behind an entry in sight; None when there is none of this id."""
    if not by.may("read_context"):
        return None
    found = Entry.objects.visible_to(by).filter(pk=entry_id).select_related("write__actor").first()
    if found is None:
        return None
    said = history(by, entry_id)
    return {
        "entry": told(said[0], now(by)),
        "recorded": provenance(found.write),
        "history": [told_revision(one) for one in said],
        "served": served(by, found.pk),
    }
