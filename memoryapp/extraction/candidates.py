"""What is proposed, as plain values: the same for the built-in rules, for agents and for a person's edit.

A candidate keeps its proposal as JSON. A node in it is `{"node": id}`, `{"class": ..., "keys": {...}}`, or
`{"class": ..., "name": ...}` for something that was only called by a name.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
import uuid
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors import moments
from memoryapp.doors.moments import Moment
from memoryapp.graph.statements import NodeKeys, NodeReference, Quoted, Statement
from memoryapp.sources.models import Source


@dataclass(frozen=True)
class Proposed:
    """One proposal about one span: `source.content[start:end]` are the words it stands on.

    `details` holds owners, subject, predicate, value, object, qualifiers, topic, attributes, valid_from, valid_to and
    signals, each only where there is something to say.
    """

    source: Source
    start: int
    end: int
    kind: str
    content: str
    details: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    rule: str = ""

    @property
    def quote(self) -> str:
        return self.source.content[self.start : self.end]

    def digest(self) -> str:
        """The same span, kind and normalised statement is the same proposal, whoever makes it."""
        told = [self.start, self.end, self.kind, normal(self.content), self.details]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()


def normal(text: str) -> str:
    """NFKC, casefolded, with single spaces and no closing punctuation."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(".!。！ ")


def as_statement(proposed: Proposed, also: tuple[Quoted, ...] = ()) -> Statement:
    """The statement that accepting it would remember, on its quote and on what was quoted `also`. Names must have been
    turned into nodes before.

    The sentence of a property or an edge is rendered from its declared template, not from the proposal's words.
    """
    details = proposed.details
    rendered = bool(details.get("predicate"))
    return Statement(
        kind=proposed.kind,
        content="" if rendered else proposed.content,
        owners=tuple(_node(owner) for owner in details.get("owners", ())),
        subject=_node(details["subject"]) if details.get("subject") else None,
        predicate=details.get("predicate", ""),
        value=details.get("value"),
        object=_node(details["object"]) if details.get("object") else None,
        qualifiers=details.get("qualifiers", {}),
        topic=details.get("topic", ""),
        attributes=details.get("attributes", {}),
        confidence=proposed.confidence,
        valid_from=_moment(details, "valid_from"),
        valid_to=_moment(details, "valid_to"),
        evidence=(Quoted(proposed.source, proposed.start, proposed.end), *also),
    )


def names_in(details: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    """Places in the proposal where something is only called by a name: (`subject` or `object`, reference)."""
    return [(place, details[place]) for place in ("subject", "object") if (details.get(place) or {}).get("name")]


def _node(reference: dict[str, Any]) -> NodeReference:
    if "node" in reference:
        return uuid.UUID(str(reference["node"]))
    return NodeKeys(reference["class"], dict(reference["keys"]))


def _moment(details: dict[str, Any], name: str) -> Moment | None:
    return moments.given(details[name], f"/{name}") if details.get(name) else None
