"""The time until which a response is to be filled, as it is typed."""

from __future__ import annotations

import datetime as dt

from memoryapp.doors import moments
from memoryapp.doors.errors import Invalid
from memoryapp.ledger.principal import Principal

ACCEPTED = "2026-05-12T17:00"


def until(by: Principal, text: str) -> dt.datetime | None:
    """A day, or a day and time as it is read in the zone of the workspace. None where nothing is typed."""
    if not text.strip():
        return None
    try:
        return moments.parse(text.strip(), time_zone=by.workspace.time_zone).instant
    except moments.NotAMoment as error:
        message = "This is not a day and time." if error.code == "not_a_time" else str(error)
        raise Invalid.at("due", "not_a_time", message, ACCEPTED) from error
