"""What a caller hands to the services of this room: plain values, read once by the door that received them."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ThreadInput:
    """A conversation as its own platform knows it.

    `external_id` names it there: telling it again appends what is new. Without one, every telling is a new thread.
    `time_zone` is an IANA name and gives a `said_at` without offset its meaning. `readers` are the actors who may be
    served it, besides who tells it; without them that is everybody, or whoever it was when the conversation began.
    """

    external_id: str = ""
    title: str = ""
    time_zone: str = ""
    readers: tuple[uuid.UUID, ...] | None = None


@dataclass(frozen=True)
class ParticipantInput:
    """Somebody in the thread. `identity` holds identity keys of the node class, e.g. {"email": "ines@ferro.example"}.

    A user needs them: without, nobody could say whose words these are.
    """

    key: str
    role: str
    name: str = ""
    identity: dict[str, str] = field(default_factory=dict)
    node_class: str = "person"


@dataclass(frozen=True)
class TurnInput:
    """One thing said. `by` is the key of a participant whose role is the `speaker`.

    `said_at` carries its offset, unless the thread names a time zone. `said_zone` is the zone or offset it was said in;
    it is read from `said_at` when empty. `message_id` is what the platform calls this turn.
    """

    speaker: str
    content: str
    said_at: dt.datetime
    by: str = ""
    message_id: str = ""
    said_zone: str = ""


@dataclass(frozen=True)
class SourceInput:
    """One thing read: a document or file (with its path), a web page (with its url), or a system note.

    `readers` are the actors who may be served it, besides who tells it; without them that is everybody.

    `external_id` names it where it came from. `speaker` belongs to chat turns alone and is refused for all of these.
    """

    kind: str
    content: str
    said_at: dt.datetime
    said_zone: str = ""
    title: str = ""
    path: str = ""
    url: str = ""
    external_id: str = ""
    speaker: str = ""
    readers: tuple[uuid.UUID, ...] | None = None
