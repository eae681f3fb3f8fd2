"""What tests of beliefs say in one line: somebody said something at a time, and it is remembered."""

from __future__ import annotations

import datetime as dt
import itertools
from typing import Any

from memoryapp.graph import changes
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.services.remembering import Remembered, remember
from memoryapp.graph.statements import Moment, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services as ontology
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import read

_count = itertools.count()


def at(text: str) -> dt.datetime:
    """`at("2026-03-02")`: that day's noon in UTC."""
    return dt.datetime.fromisoformat(text).replace(hour=12, tzinfo=dt.UTC)


def moment(text: str) -> Moment:
    return Moment(at(text))


class Memory:
    """A workspace with the default types, written by one principal."""

    def __init__(self, by: Principal, operator: Principal | None = None) -> None:
        self.by = by
        record(operator or by, "declare", lambda write: ontology.start(write, "default"))

    def do(self, act: Any, by: Principal | None = None) -> Any:
        return record(by or self.by, "test", act)

    def node(self, name: str, node_class: str = "person") -> Node:
        """A node by itself, without beliefs about it."""

        def act(write: Write) -> Node:
            node = Node.objects.create(
                workspace=write.workspace,
                node_class=node_class,
                label=name,
                ontology_version=1,
                write=write,
                recorded_at=write.recorded_at,
            )
            changes.announce(write, [node])
            return node

        made: Node = self.do(act)
        return made

    def source(self, said_at: str, text: str = "") -> Source:
        """A file that was written that day."""
        number = next(_count)
        given = SourceInput("file", text or f"Note {number}", at(said_at), path=f"notes/{number}.txt")
        found: Source = self.do(lambda write: read(write, given)).source
        return found

    def say(
        self, said_at: str, content: str = "", *owners: Node, source: Source | None = None, **fields: Any
    ) -> Remembered:
        """Remember a statement on the evidence of what was said that day."""
        quoted = Quoted(source or self.source(said_at, content))
        if "predicate" not in fields:
            fields.setdefault("kind", "preference")
        fields.setdefault("evidence", (quoted,))
        statement = Statement(content=content, owners=tuple(owner.pk for owner in owners), **fields)
        remembered: Remembered = self.do(lambda write: remember(write, statement))
        return remembered

    def conclude(self, content: str, *premises: Belief, **fields: Any) -> Belief:
        """Remember an insight drawn from other beliefs."""
        statement = Statement(
            kind=fields.pop("kind", "insight"), content=content, premises=tuple(one.pk for one in premises), **fields
        )
        remembered: Remembered = self.do(lambda write: remember(write, statement))
        return remembered.belief
