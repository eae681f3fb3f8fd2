"""The files that answer fields, given back to whoever may read those answers."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from formsengine.log.response import Response
from formsengine.models import FormAttachment, FormResponse
from formsengine.queries.filled import reader
from formsengine.queries.loading import loaded
from memoryapp.doors.errors import NotFound
from memoryapp.files.attachments import keeping
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.storing import Stored


def attachment(by: Principal, row: FormResponse, attachment_id: uuid.UUID) -> FormAttachment:
    """A file of the response. Raises NotFound for another's, and where the reader is not shown the answer it is."""
    found = FormAttachment.objects.filter(response=row, pk=attachment_id).exclude(digest="").first()
    if found is None or (reader(by).masked and _is_sensitive(loaded(row), str(found.pk))):
        raise NotFound("There is no such attachment.", code="no_such_attachment", extra={"id": str(attachment_id)})
    return found


def bytes_of(one: FormAttachment) -> bytes:
    """What is kept of it. Raises NotFound when its bytes are gone."""
    try:
        return keeping.read(one.stored)
    except FileNotFoundError as error:
        raise NotFound("Its bytes are not there any more.", code="bytes_gone") from error


def stored(workspace: Workspace) -> Iterator[Stored]:
    """The bytes of all files that answer forms of a workspace, of what is not erased, by name."""
    kept = FormAttachment.objects.filter(workspace=workspace).exclude(digest="").order_by("stored")
    for name, digest in kept.values_list("stored", "digest").iterator():
        yield Stored(name, digest)


def _is_sensitive(response: Response, attachment_id: str) -> bool:
    """Whether it was ever the answer of a field that is not shown to agents, or of one that is gone."""
    for revision in response.revisions.values():
        kept: Any = revision.kept
        if isinstance(kept, Mapping) and kept.get("id") == attachment_id:
            planned = response.plan.items.get(revision.field)
            if planned is None or planned.question.sensitive:
                return True
    return False
