"""Who refers to a node. Every room with such a table registers here how its rows follow when a node is folded or split.

A pointer is a column that may change: its rows are moved, and each move is kept, so that the past is read and a merge
is taken back exactly. A reader is a table of which nothing may change: it is read through the redirect, and only
counted here.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Model, QuerySet

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Node
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal

CHUNK = 400


@dataclass(frozen=True)
class Pointer:
    """A column by which rows refer to a node. `words` is what the rows are called, in the plural.

    `unable(rows, node)`: those of these rows that cannot point to that node, because another row does already. They
    stay, and are read through the redirect.
    """

    name: str
    model: type[Model]
    column: str
    words: str
    unable: Callable[[QuerySet[Any], uuid.UUID], QuerySet[Any]] | None = None

    def rows(self, workspace: Workspace, node: uuid.UUID) -> QuerySet[Any]:
        """The rows that point to the node."""
        return self.model._default_manager.filter(workspace=workspace, **{self.column: node})

    def able(self, workspace: Workspace, origin: uuid.UUID, destination: uuid.UUID) -> list[uuid.UUID]:
        """The ids of the rows that can point to the destination instead."""
        rows = self.rows(workspace, origin)
        if self.unable is not None:
            rows = rows.exclude(pk__in=self.unable(rows, destination).values("pk"))
        return list(rows.order_by("pk").values_list("pk", flat=True))

    def held(self, ids: Collection[uuid.UUID]) -> dict[uuid.UUID, uuid.UUID]:
        """To which node each of these rows points now."""
        return {
            pk: node
            for some in chunks(sorted(ids))
            for pk, node in self.model._default_manager.filter(pk__in=some).values_list("pk", self.column)
        }

    def turn(self, ids: Collection[uuid.UUID], node: uuid.UUID) -> None:
        """Let these rows point to the node."""
        for some in chunks(sorted(ids)):
            self.model._default_manager.filter(pk__in=some).update(**{self.column: node})


Taker = Callable[[Write, Sequence[uuid.UUID], Node, Node], None]


@dataclass(frozen=True)
class Reader:
    """A table that is read through redirects: `count(by, nodes)` says how many things in it that
    somebody sees name these nodes.

    `take(write, ids, origin, destination)`: say of these things anew that they are of the other node, when a node is
    split. None when nothing of the room can be told apart. `give_back(write, undone)` takes back what a split did.
    """

    words: str
    count: Callable[[Principal, Collection[uuid.UUID]], int]
    take: Taker | None = None
    give_back: Callable[[Write, Write], None] | None = None


_pointers: dict[str, Pointer] = {}
_readers: dict[str, Reader] = {}


def register(pointer: Pointer) -> None:
    """Let the rows of a table follow when the node they point to is folded into another. `name` is kept with moves."""
    _pointers[pointer.name] = pointer


def register_reader(room: str, reader: Reader) -> None:
    """Count what of a room is read through redirects."""
    _readers[room] = reader


def pointers() -> list[Pointer]:
    """Every pointer, in the order registered."""
    return list(_pointers.values())


def pointer(name: str) -> Pointer:
    """The pointer of a kept move. KeyError means that its room is not registered: a mistake of the product."""
    return _pointers[name]


def readers() -> list[Reader]:
    return list(_readers.values())


def taker(room: str) -> Taker:
    """How things of a room are said to be of another node. Raises Invalid for a room without such things."""
    reader = _readers.get(room)
    if reader is None or reader.take is None:
        accepted = ", ".join(["beliefs", *(name for name, one in _readers.items() if one.take)])
        raise Invalid.at(f"/{room}", "cannot_be_split", f"{room.capitalize()} cannot be told apart.", accepted)
    return reader.take


def chunks(ids: list[uuid.UUID], size: int = CHUNK) -> Iterator[list[uuid.UUID]]:
    """The ids in lists as long as either engine takes at once."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
