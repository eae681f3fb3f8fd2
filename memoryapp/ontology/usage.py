"""How often something declared is in use. The rooms that store instances say so; the ontology knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memoryapp.ledger.models import Workspace


@dataclass(frozen=True)
class Part:
    """Something declared: a type (`part` empty), or one of its properties, attributes, roles or identity keys, or an
    allowed value of one. `family` is that of the document. Of a vocabulary that goes, and of its `terms`, the value is
    the IRIs that go, and `types` the classes that they are of. Of a root it is the roots within it that stay; one whose
    `place` goes has another path.
    `part` is `property`, `attribute`, `role`, `keys`, `value` or `required`; `types` is the type and every one that
    inherits it. Of `keys` the name is that of the properties, and the value the keys that are left. What is `required`
    does not go: it must be told from then on, and whoever tells the type without it is refused."""

    family: str
    type: str
    types: frozenset[str]
    part: str = ""
    name: str = ""
    value: Any = None

    @property
    def path(self) -> str:
        steps = [self.family, self.type.replace("/", "~1"), self.part, self.name]
        return "/" + "/".join(step for step in steps if step)

    def __str__(self) -> str:
        if not self.part:
            return f"{self.type}"
        if self.part == "place":
            return f"{self.type} by its path"
        if self.part == "terms":
            return f"terms of {self.type} that would go"
        if self.part == "required":
            return f"{self.type} without {self.name}"
        if self.part == "keys":
            return f"{self.type} by its {self.name}"
        shown = f" {self.value!r} of" if self.part == "value" else ""
        return f"{self.part if self.part != 'value' else 'the value'}{shown} {self.name} of {self.type}"


Count = Callable[[Workspace, Part], int]

_counts: list[Count] = []


def register(count: Count) -> None:
    """Add a room's count of the rows that use a part; 0 for what the room does not store."""
    if count not in _counts:
        _counts.append(count)


def rows_using(workspace: Workspace, part: Part) -> int:
    """How many stored rows use it, in every room."""
    return sum(count(workspace, part) for count in _counts)
