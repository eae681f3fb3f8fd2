"""What a caller hands to the graph's services: plain values, read once by the door that received them."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.moments import Moment as Moment
from memoryapp.sources.models import Source


@dataclass(frozen=True)
class Quoted:
    """A source and the exact words in it that something stands on. Without a span the whole source is meant.

    `source.content[start:end]` is the quote; the service refuses a span that is not there.
    """

    source: Source
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True)
class NodeKeys:
    """A node named by its identity: `keys` are property values that make up at least one identity key set."""

    node_class: str
    keys: dict[str, Any]


@dataclass(frozen=True)
class NodeStored:
    """A node that a stored row names. The caller came upon it by that row, so it is not asked whether they may see it.

    Never made of an id that somebody sent.
    """

    id: uuid.UUID


NodeReference = uuid.UUID | NodeKeys | NodeStored
"""A node by id or by identity keys, as somebody names one; or as a stored row does."""


def node_named(reference: NodeReference) -> uuid.UUID | NodeKeys:
    """The reference as plain values: an id, or class and keys."""
    return reference.id if isinstance(reference, NodeStored) else reference


@dataclass(frozen=True)
class Statement:
    """One atomic statement to be remembered.

    Free: `kind`, `content`, `owners`, perhaps `topic` and `subject`. Property: `subject`, `predicate`, `value`. Edge:
    `subject`, `predicate`, `object`, `qualifiers`. `content` of the last two is rendered from the declared template.
    It needs `evidence`, or `premises` (ids of beliefs it is derived from). `valid_from` None means: from the earliest
    evidence's said_at. `confidence` is 0 to 100. `readers` are actor ids, for the audience `named`.
    """

    kind: str = ""
    content: str = ""
    owners: tuple[NodeReference, ...] = ()
    subject: NodeReference | None = None
    predicate: str = ""
    value: Any = None
    object: NodeReference | None = None
    qualifiers: dict[str, Any] = field(default_factory=dict)
    topic: str = ""
    attributes: dict[str, Any] = field(default_factory=dict)
    confidence: float | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    audience: str = "workspace"
    readers: tuple[uuid.UUID, ...] = ()
    evidence: tuple[Quoted, ...] = ()
    premises: tuple[uuid.UUID, ...] = ()


@dataclass(frozen=True)
class Player:
    """Who plays a role in a relation: exactly one of belief, node, source, relation (by id)."""

    role: str
    belief: uuid.UUID | None = None
    node: NodeReference | None = None
    source: Quoted | None = None
    relation: uuid.UUID | None = None
