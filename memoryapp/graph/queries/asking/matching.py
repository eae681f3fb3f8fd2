"""From a condition to what the database is asked: nodes of which it is held, by whoever asks, at the time asked for.

What is denied is the complement: `neq` and `not_in` hold of whatever `eq` and `in` do not, also of what has no value.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.db.models import BinaryField, BooleanField, F, Func, Q, QuerySet, Value
from django.db.models.functions import Collate, Right, StrIndex

from memoryapp.doors.nearest import edit_distance
from memoryapp.graph import typed
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.queries.asking.clauses import (
    CLASS,
    FIELDS,
    ID,
    LABEL,
    RECORDED_AT,
    All,
    AnyOf,
    Clause,
    Not,
    Related,
    Test,
)
from memoryapp.graph.queries.views import as_of, current, now
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.normalise import bare_text, normal_text

EMPTIES: tuple[Any, ...] = ("", None, [])
EMPTY: list[bytes] = [typed.key_of(value, typed.OTHER) for value in EMPTIES]
"""What is as good as no value."""
MOST_COMPARED = 5000
"""Values that a fuzzy comparison looks at."""
LONGEST_FUZZY = 64
COLUMN = {ID: "pk", LABEL: "label", CLASS: "node_class", RECORDED_AT: "recorded_at"}


class Held:
    """Beliefs and nodes as somebody sees them, now or as of other times. `cut` when not all values were compared.
    `at` is this instant, for whoever asked already."""

    def __init__(
        self, by: Principal, valid_at: dt.datetime | None, known_at: dt.datetime | None, at: dt.datetime | None = None
    ) -> None:
        self.by = by
        self.valid_at, self.known_at = valid_at, known_at
        self.now = valid_at is None and known_at is None
        self.at = at or now(by.workspace)
        self.cut = False

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

    def condition(self, clause: Clause) -> Q:
        """A condition over nodes."""
        match clause:
            case All(clauses):
                return _joined(Q.__and__, [self.condition(one) for one in clauses])
            case AnyOf(clauses):
                return _joined(Q.__or__, [self.condition(one) for one in clauses])
            case Not(inner):
                return ~_whole(self.condition(inner))
            case Related():
                return self._related(clause)
            case Test(operator="neq"):
                return ~self.condition(Test(clause.name, "eq", clause.operand, clause.sort))
            case Test(operator="not_in"):
                return ~self.condition(Test(clause.name, "in", clause.operand, clause.sort))
        return self._field(clause) if clause.name in FIELDS else self._property(clause)

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

    def _property(self, test: Test) -> Q:
        rows = self.values(test.name)
        if test.operator == "exists":
            having = Q(pk__in=rows.values("subject"))
            return having if test.operand else ~having
        if test.operator == "fuzzy":
            rows = rows.filter(value_key__in=self._near(rows, test.operand))
        elif test.operator in ("contains", "ends_with"):
            wanted = Value(test.operand.encode(), output_field=BinaryField())
            rows = rows.filter(value_key__gte=typed.TEXT, value_key__lt=_after(typed.TEXT))
            rows = rows.filter((_Contains if test.operator == "contains" else _EndsWith)(F("value_key"), wanted))
        else:
            rows = rows.filter(_compared("value_key", test))
        return Q(pk__in=rows.values("subject"))

    def _near(self, rows: QuerySet[Belief], asked: str) -> list[bytes]:
        """The values near a text. Where there are very many, only those that begin alike are compared."""
        texts = rows.filter(value_key__gte=typed.TEXT, value_key__lt=_after(typed.TEXT))
        keys = texts.values_list("value_key", flat=True).distinct().order_by("value_key")
        found = [bytes(key) for key in keys[: MOST_COMPARED + 1]]
        if len(found) > MOST_COMPARED:
            first = asked.strip()[:1]
            begins = _joined(
                Q.__or__, [_beginning(one) for one in sorted({first, first.lower(), first.upper()}) if one]
            )
            found = [bytes(key) for key in keys.filter(begins)[: MOST_COMPARED + 1]]
            self.cut = self.cut or len(found) > MOST_COMPARED
        return [key for key in found[:MOST_COMPARED] if near(asked, key[1:].decode("utf-8", "replace"))]

    def _field(self, test: Test) -> Q:
        column = COLUMN[test.name]
        if test.operator in ("eq", "in"):
            return Q(**{column if test.operator == "eq" else f"{column}__in": test.operand})
        if test.name != LABEL:
            return _compared(column, test)
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
                rows = rows.annotate(written=self.written("label")).filter(_compared("written", test))
        labelled: QuerySet[Node] = rows
        return labelled

    def written(self, column: str) -> Collate:
        """A column of text in the order of code points."""
        return Collate(column, "C" if connection.vendor == "postgresql" else "BINARY")


def near(asked: str, said: str) -> bool:
    """Whether two texts are alike: but for case, spaces and punctuation, or but for a letter in four, three at most."""
    one, other = normal_text(asked), normal_text(said)
    if one == other or (bare_text(asked) and bare_text(asked) == bare_text(said)):
        return True
    allowed = min(3, len(one) // 4)
    if not allowed or max(len(one), len(other)) > LONGEST_FUZZY or abs(len(one) - len(other)) > allowed:
        return False
    return edit_distance(one, other) <= allowed


def _compared(column: str, test: Test) -> Q:
    """A column compared with operands that are as it is; a key stays within its own sort."""
    within: dict[str, Any] = {}
    if column == "value_key":
        within = {f"{column}__gte": test.sort, f"{column}__lt": _after(test.sort)}
    match test.operator:
        case "eq":
            return Q(**{column: test.operand})
        case "in":
            return Q(**{f"{column}__in": list(test.operand)})
        case "between":
            return Q(**{f"{column}__gte": test.operand[0]}) & Q(**{f"{column}__lte": test.operand[1]})
        case "starts_with":
            return _beginning(test.operand)
        case "gt" | "gte":
            upper = {name: value for name, value in within.items() if name.endswith("__lt")}
            return Q(**{f"{column}__{test.operator}": test.operand}, **upper)
        case "lt" | "lte":
            lower = {name: value for name, value in within.items() if name.endswith("__gte")}
            return Q(**{f"{column}__{test.operator}": test.operand}, **lower)
    raise AssertionError(test.operator)


def _beginning(text: str) -> Q:
    key = typed.TEXT + text.encode()
    return Q(value_key__gte=key, value_key__lt=_after(key))


def _after(key: bytes) -> bytes:
    """The first key after all that begin with this one. No text has the greatest byte in it."""
    return key[:-1] + bytes((key[-1] + 1,))


def _joined(operator: Callable[[Q, Q], Q], several: list[Q]) -> Q:
    found = several[0] if several else Q()
    for one in several[1:]:
        found = operator(_whole(found), _whole(one))
    return found


def _whole(condition: Q) -> Q:
    """A condition that an `or` or a `not` takes as it is, also when it asks for nothing."""
    return condition if condition else Q(pk__isnull=False)


class _Contains(Func):
    """Whether a text holds another, byte by byte; of a very long one, in the part that is kept."""

    output_field = BooleanField()
    conditional = True
    arity = 2

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]
        column, given = (compiler.compile(one) for one in self.get_source_expressions())
        kept = f"substr({column[0]}, 2, {typed.LONGEST})"
        if connection.vendor == "postgresql":
            return f"(position({given[0]}::bytea in {kept}) > 0)", (*given[1], *column[1])
        return f"(instr({kept}, {given[0]}) > 0)", (*column[1], *given[1])


class _EndsWith(Func):
    """Whether a text ends with another; never of one so long that its end is not kept."""

    output_field = BooleanField()
    conditional = True
    arity = 2

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]
        column, given = (compiler.compile(one) for one in self.get_source_expressions())
        length = len(self.get_source_expressions()[1].value)
        cast = "::bytea" if connection.vendor == "postgresql" else ""
        sql = (
            f"(length({column[0]}) BETWEEN {length + 1} AND {typed.LONGEST + 1} "
            f"AND substr({column[0]}, length({column[0]}) - {length - 1}) = {given[0]}{cast})"
        )
        return sql, (*column[1], *column[1], *column[1], *given[1])
