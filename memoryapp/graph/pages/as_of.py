"""What was true at some time, as it was known at some other: both axes of the pages of beliefs, nodes and the graph."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest

from memoryapp.doors import moments
from memoryapp.graph.queries.views import Scope, as_of
from memoryapp.ledger.principal import Principal

AXES = {"valid_at": "Was it true on", "known_at": "by what was known on"}


@dataclass(frozen=True)
class Then:
    """The times a page is asked for; none of them is now."""

    valid_at: dt.datetime | None = None
    known_at: dt.datetime | None = None

    def __bool__(self) -> bool:
        return bool(self.valid_at or self.known_at)


def asked_times(request: HttpRequest, by: Principal) -> tuple[dict[str, str], Then]:
    """What `?at=` and `?known=` say, as typed and as times: the beginning of a day, and all that a day brought.

    Raises Invalid that names the field for what is no time.
    """
    typed = {name: request.GET.get(name, "").strip()[:40] for name in ("at", "known")}
    at = _moment(by, "at", typed["at"]).instant if typed["at"] else None
    return typed, Then(at, _end_of(by, "known", typed["known"]) if typed["known"] else None)


def asked(request: HttpRequest, by: Principal, belief_id: uuid.UUID) -> dict[str, Any]:
    """What the form asks and the answer, when it asks anything. A day counts with all that it brought.

    Raises Invalid that names the field for what is no time.
    """
    typed = {name: request.GET.get(name, "").strip()[:40] for name in AXES}
    answer: dict[str, Any] = {
        "fields": [{"name": name, "label": label, "value": typed[name]} for name, label in AXES.items()],
        "asked": any(typed.values()),
    }
    if answer["asked"]:
        times = {name: _end_of(by, name, text) if text else None for name, text in typed.items()}
        held = as_of(by, Scope(ids=[belief_id]), valid_at=times["valid_at"], known_at=times["known_at"])
        answer |= times | {"held": held.exists()}
    return answer


def _moment(by: Principal, name: str, text: str) -> moments.Moment:
    return moments.given(text, name, time_zone=by.workspace.time_zone)


def _end_of(by: Principal, name: str, text: str) -> dt.datetime:
    moment = _moment(by, name, text)
    if moment.precision == moments.Precision.INSTANT:
        return moment.instant
    return moments.end_of(moment) - dt.timedelta(microseconds=1)
