"""A statement as it can be stored, and what is said of one that stands on nobody's word."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.errors import Violation
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.statements import Moment, Quoted, Statement
from memoryapp.sources.quoting import nobody_vouches

TAKEN_BACK = "This source was taken back; nothing new stands on it."


@dataclass
class Draft:
    """A statement that may be stored as it is."""

    row: int
    shape: str
    kind: str
    content: str
    owners: list[Node]
    subject: Node | None
    predicate: str
    value: Any
    object: Node | None
    qualifiers: dict[str, Any]
    topic: str
    attributes: dict[str, Any]
    confidence: float | None
    slot: str
    digest: str
    valid_from: Moment | None
    valid_to: Moment | None
    audience: str
    readers: tuple[uuid.UUID, ...]
    evidence: list[Quoted]
    value_key: bytes = b""
    premises: list[Belief] = field(default_factory=list)

    @property
    def interval(self) -> tuple[dt.datetime | None, dt.datetime | None]:
        return (
            self.valid_from.instant if self.valid_from else None,
            self.valid_to.instant if self.valid_to else None,
        )

    @property
    def said_at(self) -> dt.datetime | None:
        """When the latest of its evidence was said."""
        return max((quoted.source.said_at for quoted in self.evidence), default=None)


def is_unvouched(stated: Draft | Statement) -> bool:
    """Whether it stands on nothing but words of assistants, tools or the system."""
    said = stated.evidence
    return bool(said) and not stated.premises and all(nobody_vouches(one.source, one.start, one.end) for one in said)


def nobody_vouched(path: str, row: int | None = None) -> Violation:
    """The refusal of what only a machine said, where it cannot wait for a person as it is."""
    message = "Nobody but a machine said this. Propose it as a candidate, and a person decides."
    return Violation(path, "nobody_vouches", message, "words of a person, or POST /api/v1/candidates", row)
