"""Bytes that rows keep in the file storage: carried in dumps in pieces of bounded size, and put back with their rows.

A room whose rows name bytes registers which (`register`): the name in the storage and the SHA-256 of what is there.
Nothing is ever put under a name that no restored row has, nor bytes that are not those the row was told of.
"""

from __future__ import annotations

import base64
import hashlib
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from django.core.files import File
from django.core.files.storage import default_storage

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.ledger.models import Workspace

LABEL = "storage.bytes"
"""What stands in a dump where other lines name a table."""
PIECE = 192 * 1024
"""Bytes of one line of a dump: 256 KiB as base64."""
_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{32}")


@dataclass(frozen=True)
class Stored:
    """Bytes that a row keeps: their name in the storage, and the SHA-256 that they had when they were kept."""

    name: str
    digest: str


_rooms: dict[str, Callable[[Workspace], Iterator[Stored]]] = {}


def register(room: str, stored: Callable[[Workspace], Iterator[Stored]]) -> None:
    """Say which bytes the rows of a room keep in the storage, in the order of their names."""
    _rooms[room] = stored


def stored(workspace: Workspace) -> Iterator[Stored]:
    """All that rows of a workspace keep in the storage."""
    for room in sorted(_rooms):
        yield from _rooms[room](workspace)


def pieces(workspace: Workspace) -> Iterator[dict[str, Any]]:
    """What is kept, piece by piece. What is gone from the storage is left out: `integrity` names it."""
    for one in stored(workspace):
        try:
            with default_storage.open(one.name, "rb") as opened:
                count = max(1, -(-opened.size // PIECE))
                for number in range(count):
                    data = base64.b64encode(opened.read(PIECE)).decode()
                    yield {"name": one.name, "piece": number, "pieces": count, "data": data}
        except FileNotFoundError:
            continue


def digest_of(name: str) -> str | None:
    """SHA-256 of what is in the storage under a name; None when nothing is."""
    try:
        with default_storage.open(name, "rb") as opened:
            return hashlib.file_digest(opened, "sha256").hexdigest()
    except FileNotFoundError:
        return None


class Carried:
    """The bytes of a dump while it is restored: pieces in any order, put into the storage when the rows are there.

    As a context it takes away again what it put there when the restoring fails.
    """

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._put: list[str] = []
        self._directory = tempfile.TemporaryDirectory(prefix="commonplace-restore-")

    def __enter__(self) -> Carried:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._directory.cleanup()
        for name in self._put if kind is not None else ():
            default_storage.delete(name)

    def take(self, fields: dict[str, Any]) -> None:
        """Hold one piece. Raises ValueError, TypeError or KeyError for what is none."""
        name, number, count = fields["name"], fields["piece"], fields["pieces"]
        if not (isinstance(name, str) and _NAME.fullmatch(name)):
            raise ValueError("no name of stored bytes")
        if type(number) is not int or type(count) is not int or not 0 <= number < count:
            raise ValueError("no number of a piece")
        if self._counts.setdefault(name, count) != count:
            raise ValueError("another number of pieces than before")
        self._piece(name, number).write_bytes(base64.b64decode(fields["data"], validate=True))

    def put(self, workspace: Workspace) -> None:
        """Put everything where the rows of a workspace say that it is.

        Raises Invalid `bytes_incomplete`, `bytes_differ`, `bytes_of_nothing`, Conflict `bytes_taken`.
        """
        known = {one.name: one.digest for one in stored(workspace)} if self._counts else {}
        for name in sorted(self._counts):
            if name not in known:
                raise _refused("bytes_of_nothing", f"No row keeps the bytes {name}.")
            self._put_one(name, known[name])

    def _put_one(self, name: str, digest: str) -> None:
        whole = Path(self._directory.name) / "whole"
        made = hashlib.sha256()
        with whole.open("wb") as out:
            for number in range(self._counts[name]):
                piece = self._piece(name, number)
                if not piece.exists():
                    raise _refused("bytes_incomplete", f"A piece of the bytes {name} is missing.")
                data = piece.read_bytes()
                made.update(data)
                out.write(data)
                piece.unlink()
        if made.hexdigest() != digest:
            raise _refused("bytes_differ", f"The bytes {name} are not those that were kept.")
        there = digest_of(name)
        if there is None:
            with whole.open("rb") as opened:
                self._put.append(default_storage.save(name, File(opened)))
        elif there != digest:
            raise Conflict(f"The storage holds other bytes under {name}.", code="bytes_taken")

    def _piece(self, name: str, number: int) -> Path:
        return Path(self._directory.name) / f"{name.replace('/', '-')}.{number}"


def _refused(code: str, message: str) -> Invalid:
    return Invalid.at("", code, message, "the lines of a dump, all of them, as they were written")
