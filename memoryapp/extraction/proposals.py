"""What extraction reads (a conversation) and what it finds (proposals). Plain values: no database, no clock."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

Speaker = Literal["user", "assistant", "system", "tool"]
Precision = Literal["minute", "day", "week", "month", "quarter", "year"]
Signal = Literal["replaces", "negates", "corrects", "ends", "requested", "hedged"]


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who takes part: `key` names them inside the conversation, `identity` holds identity keys (email...)."""

    key: str
    name: str
    role: str = "user"
    identity: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Turn:
    """One thing said. `said_at` is aware; `zone` is an IANA name, used instead of the offset of `said_at` when valid.

    `by` is the key of a participant, or empty when nobody in particular speaks (a tool, the system).
    """

    id: str
    position: int
    speaker: Speaker
    by: str
    by_name: str
    text: str
    said_at: datetime
    zone: str = ""


@dataclass(frozen=True, slots=True)
class Conversation:
    """Turns in the order they were said, and who takes part."""

    turns: tuple[Turn, ...]
    participants: tuple[Participant, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as precisely as it was said: `at` is the aware start of the interval that `precision` names."""

    at: datetime
    precision: Precision

    def as_text(self) -> str:
        """ISO 8601 cut at the precision: 2026, 2026-05, 2026-05-04, 2026-05-04T17:00-05:00.

        A week is written as its first day and a quarter as its first month, having no form of their own here.
        """
        if self.precision == "minute":
            return self.at.isoformat(timespec="minutes")
        length = {"year": 4, "quarter": 7, "month": 7}.get(self.precision, 10)
        return self.at.date().isoformat()[:length]


@dataclass(frozen=True, slots=True)
class Span:
    """Where it was said: `turn.text[start:end] == quote`, counted in code points."""

    turn: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class Mention:
    """Somebody or something named. `key` is a participant's key when the name is theirs; `class_name` may be empty."""

    name: str
    class_name: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True)
class Proposal:
    """One statement found in one place, never yet believed.

    Three shapes: a free statement (no predicate), a property (`subject`, `predicate`, `value`) and an edge (`subject`,
    `predicate`, `object`). `topic` is the slot of a free statement, empty when it fills none. `signals` say what the
    words did: `replaces` (something before it, named in `replaces` when it was said), `ends` (what the proposal names
    is over, at `valid_to`), `negates`, `corrects`, `requested` (asked for politely, as a question), `hedged`.
    `speaker` is that of the turn: whoever decides must not take a tool's or the system's words for a participant's.
    `confidence` is 0..100. `due` is when a commitment falls due; `attributes["due_at"]` is the same as text.
    """

    rule: str
    kind: str
    content: str
    owners: tuple[str, ...]
    speaker: Speaker
    span: Span
    confidence: int
    topic: str = ""
    subject: Mention | None = None
    predicate: str = ""
    value: str = ""
    object: Mention | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    due: Moment | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    signals: tuple[Signal, ...] = ()
    replaces: str = ""
    mentions: tuple[Mention, ...] = ()
