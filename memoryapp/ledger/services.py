"""The one way a write goes: one durable transaction, one `Write` row, in one order per workspace."""

from __future__ import annotations

import datetime as dt
import random
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection, transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import Invalid, Unavailable, Violation
from memoryapp.doors.strict import unreadable_characters
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Actor, Served, ServedItem, Workspace, Write
from memoryapp.ledger.principal import Principal

Result = TypeVar("Result")

ATTEMPTS = 6
PATIENCE = 30.0
"""Seconds for which a writer that loses races goes on trying: an engine may refuse many times within one of them."""
NEXT = F("write_sequence") + 1
LOST_RACE = {"40001", "40P01", "55P03"}
"""SQLSTATEs of a lost race on PostgreSQL: serialization failure, deadlock, lock not available."""


def record(by: Principal, action: str, act: Callable[[Write], Result], rationale: str = "") -> Result:
    """Run `act` with a new `Write` in one durable transaction, and again from the start when it lost a race.

    Guarantees: either everything `act` did and the write's provenance are committed, or nothing is. Writes of one
    workspace run one after another, so `act` may read, decide and append without another writer in between.
    `act` must have no effect outside the database. Raises `Unavailable` when the race was lost `ATTEMPTS` times
    and for as long as `PATIENCE`.
    """
    return _again_when_lost(lambda: act(begin(by, action, rationale)), durable=True)


def begin(by: Principal, action: str, rationale: str = "") -> Write:
    """Open a write inside an open transaction and take the workspace's turn until it commits.

    `recorded_at` is later than that of every earlier write of the workspace, whatever the machine's clock says. Raises
    Invalid `unreadable_text` for a rationale, or a caller's own word, that cannot be stored.
    """
    _refuse_unreadable(by, rationale)
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("A write needs an open transaction.")
    prepared.change(_itself, workspace=by.workspace, to={"write_sequence": NEXT})
    [(sequence, clock)] = prepared.rows(_order, workspace=by.workspace)
    recorded_at = max(timezone.now(), clock + dt.timedelta(microseconds=1))
    prepared.change(_itself, workspace=by.workspace, to={"clock": recorded_at})
    write = Write(
        workspace=by.workspace,
        sequence=sequence,
        actor=by.actor,
        action=action,
        channel=by.channel,
        rationale=rationale,
        run=by.run,
        thread=by.thread,
        model=by.model,
        prompt_version=by.prompt_version,
        trace_id=by.trace_id,
        recorded_at=recorded_at,
    )
    prepared.insert([write])
    write.by, write.after = by, clock
    return write


def _itself(workspace: Workspace) -> QuerySet[Workspace]:
    return Workspace.objects.filter(pk=workspace.pk)


def _order(workspace: Workspace) -> QuerySet[Workspace, Any]:
    return _itself(workspace).values_list("write_sequence", "clock")


def _refuse_unreadable(by: Principal, rationale: str) -> None:
    told = {"rationale": rationale, "run": by.run, "thread": by.thread, "model": by.model}
    wrong = [
        Violation(f"/{name}", "unreadable_text", f"The {name} holds {what}.", "text without it")
        for name, text in told.items()
        if (what := unreadable_characters(text))
    ]
    if wrong:
        raise Invalid.all(wrong)


ServedTarget = tuple[str, uuid.UUID, float | None]
"""What was served: type, id, and its score where it has one."""


def serve(
    by: Principal, form: str, items: Sequence[ServedTarget], *, question: str = "", parameters: Mapping[str, Any]
) -> Served:
    """Note that an answer carried these things to somebody, in their order. The one effect that reading has.

    A short transaction of its own, beside the writes of the workspace: it takes no turn and no sequence number.
    """

    def note() -> Served:
        served = Served(
            workspace=by.workspace,
            actor=by.actor,
            form=form,
            channel=by.channel,
            question=question,
            parameters=dict(parameters),
            run=by.run,
            thread=by.thread,
            served_at=timezone.now(),
        )
        prepared.insert([served])
        prepared.insert(
            [
                ServedItem(
                    workspace=by.workspace, served=served, target_type=what, target_id=id, rank=rank, score=score
                )
                for rank, (what, id, score) in enumerate(items, start=1)
            ]
        )
        return served

    return _again_when_lost(note)


def create_workspace(slug: str, name: str, time_zone: str = "UTC") -> Workspace:
    """A new empty workspace with the actor that speaks for the product itself."""
    workspace = Workspace.objects.create(slug=slug, name=name, time_zone=time_zone)
    Actor.objects.create(workspace=workspace, kind=Actor.Kind.SYSTEM, key="commonplace", name="Commonplace")
    return workspace


def actor_named(workspace: Workspace, kind: Actor.Kind, key: str, name: str) -> Actor:
    """The actor of this kind and key, made on first use."""
    return Actor.objects.get_or_create(workspace=workspace, kind=kind, key=key, defaults={"name": name})[0]


def _again_when_lost(act: Callable[[], Result], *, durable: bool = False) -> Result:
    until = time.monotonic() + PATIENCE
    attempt = 0
    while True:
        committing = False
        try:
            with transaction.atomic(durable=durable):
                result = act()
                committing = True
            return result
        except (OperationalError, InterfaceError) as error:
            if not _lost_a_race(error):
                if committing and _nobody_answered(error):
                    raise _unknown() from error
                raise
            attempt += 1
            if attempt >= ATTEMPTS and time.monotonic() > until:
                raise Unavailable("The memory is busy. Nothing was stored; try again.", code="busy") from error
            time.sleep(random.uniform(0, 0.025 * 2 ** min(attempt, ATTEMPTS)))


def _nobody_answered(error: Exception) -> bool:
    """Whether a server went away without saying what came of it. A file answers always."""
    state = getattr(error.__cause__, "sqlstate", None)
    return connection.vendor != "sqlite" and (state is None or state[:2] in ("08", "57"))


def _unknown() -> Unavailable:
    return Unavailable(
        "The memory went away while it was storing this: it is there whole, or not at all. Send the request again with "
        "the same Idempotency-Key; it is done once.",
        code="outcome_unknown",
        extra={"retry_after": 5},
    )


def _lost_a_race(error: OperationalError | InterfaceError) -> bool:
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None)
    return state in LOST_RACE or "database is locked" in str(error) or "database table is locked" in str(error)
