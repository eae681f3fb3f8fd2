"""Paths by a pattern: the part of it before the first wildcard is a range of an index, the rest is matched in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.db.models import QuerySet

from memoryapp.access.paths import ROOT, Glob, territory
from memoryapp.files.models import Entry, State
from memoryapp.ledger.principal import Principal

LAST = "\U0010ffff"
"""What no name begins with that comes after it."""
MOST = 1000
USUAL = 100
LOOKED_AT = 200_000
"""Paths that one question goes through; the next begins where it stopped."""


@dataclass(frozen=True)
class Globbed:
    """What matches, by path. `next` is where to go on after, when there may be more."""

    entries: list[Entry]
    next: str | None


def glob(by: Principal, pattern: Glob, *, after: str = "", limit: int = USUAL) -> Globbed:
    """Directories and files in sight whose path matches, by path. At most `limit`, of at most `LOOKED_AT` looked at."""
    by.require("read_files")
    found: list[Entry] = []
    for looked, one in enumerate(_near(by, pattern, after).iterator(chunk_size=2000), start=1):
        if pattern.matches(one.path):
            if len(found) == limit:
                return Globbed(found, found[-1].path)
            found.append(one)
        if looked == LOOKED_AT:
            return Globbed(found, one.path)
    return Globbed(found, None)


def _near(by: Principal, pattern: Glob, after: str) -> QuerySet[Entry]:
    rows: QuerySet[Entry] = Entry.objects.visible_to(by).filter(state=State.CURRENT)
    if pattern.is_literal:
        rows = rows.filter(path=pattern.text)
    elif (directory := pattern.flat_directory) is not None:
        start = re.split(r"[*?]", pattern.text, maxsplit=1)[0]
        rows = rows.filter(directory=directory, path__gte=start, path__lt=start + LAST)
    elif pattern.head != ROOT:
        rows = rows.filter(territory(pattern.head))
    return rows.filter(path__gt=after).order_by("path") if after else rows.order_by("path")
