"""What is not indexed yet, and what is no longer as it was indexed."""

from __future__ import annotations

import uuid

from django.db.models import Exists, F, OuterRef, Q, QuerySet, TextChoices

from memoryapp.index.models import Embedding, IndexEntry
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


class Standing(TextChoices):
    """How something stands in the index: it says nothing to be searched; a job reads it anew; it is found by its words;
    by its vectors as well."""

    NONE = "none"
    WAITING = "waiting"
    WORDS = "words"
    MEANING = "meaning"


def standing(workspace: Workspace, target_type: str, target_id: uuid.UUID) -> Standing:
    """How it stands now. One query."""
    entries = IndexEntry.objects.filter(workspace=workspace, target_type=target_type, target_id=target_id)
    vector = Exists(Embedding.objects.filter(entry=OuterRef("pk")))
    rows = list(entries.annotate(vector=vector).values_list("built_sequence", "wanted_sequence", "vector"))
    if not rows:
        return Standing.NONE
    if any(built is None or built < wanted for built, wanted, _ in rows):
        return Standing.WAITING
    return Standing.MEANING if all(has for _, _, has in rows) else Standing.WORDS
