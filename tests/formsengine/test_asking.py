"""The ledger of asking: what was asked is noted, shown to whoever asks next, and takes no answer away."""

from __future__ import annotations

from datetime import UTC, datetime

from formsengine.definition.builder import FormBuilder
from formsengine.definition.publish import publish
from formsengine.log.commits import Clock, Writer
from formsengine.log.response import Response, prepared, replay
from formsengine.log.writing import Patch, values, write
from formsengine.view.shown import view

CLOCK = Clock(datetime(2026, 5, 15, 9, 0, tzinfo=UTC))
DESK = Writer("desk", "rest", session="call-7")


def test_what_was_asked_is_told_to_whoever_asks_next_and_undo_does_not_reach_it() -> None:
    form = FormBuilder("visit", "A visit")
    with form.step("who", "Who"):
        form.asked("name", "Name")
        form.asked("age", "Age")
    ready = prepared(publish(form.compile()))
    response = write(Response("r", ready), DESK, Patch(values(name="Ana")), CLOCK).response
    ask = {"op": "ask", "field": "Age", "words": "And how old are you?"}
    done = write(response, DESK, Patch([ask]), CLOCK)
    assert done.verdicts[0]["verdict"] == "noted"
    shown = view(done.response)["ask"]
    assert shown[0]["asked"] == {"times": 1, "at": CLOCK.at.isoformat(), "by": "desk"}
    again = write(done.response, DESK, Patch([{"op": "undo"}]), CLOCK).response
    assert [entry["field"] for entry in view(again)["ask"]] == ["name", "age"]
    assert replay("r", ready, [each.as_data() for each in again.commits]).asked == {("age", ""): (2,)}
