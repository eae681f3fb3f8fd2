"""What must hold of stored forms, checked by `manage.py integrity`: a log, read again, is what its row says."""

from __future__ import annotations

from collections.abc import Iterator

from formsengine.definition.plan import plan
from formsengine.definition.stored import read
from formsengine.log.response import Response
from formsengine.models import FormAttachment, FormCommit, FormResponse, FormVersion, ResponseState
from formsengine.queries import loading
from formsengine.view.shown import counts
from memoryapp.ledger import integrity, storing
from memoryapp.ledger.integrity import Check, Finding, about
from memoryapp.ledger.models import Workspace


def register() -> None:
    """Let `manage.py integrity` run these."""
    integrity.register(Check("form responses", "A response is what its log adds up to", _responses))
    integrity.register(Check("form files", "The bytes of every file that answers are those that were kept", _files))
    integrity.register(Check("form versions", "A version is what its digest names", _versions))


def _responses(workspace: Workspace) -> Iterator[Finding]:
    rows = FormResponse.objects.filter(workspace=workspace).exclude(state=ResponseState.ERASED).order_by("pk")
    for row in rows.select_related("form", "version", "started_under").iterator():
        bodies = list(FormCommit.objects.filter(response=row).order_by("number").values_list("body", flat=True))
        if len(bodies) != row.lock:
            yield about(row, "A commit is missing, or there is one too many.")
        elif loading.digest_of(bodies) != row.digest:
            yield about(row, "Its log is not the one that was written.")
        elif not _same(row, loading.replayed(row)):
            yield about(row, "It is not as its log says.")


def _same(row: FormResponse, response: Response) -> bool:
    if not response.commits:
        return row.state == "draft" and row.submission == 0
    told = (response.state, response.number, response.submission, counts(response), response.plan.digest)
    return told == (row.state, row.lock, row.submission, row.progress, row.version.digest)


def _versions(workspace: Workspace) -> Iterator[Finding]:
    for one in FormVersion.objects.filter(workspace=workspace).order_by("pk").iterator():
        if plan(read(one.definition)).digest != one.digest:
            yield about(one, "Its definition is not the one that was stored.")


def _files(workspace: Workspace) -> Iterator[Finding]:
    """What was erased has no digest, and no bytes."""
    for one in FormAttachment.objects.filter(workspace=workspace).exclude(digest="").order_by("pk").iterator():
        there = storing.digest_of(one.stored)
        if there is None:
            yield about(one, "Its bytes are not in the file storage.")
        elif there != one.digest:
            yield about(one, "Its bytes are not those that were kept.")
