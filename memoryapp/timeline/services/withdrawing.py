"""How the timeline answers when a source is taken back: what stood on nothing else is out of sight until it returns."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source
from memoryapp.sources.queries import withdrawn as taken_back
from memoryapp.timeline.models import Episode, EpisodeSource, State
from memoryapp.timeline.queries import last_recorded
from memoryapp.timeline.services import revising

FELL = "What it was known from was taken back."
RETURNED = "What it was known from stands again."


def withdrawn(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Take out of sight every episode that was known from these sources and from nothing else that stands."""
    for episode in resting_on(sources).filter(state=State.RECORDED):
        if not _stands(episode):
            revising.withdraw(write, episode, FELL)


def lifted(write: Write, sources: Sequence[uuid.UUID]) -> None:
    """Let those stand again that were taken out of sight for it."""
    for episode in resting_on(sources).filter(state=State.WITHDRAWN):
        if _stands(episode):
            revising.stand_again(write, episode, RETURNED)


def resting_on(sources: Sequence[uuid.UUID]) -> QuerySet[Episode]:
    """Episodes that are known from one of these sources, or whose conversation has one of these turns."""
    cited = EpisodeSource.objects.filter(episode=OuterRef("pk"), source__in=sources)
    threads = Source.objects.filter(pk__in=sources, thread__isnull=False).values("thread")
    by_thread = Episode.objects.filter(thread__in=threads).values("pk")
    return (Episode.objects.filter(Exists(cited)) | Episode.objects.filter(pk__in=by_thread)).order_by("pk")


def _stands(episode: Episode) -> bool:
    gone = taken_back(episode.workspace_id)
    if episode.thread_id is not None:
        return Source.objects.filter(thread=episode.thread_id).exclude(pk__in=gone).exists()
    revision = last_recorded(episode)
    cited = EpisodeSource.objects.filter(revision=revision)
    return not cited.exists() or cited.exclude(source__in=gone).exists()
