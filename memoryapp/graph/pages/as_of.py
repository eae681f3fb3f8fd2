"""Whether a belief was held at some time, as it was known at some other: both axes of the page of a belief."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.http import HttpRequest

from memoryapp.doors import moments
from memoryapp.doors.errors import Invalid
from memoryapp.graph.queries.views import Scope, as_of
from memoryapp.ledger.principal import Principal

AXES = {"valid_at": "Was it true on", "known_at": "by what was known on"}


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


def _end_of(by: Principal, name: str, text: str) -> dt.datetime:
    try:
        moment = moments.parse(text, time_zone=by.workspace.time_zone)
    except moments.NotAMoment as error:
        raise Invalid.at(name, error.code, str(error), error.accepted) from error
    if moment.precision == moments.Precision.INSTANT:
        return moment.instant
    return moments.end_of(moment) - dt.timedelta(microseconds=1)
