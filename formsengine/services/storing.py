"""Putting a commit down: the one way a response grows. One commit, one transaction, with all that goes out of it."""

from __future__ import annotations

import uuid
from functools import partial
from typing import Any

from django.db import transaction

from formsengine import feeding
from formsengine.log.commits import Clock
from formsengine.log.response import Response
from formsengine.log.writing import Result
from formsengine.models import FormCitation, FormCommit, FormNotice, FormResponse, FormVersion
from formsengine.queries import filled, loading
from formsengine.view.shown import counts
from memoryapp.doors.errors import Conflict
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write

DELIVER = "form_notice"
"""The kind of job that tells the outside."""
HEAD = ("version", "state", "lock", "submission", "digest", "progress", "changed_at")


def held(write: Write, response_id: uuid.UUID) -> FormResponse:
    """The response as it stays until the transaction ends: the write holds its workspace, so that no other one writes.
    Raises NotFound out of sight."""
    return filled.response(write.by, response_id)


def clock(write: Write, row: FormResponse) -> Clock:
    """The time of a commit: that of the write that makes it."""
    return Clock(write.recorded_at, row.zone)


def keep(write: Write, row: FormResponse, result: Result) -> Response:
    """Store a commit that was decided on the response as its row says it stands."""
    commit, response = result.commit, result.response
    if commit.number != row.lock + 1:
        raise Conflict("The response moved on meanwhile; read it again.", code="moved")
    body = commit.as_data()
    FormCommit.objects.create(
        workspace=write.workspace,
        response=row,
        number=commit.number,
        body=body,
        write=write,
        recorded_at=write.recorded_at,
    )
    _cite(write, row, commit.events)
    _tell(write, row, commit.outbox)
    row.digest = loading.chained(row.digest, body)
    _repeat(row, response)
    row.changed_at = write.recorded_at
    row.save(update_fields=HEAD)
    feeding.put(write, row, response)
    transaction.on_commit(partial(loading.keep, row.pk, row.digest, response))
    return response


def _repeat(row: FormResponse, response: Response) -> None:
    """What the row repeats of the log."""
    row.lock = response.number
    row.state = response.state
    row.submission = response.submission
    row.progress = counts(response)
    if row.version.digest != response.plan.digest:
        row.version = FormVersion.objects.get(form=row.form, digest=response.plan.digest)


def _cite(write: Write, row: FormResponse, events: list[dict[str, Any]]) -> None:
    """Note which sources the answers rest on."""
    named = {
        each["source"]
        for event in events
        for each in event.get("evidence", ())
        if isinstance(each, dict) and "source" in each
    }
    known = set(row.citations.values_list("source", flat=True)) if named else set()
    FormCitation.objects.bulk_create(
        FormCitation(workspace=write.workspace, response=row, source_id=source)
        for source in sorted(named)
        if uuid.UUID(str(source)) not in known
    )


def _tell(write: Write, row: FormResponse, outbox: list[dict[str, Any]]) -> None:
    """What goes out, once for each response, hook and occurrence."""
    known = set(row.notices.values_list("key", flat=True)) if outbox else set()
    for each in outbox:
        if each["key"] in known:
            continue
        notice = FormNotice.objects.create(
            workspace=write.workspace,
            response=row,
            key=each["key"],
            hook=each["hook"],
            calls=each["calls"],
            write=write,
            recorded_at=write.recorded_at,
        )
        jobs.enqueue(write, DELIVER, notice.pk, {})
