"""Attaching a file of bytes: its bytes are in the storage already, and a job finds the text in them."""

from __future__ import annotations

from memoryapp.access.paths import normal
from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.files import queries
from memoryapp.files.attachments.extracting import KIND
from memoryapp.files.attachments.keeping import READABLE, Kept
from memoryapp.files.inputs import About
from memoryapp.files.models import Body, Form
from memoryapp.files.services import drafts, placing
from memoryapp.files.services.storing import Next, put_down
from memoryapp.files.services.writing import Written, check_lock, new_entry
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Write

NO_ABOUT = About()


def attach(write: Write, path: str, kept: Kept, *, about: About = NO_ABOUT, lock: int | None = None) -> Written:
    """A file that is these bytes. The same bytes again are a repeat, whose new copy the caller lets go.

    Raises what `write_files` raises.
    """
    write.by.require("write_files")
    path = normal(path)
    if wrong := drafts.about_violations(about):
        raise Invalid.all(wrong)
    placing.may_write(write, path)
    entry = placing.here(write, path)
    if entry is None and lock is not None:
        raise NotFound(f"There is nothing at {path} to replace.", code="no_such_file", extra={"path": path})
    if entry is not None and entry.is_directory:
        raise Conflict(f"{path} is a directory.", code="is_a_directory")
    before = queries.latest(entry) if entry is not None else None
    told = drafts.told_about(write.by, about, before)
    if entry is not None and before is not None and before.body is not None and before.body.digest == kept.digest:
        return Written(entry, before, repeated=True)
    if entry is not None:
        if lock is None:
            message = f"There is a file at {path} already. Name the lock of the version that you replace."
            raise Conflict(message, code="file_exists", extra={"lock": entry.lock})
        check_lock(write, entry, lock)
    body = Body(
        workspace=write.workspace,
        form=Form.ATTACHMENT,
        digest=kept.digest,
        stored=kept.stored,
        media_type=kept.media_type,
        size=kept.size,
        write=write,
    )
    body.save(force_insert=True)
    if entry is None:
        placing.make_way(write, path)
        entry = new_entry(write, path, body)
    version = put_down(write, [Next(entry, "attach", before, body=body, about=told, sources=())])[0]
    if kept.media_type in READABLE:
        jobs.enqueue(write, KIND, body.pk, dedupe=str(body.pk))
    return Written(entry, version)
