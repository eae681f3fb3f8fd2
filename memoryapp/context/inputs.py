"""What a caller hands to the services of this room: plain values, read once by the door that received them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from enum import Enum

from memoryapp.doors.moments import Moment


class Unchanged(Enum):
    """Stands for what is left as it was, where None says something of its own."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


@dataclass(frozen=True)
class LinkInput:
    """What an entry is linked to: a node, a belief or a source, by its id."""

    what: str
    id: uuid.UUID


@dataclass(frozen=True)
class EntryInput:
    """An entry as it is to stand. Section and title name it: set again, it is the same one said anew.

    `readers` are actor ids, for the audience `named`; whoever sets it is one of them.
    """

    section: str
    title: str
    content: str = ""
    pinned: bool = True
    expires_at: Moment | None = None
    links: tuple[LinkInput, ...] = ()
    audience: str = "workspace"
    readers: tuple[uuid.UUID, ...] = ()


@dataclass(frozen=True)
class Change:
    """What is said anew of an entry; what is None, or UNCHANGED, stays as it was."""

    section: str | None = None
    title: str | None = None
    content: str | None = None
    pinned: bool | None = None
    expires_at: Moment | Unchanged | None = UNCHANGED
    links: tuple[LinkInput, ...] | None = None
    audience: str | None = None
    readers: tuple[uuid.UUID, ...] = ()
