"""What depends on what: the order in which a commit is evaluated, and the circles that forbid one."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from weakref import WeakKeyDictionary

from formsengine.definition.model import Repeat
from formsengine.definition.plan import Plan, Planned
from formsengine.definition.resting import at_rest
from formsengine.expressions.compile import Rule
from formsengine.expressions.special import shared
from formsengine.expressions.types import Read


class Aspect(IntEnum):
    """What is worked out of an item. `STATE` and `CHECK` are a later layer: nothing before reads them."""

    RELEVANT = 0
    ROWS = 1
    VALUE = 2
    STATE = 3
    CHECK = 4


Node = tuple[Aspect, str]


@dataclass(frozen=True, slots=True)
class Edge:
    """From a row of the source: `up` levels, then every row below through the repeats `below` is touched."""

    target: Node
    up: int
    below: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Circle:
    """A way from a node back to itself, and all nodes that wait for each other there."""

    way: list[Node]
    group: list[Node]


@dataclass(slots=True)
class Graph:
    """`rank` is an order in which every node comes after what it reads."""

    edges: dict[Node, tuple[Edge, ...]] = field(default_factory=dict)
    rank: dict[Node, int] = field(default_factory=dict)
    circles: list[Circle] = field(default_factory=list)


def rows_of(plan: Plan, node: Node) -> tuple[str, ...]:
    """The repeats in whose rows the node stands."""
    aspect, uid = node
    if not uid:
        return ()
    planned = plan.items[uid]
    inside = aspect is Aspect.CHECK and isinstance(planned.item, Repeat)
    return (*planned.rows_of, uid) if inside else planned.rows_of


class _Builder:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.found: dict[Node, set[Edge]] = {}
        self.nodes: dict[Node, None] = {}

    def add(self, source: Node, target: Node, *, wide: bool = False) -> None:
        there, here = rows_of(self.plan, source), rows_of(self.plan, target)
        kept = shared(there, here)
        if wide and source[0] is not Aspect.ROWS:
            kept = min(kept, len(there) - 1)
        self.nodes[source] = self.nodes[target] = None
        self.found.setdefault(source, set()).add(Edge(target, len(there) - kept, here[kept:]))

    def reads(self, rule: Rule | None, target: Node) -> None:
        for read in sorted(rule.reads, key=_by_name) if rule else ():
            self.add((Aspect.ROWS if read.rows else Aspect.VALUE, read.uid), target, wide=read.wide)

    def item(self, planned: Planned) -> None:
        uid = planned.uid
        relevant: Node = (Aspect.RELEVANT, uid)
        self.nodes[relevant] = None
        if planned.parent:
            above = self.plan.items[planned.parent]
            is_rows = isinstance(above.item, Repeat)
            self.add((Aspect.ROWS if is_rows else Aspect.RELEVANT, above.uid), relevant)
        self.reads(planned.relevant, relevant)
        if planned.is_field:
            self.answer(planned, relevant)
            return
        if isinstance(planned.item, Repeat):
            self.add(relevant, (Aspect.ROWS, uid))
            self.reads(planned.count, (Aspect.ROWS, uid))
        for _, rule in planned.constraints:
            self.add((Aspect.ROWS if isinstance(planned.item, Repeat) else Aspect.RELEVANT, uid), (Aspect.CHECK, uid))
            self.reads(rule, (Aspect.CHECK, uid))

    def answer(self, planned: Planned, relevant: Node) -> None:
        value: Node = (Aspect.VALUE, planned.uid)
        state: Node = (Aspect.STATE, planned.uid)
        self.add(relevant, value)
        self.add(relevant, state)
        self.add(value, state)
        self.reads(planned.computed, value)
        self.reads(planned.filter, value)
        rows_of = planned.question.rows_of
        if rows_of and (target := self.plan.by_name.get(rows_of)) is not None:
            self.add((Aspect.ROWS, target.uid), value, wide=True)
        self.reads(planned.required, state)
        for _, rule in planned.constraints:
            self.reads(rule, state)


def _by_name(read: Read) -> tuple[str, bool, bool]:
    return (read.uid, read.wide, read.rows)


DRAWN: WeakKeyDictionary[Plan, Graph] = WeakKeyDictionary()
"""Graphs of the plans in use: publishing draws what evaluating needs."""


def graph(plan: Plan) -> Graph:
    """The graph of a plan. With circles there is no order: `rank` then lacks what hangs in them."""
    found = DRAWN.get(plan)
    if found is None:
        found = DRAWN[plan] = _draw(plan)
    return found


@at_rest()
def _draw(plan: Plan) -> Graph:
    builder = _Builder(plan)
    for planned in plan.items.values():
        builder.item(planned)
    for _, rule in plan.checks:
        builder.nodes[(Aspect.CHECK, "")] = None
        builder.reads(rule, (Aspect.CHECK, ""))
    made = Graph({node: tuple(sorted(edges, key=_target)) for node, edges in builder.found.items()})
    made.rank = _order(builder.nodes, made.edges)
    left = [node for node in builder.nodes if node not in made.rank]
    made.circles = _circles(left, made.edges)
    return made


def _target(edge: Edge) -> tuple[Node, int, tuple[str, ...]]:
    return (edge.target, edge.up, edge.below)


def _order(nodes: Iterable[Node], edges: dict[Node, tuple[Edge, ...]]) -> dict[Node, int]:
    waits = dict.fromkeys(nodes, 0)
    for found in edges.values():
        for edge in found:
            waits[edge.target] += 1
    ready = [node for node, count in waits.items() if count == 0]
    rank: dict[Node, int] = {}
    for node in ready:
        rank[node] = len(rank)
        for edge in edges.get(node, ()):
            waits[edge.target] -= 1
            if waits[edge.target] == 0:
                ready.append(edge.target)
    return rank


def _circles(left: list[Node], edges: dict[Node, tuple[Edge, ...]]) -> list[Circle]:
    """One circle for each group of nodes that all wait for each other."""
    inside = set(left)
    after = {node: [edge.target for edge in edges.get(node, ()) if edge.target in inside] for node in left}
    ahead: dict[Node, list[Node]] = {node: [] for node in left}
    for node, targets in after.items():
        for target in targets:
            ahead[target].append(node)
    grouped, found = set[Node](), []
    for start in left:
        if start in grouped:
            continue
        came_from = _reached(start, after)
        if start in came_from:
            group = [node for node in _reached(start, ahead) if node in came_from]
            grouped.update(group)
            found.append(Circle(_back_to(start, came_from), sorted(group)))
    return found


def _reached(start: Node, after: dict[Node, list[Node]]) -> dict[Node, Node]:
    """Every node reached from `start`, and from which node it was reached first."""
    came_from: dict[Node, Node] = {}
    waiting = deque([start])
    while waiting:
        node = waiting.popleft()
        for target in after[node]:
            if target not in came_from:
                came_from[target] = node
                waiting.append(target)
    return came_from


def _back_to(start: Node, came_from: dict[Node, Node]) -> list[Node]:
    circle, node = [start], came_from[start]
    while node != start:
        circle.append(node)
        node = came_from[node]
    return [circle[0], *reversed(circle[1:])]
