"""Lines of files that hold a text or match an expression, in linear time and within bounds that are told.

Expressions are those of RE2, which cannot be made to run away. A line feed is never matched: what is found is lines.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import re2
from django.db.models import F, QuerySet

from memoryapp.access.paths import ROOT, Glob, territory
from memoryapp.doors.errors import Invalid
from memoryapp.files.models import Entry, Kind, State, Version
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal

LONGEST_PATTERN = 1000
USUAL_LIMIT = 100
MOST = 1000
MOST_CONTEXT = 10
MOST_CHARACTERS = 200_000_000
"""Of text that one question reads."""
LONGEST_SHOWN = 500
MEMORY = 8 * 1024 * 1024
AT_ONCE = 500
"""Files whose texts are read together, unless `AMOUNT` is reached before."""
AMOUNT = 4_000_000
"""Characters of texts that are held at a time."""


@dataclass(frozen=True)
class Sought:
    """What is looked for: a text, or with `regex` an expression; in which files; with how many lines around it."""

    pattern: str
    regex: bool = False
    any_case: bool = False
    under: str = ROOT
    only: Glob | None = None
    context: int = 0
    limit: int = USUAL_LIMIT


@dataclass(frozen=True)
class Line:
    """A line that holds it, with its number and those around it."""

    number: int
    text: str
    before: list[str]
    after: list[str]


@dataclass
class InFile:
    entry: Entry
    lines: list[Line] = field(default_factory=list)


@dataclass
class Grepped:
    """What was found, by path. `cut` says why not everything was looked for: `limit` or `characters`; else empty."""

    files: list[InFile] = field(default_factory=list)
    count: int = 0
    looked_at: int = 0
    cut: str = ""


def grep(by: Principal, sought: Sought) -> Grepped:
    """The lines of current files in sight that hold it, by path and number. Raises Invalid `not_an_expression`."""
    by.require("read_files")
    expression = _compiled(sought)
    plain = "" if sought.regex or sought.any_case else sought.pattern
    found = Grepped()
    held: list[tuple[uuid.UUID, list[Line]]] = []
    read = 0
    for entry, text in _texts(by, sought):
        read += len(text)
        if read > MOST_CHARACTERS:
            found.cut = "characters"
            break
        found.looked_at += 1
        if plain not in text:
            continue
        left = sought.limit - found.count
        lines = list(_in_text(expression, text, sought.context, left + 1))
        if len(lines) > left:
            found.cut = "limit"
            lines = lines[:left]
        if lines:
            held.append((entry, lines))
            found.count += len(lines)
        if found.cut:
            break
    entries = Entry.objects.in_bulk([entry for entry, _ in held]) if held else {}
    found.files = [InFile(entries[entry], lines) for entry, lines in held]
    return found


def _compiled(sought: Sought) -> Any:
    if not sought.pattern or len(sought.pattern) > LONGEST_PATTERN:
        accepted = f"1 to {LONGEST_PATTERN} characters"
        raise Invalid.at("/pattern", "not_a_pattern", "There is nothing to look for.", accepted)
    if "\n" in sought.pattern and not sought.regex:
        raise Invalid.at("/pattern", "more_than_a_line", "What is found is lines.", "a text without a line feed")
    options = re2.Options()
    options.never_nl = True
    options.max_mem = MEMORY
    options.log_errors = False
    options.literal = not sought.regex
    options.case_sensitive = not sought.any_case
    pattern = f"(?m){sought.pattern}" if sought.regex else sought.pattern
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as error:
        said = str(error.args[0] if error.args else error)[:200]
        message = f"This is no expression: {said}"
        raise Invalid.at("/pattern", "not_an_expression", message, "an expression of RE2, or a text") from error


def _texts(by: Principal, sought: Sought) -> Iterator[tuple[uuid.UUID, str]]:
    """What the current files to look through say, by path, a few at a time."""
    some: list[uuid.UUID] = []
    amount = 0
    for entry, size in _to_look_through(by, sought):
        some.append(entry)
        amount += size
        if len(some) == AT_ONCE or amount >= AMOUNT:
            yield from _saying(some)
            some, amount = [], 0
    if some:
        yield from _saying(some)


def _to_look_through(by: Principal, sought: Sought) -> Iterator[tuple[uuid.UUID, int]]:
    """The files to look through by path, with their sizes."""
    entries: QuerySet[Entry] = Entry.objects.readable_to(by).filter(state=State.CURRENT, kind=Kind.FILE)
    entries = entries.filter(territory(sought.under))
    if sought.only is not None and sought.only.head != ROOT:
        entries = entries.filter(territory(sought.only.head))
    after, size = "", AT_ONCE
    while True:
        rest = entries.filter(path__gt=after) if after else entries
        rows = list(rest.order_by("path").values_list("pk", "size", "path")[:size])
        yield from ((pk, size) for pk, size, path in rows if sought.only is None or sought.only.matches(path))
        if len(rows) < size:
            return
        after, size = rows[-1][2], min(4 * size, 16 * AT_ONCE)


def _saying(ids: Sequence[uuid.UUID]) -> Iterator[tuple[uuid.UUID, str]]:
    """What these files say, or what was found in their attachments. Their texts alone are read: of most of them
    nothing else is asked."""
    texts = {
        entry: text if extracted is None else extracted for entry, text, extracted in prepared.rows(_latest, ids=ids)
    }
    for entry in ids:
        yield entry, texts.pop(entry, "") or ""


def _latest(ids: Sequence[uuid.UUID]) -> QuerySet[Version, Any]:
    rows = Version.objects.filter(entry__in=ids, sequence=F("entry__lock"))
    return rows.values_list("entry", "body__text", "body__extract__text")


def _in_text(expression: Any, text: str, context: int, most: int) -> Iterator[Line]:
    raw = text.encode()
    at, number, count = 0, 1, 0
    lines: list[bytes] | None = None
    while count < most:
        match = expression.search(raw, at)
        if match is None:
            return
        place = match.start()
        if place >= len(raw) and (not raw or raw.endswith(b"\n")) and (raw or at):
            return
        number += raw.count(b"\n", at, place)
        start = raw.rfind(b"\n", 0, place) + 1
        end = raw.find(b"\n", place)
        end = len(raw) if end < 0 else end
        if context and lines is None:
            lines = raw.split(b"\n")
        around = _around(lines or [], number, context)
        yield Line(number, _shown(raw[start:end]), *around)
        count += 1
        at, number = end + 1, number + 1
        if at > len(raw):
            return


def _around(lines: list[bytes], number: int, context: int) -> tuple[list[str], list[str]]:
    before = lines[max(0, number - 1 - context) : number - 1]
    after = lines[number : number + context]
    if number + context >= len(lines) and after and not after[-1]:
        after = after[:-1]
    return [_shown(one) for one in before], [_shown(one) for one in after]


def _shown(line: bytes) -> str:
    text = line.decode(errors="replace").removesuffix("\r")
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN] + "…"
