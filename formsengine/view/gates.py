"""What waits until somebody has looked: each gate that holds a response, whose it is, and until when."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from formsengine.log.response import Response
from formsengine.log.snapshot import PASSED, called


def gates(response: Response, language: str = "") -> Iterator[dict[str, Any]]:
    """Every gate that is open now, in the order of the form, with what was found of it so far.

    `due` is when it should have been decided: so many hours after it opened as the form says. `holds` says whether it
    is in the way of submitting.
    """
    for gate in response.plan.form.gates:
        state = response.gates.get(gate.name)
        if gate.kind != "hold" or state is None or not state.open:
            continue
        due = dt.datetime.fromisoformat(state.since) + dt.timedelta(hours=gate.due_hours) if gate.due_hours else None
        made = {
            "gate": gate.name,
            "title": called(response, gate, language),
            "owner": gate.owner,
            "since": state.since,
            "due": due.isoformat() if due else "",
            "outcome": state.outcome,
            "by": state.by,
            "reason": state.reason,
            "holds": state.outcome not in PASSED,
        }
        yield {name: value for name, value in made.items() if value not in ("", None)}
