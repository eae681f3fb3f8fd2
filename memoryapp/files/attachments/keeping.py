"""Bytes in the file storage, under a name of our own; and what bytes are, read from themselves and never believed."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage

from memoryapp.doors.errors import Invalid, TooLarge
from memoryapp.files.models import Body, Form
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.storing import Stored

LARGEST = 20 * 1024 * 1024
"""Bytes of one attachment."""
MOST_PARTS = 10_000
"""Files within a file of several."""
PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
HTML = "text/html"
CSV = "text/csv"
PLAIN = "text/plain"
PACKED = (PDF, DOCX, XLSX)
READABLE = (*PACKED, HTML, CSV)
"""What a job finds text in."""
ACCEPTED = "pdf, docx, xlsx, html, csv, text, png, jpeg, gif or webp"
_IMAGES = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF87a": "image/gif",
    b"GIF89a": "image/gif",
}


@dataclass(frozen=True)
class Kept:
    """Bytes that are in the storage."""

    stored: str
    media_type: str
    size: int
    digest: str


def what_it_is(data: bytes, name: str) -> str:
    """The media type that these bytes show. Of text alone the name says which. Raises Invalid `unknown_media`."""
    if data[:1024].lstrip().startswith(b"%PDF-"):
        return PDF
    for magic, kind in _IMAGES.items():
        if data.startswith(magic):
            return kind
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if data.startswith(b"PK\x03\x04"):
        return _packed(data)
    return _text(data, name.lower())


def _packed(data: bytes) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as packed:
            names = set(packed.namelist()[:MOST_PARTS])
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise _unknown() from error
    if "word/document.xml" in names:
        return DOCX
    if "xl/workbook.xml" in names:
        return XLSX
    raise _unknown()


def _text(data: bytes, name: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _unknown() from error
    if "\x00" in text:
        raise _unknown()
    start = text[:200].lstrip().lower()
    if name.endswith((".html", ".htm")) or start.startswith(("<!doctype html", "<html")):
        return HTML
    return CSV if name.endswith(".csv") else PLAIN


def _unknown() -> Invalid:
    return Invalid.at("/data", "unknown_media", "This is nothing that can be kept here.", ACCEPTED)


def keep(data: bytes, name: str, media_type: str = "") -> Kept:
    """Put bytes into the storage, before the write that names them. Raises TooLarge, Invalid `unknown_media`, `empty`.

    `media_type` is what the caller has read from the bytes itself, where this room knows no such thing. Whoever keeps
    them takes them away again (`let_go`) when the write is refused.
    """
    if len(data) > LARGEST:
        message = f"An attachment has at most {LARGEST // 1024 // 1024} MiB."
        raise TooLarge(message, code="attachment_too_large", extra={"largest": LARGEST})
    if not data:
        raise Invalid.at("/data", "empty", "There is nothing in it.", ACCEPTED)
    kind = media_type or what_it_is(data, name)
    own = new_id().hex
    stored = default_storage.save(f"{own[-2:]}/{own}", ContentFile(data))
    return Kept(stored, kind, len(data), hashlib.sha256(data).hexdigest())


def let_go(stored: str) -> None:
    """Take bytes out of the storage; those that are not there are gone already."""
    if stored:
        default_storage.delete(stored)


def read(stored: str) -> bytes:
    """The bytes. Raises FileNotFoundError."""
    with default_storage.open(stored, "rb") as opened:
        data: bytes = opened.read()
    return data


def stored(workspace: Workspace) -> Iterator[Stored]:
    """The bytes that attachments of a workspace keep, of every version that is not erased, by name."""
    kept = Body.objects.filter(workspace=workspace, form=Form.ATTACHMENT).exclude(digest="").order_by("stored")
    for name, digest in kept.values_list("stored", "digest").iterator():
        yield Stored(name, digest)
