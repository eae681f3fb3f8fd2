"""From a condition to what the database is asked: nodes of which it is held, by whoever asks, at the time asked for."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.db import connection
from django.db.models import Q, QuerySet, Value
from django.db.models.functions import Collate, Right, StrIndex

from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.asking.clauses import CLASS, FIELDS, ID, LABEL, RECORDED_AT, Clause, Related, Test
from memoryapp.graph.queries.asking.comparing import EMPTY, MOST_COMPARED, Comparing, compared, near
from memoryapp.graph.queries.views import as_of, current, now
from memoryapp.ledger.principal import Principal

COLUMN = {ID: "pk", LABEL: "label", CLASS: "node_class", RECORDED_AT: "recorded_at"}


class Held(Comparing):
    """Beliefs and nodes as somebody sees them, now or as of other times. `cut` when not all values were compared.
    `at` is this instant, for whoever asked already."""

    def __init__(
        self, by: Principal, valid_at: dt.datetime | None, known_at: dt.datetime | None, at: dt.datetime | None = None
    ) -> None:
        self.by = by
        self.valid_at, self.known_at = valid_at, known_at
        self.now = valid_at is None and known_at is None
        self.at = at or now(by.workspace)

    def beliefs(self) -> QuerySet[Belief]:
        """What is held."""
        if self.now:
            return current(self.by, at=self.at).order_by()
        return as_of(self.by, valid_at=self.valid_at, known_at=self.known_at, at=self.at).order_by()

    def nodes(self, classes: tuple[str, ...], clause: Clause, *, retired: bool = False) -> QuerySet[Node]:
        """The nodes of these classes of which it holds."""
        found: QuerySet[Node] = Node.objects.visible_to(self.by).filter(node_class__in=classes)
        found = found.exclude(state=Node.State.FOLDED) if retired else found.filter(state=Node.State.ACTIVE)
        if self.known_at is not None:
            found = found.filter(recorded_at__lte=self.known_at)
        return found.filter(self.condition(clause))

    def special(self, clause: Test | Related) -> Q | None:
        """What edges lead to, and what every node has besides its properties."""
        if isinstance(clause, Related):
            return self._related(clause)
        return self._field(clause) if clause.name in FIELDS else None

    def _related(self, asked: Related) -> Q:
        ends = self.nodes(asked.classes, asked.clause, retired=True).order_by().values("pk")
        found = Q(pk__in=[])
        for direction in asked.directions:
            here, there = ("subject", "object") if direction == "out" else ("object", "subject")
            edges = self.edges(asked.relationship).filter(**{f"{there}__in": ends, f"{here}__isnull": False})
            found |= Q(pk__in=edges.values(here))
        return found

    def edges(self, relationship: str) -> QuerySet[Belief]:
        """What is held of this relationship."""
        return self.beliefs().filter(shape=Belief.Shape.EDGE, predicate=relationship)

    def values(self, name: str) -> QuerySet[Belief]:
        """What is held of a property, where it has a value."""
        rows = self.beliefs().filter(shape=Belief.Shape.PROPERTY, predicate=name, subject__isnull=False)
        return rows.exclude(value_key__in=EMPTY)

    def having(self, rows: QuerySet[Belief]) -> Q:
        """Nodes of which one of these is held."""
        return Q(pk__in=rows.values("subject"))

    def _field(self, test: Test) -> Q:
        column = COLUMN[test.name]
        if test.operator in ("eq", "in"):
            return Q(**{column if test.operator == "eq" else f"{column}__in": test.operand})
        if test.name != LABEL:
            return compared(column, test)
        return Q(pk__in=self._labelled(test).values("pk"))

    def _labelled(self, test: Test) -> QuerySet[Node]:
        """Nodes by what they are called, every letter as it is, whichever the engine."""
        rows: Any = Node.objects.visible_to(self.by).order_by()
        match test.operator:
            case "contains":
                rows = rows.annotate(place=StrIndex("label", Value(test.operand))).filter(place__gt=0)
            case "starts_with":
                rows = rows.annotate(place=StrIndex("label", Value(test.operand))).filter(place=1)
            case "ends_with":
                rows = rows.annotate(end=Right("label", len(test.operand))).filter(end=test.operand)
            case "fuzzy":
                found = list(rows.values_list("label", flat=True).distinct().order_by("label")[: MOST_COMPARED + 1])
                self.cut = self.cut or len(found) > MOST_COMPARED
                rows = rows.filter(label__in=[one for one in found[:MOST_COMPARED] if near(test.operand, one)])
            case _:
                rows = rows.annotate(written=self.written("label")).filter(compared("written", test))
        labelled: QuerySet[Node] = rows
        return labelled

    def written(self, column: str) -> Collate:
        """A column of text in the order of code points."""
        return Collate(column, "C" if connection.vendor == "postgresql" else "BINARY")
