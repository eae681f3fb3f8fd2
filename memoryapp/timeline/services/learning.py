"""That a belief was learned from an episode. What it stands on is its own evidence; this is the way back and forth."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Belief
from memoryapp.ledger.models import Write
from memoryapp.timeline import queries
from memoryapp.timeline.models import Episode, EpisodeBelief

MOST = 200
"""Beliefs linked in one request."""


def learned_from(write: Write, episode_id: uuid.UUID, beliefs: Sequence[uuid.UUID]) -> list[EpisodeBelief]:
    """Note that these beliefs were learned from the episode; what was noted before is no error and nothing new.

    Raises NotFound for the episode, Invalid that names every belief that is not there.
    """
    write.by.require("record_episodes")
    return link(write, queries.episode(write.by, episode_id), beliefs)


def link(write: Write, episode: Episode, beliefs: Sequence[uuid.UUID]) -> list[EpisodeBelief]:
    """The links that are new."""
    wanted = list(dict.fromkeys(beliefs))
    if not wanted:
        return []
    if len(wanted) > MOST:
        raise Invalid.at("/beliefs", "too_many", "These are too many.", f"at most {MOST}")
    seen = set(Belief.objects.visible_to(write.by).filter(pk__in=wanted).values_list("pk", flat=True))
    if missing := [place for place, one in enumerate(wanted) if one not in seen]:
        place = f"/beliefs/{missing[0]}"
        raise Invalid.at(place, "no_such_belief", "There is no such belief.", "a belief of this workspace")
    known = set(EpisodeBelief.objects.filter(episode=episode, belief__in=wanted).values_list("belief", flat=True))
    made = [
        EpisodeBelief(
            workspace=write.workspace, episode=episode, belief_id=one, write=write, recorded_at=write.recorded_at
        )
        for one in wanted
        if one not in known
    ]
    return EpisodeBelief.objects.bulk_create(made)
