"""Files as answers: bytes read for what they are, kept, and named by the answer of a field."""

from __future__ import annotations

import uuid
from dataclasses import replace

from formsengine.definition.model import ATTACHED
from formsengine.inputs import Answers
from formsengine.log.addresses import find_field
from formsengine.models import FormAttachment, FormResponse
from formsengine.queries.loading import loaded
from formsengine.refusals import refused
from formsengine.services.evidence import as_answer
from formsengine.services.filling import Written, answer
from formsengine.services.storing import held
from formsengine.values.read import TAKES, WANTED
from memoryapp.doors.errors import Invalid
from memoryapp.files.attachments import keeping
from memoryapp.files.attachments.keeping import Kept
from memoryapp.ledger.models import Write

LARGEST = keeping.LARGEST
"""Bytes of one file."""
LONGEST_NAME = 255
SOUNDS = {
    b"ID3": "audio/mpeg",
    b"\xff\xfb": "audio/mpeg",
    b"\xff\xf3": "audio/mpeg",
    b"OggS": "audio/ogg",
    b"fLaC": "audio/flac",
    b"\x1aE\xdf\xa3": "audio/webm",
}


def received(data: bytes, name: str) -> Kept:
    """Bytes put into the storage, before the write that names them; whoever keeps them lets them go if it fails.

    Raises TooLarge, Invalid `empty`, `unknown_media`.
    """
    return keeping.keep(data, name, sound(data))


def sound(data: bytes) -> str:
    """The kind of recording these bytes are; empty when they are none."""
    if data[:4] == b"RIFF" and data[8:12] == b"WAVE":
        return "audio/wav"
    if data[4:11] == b"ftypM4A":
        return "audio/mp4"
    return next((kind for magic, kind in SOUNDS.items() if data.startswith(magic)), "")


def attach(
    write: Write, response_id: uuid.UUID, *, field: str, name: str, kept: Kept, answers: Answers
) -> tuple[Written, FormAttachment | None]:
    """The field answered with these bytes. The same bytes again are the same answer, whose new copy is not needed.

    The attachment is None where none was stored. Raises Invalid `not_attached` for a field that takes no file,
    `wrong_media` for bytes that are something else than it asks for, and what `answer` raises.
    """
    write.by.require("fill_forms")
    row = held(write, response_id)
    response = loaded(row)
    with refused():
        found = find_field(response.plan, response.rows, field)
    kind = found.planned.question.type
    if kind not in ATTACHED:
        raise Invalid.at("/field", "not_attached", f"{found.planned.name} is not answered with a file.", "a file field")
    if not kept.media_type.startswith(TAKES[kind]):
        raise Invalid.at("/content", "wrong_media", f"{found.planned.name} takes another kind of file.", WANTED[kind])
    current = response.revision(found.key)
    before = current.kept if current is not None and current.status == "answer" else None
    stored = None if before and before["digest"] == kept.digest else _stored(write, row, name, kept)
    value = as_answer(stored) if stored is not None else before
    op = {"op": "attach", "field": field, "value": value}
    done = answer(write, response_id, replace(answers, ops=[op]))
    return done, stored


def _stored(write: Write, row: FormResponse, name: str, kept: Kept) -> FormAttachment:
    return FormAttachment.objects.create(
        workspace=write.workspace,
        response=row,
        name=plain_name(name),
        stored=kept.stored,
        media_type=kept.media_type,
        size=kept.size,
        digest=kept.digest,
        write=write,
        recorded_at=write.recorded_at,
    )


def plain_name(name: str) -> str:
    """What a file is called, without the folders it came from and what no name may hold."""
    last = name.replace("\\", "/").rpartition("/")[2]
    return "".join(each for each in last if each.isprintable()).strip()[-LONGEST_NAME:] or "file"
