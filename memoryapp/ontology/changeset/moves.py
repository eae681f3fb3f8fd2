"""What stored rows follow when types change: which rows, and what they are called or become afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Move:
    """Rows of one type or part that become another.

    Without `part`, rows of `type` become rows of `to`. With `property` or `role`, what rows of `types` (the type and
    all below it, as they were called just before) hold under `name` is held under `to`. With `split`, nodes of `type`
    become nodes of the class that `by_value` names for the value of the property `name`.
    """

    family: str
    type: str
    to: str = ""
    part: str = ""
    name: str = ""
    types: tuple[str, ...] = ()
    by_value: tuple[tuple[Any, str], ...] = ()

    def as_data(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if value}

    @classmethod
    def of(cls, data: dict[str, Any]) -> Move:
        """A move from plain values."""
        by_value = tuple((value, to) for value, to in data.get("by_value", ()))
        return cls(**{**data, "types": tuple(data.get("types", ())), "by_value": by_value})

    def back(self) -> Iterable[Move]:
        """What puts rows back. Rows of a type that became part of another stay there: which ones is not kept."""
        if self.part == "split":
            for to in dict.fromkeys(to for _, to in self.by_value):
                yield Move(self.family, to, self.type)
        elif self.part:
            yield replace(self, name=self.to, to=self.name)
        elif self.types != ("merged",):
            yield Move(self.family, self.to, self.type)


MERGED = ("merged",)


def rooted(path: str, was: str, now: str) -> str:
    """Where a path stands when what it is, or is within, is moved."""
    return now + path[len(was) :] if path == was or path.startswith(f"{was}/") else path


class Follow:
    """Where something declared in an old document stands after the moves."""

    def __init__(self, moves: Sequence[Move] = ()) -> None:
        self.moves = tuple(moves)

    def type(self, family: str, name: str) -> str:
        """What a type is called afterwards."""
        for move in self.moves:
            if move.part or move.family != family:
                continue
            if family == "file_roots":
                name = rooted(name, move.type, move.to)
            elif move.type == name:
                name = move.to
        return name

    def part(self, family: str, type: str, part: str, name: str) -> str:
        """What a property or role that a type has, of its own or inherited, is called afterwards."""
        for move in self.moves:
            if not move.part and (move.family, move.type) == (family, type):
                type = move.to
            elif (move.family, move.part, move.name) == (family, part, name) and type in move.types:
                name = move.to
        return name
