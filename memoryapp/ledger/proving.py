"""The proof of an erasure: every text of every table, and the files of the product, searched for what was erased.

The receipt knows what was erased only by its fingerprints (`fingerprints.py`), so the proof needs the secret with which
it was made. Found is what has the same words in a row, in whatever case and spacing, and however a file writes them
(`unpacking.py`).
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import connection

from memoryapp.doors.errors import Conflict
from memoryapp.ledger import unpacking
from memoryapp.ledger.erasing import is_genuine
from memoryapp.ledger.fingerprints import Fingerprinter, Prints, texts_in

CHUNK = 1000
APART = {"static"}
"""Folders of the product that hold nothing but its own files."""


@dataclass(frozen=True)
class Trace:
    """Something erased that still stands somewhere: in which table or file, and in which row or how often.

    `closed` is a file that could not be looked into, and may hold anything.
    """

    place: str
    where: str
    closed: bool = False


def prove(receipt: Mapping[str, Any], files: Iterable[Path] = ()) -> list[Trace]:
    """Every place where something stands that this receipt says is erased; none is the proof. Files that cannot be
    looked into are among them, marked.

    Rows of other workspaces are theirs and are not looked at. Of the database's own file only that counts which no row
    explains. Raises Conflict `receipt_changed`, `other_secret`.
    """
    if not is_genuine(receipt):
        raise Conflict("This receipt is not as it was written.", code="receipt_changed")
    maker = Fingerprinter(receipt["salt"])
    if maker.check() != receipt["check"]:
        message = "The receipt was made with another KEY_PEPPER, so nothing can be recognised."
        raise Conflict(message, code="other_secret")
    known: Prints = {int(size): set(prints) for size, prints in receipt["fingerprints"].items()}
    mine: list[Trace] = []
    of_others: set[str] = set()
    for table, row, ours, texts in _rows(uuid.UUID(receipt["workspace"])):
        hits = {hit for text in texts for hit in maker.hits(text, known)}
        if hits and ours:
            mine.append(Trace(table, row))
        of_others |= hits if not ours else set()
    unexplained = {size: prints - of_others for size, prints in known.items()}
    return mine + [trace for path in _files(files) for trace in _in_file(path, maker, unexplained)]


def _rows(workspace: uuid.UUID) -> Iterator[tuple[str, str, bool, list[str]]]:
    """Every row of every table, also of the index's own: its texts, and whether it may hold none of what was erased."""
    for table in sorted(connection.introspection.table_names(include_views=False)):
        with connection.cursor() as cursor:
            cursor.execute(f'SELECT * FROM "{table}"')
            columns = [column[0] for column in cursor.description]
            at = columns.index("workspace_id") if "workspace_id" in columns else None
            while rows := cursor.fetchmany(CHUNK):
                for row in rows:
                    ours = at is None or _same(row[at], workspace)
                    yield table, str(row[0]), ours, [text for value in row for text in texts_in(_plain(value))]


def _same(stored: Any, workspace: uuid.UUID) -> bool:
    return str(stored).replace("-", "") == workspace.hex


def _plain(value: Any) -> Any:
    """JSON is read, so that what it escapes is seen as well."""
    if isinstance(value, str) and value[:1] in "{[":
        try:
            return json.loads(value)
        except ValueError:
            return value
    return value


def _files(more: Iterable[Path]) -> Iterator[Path]:
    places = [Path(settings.VAR_DIR), *more]
    named = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        places += [Path(named + suffix) for suffix in ("", "-wal", "-journal")]
    seen: set[Path] = set()
    for place in places:
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            inside = APART & set(path.relative_to(place).parts) if place.is_dir() else set()
            if path.is_file() and not inside and path.resolve() not in seen:
                seen.add(path.resolve())
                yield path


def _in_file(path: Path, maker: Fingerprinter, known: Prints) -> Iterator[Trace]:
    """Look through all that a file holds."""
    hits: set[str] = set()
    closed = ""
    try:
        for text in unpacking.texts(path):
            hits |= maker.hits(text, known)
    except OSError as error:
        closed = f"cannot be read: {error.strerror or error}"
    except unpacking.Closed as error:
        closed = str(error)
    if hits:
        yield Trace(str(path), f"{len(hits)} fingerprints")
    if closed:
        yield Trace(str(path), closed, closed=True)
