"""What a caller hands to the services of this room: plain values, read once by the door that received them."""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.moments import Moment
from memoryapp.graph.statements import NodeKeys, NodeReference, Quoted, node_named


@dataclass(frozen=True)
class Taking:
    """Who takes part, and how: a role that the kind declares."""

    node: NodeReference
    role: str = "participant"


@dataclass(frozen=True)
class Happened:
    """When something happened: `at` one moment, or `since` one and `until` another, of which one may be left open."""

    at: Moment | None = None
    since: Moment | None = None
    until: Moment | None = None

    def __bool__(self) -> bool:
        return bool(self.at or self.since or self.until)


@dataclass(frozen=True)
class EpisodeInput:
    """Something that happened. `content` says what; of a conversation (`thread`) it may be left out.

    A conversation happened from its first turn to its last, among those who take part in it, unless told otherwise.
    `external_id` is what its own platform calls it. `readers` are actor ids, for the audience `named`. `beliefs` were
    learned from it.
    """

    kind: str
    content: str = ""
    happened: Happened = Happened()
    participants: tuple[Taking, ...] = ()
    properties: dict[str, Any] = field(default_factory=dict)
    evidence: tuple[Quoted, ...] = ()
    thread: uuid.UUID | None = None
    external_id: str = ""
    audience: str = "workspace"
    readers: tuple[uuid.UUID, ...] = ()
    beliefs: tuple[uuid.UUID, ...] = ()

    def digest(self) -> str:
        """The same for two inputs that say the same."""
        told: list[Any] = [self.kind, self.content, self.properties, str(self.thread or ""), self.audience]
        told += [str(one or "") for one in (self.happened.at, self.happened.since, self.happened.until)]
        told += [[one.role, _named(one.node)] for one in self.participants]
        told += [[str(one.source.pk), one.start, one.end] for one in self.evidence]
        told += [sorted(map(str, self.readers)), sorted(map(str, self.beliefs))]
        return hashlib.sha256(json.dumps(told, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


@dataclass(frozen=True)
class Amendment:
    """What is said anew of an episode; what is None stays as it was."""

    content: str | None = None
    happened: Happened = Happened()
    participants: tuple[Taking, ...] | None = None
    properties: dict[str, Any] | None = None
    evidence: tuple[Quoted, ...] | None = None
    audience: str | None = None
    readers: tuple[uuid.UUID, ...] = ()


def _named(node: NodeReference) -> Any:
    named = node_named(node)
    return [named.node_class, named.keys] if isinstance(named, NodeKeys) else str(named)
