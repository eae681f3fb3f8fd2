"""Taking a source back: nothing stands on it any more. And who else must answer to that.

The source itself stays, word for word, and can be given its place again. A higher room registers how what it made of
sources answers, in the same transaction.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoryapp.doors.errors import Conflict
from memoryapp.ledger.models import Workspace, Write
from memoryapp.sources import queries
from memoryapp.sources.models import Withdrawal, WithdrawnSource

Ids = Sequence[uuid.UUID]


@dataclass(frozen=True)
class Resting:
    """How a room answers for what rests on sources.

    `withdraw(write, sources)` and `lift(write, sources)` are called after the sources are marked, or are no longer.
    `traces(workspace, sources)` counts what the room still serves of their words; a withdrawal is complete at none.
    """

    withdraw: Callable[[Write, Ids], None]
    lift: Callable[[Write, Ids], None]
    traces: Callable[[Workspace, Ids], int] = lambda workspace, sources: 0


_rooms: dict[str, Resting] = {}


def rests_on_source(room: str, resting: Resting) -> None:
    """Register how a room answers. Rooms are asked in the order of registering: lower floors first."""
    _rooms[room] = resting


def withdraw(write: Write, *, source: uuid.UUID | None = None, thread: uuid.UUID | None = None) -> Withdrawal:
    """Take back a source, or a thread with every turn told so far. What is told to the thread later stands.

    Needs `withdraw`. Raises NotFound, and Conflict `already_withdrawn` when nothing of it is left to take back.
    """
    write.by.require("withdraw")
    ids = queries.sources_of(write.by, source=source, thread=thread)
    taken = set(WithdrawnSource.objects.filter(source__in=ids, in_force=True).values_list("source", flat=True))
    ids = [one for one in ids if one not in taken]
    if not ids:
        raise Conflict("It is taken back already.", code="already_withdrawn")
    return _take(write, ids, source_id=source, thread_id=thread)


def withdraw_erased(write: Write, ids: Ids) -> Withdrawal:
    """Take back for good the sources that the erasure of this write destroys."""
    gone = queries.taken_back(ids)
    return _take(write, [one for one in ids if one not in gone])


def _take(write: Write, ids: Ids, **what: uuid.UUID | None) -> Withdrawal:
    withdrawal = Withdrawal.objects.create(
        workspace=write.workspace, write=write, recorded_at=write.recorded_at, **what
    )
    WithdrawnSource.objects.bulk_create(
        WithdrawnSource(workspace=write.workspace, withdrawal=withdrawal, source_id=one) for one in ids
    )
    for room in _rooms.values():
        room.withdraw(write, ids)
    return withdrawal


def lift(write: Write, withdrawal: Withdrawal) -> list[uuid.UUID]:
    """Let what was taken back stand again. Returns its sources. Raises Conflict `not_withdrawn`."""
    if withdrawal.lifted_by_id is not None:
        raise Conflict("It is not taken back.", code="not_withdrawn")
    withdrawal.lifted_by = write
    withdrawal.save(update_fields=["lifted_by"])
    taken = withdrawal.sources.filter(in_force=True)
    ids = list(taken.order_by("pk").values_list("source", flat=True))
    taken.update(in_force=False)
    for room in _rooms.values():
        room.lift(write, ids)
    return ids


def traces(workspace: Workspace, sources: Ids) -> int:
    """How much of the words of these sources is still served anywhere."""
    return sum(room.traces(workspace, sources) for room in _rooms.values())
