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
        if head[:2] == b"\x1f\x8b":
            with gzip.open(path, "rb") as packed:
                yield from _pieces(packed, MOST_UNPACKED)
        elif head == b"PK\x03\x04":
            yield from _packed(path)
    except BROKEN as error:
        raise Closed("It is packed and cannot be unpacked.") from error
    if closed:
        raise closed


def _packed(path: Path) -> Iterator[str]:
    left = MOST_UNPACKED
    with zipfile.ZipFile(path) as several:
        for one in several.infolist():
            with several.open(one) as file:
                yield from _pieces(file, left)
            left -= one.file_size


def _pieces(file: IO[bytes] | gzip.GzipFile, most: int | None = None) -> Iterator[str]:
    before, read = b"", 0
    while piece := file.read(PIECE):
        read += len(piece)
        if most is not None and read > most:
            raise Closed("It unpacks to more than is read.")
        text = (before + piece).decode("utf-8", "ignore")
        yield text
        if (plain := unescaped(text)) != text:
            yield plain
        before = piece[-OVERLAP:]


def unescaped(text: str) -> str:
    r"""The text with what JSON (`\u00e1`, `\n`) and addresses (`%20`) escape as it was."""
    if "\\" in text:
        text = _ESCAPED.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", text)
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")
    return unquote_plus(text, errors="ignore") if _PERCENT.search(text) else text
