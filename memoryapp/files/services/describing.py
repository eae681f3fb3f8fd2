"""What is put down beside a file's text: its summary, tags, free keys and links."""

from __future__ import annotations

from memoryapp.access.paths import normal
from memoryapp.doors.errors import Invalid
from memoryapp.files import queries
from memoryapp.files.inputs import About
from memoryapp.files.services import drafts, placing
from memoryapp.files.services.storing import Next, put_down
from memoryapp.files.services.writing import Written, check_lock
from memoryapp.ledger.models import Write


def set_metadata(write: Write, path: str, about: About, *, lock: int | None = None) -> Written:
    """Put down what is given beside a file or directory; what is left out stays. What it is already is a repeat.

    Raises NotFound, Denied, Stale with what differs, Invalid with every violation.
    """
    write.by.require("write_files")
    path = normal(path)
    entry = queries.entry(write.by, path)
    placing.may_write(write, path)
    check_lock(write, entry, lock)
    if wrong := drafts.about_violations(about):
        raise Invalid.all(wrong)
    before = queries.latest(entry)
    told = drafts.told_about(write.by, about, before)
    if all(getattr(before, name) == value for name, value in told.items()):
        return Written(entry, before, repeated=True)
    return Written(entry, put_down(write, [Next(entry, "metadata", before, about=told)])[0])
