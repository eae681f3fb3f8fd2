"""A source before it is stored, and what tells whether it is stored already."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import TypeVar

from django.db.models import QuerySet

from memoryapp.ledger.models import Write
from memoryapp.sources import rules
from memoryapp.sources.models import Source

Item = TypeVar("Item")
CHUNK = 500
"""How many digests or message ids one query looks up."""


def source_of(write: Write, *, said: rules.Said, **columns: object) -> Source:
    return Source(
        workspace=write.workspace,
        said_at=said.at,
        said_zone=said.zone,
        write=write,
        recorded_at=write.recorded_at,
        **columns,
    )


def digest_of(kind: str, place: str, content: str, said_at: dt.datetime | None) -> str:
    parts = [kind, place, content, said_at.isoformat() if said_at else None]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


def having(rows: QuerySet[Source], column: str, values: Iterable[str]) -> Iterator[Source]:
    """The rows whose column has one of the values, looked up a chunk at a time, in the order they were stored."""
    for chunk in _chunks(sorted(set(values))):
        yield from rows.filter(**{f"{column}__in": chunk}).order_by("position", "pk")


def _chunks(items: list[Item]) -> Iterator[list[Item]]:
    for start in range(0, len(items), CHUNK):
        yield items[start : start + CHUNK]
