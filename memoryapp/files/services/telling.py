"""Telling a file that is there as a source, to be read as a document is: also what was found in an attachment."""

from __future__ import annotations

from memoryapp.access.paths import normal
from memoryapp.doors.errors import Invalid
from memoryapp.files import queries
from memoryapp.files.models import Version
from memoryapp.files.services import placing
from memoryapp.files.services.storing import Next, put_down
from memoryapp.files.services.writing import Written, check_lock, tell
from memoryapp.ledger.models import Write

WAITING = {"waiting": "Its text is still being read.", "failed": "Its text could not be read."}


def tell_file(write: Write, path: str, *, lock: int | None = None) -> Written:
    """Let what a file says be a source as well. Told so already it is a repeat.

    Raises NotFound, Denied, Stale; Invalid `nothing_to_tell` where there is no text.
    """
    write.by.require("write_files")
    path = normal(path)
    entry, before = queries.file(write.by, path)
    placing.may_write(write, path)
    check_lock(write, entry, lock)
    text = queries.text_of(before)
    if not text.strip():
        state = queries.extraction(before)
        message = WAITING.get(state.state if state else "", "It says nothing.")
        raise Invalid.at("/path", "nothing_to_tell", message, "a file with a text")
    source = tell(write, path, text)
    if before.sources.filter(source=source, told=True).exists():
        return Written(entry, before, repeated=True)
    return Written(entry, put_down(write, [Next(entry, "tell", before, told=source)])[0])


def told_as(version: Version) -> str:
    """The id of the source that a version was told as."""
    return str(version.sources.values_list("source", flat=True).get(told=True))
