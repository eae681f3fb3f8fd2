"""What is kept of a response: commits, each of events that were decided once and are never decided again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from formsengine.problems import Refused

Event = dict[str, Any]
"""Plain data whose `event` says what happened; the log's fold knows each by its name."""
Verdict = dict[str, Any]
"""Plain data: what became of one operation, and what to send instead where it was not taken."""

SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, and through what. `human`: only a person settles what two writers disagree about."""

    actor: str
    channel: str
    session: str = ""
    human: bool = False
    roles: frozenset[str] = frozenset()
    device: str = ""

    def as_data(self) -> dict[str, Any]:
        return {**asdict(self), "roles": sorted(self.roles)}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Writer:
        return cls(**{**data, "roles": frozenset(data.get("roles", ()))})


@dataclass(frozen=True, slots=True)
class Clock:
    """The instant of a commit and the zone of the response: they are recorded, and replay reads them."""

    at: datetime
    zone: str = "UTC"

    def __post_init__(self) -> None:
        if self.at.tzinfo is None:
            raise Refused("clock", "The time of a commit has an offset.")
        try:
            ZoneInfo(self.zone)
        except (ZoneInfoNotFoundError, ValueError):
            raise Refused("zone", f"There is no time zone {self.zone!r}.") from None

    @property
    def local(self) -> datetime:
        return self.at.astimezone(ZoneInfo(self.zone))


@dataclass(slots=True)
class Commit:
    """One atomic step of a response. `undoes` and `redoes` name the commit whose changes were taken back or again."""

    number: int
    by: Writer
    at: str
    zone: str
    base: int | None = None
    key: str = ""
    body: str = ""
    language: str = ""
    undoes: int | None = None
    redoes: int | None = None
    events: list[Event] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    outbox: list[dict[str, Any]] = field(default_factory=list)

    @property
    def clock(self) -> Clock:
        return Clock(datetime.fromisoformat(self.at), self.zone)

    def as_data(self) -> dict[str, Any]:
        made = {name: getattr(self, name) for name in self.__slots__ if name != "by"}
        return {**made, "by": self.by.as_data()}

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Commit:
        return cls(**{**data, "by": Writer.of(data["by"])})


def instant(at: datetime) -> str:
    return at.astimezone(UTC).isoformat()


@dataclass(frozen=True, slots=True)
class Revision:
    """One answer to one field, as it was given. `because` is empty once in force; else why it is only a candidate."""

    id: str
    field: str
    row: str
    parent: str | None
    status: str
    raw: Any
    kept: Any
    origin: str
    actor: str
    session: str
    commit: int
    at: str
    because: str = ""
    speaker: str = ""
    said_at: str = ""
    evidence: tuple[Any, ...] = ()
    reason: str = ""
    coerced: bool = False
    approximate: bool = False
    unconfirmed: bool = False
    confidence: Any = None
    sources: Any = None
    redacted: bool = False

    def as_event(self, event: str) -> Event:
        """Without what is at its default: most answers have a field, a value and little else."""
        data = asdict(self)
        kept = {key: value for key, value in data.items() if value not in ("", None, False, ()) or key in ALWAYS}
        return {"event": event, **kept, "evidence": list(self.evidence)} if self.evidence else {"event": event, **kept}

    @classmethod
    def of(cls, event: Mapping[str, Any]) -> Revision:
        data: dict[str, Any] = {"row": "", "parent": None, "raw": None, "kept": None, "session": ""}
        data |= {key: value for key, value in event.items() if key != "event"}
        return cls(**{**data, "evidence": tuple(event.get("evidence", ()))})


ALWAYS = {"id", "field", "status", "origin", "actor", "commit", "at", "raw", "kept"}
