"""From conditions over properties to what the database is asked, by the keys in which values are compared.

What is denied is the complement: `neq` and `not_in` hold of whatever `eq` and `in` do not, also of what has no value.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

from django.db.models import BinaryField, BooleanField, F, Func, Q, QuerySet, Value

from memoryapp.doors.nearest import edit_distance
from memoryapp.graph import typed
from memoryapp.graph.queries.asking.clauses import All, AnyOf, Clause, Not, Related, Test
from memoryapp.ontology.normalise import bare_text, normal_text

EMPTIES: tuple[Any, ...] = ("", None, [])
EMPTY: list[bytes] = [typed.key_of(value, typed.OTHER) for value in EMPTIES]
"""What is as good as no value."""
MOST_COMPARED = 5000
"""Values that a fuzzy comparison looks at."""
LONGEST_FUZZY = 64


class Comparing(ABC):
    """Conditions over what has values in rows with a `value_key`. `cut` when not all values were compared."""

    cut = False

    @abstractmethod
    def values(self, name: str) -> QuerySet[Any]:
        """The rows of one property, where it has a value."""

    @abstractmethod
    def having(self, rows: QuerySet[Any]) -> Q:
        """Of what has values: that one of these rows is its."""

    def special(self, clause: Test | Related) -> Q | None:
        """What is not asked of values; None of all that is."""
        return None

    def condition(self, clause: Clause) -> Q:
        """A condition over what has the values."""
        match clause:
            case All(clauses):
                return joined(Q.__and__, [self.condition(one) for one in clauses])
            case AnyOf(clauses):
                return joined(Q.__or__, [self.condition(one) for one in clauses])
            case Not(inner):
                return ~_whole(self.condition(inner))
            case Test(operator="neq"):
                return ~self.condition(Test(clause.name, "eq", clause.operand, clause.sort))
            case Test(operator="not_in"):
                return ~self.condition(Test(clause.name, "in", clause.operand, clause.sort))
        if (found := self.special(clause)) is not None:
            return found
        assert isinstance(clause, Test)
        return self._property(clause)

    def _property(self, test: Test) -> Q:
        rows = self.values(test.name)
        if test.operator == "exists":
            having = self.having(rows)
            return having if test.operand else ~having
        if test.operator == "fuzzy":
            rows = rows.filter(value_key__in=self._near(rows, test.operand))
        elif test.operator in ("contains", "ends_with"):
            wanted = Value(test.operand.encode(), output_field=BinaryField())
            rows = rows.filter(value_key__gte=typed.TEXT, value_key__lt=_after(typed.TEXT))
            rows = rows.filter((_Contains if test.operator == "contains" else _EndsWith)(F("value_key"), wanted))
        else:
            rows = rows.filter(compared("value_key", test))
        return self.having(rows)

    def in_sight(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Those of these rows that count among how many there are to be compared."""
        return rows

    def _near(self, rows: QuerySet[Any], asked: str) -> list[bytes]:
        """The values near a text. Where there are very many, only those that begin alike are compared."""
        texts = self.in_sight(rows).filter(value_key__gte=typed.TEXT, value_key__lt=_after(typed.TEXT))
        keys = texts.values_list("value_key", flat=True).distinct().order_by("value_key")
        found = [bytes(key) for key in keys[: MOST_COMPARED + 1]]
        if len(found) > MOST_COMPARED:
            self.cut = True
            first = asked.strip()[:1]
            begins = joined(Q.__or__, [_beginning(one) for one in sorted({first, first.lower(), first.upper()}) if one])
            found = [bytes(key) for key in keys.filter(begins)[:MOST_COMPARED]]
        return [key for key in found if near(asked, key[1:].decode("utf-8", "replace"))]


def near(asked: str, said: str) -> bool:
    """Whether two texts are alike: but for case, spaces and punctuation, or but for a letter in four, three at most."""
    one, other = normal_text(asked), normal_text(said)
    if one == other or (bare_text(asked) and bare_text(asked) == bare_text(said)):
        return True
    allowed = min(3, len(one) // 4)
    if not allowed or max(len(one), len(other)) > LONGEST_FUZZY or abs(len(one) - len(other)) > allowed:
        return False
    return edit_distance(one, other) <= allowed


def compared(column: str, test: Test) -> Q:
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


def joined(operator: Callable[[Q, Q], Q], several: list[Q]) -> Q:
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
