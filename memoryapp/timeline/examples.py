"""Episodes as examples of their kinds."""

from __future__ import annotations

from django.db.models import F

from memoryapp.doors.pages import address
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import examples
from memoryapp.ontology.examples import SHOWN, Example
from memoryapp.timeline.models import Episode, EpisodeRevision, State

LONGEST = 160


def register() -> None:
    examples.register("episode_kinds", episodes)


def episodes(by: Principal, name: str) -> list[Example]:
    """The latest episodes of a kind that say something."""
    seen = Episode.objects.visible_to(by).filter(kind=name).order_by("-recorded_at", "-pk").values("pk")
    said = EpisodeRevision.objects.filter(episode__in=seen, sequence=F("episode__lock"), state=State.RECORDED)
    latest = said.exclude(content="").order_by("-recorded_at", "-pk").values_list("episode", "content")[:SHOWN]
    return [Example(content[:LONGEST], address(by, "timeline:episode", pk)) for pk, content in latest]
