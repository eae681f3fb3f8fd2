"""From draft to accepted: submitted on a named revision, returned, accepted, reopened, ended."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from formsengine.bindings.applying import Applier
from formsengine.bindings.planning import Planner
from formsengine.log import lifecycle
from formsengine.log.commits import Clock
from formsengine.log.response import Response
from formsengine.log.writing import Result
from formsengine.models import FormOutcome, FormResponse
from formsengine.problems import Refused
from formsengine.queries.filled import UNREAD, responses, writer
from formsengine.queries.loading import loaded
from formsengine.refusals import refused
from formsengine.services.filling import Written
from formsengine.services.storing import clock, held, keep
from memoryapp.doors.errors import Conflict, DomainError, NotFound, Stale
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal


def submit(write: Write, response_id: uuid.UUID, *, base: int, key: str = "") -> tuple[Written, list[FormOutcome]]:
    """Submission of exactly what the writer saw, and what it writes into memory, in one transaction.

    The same again is the same submission and writes nothing. Raises Stale with the difference, Invalid `blocked` with
    everything in the way, Conflict `key_reused`.
    """
    write.by.require("fill_forms")
    row = held(write, response_id)
    with refused():
        result = lifecycle.submit(loaded(row), writer(write.by), clock(write, row), base=base, key=key)
    if result.repeated:
        number = result.response.submission
        return Written(row, result.response, [], repeated=True), list(row.outcomes.filter(submission=number))
    response = keep(write, row, result)
    return Written(row, response, []), Applier(write, row, response, response.submission).apply()


def planned(by: Principal, row: FormResponse, *, base: int, at: Clock) -> list[dict[str, Any]]:
    """What submitting would write into memory: create, update, corroborate, retract, review, line by line."""
    with refused():
        result = lifecycle.submit(loaded(row), writer(by), at, base=base)
    if result.repeated:
        return []
    items = Planner(by, row, result.response, result.response.submission).items()
    return [item.told() for item in items if item.problem or str(item.act) != "nothing"]


def send_back(write: Write, response_id: uuid.UUID, *, reason: str, notes: Sequence[Mapping[str, str]] = ()) -> Written:
    """Returned to whoever fills it, with a note for each field that needs another look."""

    def act(response: Response, row: FormResponse) -> Result:
        named = [_by_uid(response, note) for note in notes]
        return lifecycle.send_back(response, writer(write.by), clock(write, row), reason=reason, notes=named)

    return _settle(write, response_id, act)[0]


def accept(write: Write, response_id: uuid.UUID, *, amendments: Sequence[str] = (), base: int | None = None) -> Written:
    """Accepted and locked. Amendments that are named become part of it, and what they change is written into memory.

    Raises Stale `changed` where anything was said after `base`, the commit that the reviewer saw.
    """

    def act(response: Response, row: FormResponse) -> Result:
        _refuse_changed(response, base)
        return lifecycle.accept(response, writer(write.by), clock(write, row), amendments=amendments)

    done, before = _settle(write, response_id, act)
    if done.response.submission != before:
        Applier(write, done.row, done.response, done.response.submission).apply()
    return done


def reopen(write: Write, response_id: uuid.UUID, *, reason: str) -> Written:
    """Open again from its last submission, below which undo does not reach."""

    def act(response: Response, row: FormResponse) -> Result:
        return lifecycle.reopen(response, writer(write.by), clock(write, row), reason=reason)

    return _settle(write, response_id, act)[0]


def void(write: Write, response_id: uuid.UUID, *, reason: str) -> Written:
    """Ended without a result."""

    def act(response: Response, row: FormResponse) -> Result:
        return lifecycle.void(response, writer(write.by), clock(write, row), reason=reason)

    return _settle(write, response_id, act, needs="fill_forms")[0]


def revive(write: Write, response_id: uuid.UUID, *, reason: str) -> Written:
    """What was ended as a draft again, by a person."""

    def act(response: Response, row: FormResponse) -> Result:
        return lifecycle.revive(response, writer(write.by), clock(write, row), reason=reason)

    return _settle(write, response_id, act)[0]


def find(
    write: Write, response_id: uuid.UUID, *, gate: str, outcome: str, reason: str = "", base: int | None = None
) -> Written:
    """What a check or an approval found.

    Raises Stale `changed` where anything was said after `base`, the commit that whoever looked saw.
    """

    def act(response: Response, row: FormResponse) -> Result:
        _refuse_changed(response, base)
        return lifecycle.found(response, writer(write.by), clock(write, row), gate=gate, outcome=outcome, reason=reason)

    return _settle(write, response_id, act)[0]


def _refuse_changed(response: Response, base: int | None) -> None:
    if base is not None and base != response.number:
        message = "It changed after you saw it. Look at it again."
        raise Stale(message, code="changed", extra={"commit": response.number})


def _settle(
    write: Write,
    response_id: uuid.UUID,
    act: Callable[[Response, FormResponse], Result],
    needs: str = "review_forms",
) -> tuple[Written, int]:
    """The act decided on the response as it stands, stored; and the submission there was before."""
    write.by.require(needs)
    row = held(write, response_id)
    before = loaded(row)
    with refused():
        result = act(before, row)
    return Written(row, keep(write, row, result), result.verdicts), before.submission


def _by_uid(response: Response, note: Mapping[str, str]) -> dict[str, str]:
    """A note under the permanent name of its field, and its row."""
    from formsengine.log.addresses import find_field

    found = find_field(response.plan, response.rows, note["field"])
    return {"field": found.planned.uid, "row": found.row, "note": note["note"]}


def _in_the_way_of_accepting(by: Principal, row: FormResponse) -> str:
    """Why accepting the response as it stands would pass over something; empty when it would not."""
    response = loaded(row)
    if response.conflicts:
        count = sum(len(waiting) for waiting in response.conflicts.values())
        return f"{count} proposed answer{'s wait' if count > 1 else ' waits'} for a person: look at it by itself."
    try:
        lifecycle.accept(response, writer(by), Clock(row.changed_at, row.zone))
    except Refused as refusal:
        return refusal.message
    return ""


def seen_together(by: Principal, ids: Sequence[uuid.UUID]) -> list[FormResponse]:
    """These responses, those of them that are in sight, the one that has waited longest first."""
    found = responses(by).select_related("started_under").defer(*UNREAD)
    return list(found.filter(pk__in=ids).order_by("changed_at", "pk"))


def left_because(by: Principal, row: FormResponse | None, base: int | None) -> DomainError | None:
    """Why a submission, seen at the commit `base`, is not among several that are accepted; None when it is."""
    if row is None:
        return NotFound("There is no such response.", code="no_such_response")
    if base is None:
        return Conflict("It was not looked at.", code="not_looked_at")
    if base != row.lock:
        return Stale("It changed after you saw it. Look at it again.", code="changed")
    words = _in_the_way_of_accepting(by, row)
    return Conflict(words, code="not_accepted") if words else None
