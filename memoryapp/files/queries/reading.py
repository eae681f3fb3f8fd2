"""Reading a file: some of its lines, any version of it, and what differs between two."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass

from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.files.feeding import text_of
from memoryapp.files.lines import difference, split
from memoryapp.files.models import READING, Entry, Form, Version
from memoryapp.files.queries.tree import as_known, file, latest, version
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal

FIRST, LAST = 1, 50
MOST_LINES = 5000
MOST_CHARACTERS = 200_000
"""Of one reading; more is cut, and said to be."""


@dataclass(frozen=True)
class Lines:
    """Some lines of a version. `first` and `last` count from 1; `total` is how many there are; `cut` says that a line,
    or the end of what was asked for, was left out."""

    entry: Entry
    version: Version
    text: str
    first: int
    last: int
    total: int
    cut: bool


def between(
    by: Principal, path: str, *, sequence: int | None = None, known_at: dt.datetime | None = None
) -> tuple[Entry, Version]:
    """A file with its latest version, with another of its versions, or as what was at the path was known then."""
    if known_at is not None:
        found = as_known(by, known_at, path, below=False).first()
        if found is None:
            raise NotFound(f"Nothing was known at {path} then.", code="no_such_file", extra={"path": path})
        if found.entry.is_directory:
            raise Conflict(f"{path} is a directory.", code="is_a_directory")
        return found.entry, version(by, found.entry, found.sequence)
    entry, newest = file(by, path)
    return entry, newest if sequence is None else version(by, entry, sequence)


def read_lines(entry: Entry, of: Version, first: int = FIRST, last: int = LAST) -> Lines:
    """Lines `first` to `last` of a version; a `last` of -1 is the end. Raises Invalid `no_such_line`."""
    lines = split(text_of(of))
    if first < 1 or (last != -1 and last < first):
        raise Invalid.at("/first", "no_such_line", "These are no lines.", "first from 1, last not before it, or -1")
    if first > max(1, len(lines)):
        raise Invalid.at("/first", "no_such_line", f"The file ends with line {len(lines)}.", f"1 to {len(lines)}")
    end = len(lines) if last == -1 else min(last, len(lines))
    asked = end
    end = min(end, first - 1 + MOST_LINES)
    chosen = lines[first - 1 : end]
    text = "\n".join(chosen)
    cut = end < asked
    if len(text) > MOST_CHARACTERS:
        text, cut = text[:MOST_CHARACTERS], True
        end = first + text.count("\n")
    return Lines(entry, of, text, first, max(end, first - 1), len(lines), cut)


@dataclass(frozen=True)
class Extraction:
    """How it stands with the text in an attachment: `read`, `waiting`, `failed` and `cancelled` with why, or `none`
    where there is nothing to be read, as in a picture. `job` is whose answer that is."""

    state: str
    why: str = ""
    job: uuid.UUID | None = None


def extraction(version: Version) -> Extraction | None:
    """How far the text of an attachment is; None of what is no attachment."""
    body = version.body
    if body is None or body.form != Form.ATTACHMENT:
        return None
    if getattr(body, "extract", None) is not None:
        return Extraction("read")
    job = Job.objects.filter(write=body.write_id, kind=READING, subject_id=body.pk).first()
    if job is None:
        return Extraction("none")
    state = job.state if job.state in (Job.State.FAILED, Job.State.CANCELLED) else "waiting"
    return Extraction(state, job.error if state == Job.State.FAILED else "", job.pk)


def diff(by: Principal, entry: Entry, before: int, after: int | None = None) -> str:
    """What differs between two versions, the later one the latest unless named. Raises NotFound."""
    old = version(by, entry, before)
    new = version(by, entry, after) if after is not None else latest(entry)
    return difference(text_of(old), text_of(new), (f"version {old.sequence}", f"version {new.sequence}"))
