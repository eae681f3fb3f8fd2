"""Every read of the timeline."""

from memoryapp.timeline.queries.episodes import (
    EVERYTHING,
    Asked,
    between,
    episode,
    episodes,
    history,
    known_from,
    last_recorded,
    latest,
    learned,
    recallable,
    revisions,
    shown,
    timeline,
    with_details,
)
from memoryapp.timeline.queries.told import Shown, told, told_revision

__all__ = [
    "EVERYTHING",
    "Asked",
    "Shown",
    "between",
    "episode",
    "episodes",
    "history",
    "known_from",
    "last_recorded",
    "latest",
    "learned",
    "recallable",
    "revisions",
    "shown",
    "timeline",
    "told",
    "told_revision",
    "with_details",
]
