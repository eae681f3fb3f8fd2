"""What a caller hands to the services of this room: plain values, read once by the door that received them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from memoryapp.doors.moments import Moment


@dataclass(frozen=True)
class LinkInput:
    """Where a file leads: a path, or the id of something else."""

    to: str
    target: str


@dataclass(frozen=True)
class About:
    """What is put down beside a file's text; what is None stays as it was."""

    summary: str | None = None
    tags: tuple[str, ...] | None = None
    properties: dict[str, Any] | None = None
    links: tuple[LinkInput, ...] | None = None


@dataclass(frozen=True)
class FileInput:
    """A file to be written, whole. `form` stays as it was when it is empty, and is read from the name of a new one.

    `lock` is the version that this was drawn from: left out for what must be new. With a `url` its text is what stood
    there when it was `taken_at`. `sources` are what it was made from; with `tell` it is itself told as a source.
    """

    path: str
    content: str
    form: str = ""
    lock: int | None = None
    about: About = About()
    url: str = ""
    taken_at: Moment | None = None
    sources: tuple[uuid.UUID, ...] = ()
    tell: bool = False
