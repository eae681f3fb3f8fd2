"""Paths by a pattern: the part of it before the first wildcard is a range of an index, the rest is matched in order."""

from __future__ import annotations

import re
from collections.abc import Iterator
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
AT_ONCE, MOST_AT_ONCE = 1000, 16_000
"""Paths that are read together, at first and at most: who is answered early reads few."""


@dataclass(frozen=True)
class Globbed:
    """What matches, by path. `next` is where to go on after, when there may be more."""

    entries: list[Entry]
    next: str | None


def glob(by: Principal, pattern: Glob, *, after: str = "", limit: int = USUAL) -> Globbed:
    """Directories and files in sight whose path matches, by path. At most `limit`, of about `LOOKED_AT` looked at."""
    by.require("read_files")
    found: list[str] = []
    looked = 0
    for some in _paths(by, pattern, after):
        for path in pattern.among(some):
            if len(found) == limit:
                return Globbed(_at(by, found), found[-1])
            found.append(path)
        looked += len(some)
        if looked >= LOOKED_AT:
            return Globbed(_at(by, found), some[-1])
    return Globbed(_at(by, found), None)


def _at(by: Principal, found: list[str]) -> list[Entry]:
    """What stands at these paths, which are in sight, by path."""
    there = Entry.objects.filter(workspace=by.workspace, state=State.CURRENT, path__in=found) if found else []
    return sorted(there, key=lambda one: one.path)


def _paths(by: Principal, pattern: Glob, after: str) -> Iterator[list[str]]:
    """Paths near the pattern, in their order. Nothing but the paths is read, some at a time: of most nothing else is
    asked, and an engine that is asked for all of them at once makes all of them ready first."""
    size = AT_ONCE
    while True:
        some = list(_near(by, pattern, after).values_list("path", flat=True)[:size])
        if some:
            yield some
        if len(some) < size:
            return
        after, size = some[-1], min(size * 4, MOST_AT_ONCE)


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
