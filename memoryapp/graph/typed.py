"""Values as they are compared: numbers as numbers, dates as dates, texts by code point, on every engine alike.

A value is written as bytes of which the first says the sort and the rest is in order: comparing two keys byte by byte
compares the values. So one column and one index serve every type, and both engines answer the same.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import struct
from collections.abc import Mapping
from typing import Any

from memoryapp.doors import moments

FLAG, NUMBER, DATE, TEXT, OTHER = b"\x10", b"\x20", b"\x30", b"\x40", b"\x50"
"""The sorts. Values of two sorts are never equal, and none lies between two of another."""

LONGEST = 1000
"""Bytes of a value that are kept. What is longer is told apart by its digest, and is in order by its beginning."""

DATES = frozenset(("date", "date-time", "partial-date-time"))
_START = dt.datetime(1, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def sort_of(schema: Mapping[str, Any]) -> bytes:
    """The sort of the values that a declared schema takes."""
    kind = schema.get("type")
    if kind in ("integer", "number"):
        return NUMBER
    if kind == "boolean":
        return FLAG
    if kind == "string" or (kind is None and all(isinstance(one, str) for one in schema.get("enum", [1]))):
        return DATE if schema.get("format") in DATES else TEXT
    return OTHER


def key_of(value: Any, sort: bytes) -> bytes:
    """A value of a property of this sort as it is compared; of a value that is of another after all, as that one."""
    if isinstance(value, bool):
        return FLAG + (b"\x01" if value else b"\x00")
    if isinstance(value, int | float):
        return NUMBER + _number(float(value))
    if isinstance(value, str):
        if sort == DATE and (instant := _instant(value)) is not None:
            return DATE + struct.pack(">Q", (instant - _START) // _MICROSECOND)
        return TEXT + _text(value)
    return OTHER + _text(json.dumps(value, sort_keys=True, ensure_ascii=False))


def _number(value: float) -> bytes:
    """Eight bytes in the order of the numbers: of a negative all bits are turned, of another the first."""
    bits: int = struct.unpack(">Q", struct.pack(">d", value + 0.0))[0]
    return struct.pack(">Q", bits ^ (0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63))


def _text(value: str) -> bytes:
    whole = value.encode("utf-8", "surrogatepass")
    if len(whole) <= LONGEST:
        return whole
    return whole[:LONGEST] + b"\xff" + hashlib.sha256(whole).digest()


def _instant(text: str) -> dt.datetime | None:
    try:
        return moments.parse(text, time_zone="UTC").instant
    except moments.NotAMoment:
        return None
