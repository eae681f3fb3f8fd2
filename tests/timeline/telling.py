"""What tests of the timeline say in one line: something happened at a time, with somebody."""

from __future__ import annotations

from typing import Any

from memoryapp.doors.moments import Moment, parse
from memoryapp.graph.models import Node
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.timeline import services
from memoryapp.timeline.inputs import Amendment, EpisodeInput, Happened, Taking
from memoryapp.timeline.models import Episode, EpisodeRevision


def moment(text: str) -> Moment:
    """`moment("2026-03-02")`, or with a time and its offset."""
    return parse(text)


def happened(at: str = "", since: str = "", until: str = "") -> Happened:
    found = [moment(text) if text else None for text in (at, since, until)]
    return Happened(*found)


class Timeline:
    """A workspace as one principal tells what happened in it."""

    def __init__(self, by: Principal) -> None:
        self.by = by

    def do(self, act: Any, by: Principal | None = None) -> Any:
        return record(by or self.by, "test", act)

    def happened(
        self,
        content: str,
        *people: Node | tuple[Node, str],
        kind: str = "event",
        at: str = "",
        since: str = "",
        until: str = "",
        **more: Any,
    ) -> Episode:
        told = self.told(content, *people, kind=kind, at=at, since=since, until=until, **more)
        episode: Episode = self.do(lambda write: services.record_episode(write, told)).episode
        return episode

    def told(
        self,
        content: str,
        *people: Node | tuple[Node, str],
        kind: str = "event",
        at: str = "",
        since: str = "",
        until: str = "",
        **more: Any,
    ) -> EpisodeInput:
        takings = [Taking(one[0].pk, one[1]) if isinstance(one, tuple) else Taking(one.pk) for one in people]
        when = happened(at or ("" if since or until else "2026-03-02T12:00:00Z"), since, until)
        return EpisodeInput(kind, content, when, tuple(takings), **more)

    def amend(self, episode: Episode, reason: str = "It was not so.", by: Principal | None = None, **more: Any) -> Any:
        lock = Episode.objects.get(pk=episode.pk).lock
        revision: EpisodeRevision = self.do(
            lambda write: services.amend(write, episode.pk, Amendment(**more), reason=reason, lock=lock), by
        )
        return revision

    def retract(self, episode: Episode, reason: str = "It never happened.", by: Principal | None = None) -> Any:
        lock = Episode.objects.get(pk=episode.pk).lock
        return self.do(lambda write: services.retract(write, episode.pk, reason=reason, lock=lock), by)

    def reinstate(self, episode: Episode, reason: str = "It did happen.") -> Any:
        lock = Episode.objects.get(pk=episode.pk).lock
        return self.do(lambda write: services.reinstate(write, episode.pk, reason=reason, lock=lock))
