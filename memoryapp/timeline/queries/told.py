"""Episodes as plain data: the form in which every answer gives them."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memoryapp.doors import moments
from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import Node
from memoryapp.timeline.models import Episode, EpisodeParticipant, EpisodeRevision, Span

Told = dict[str, Any]


@dataclass(frozen=True)
class Shown:
    """An episode with one revision of it, and who takes part by that one."""

    episode: Episode
    revision: EpisodeRevision
    participants: Sequence[EpisodeParticipant]

    @property
    def people(self) -> list[tuple[Node, str]]:
        """Who takes part and how; one who was folded into another is that other, once in each role."""
        found = [(unfolded(one.node), one.role) for one in self.participants]
        return list({(node.pk, role): (node, role) for node, role in found}.values())


def told(shown: Shown) -> Told:
    """An episode as every answer gives it."""
    episode, revision = shown.episode, shown.revision
    return {
        "id": str(episode.pk),
        "kind": episode.kind,
        "content": revision.content,
        "state": revision.state,
        "occurred_at": when(revision, "occurred_from") if revision.span == Span.MOMENT else None,
        "occurred_from": when(revision, "occurred_from") if revision.span == Span.INTERVAL else None,
        "occurred_to": when(revision, "occurred_to"),
        "participants": [
            {"node": {"id": str(node.pk), "class": node.node_class, "label": node.label}, "role": role}
            for node, role in shown.people
        ],
        "properties": revision.properties,
        "thread": str(episode.thread_id) if episode.thread_id else None,
        "external_id": episode.external_id,
        "audience": episode.audience,
        "recorded_at": episode.recorded_at,
        "amended_at": revision.recorded_at if revision.sequence > 1 else None,
        "lock": episode.lock,
    }


def told_revision(shown: Shown) -> Told:
    """A revision: what was said from then on, by whom and why."""
    revision = shown.revision
    kept = told(shown)
    names = ("content", "state", "occurred_at", "occurred_from", "occurred_to", "participants", "properties")
    return {
        "sequence": revision.sequence,
        **{name: kept[name] for name in names},
        "reason": revision.reason,
        "recorded_at": revision.recorded_at,
        "by": revision.write.actor.name,
        "by_kind": revision.write.actor.kind,
        "action": revision.write.action,
        "channel": revision.write.channel,
    }


def when(revision: EpisodeRevision, name: str) -> str | None:
    """A time as exactly as it was said, in the zone it was said in."""
    instant: dt.datetime | None = getattr(revision, name)
    if instant is None:
        return None
    precision = getattr(revision, f"{name}_precision")
    return moments.render(instant, precision, revision.zone if precision == moments.Precision.INSTANT else "UTC")
