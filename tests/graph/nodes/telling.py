"""What tests of nodes say in one line: something was read, and a node, an edge or a relation stands on it."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.services import NodeInput, Remembered, Upserted
from memoryapp.graph.statements import Moment, NodeKeys, Player, Quoted, Statement
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read

_count = itertools.count()


def at(text: str) -> dt.datetime:
    """`at("2026-03-02")`: that day's noon in UTC."""
    return dt.datetime.fromisoformat(text).replace(hour=12, tzinfo=dt.UTC)


class Graph:
    """A workspace as one principal writes it."""

    def __init__(self, by: Principal) -> None:
        self.by = by

    def do(self, act: Any) -> Any:
        return record(self.by, "test", act)

    def source(self, said_at: str = "2026-03-02", text: str = "") -> Source:
        number = next(_count)
        given = SourceInput("file", text or f"Note {number}", at(said_at), path=f"notes/{number}.txt")
        found: Source = self.do(lambda write: read(write, given)).source
        return found

    def upsert(self, node_class: str, said_at: str = "2026-03-02", **properties: Any) -> Upserted:
        quoted = Quoted(self.source(said_at))
        done: Upserted = self.do(lambda write: graph.upsert_node(write, node_class, properties, (quoted,)))
        return done

    def node(self, node_class: str, said_at: str = "2026-03-02", **properties: Any) -> Node:
        return self.upsert(node_class, said_at, **properties).node

    def person(self, name: str) -> Node:
        return self.node("person", name=name, email=f"{name.lower().replace(' ', '.')}@mail.example")

    def upsert_all(self, *given: tuple[str, dict[str, Any]]) -> list[Upserted]:
        quoted = Quoted(self.source())
        rows = [NodeInput(node_class, properties, (quoted,)) for node_class, properties in given]
        done: list[Upserted] = self.do(lambda write: graph.upsert_nodes(write, rows))
        return done

    def connect(
        self, subject: Any, relationship: str, object: Any, said_at: str = "2026-03-02", **more: Any
    ) -> Remembered:
        more.setdefault("evidence", (Quoted(self.source(said_at)),))
        done: Remembered = self.do(lambda write: graph.connect(write, _id(subject), relationship, _id(object), **more))
        return done

    def say(
        self, content: str, *owners: Node, said_at: str = "2026-03-02", kind: str = "preference", **more: Any
    ) -> Belief:
        more.setdefault("evidence", (Quoted(self.source(said_at, content)),))
        statement = Statement(kind=kind, content=content, owners=tuple(node.pk for node in owners), **more)
        remembered: Remembered = self.do(lambda write: graph.remember(write, statement))
        return remembered.belief

    def relate(self, kind: str, *players: tuple[str, Any], **more: Any) -> Relation:
        given = [_player(role, thing) for role, thing in players]
        done: Relation = self.do(lambda write: graph.relate(write, kind, given, **more))
        return done


def moment(text: str) -> Moment:
    return Moment(at(text))


def _id(thing: Any) -> Any:
    return thing.pk if isinstance(thing, Node) else thing


def _player(role: str, thing: Any) -> Player:
    if isinstance(thing, Node):
        return Player(role, node=thing.pk)
    if isinstance(thing, NodeKeys):
        return Player(role, node=thing)
    if isinstance(thing, Belief):
        return Player(role, belief=thing.pk)
    if isinstance(thing, Relation):
        return Player(role, relation=thing.pk)
    return Player(role, source=thing if isinstance(thing, Quoted) else Quoted(thing))
