"""The meaning of a question, spelled out over plain dictionaries: what the database's answer is held against."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.moments import parse
from memoryapp.graph.queries.asking.comparing import near

DATES = {"built"}
TEXTS = {"name", "note", "flag"}


@dataclass
class Plain:
    """A node as a dictionary, with the nodes at the other ends of its edges by relationship and direction."""

    id: str
    label: str
    node_class: str
    properties: dict[str, Any]
    ends: dict[tuple[str, str], list[Plain]] = field(default_factory=dict)

    def values(self, name: str) -> list[Any]:
        if name == "@label":
            return [self.label]
        found = self.properties.get(name, [])
        several = found if isinstance(found, list) else [found]
        return [instant(one) if name in DATES else one for one in several]


def instant(text: str) -> dt.datetime:
    return parse(text, time_zone="UTC").instant


def holds(node: Plain, where: Any) -> bool:
    if isinstance(where, list):
        return all(holds(node, one) for one in where)
    return all(_part(node, name, told) for name, told in where.items())


def _part(node: Plain, name: str, told: Any) -> bool:
    if name == "and":
        return all(holds(node, one) for one in told)
    if name == "or":
        return any(holds(node, one) for one in told)
    if name == "not":
        return not holds(node, told)
    if name == "related":
        directions = ("out", "in") if told.get("direction", "both") == "both" else (told["direction"],)
        ends = [end for direction in directions for end in node.ends.get((told["relationship"], direction), [])]
        return any(holds(end, told.get("where", {})) for end in ends)
    if isinstance(told, list):
        return all(_part(node, name, one) for one in told)
    if not isinstance(told, dict):
        told = {"eq": told}
    return all(_test(node, name, operator, operand) for operator, operand in told.items())


def _test(node: Plain, name: str, operator: str, operand: Any) -> bool:
    values = node.values(name)
    if operator == "exists":
        return bool(values) is operand
    if operator in ("neq", "not_in"):
        return not _test(node, name, {"neq": "eq", "not_in": "in"}[operator], operand)
    if name in DATES:
        operand = [instant(one) for one in operand] if isinstance(operand, list) else instant(operand)
    return any(COMPARED[operator](value, operand) for value in values)


def same(one: Any, other: Any) -> bool:
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


COMPARED: dict[str, Callable[[Any, Any], bool]] = {
    "eq": same,
    "in": lambda value, operand: any(same(value, one) for one in operand),
    "gt": lambda value, operand: value > operand,
    "gte": lambda value, operand: value >= operand,
    "lt": lambda value, operand: value < operand,
    "lte": lambda value, operand: value <= operand,
    "between": lambda value, operand: operand[0] <= value <= operand[1],
    "contains": lambda value, operand: operand in _kept(value),
    "starts_with": lambda value, operand: value.startswith(operand),
    "ends_with": lambda value, operand: len(value.encode()) <= 1000 and value.endswith(operand),
    "fuzzy": lambda value, operand: near(operand, value),
}


def _kept(text: str) -> str:
    """Of a very long text the part that is looked through."""
    return text.encode()[:1000].decode("utf-8", "ignore")
