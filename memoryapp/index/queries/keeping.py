"""What is not indexed yet, and what is no longer as it was indexed."""

from __future__ import annotations

import uuid

from django.db.models import F, Q, QuerySet

from memoryapp.index.models import IndexEntry
from memoryapp.index.texts import shelves
from memoryapp.ledger.models import Workspace


def not_fresh(workspace: Workspace) -> QuerySet[IndexEntry]:
    """Entries whose room has changed since, or which were never built."""
    return IndexEntry.objects.filter(workspace=workspace).filter(
        Q(built_sequence__isnull=True) | Q(built_sequence__lt=F("wanted_sequence"))
    )


def unindexed(workspace: Workspace) -> list[tuple[str, uuid.UUID]]:
    """Targets that a room holds and the index does not, for the integrity command."""
    missing: list[tuple[str, uuid.UUID]] = []
    for target_type, reader in sorted(shelves().items()):
        known = set(
            IndexEntry.objects.filter(workspace=workspace, target_type=target_type).values_list("target_id", flat=True)
        )
        missing.extend((target_type, id) for id in reader.ids(workspace) if id not in known)
    return missing
