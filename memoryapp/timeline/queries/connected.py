"""Who is connected with somebody or something now: for asking what happened with anyone of them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.graph.models import Belief
from memoryapp.graph.queries import asking, nodes
from memoryapp.graph.queries.views import Scope, current
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology

MOST = 500
"""Nodes taken from one connection."""


@dataclass(frozen=True)
class Circle:
    """The nodes at the other ends; `cut` when there are more."""

    nodes: tuple[uuid.UUID, ...]
    cut: bool = False


def connected(by: Principal, relationship: str, who: uuid.UUID | str, path: str = "/connected") -> Circle:
    """Whoever an edge of this relationship joins with a node, in either direction; the node by id or exact label.

    Raises Invalid for a relationship that is not declared and a name that nothing bears.
    """
    by.require("read_timeline")
    current_ontology(by).relationship(relationship, path)
    anchors = _anchors(by, who, path)
    found: dict[uuid.UUID, None] = {}
    for anchor in anchors:
        for scope, end in ((Scope(object=anchor), "subject"), (Scope(subject=anchor), "object")):
            edges = current(by, scope).filter(shape=Belief.Shape.EDGE, predicate=relationship).order_by("pk")
            found |= dict.fromkeys(one for one in edges.values_list(end, flat=True)[: MOST + 1] if one)
    return Circle(tuple(found)[:MOST], len(found) > MOST)


def found_by(by: Principal, asked: Mapping[str, Any], among: Circle | None, *, time_zone: str | None = None) -> Circle:
    """Whoever a question to the graph finds, and is `among` those given. Raises Malformed for what cannot be asked."""
    by.require("read_timeline")
    question = asking.read(current_ontology(by), asked, time_zone=time_zone, path="/who")
    found, more = asking.matching(by, question, MOST)
    if among is None:
        return Circle(tuple(found), more)
    return Circle(tuple(one for one in found if one in among.nodes), more or among.cut)


def _anchors(by: Principal, who: uuid.UUID | str, path: str) -> list[uuid.UUID]:
    if isinstance(who, uuid.UUID):
        try:
            return [nodes.node(by, who).pk]
        except NotFound as error:
            raise Invalid.at(path, "no_such_node", "There is no such node.", "a node of this workspace") from error
    found = list(nodes.called(by, who).values_list("pk", flat=True)[:20])
    if not found:
        message = f"Nothing is called “{who[:60]}”."
        raise Invalid.at(path, "no_such_node", message, "a node's id, or exactly what it is called")
    return found
