"""What the rooms above have to show on the page of an agent or a member. This room knows none of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from memoryapp.access.models import AccessChange
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal

Section = Callable[[Principal, Actor], dict[str, Any] | None]
"""(who looks, whose page) -> the section's `template` with what it takes; None where there is nothing to show."""

_sections: dict[str, Section] = {}


def register(room: str, section: Section) -> None:
    """Show a room's section on the page of every agent and member, in a fixed number of queries."""
    _sections[room] = section


def of(by: Principal, actor: Actor) -> list[dict[str, Any]]:
    """The sections of an actor, in the order of registering."""
    return [shown for section in _sections.values() if (shown := section(by, actor)) is not None]


def changed(change: AccessChange) -> str:
    """What a change was that another room made, in words; empty for one of this room's own."""
    if "path_rules" in change.after:
        return "Rules of paths changed"
    if "node" not in change.after:
        return ""
    return "Released from a node" if change.before else "Bound to a node"
