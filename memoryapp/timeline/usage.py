"""How many rows of the timeline use a part of the declared types."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.db.models import Count

from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.usage import Part
from memoryapp.timeline.models import Audience, Episode, EpisodeParticipant, EpisodeRevision


def count(workspace: Workspace, part: Part) -> int:
    """How many stored rows use it; of a class of nodes, those that take part are counted where the nodes are."""
    if part.family != "episode_kinds":
        return 0
    if not part.part:
        return Episode.objects.filter(workspace=workspace, kind__in=part.types).count()
    if part.part == "role":
        taking = EpisodeParticipant.objects.filter(workspace=workspace, role=part.name, episode__kind__in=part.types)
        return taking.values("episode").distinct().count()
    revisions = EpisodeRevision.objects.filter(workspace=workspace, episode__kind__in=part.types)
    if part.part == "value":
        return revisions.filter(**{f"properties__{part.name}": part.value}).count()
    return revisions.filter(properties__has_key=part.name).count()


def by_type(by: Principal) -> Iterator[tuple[str, str, int]]:
    """How many episodes in sight are stored of each kind."""
    episodes = Episode.objects.visible_to(by).order_by().values_list("kind").annotate(n=Count("pk"))
    for name, count in episodes:
        yield "episode_kind", name, count


def narrow(workspace: uuid.UUID, ids: frozenset[uuid.UUID]) -> bool:
    """Whether one of these is an episode that only some may be served."""
    return Episode.objects.filter(workspace=workspace, pk__in=ids).exclude(audience=Audience.WORKSPACE).exists()
