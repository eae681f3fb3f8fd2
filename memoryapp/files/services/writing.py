"""Writing files whole, editing one in place, and making directories."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryapp.access.paths import name_of, normal, parent
from memoryapp.doors.errors import Conflict, DomainError, Invalid, NotFound, Stale, Violation
from memoryapp.files import queries
from memoryapp.files.inputs import FileInput
from memoryapp.files.lines import difference, number_at, split
from memoryapp.files.models import Body, Entry, Form, Kind, State, Version
from memoryapp.files.services import drafts, placing
from memoryapp.files.services.storing import Next, new_body, put_down, sources_of
from memoryapp.ledger.models import Write
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read as read_source

MOST = 100
"""Files in one batch."""
MOST_TOLD = 20_000
"""Characters of what a file says now that a refusal tells."""
MOST_PLACES = 20
"""Places named when a text to be replaced is there more than once."""
LOOKED_THROUGH = 2000
"""Lines among which the nearest is sought when a text is nowhere."""


@dataclass(frozen=True)
class Written:
    """A file or directory as it is now. `repeated` when it was so before: then nothing was stored."""

    entry: Entry
    version: Version
    repeated: bool = False


def write_file(write: Write, told: FileInput) -> Written:
    """Write one file; see `write_files`. Violations name no row."""
    try:
        return write_files(write, [told])[0]
    except DomainError as error:
        error.violations = tuple(replace(violation, row=None) for violation in error.violations)
        raise


def write_files(write: Write, told: Sequence[FileInput]) -> list[Written]:
    """Write files whole, in order, all or none; directories on the way are made.

    What is written again as it stands is a repeat and stores nothing. Raises Invalid with every violation by row;
    Denied `path_not_writable` and `outside_roots`; Conflict `file_exists` when no lock names the version that is
    replaced, `is_a_directory`, `not_a_directory`; Stale, with what differs, when the lock is not the latest; NotFound
    when a lock is named and nothing is there.
    """
    write.by.require("write_files")
    if not 0 < len(told) <= MOST:
        raise Invalid.at("", "too_many", f"{len(told)} files at once cannot be.", f"1 to {MOST}")
    wrong: list[Violation] = []
    fit: list[FileInput] = []
    for row, one in enumerate(told):
        try:
            fit.append(_fit(one))
        except Invalid as error:
            wrong += drafts.in_row(error, row)
    if wrong:
        raise Invalid.all(wrong)
    done = []
    for row, one in enumerate(fit):
        try:
            done.append(_write(write, one))
        except DomainError as error:
            error.violations = tuple(drafts.in_row(error, row))
            raise
    return done


def _fit(told: FileInput) -> FileInput:
    """The file in its normal form. Raises Invalid with everything that can be said without looking at the store."""
    wrong = list(drafts.text_violations(told.content))
    path = told.path
    try:
        path = normal(told.path)
    except Invalid as error:
        wrong += error.violations
    if told.form == Form.ATTACHMENT:
        message = "An attachment is uploaded, never written."
        wrong.append(Violation("/form", "not_a_form", message, "text, markdown or url"))
    wrong += drafts.url_violations(told, drafts.form_of(told)) if told.form or told.url else []
    wrong += drafts.about_violations(told.about)
    if wrong:
        raise Invalid.all(wrong)
    return replace(told, path=path)


def _write(write: Write, told: FileInput) -> Written:
    placing.may_write(write, told.path)
    entry = placing.here(write, told.path)
    if entry is not None and entry.is_directory:
        raise Conflict(f"{told.path} is a directory.", code="is_a_directory")
    before = queries.latest(entry) if entry is not None else None
    form = told.form or (_kept_form(before, told) if before else drafts.form_of(told))
    sources = drafts.read_sources(write, told.sources)
    about = drafts.told_about(write.by, told.about, before)
    if entry is not None and before is not None and _same(before, told, form, about) and not sources:
        return Written(entry, before, repeated=True)
    _check_lock(write, entry, told)
    body = _body(write, before, told, form)
    source = tell(write, told.path, told.content) if told.tell else None
    if entry is None:
        placing.make_way(write, told.path)
        entry = new_entry(write, told.path, body)
    planned = Next(entry, "write", before, body=body, about=about, sources=sources, told=source)
    return Written(entry, put_down(write, [planned])[0])


def _kept_form(before: Version, told: FileInput) -> str:
    if told.url:
        return Form.URL
    form = before.body.form if before.body else Form.TEXT
    return drafts.form_of(told) if form in (Form.URL, Form.ATTACHMENT) else form


def _same(before: Version, told: FileInput, form: str, about: dict[str, object]) -> bool:
    body = before.body
    if body is None or (body.form, body.text, body.url) != (form, told.content, told.url) or told.tell:
        return False
    return all(getattr(before, name) == value for name, value in about.items())


def _check_lock(write: Write, entry: Entry | None, told: FileInput) -> None:
    if entry is None:
        if told.lock:
            raise NotFound("There is no such file any more.", code="no_such_file", extra={"path": told.path})
        return
    if told.lock is None:
        message = f"There is a file at {told.path} already. Name the lock of the version that you replace, or edit it."
        text = queries.text_of(queries.latest(entry))
        differs = difference(text, told.content, (f"version {entry.lock}", "what you sent"))
        extra = {"lock": entry.lock, "difference": differs} | _now(text)
        raise Conflict(message, code="file_exists", extra=extra)
    check_lock(write, entry, told.lock)


def check_lock(write: Write, entry: Entry, lock: int | None) -> None:
    """Raises Stale, with what differs and what a file says now, when the lock, if one is named, is not that of the
    latest version."""
    if lock is None or lock == entry.lock:
        return
    extra: dict[str, object] = {"lock": entry.lock}
    text = queries.text_of(queries.latest(entry))
    seen = queries.versions(write.by, entry).filter(sequence=lock).first()
    if seen is not None:
        extra["difference"] = difference(queries.text_of(seen), text, (f"version {lock}", f"version {entry.lock}"))
    if not entry.is_directory:
        extra |= _now(text)
    raise Stale(
        "This was changed meanwhile. Read it again and repeat the change if it still holds.", code="stale", extra=extra
    )


def _now(text: str) -> dict[str, object]:
    """What a file says, for whoever was overtaken; of a long text the beginning."""
    return {"current": text[:MOST_TOLD], "current_cut": len(text) > MOST_TOLD}


def _body(write: Write, before: Version | None, told: FileInput, form: str) -> Body:
    kept = before.body if before else None
    taken_at = told.taken_at.instant if told.taken_at else None
    if kept is not None and (kept.form, kept.text, kept.url, kept.taken_at) == (form, told.content, told.url, taken_at):
        return kept
    return new_body(write, form, told.content, url=told.url, taken_at=taken_at)


def new_entry(write: Write, path: str, body: Body) -> Entry:
    """The head of a new file; its first version follows in the same write."""
    entry = Entry(
        workspace=write.workspace,
        kind=Kind.FILE,
        path=path,
        directory=parent(path),
        form=body.form,
        size=body.size,
        write=write,
        recorded_at=write.recorded_at,
        modified_at=write.recorded_at,
    )
    entry.save(force_insert=True)
    return entry


def tell(write: Write, path: str, content: str) -> Source:
    """The file as a source, to be read as a document is. The same words at the same path are one source."""
    told = SourceInput("file", content, write.recorded_at, title=name_of(path)[:300], path=path)
    return read_source(write, told).source


def edit(write: Write, path: str, *, old: str, new: str, lock: int | None = None) -> Written:
    """Replace a text that stands in a file exactly once. What it was made from, or told as, is what the changed one is
    made from: most of the words are still those.

    Raises NotFound; Invalid `not_there` with the nearest lines, `there_more_than_once` with the lines of all, and
    `not_editable` for what is no text of its own; Stale with what differs.
    """
    write.by.require("write_files")
    path = normal(path)
    entry, before = queries.file(write.by, path)
    placing.may_write(write, path)
    check_lock(write, entry, lock)
    body = before.body
    if body is None or body.form not in (Form.TEXT, Form.MARKDOWN):
        raise Invalid.at("/path", "not_editable", "Only text and markdown are edited.", "write it whole instead")
    if wrong := drafts.text_violations(new, "/new"):
        raise Invalid.all(wrong)
    at = _only_place(body.text, old)
    text = body.text[:at] + new + body.text[at + len(old) :]
    if text == body.text:
        raise Invalid.at("/new", "nothing_changed", "This is what it says already.", "something that differs")
    if wrong := drafts.text_violations(text, "/new"):
        raise Invalid.all(wrong)
    changed = new_body(write, body.form, text)
    version = put_down(write, [Next(entry, "edit", before, body=changed, sources=sources_of(before))])[0]
    return Written(entry, version)


def _only_place(text: str, old: str) -> int:
    if not old:
        raise Invalid.at("/old", "blank", "Name the text to be replaced.", "a text that stands there exactly once")
    places: list[int] = []
    at = text.find(old)
    while at >= 0 and len(places) <= MOST_PLACES:
        places.append(at)
        at = text.find(old, at + 1)
    if len(places) == 1:
        return places[0]
    accepted = "a text that stands there exactly once"
    if not places:
        near = _nearest(text, old)
        hint = f" The nearest is in line {', '.join(map(str, near))}." if near else ""
        raise Invalid.at("/old", "not_there", f"This text stands nowhere in the file.{hint}", accepted, lines=near)
    lines = [number_at(text, place) for place in places[:MOST_PLACES]]
    more = " and more" if len(places) > MOST_PLACES else ""
    message = f"This text stands there {len(places)} times: in line {', '.join(map(str, lines))}{more}."
    raise Invalid.at("/old", "there_more_than_once", message, f"{accepted}: add what stands around it", lines=lines)


def _nearest(text: str, old: str) -> list[int]:
    lines = [line[:200] for line in split(text)[:LOOKED_THROUGH]]
    wanted = next((line.strip() for line in split(old) if line.strip()), "")[:200]
    close = difflib.get_close_matches(wanted, dict.fromkeys(lines), n=3, cutoff=0.6)
    return sorted({number for number, line in enumerate(lines, start=1) if line in close})[:MOST_PLACES]


def mkdir(write: Write, path: str) -> Written:
    """Make a directory and those above it. One that is there is a repeat. Raises Conflict `not_a_directory`."""
    write.by.require("write_files")
    path = normal(path)
    placing.may_write(write, path)
    entry = placing.here(write, path)
    if entry is not None:
        if not entry.is_directory:
            raise Conflict(f"{path} is a file.", code="not_a_directory")
        return Written(entry, queries.latest(entry), repeated=True)
    placing.make_way(write, path)
    made = placing.make_directories(write, [path])[0]
    return Written(made, Version.objects.get(entry=made, state=State.CURRENT))
