"""Why an episode is there: who recorded it, what it is known from, what was said of it before, what was learned."""

from __future__ import annotations

import uuid

from memoryapp.graph.queries.told import Told, provenance
from memoryapp.graph.queries.told import told as told_belief
from memoryapp.graph.queries.why import served
from memoryapp.ledger.principal import Principal
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries.episodes import known_from, learned, revisions
from memoryapp.timeline.queries.told import told, told_revision

MOST = 200
"""Beliefs listed of one episode. Where there are more, the answer says so."""


def why(by: Principal, episode_id: uuid.UUID) -> Told | None:
    """Everything behind an episode in sight; None when there is none of this id."""
    if not by.may("read_timeline"):
        return None
    found = Episode.objects.visible_to(by).filter(pk=episode_id).select_related("write__actor").first()
    if found is None:
        return None
    said = revisions(found)
    beliefs = list(learned(by, found)[: MOST + 1])
    return {
        "episode": told(said[0]),
        "recorded": provenance(found.write),
        "sources": known_from(by, said[0].revision),
        "history": [told_revision(one) for one in said],
        "beliefs": [told_belief(one) for one in beliefs[:MOST]],
        "cut": len(beliefs) > MOST,
        "served": served(by, found.pk),
    }
