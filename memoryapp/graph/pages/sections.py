"""What the rooms above have to show on the page of a node. Each registers a section; this room knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memoryapp.graph.models import Node
from memoryapp.ledger.principal import Principal

Section = Callable[[Principal, Node], dict[str, Any] | None]
"""(who looks, the node) -> the section's `template` with what it takes; None where there is nothing to show."""

_sections: dict[str, Section] = {}


def register(room: str, section: Section) -> None:
    """Show a room's section on the page of every node, in a fixed number of queries."""
    _sections[room] = section


def of(by: Principal, node: Node) -> list[dict[str, Any]]:
    """The sections of a node, in the order of registering."""
    return [shown for section in _sections.values() if (shown := section(by, node)) is not None]
