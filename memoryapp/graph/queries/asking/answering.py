"""Asking a question, and what comes back: the nodes found, what is told of them, and what leads on from each."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Exists, F, OrderBy, OuterRef, QuerySet, Subquery, Window
from django.db.models.functions import RowNumber

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.asking.clauses import FIELDS, All, Clause, Hop, Question
from memoryapp.graph.queries.asking.matching import COLUMN, Held
from memoryapp.graph.queries.nodes import gathered
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

MOST_EDGES = 2000
"""Edges followed in one hop from all nodes together."""


@dataclass
class Found:
    """A node with what is told of it, and what leads on from it, in the order asked for."""

    pk: uuid.UUID
    node_class: str
    label: str
    properties: dict[str, Any]
    expanded: list[Expanded] = field(default_factory=list)


class Named(NamedTuple):
    """A node by its id, its class and its label."""

    pk: uuid.UUID
    node_class: str
    label: str


class Edge(NamedTuple):
    """An edge that was followed: the id of its belief, the node at this end, its qualifiers, and the other end."""

    pk: uuid.UUID
    here: uuid.UUID
    qualifiers: dict[str, Any]
    there: Named


@dataclass(frozen=True)
class Reached:
    """An edge that was followed, and the node it leads to."""

    edge: Edge
    outgoing: bool
    found: Found


@dataclass
class Expanded:
    """What one hop reached from one node; `cut` when there is more."""

    relationship: str
    edges: list[Reached] = field(default_factory=list)
    cut: bool = False


@dataclass(frozen=True)
class Answer:
    """The nodes found. `more` when others follow them; `cut` when a hop, or a fuzzy comparison, was bounded."""

    found: list[Found]
    more: bool
    cut: bool


def ask(by: Principal, question: Question) -> Answer:
    """The answer to a question, of what `by` may see. Needs `look_up`.

    One query for the nodes, one for what is told of them, and for each hop one in each of its directions and one for
    what is told, however many nodes there are.
    """
    by.require("look_up")
    return _Asking(by, question).answer()


def matching(by: Principal, question: Question, most: int) -> tuple[list[uuid.UUID], bool]:
    """The ids of the nodes that a question finds, up to so many, and whether there are more."""
    held = Held(by, question.valid_at, question.known_at)
    rows = held.nodes(question.classes, question.clause, retired=question.retired)
    ids = list(rows.order_by("pk").values_list("pk", flat=True)[: most + 1])
    return ids[:most], len(ids) > most or held.cut


class _Asking:
    """One question on its way."""

    def __init__(self, by: Principal, question: Question) -> None:
        self.by = by
        self.question = question
        self.ontology: Ontology = current_ontology(by)
        self.held = Held(by, question.valid_at, question.known_at)
        self.cut = False

    def answer(self) -> Answer:
        asked = self.question
        rows = self._ordered(self.held.nodes(asked.classes, asked.clause, retired=asked.retired))
        rows = rows[asked.offset : asked.offset + asked.limit + 1]
        nodes = [Named(*one) for one in rows.values_list("pk", "node_class", "label")]
        found = self._told(nodes[: asked.limit], asked.select)
        self._expand(found, asked.expand)
        return Answer(found, len(nodes) > asked.limit, self.cut or self.held.cut)

    def _ordered(self, rows: QuerySet[Node]) -> QuerySet[Node]:
        order: list[OrderBy] = []
        for place, (name, descending) in enumerate(self.question.order):
            if name in FIELDS and name != "@label":
                column = F(COLUMN[name])
            else:
                label = f"order_{place}"
                rows = rows.annotate(**{label: self._key(name, descending)})
                column = F(label)
            order.append(column.desc(nulls_last=True) if descending else column.asc(nulls_last=True))
        return rows.order_by(*order, "pk")

    def _key(self, name: str, descending: bool) -> Any:
        """What a node is put in order by: of several values the least, or the greatest when descending."""
        if name == "@label":
            return self.held.written("label")
        values = self.held.values(name).filter(subject=OuterRef("pk"))
        return Subquery(values.order_by("-value_key" if descending else "value_key").values("value_key")[:1])

    def _told(self, nodes: Sequence[Named], select: tuple[str, ...] | None) -> list[Found]:
        beliefs: dict[Any, list[Belief]] = defaultdict(list)
        for belief in self._said(select, [node.pk for node in nodes]) if nodes and select != () else ():
            beliefs[belief.subject_id].append(belief)
        return [Found(*node, gathered(self.ontology, node.node_class, beliefs.get(node.pk, ()))) for node in nodes]

    def _said(self, select: tuple[str, ...] | None, ids: list[uuid.UUID]) -> list[Belief]:
        """What is held of the properties selected, or of all."""
        if self.held.now:
            return prepared.rows(_saying, select, by=self.by, at=self.held.at, ids=ids)
        return list(_of_properties(self.held, select, ids))

    def _expand(self, found: Sequence[Found], hops: Sequence[Hop]) -> None:
        for hop in hops:
            reached = self._hop(found, hop) if found else []
            self._expand(reached, hop.expand)

    def _hop(self, found: Sequence[Found], hop: Hop) -> list[Found]:
        """Follow the edges of one hop from all these nodes; gives what was reached, each node once."""
        places: dict[uuid.UUID, list[Expanded]] = defaultdict(list)
        for one in found:
            expanded = Expanded(hop.relationship)
            one.expanded.append(expanded)
            places[one.pk].append(expanded)
        followed = [
            (edge, direction == "out")
            for direction in hop.directions
            for edge in self._edges(list(places), hop, direction)
        ]
        reached = {edge.there.pk: edge.there for edge, _ in followed}
        told = {one.pk: one for one in self._told(list(reached.values()), hop.select)}
        for edge, outgoing in followed:
            for expanded in places[edge.here]:
                if len(expanded.edges) >= hop.limit:
                    expanded.cut = self.cut = True
                else:
                    expanded.edges.append(Reached(edge, outgoing, told[edge.there.pk]))
        return list(told.values())

    def _edges(self, parents: Sequence[uuid.UUID], hop: Hop, direction: str) -> list[Edge]:
        """The edges to follow: of each node one more than are told, so that a cut is seen."""
        form = (hop.relationship, hop.classes, direction, hop.limit)
        if self.held.now and hop.clause == All():
            edges = prepared.rows(_leading, *form, by=self.by, at=self.held.at, parents=parents)
        else:
            edges = list(_following(self.held, *form, hop.clause, parents))
        if len(edges) > MOST_EDGES:
            self.cut = True
        return [Edge(pk, at, qualifiers, Named(*end)) for pk, at, qualifiers, *end in edges[:MOST_EDGES]]


def _saying(
    select: tuple[str, ...] | None, by: Principal, at: dt.datetime, ids: Sequence[uuid.UUID]
) -> QuerySet[Belief]:
    return _of_properties(Held(by, None, None, at=at), select, ids)


def _of_properties(held: Held, select: tuple[str, ...] | None, ids: Sequence[uuid.UUID]) -> QuerySet[Belief]:
    rows = held.beliefs().filter(shape=Belief.Shape.PROPERTY, subject__in=ids)
    if select is not None:
        rows = rows.filter(predicate__in=select)
    return rows.order_by("predicate", "recorded_at", "pk")


def _leading(
    relationship: str,
    classes: tuple[str, ...],
    direction: str,
    limit: int,
    by: Principal,
    at: dt.datetime,
    parents: Sequence[uuid.UUID],
) -> QuerySet[Belief, Any]:
    """What leads on now, whatever it leads to."""
    return _following(Held(by, None, None, at=at), relationship, classes, direction, limit, All(), parents)


def _following(
    held: Held,
    relationship: str,
    classes: tuple[str, ...],
    direction: str,
    limit: int,
    clause: Clause,
    parents: Sequence[uuid.UUID],
) -> QuerySet[Belief, Any]:
    here, there = ("subject", "object") if direction == "out" else ("object", "subject")
    # Asked of each end: as a set, an engine would first go through every node of the class.
    ends = Exists(held.nodes(classes, clause).order_by().filter(pk=OuterRef(there)))
    rank = Window(RowNumber(), partition_by=[F(here)], order_by=[F("pk").asc()])
    rows = held.edges(relationship).filter(ends, **{f"{here}__in": parents}).annotate(rank=rank)
    rows = rows.filter(rank__lte=limit + 1).order_by("pk")
    return rows.values_list("pk", here, "qualifiers", there, f"{there}__node_class", f"{there}__label")[
        : MOST_EDGES + 1
    ]


def told(answer: Answer) -> dict[str, Any]:
    """An answer as plain data."""
    return {"items": [_told_found(one) for one in answer.found], "more": answer.more, "cut": answer.cut}


def _told_found(found: Found) -> dict[str, Any]:
    return {
        "id": str(found.pk),
        "class": found.node_class,
        "label": found.label,
        "properties": found.properties,
        "expanded": [_told_expanded(one) for one in found.expanded],
    }


def _told_expanded(expanded: Expanded) -> Mapping[str, Any]:
    return {
        "relationship": expanded.relationship,
        "edges": [
            {
                "id": str(one.edge.pk),
                "direction": "out" if one.outgoing else "in",
                "qualifiers": one.edge.qualifiers,
                "node": _told_found(one.found),
            }
            for one in expanded.edges
        ],
        "cut": expanded.cut,
    }
