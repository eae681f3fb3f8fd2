"""Episodes as the console's templates take them."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.utils import timezone

from memoryapp.doors.moments import Precision
from memoryapp.doors.pages import address
from memoryapp.graph.models import Node
from memoryapp.ledger.principal import Principal
from memoryapp.timeline.models import EpisodeRevision, Span, State
from memoryapp.timeline.queries.told import Shown

BADGES = {State.RETRACTED: "retracted", State.WITHDRAWN: "withdrawn"}


def card(by: Principal, shown: Shown) -> dict[str, Any]:
    """One line of a list."""
    episode, revision = shown.episode, shown.revision
    thread = str(episode.thread) if episode.thread and by.may("read_sources") else ""
    return {
        "url": address(by, "timeline:episode", episode.pk),
        "words": revision.content or (f"Conversation: {thread}" if thread else ""),
        "kind": episode.kind,
        "state": BADGES.get(State(revision.state), ""),
        "when": when(revision),
        "day": local(revision.ordered_at, revision.occurred_from_precision).date(),
        "people": [person(by, node, role) for node, role in shown.people],
        "amended": revision.sequence > 1,
    }


def person(by: Principal, node: Node, role: str) -> dict[str, str]:
    return {
        "label": node.label,
        "role": role,
        "node_class": node.node_class,
        "url": address(by, "graph:node", node.pk),
    }


def when(revision: EpisodeRevision) -> dict[str, Any]:
    """When it was, for the template's words."""
    return {
        "moment": revision.span == Span.MOMENT,
        "since": revision.occurred_from,
        "until": revision.occurred_to,
        "since_precision": revision.occurred_from_precision,
        "until_precision": revision.occurred_to_precision,
        "same_day": _same_day(revision),
    }


def _same_day(revision: EpisodeRevision) -> bool:
    if revision.occurred_from is None or revision.occurred_to is None:
        return False
    since = local(revision.occurred_from, revision.occurred_from_precision).date()
    return since == local(revision.occurred_to, revision.occurred_to_precision).date()


def local(instant: dt.datetime, precision: str) -> dt.datetime:
    """The time where the page is read; a date stays that date."""
    try:
        zone = timezone.get_current_timezone()
        return instant.astimezone(zone if precision == Precision.INSTANT else dt.UTC)
    except OverflowError:
        return instant
