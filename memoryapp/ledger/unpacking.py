"""What stands in a file, however it is written there: packed, or with its letters escaped.

A higher room registers how it reads files of its own sorts; here are the sorts that any machine makes of logs and
backups.
"""

from __future__ import annotations

import gzip
import lzma
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import unquote_plus

PIECE = 1 << 20
OVERLAP = 1 << 12
MOST_UNPACKED = 1 << 30
"""Bytes that one file may unpack to."""

BROKEN = (
    *(gzip.BadGzipFile, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, RuntimeError, ValueError, struct.error),
)
"""What the unpackers of Python raise for a file that is torn, locked or packed in a way that they do not know."""

READ = (b"\x1f\x8b", b"PK\x03\x04")
"""How a file begins that is unpacked here: by gzip, by zip."""
NOT_READ = (b"\xfd7zX", b"BZh", b"\x28\xb5\x2f\xfd", b"7z\xbc\xaf", b"PGDM")
"""And by xz, bzip2, zstd, 7-zip and pg_dump, which are not."""

_ESCAPED = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrtbf])")
_PERCENT = re.compile(r"%[0-9a-fA-F]{2}")

Reader = Callable[[Path], str | None]
"""The text of a file, or None when it is of no sort of the reader's. Raises Closed."""

_readers: list[Reader] = []


class Closed(Exception):
    """A file that cannot be looked into, with the reason as a sentence."""


def register(reader: Reader) -> None:
    """Let files be read by this reader as well."""
    if reader not in _readers:
        _readers.append(reader)


def texts(path: Path) -> Iterator[str]:
    """Everything that a file holds, in pieces that overlap. Raises OSError, Closed when all that can be read was."""
    closed: Closed | None = None
    with path.open("rb") as file:
        head = file.read(4)
        file.seek(0)
        yield from _pieces(file)
    for reader in _readers:
        try:
            if (text := reader(path)) is not None:
                yield text
        except Closed as why:
            closed = why
    try:
        if head.startswith(READ[0]):
            with gzip.open(path, "rb") as packed:
                yield from _pieces(packed, MOST_UNPACKED)
        elif head == READ[1]:
            yield from _packed(path)
    except BROKEN as error:
        raise Closed("It is packed and cannot be unpacked.") from error
    if closed:
        raise closed


def _packed(path: Path) -> Iterator[str]:
    left, closed = MOST_UNPACKED, None
    with zipfile.ZipFile(path) as several:
        for one in several.infolist():
            try:
                with several.open(one) as file:
                    yield from _pieces(file, left)
            except Closed as why:
                closed = why
            left -= one.file_size
    if closed:
        raise closed


def _pieces(file: IO[bytes] | gzip.GzipFile, most: int | None = None) -> Iterator[str]:
    """Raises Closed, at its end for what is packed in a way, or as deep, as nothing is unpacked here."""
    before, read, head = b"", 0, b""
    while piece := file.read(PIECE):
        head = head or piece[:4]
        read += len(piece)
        if most is not None and read > most:
            raise Closed("It unpacks to more than is read.")
        text = (before + piece).decode("utf-8", "ignore")
        yield text
        if (plain := unescaped(text)) != text:
            yield plain
        before = piece[-OVERLAP:]
    if head.startswith(NOT_READ) or (most is not None and head.startswith(READ)):
        raise Closed("It is packed in a way that is not read here.")


def unescaped(text: str) -> str:
    r"""The text with what JSON (`\u00e1`, `\n`) and addresses (`%20`) escape as it was."""
    if "\\" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return unquote_plus(text, errors="ignore") if _PERCENT.search(text) else text
