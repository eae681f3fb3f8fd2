"""A form given to several people at once, about several things: one response for each pair."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence

from formsengine.inputs import Opening
from formsengine.models import Form
from formsengine.services.filling import Written, open_response
from memoryapp.doors.errors import Invalid
from memoryapp.ledger.models import Write

MOST = 100
"""Responses opened by one act."""


def hand_out(
    write: Write,
    form: Form,
    *,
    to: Sequence[uuid.UUID],
    about: Sequence[uuid.UUID] = (),
    due_at: dt.datetime | None = None,
) -> list[Written]:
    """Open a response for each of these actors about each of these nodes, to be filled by `due_at`; all or none.

    Raises Invalid for nobody and for more than a hundred, NotFound for a node out of sight, Conflict `not_live`.
    """
    write.by.require("fill_forms")
    pairs = [(actor, node) for actor in dict.fromkeys(to) for node in dict.fromkeys(about or (None,))]
    if not 0 < len(pairs) <= MOST:
        message = "Say who is to fill it." if not pairs else f"These would be {len(pairs)} responses."
        raise Invalid.at("/to", "too_many" if pairs else "missing", message, f"1 to {MOST} responses")
    return [
        open_response(write, Opening(str(form.pk), node, assigned_to=actor, due_at=due_at)) for actor, node in pairs
    ]
