"""Writes of a device that came out of order: each waits for the one that the device made before it.

What waits is decided when that one has come, in the same transaction, as its own writer wrote it. A write that never
comes is not waited for without end: after a while what waits is taken without it, with a word that says so.
"""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import asdict, replace
from typing import Any

from formsengine.log.commits import Writer
from formsengine.log.response import Response
from formsengine.log.writing import Patch
from formsengine.log.writing import write as decide
from formsengine.models import FormResponse, FormWaiting
from formsengine.problems import Refused
from formsengine.queries.loading import loaded
from formsengine.services.storing import clock, keep
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write
from memoryapp.ledger.services import record

KIND = "form_waiting"
"""The kind of job that ends the waiting."""
LONGEST = dt.timedelta(hours=1)
Verdict = dict[str, Any]
MESSAGE = "The write that this device made before has not arrived yet; this one is kept, and taken after it."


def is_early(response: Response, patch: Patch) -> bool:
    """Whether the patch follows one that is not there, and was not taken already itself."""
    return bool(patch.after) and not patch.late and not {patch.after, patch.key} & response.keys.keys()


def kept(write: Write, row: FormResponse, by: Writer, patch: Patch) -> Verdict:
    """Keep the patch until the one before it has come. The same again waits once."""
    same = FormWaiting.objects.filter(response=row, key=patch.key, taken_at=None) if patch.key else None
    if same is None or not same.exists():
        made = FormWaiting.objects.create(
            workspace=write.workspace,
            response=row,
            after=patch.after,
            key=patch.key,
            patch=asdict(patch),
            writer=by.as_data(),
            write=write,
            recorded_at=write.recorded_at,
        )
        jobs.enqueue(write, KIND, made.pk, delay=LONGEST)
    return {"path": "", "verdict": "waits", "message": MESSAGE}


def follow(write: Write, row: FormResponse, response: Response, key: str) -> tuple[Response, list[Verdict]]:
    """What waited for the write of this key, and what waited for that in turn, taken now."""
    verdicts: list[Verdict] = []
    arrived = [key] if key else []
    while arrived:
        for one in FormWaiting.objects.filter(response=row, after=arrived.pop(0), taken_at=None).order_by("pk"):
            response, said = _taken(write, row, response, one)
            verdicts += said
            arrived += [one.key] if one.key else []
    return response, verdicts


def _taken(
    write: Write, row: FormResponse, response: Response, one: FormWaiting, *, late: bool = False
) -> tuple[Response, list[Verdict]]:
    patch = replace(Patch(**one.patch), late=late)
    try:
        result = decide(response, Writer.of(one.writer), patch, clock(write, row))
    except Refused as refused:
        verdicts = [{"path": "", "verdict": "rejected", "code": refused.code, "message": refused.message}]
    else:
        verdicts = result.verdicts
        response = response if result.repeated else keep(write, row, result)
    one.taken_at = write.recorded_at
    one.save(update_fields=["taken_at"])
    return response, verdicts


def give_up(run: jobs.Run) -> None:
    """Take what still waits without the write before it."""

    def act(write: Write) -> None:
        run.finish({"taken": _late(write, run.job.subject_id)})

    record(run.by, "take_waiting", act)


def _late(write: Write, waiting_id: uuid.UUID) -> int:
    one = FormWaiting.objects.filter(workspace=write.workspace, pk=waiting_id, taken_at=None).first()
    if one is None:
        return 0
    rows = FormResponse.objects.select_for_update(of=("self",)).select_related("form", "version", "started_under")
    row = rows.exclude(state="erased").filter(pk=one.response_id).first()
    if row is None:
        return 0
    response, _ = _taken(write, row, loaded(row), one, late=True)
    follow(write, row, response, one.key)
    return 1
