"""Which revision spoke last, at a time."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.timeline.models import EpisodeRevision


def latest_by(revisions: QuerySet[EpisodeRevision], known_at: dt.datetime | None) -> QuerySet[EpisodeRevision]:
    """Of these revisions those that were the latest of their episode at a time."""
    newer = EpisodeRevision.objects.filter(
        episode=OuterRef("episode"), recorded_at__lte=known_at, sequence__gt=OuterRef("sequence")
    )
    return revisions.filter(recorded_at__lte=known_at).exclude(Exists(newer))


def then(rows: QuerySet[Any], known_at: dt.datetime | None) -> QuerySet[Any]:
    """Of rows that belong to revisions those of the latest at a time."""
    newer = EpisodeRevision.objects.filter(
        episode=OuterRef("episode"), recorded_at__lte=known_at, sequence__gt=OuterRef("revision__sequence")
    )
    return rows.filter(revision__recorded_at__lte=known_at).exclude(Exists(newer))
