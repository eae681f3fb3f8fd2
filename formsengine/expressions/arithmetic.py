"""Sums of numbers and of dates. Empty in, empty out; nothing overflows and nothing is divided by zero."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal

from formsengine.expressions.compare import Unlike
from formsengine.expressions.types import DATE, MOMENT, NUMBER, Kind, Type
from formsengine.values.runtime import EXACT, Day, Value, finite

SECONDS = Decimal(86400)


def result(op: str, left: Type, right: Type) -> Type:
    """The type of a sum. Raises Unlike when the operands cannot be calculated with."""
    if left.many or right.many:
        raise Unlike("rows", "This is asked once for each row: add them up with sum().", "sum()", "count()", "max()")
    kinds = (left.kind, right.kind)
    plain = {Kind.NUMBER, Kind.NOTHING}
    if set(kinds) <= plain:
        return NUMBER
    if op == "-" and left.kind in (Kind.DATE, Kind.MOMENT) and right.kind in (Kind.DATE, Kind.MOMENT):
        return NUMBER
    if op in ("+", "-") and left.kind in (Kind.DATE, Kind.MOMENT) and right.kind in plain:
        return DATE if left.kind is Kind.DATE else MOMENT
    wrong = left if left.kind not in plain else right
    raise Unlike("types", f"{op} calculates with numbers; this is {wrong}.", "number()", "count-selected()")


def _minus(left: Value, right: Value) -> Value:
    if isinstance(left, datetime) and isinstance(right, datetime):
        bare = (left.tzinfo is None) != (right.tzinfo is None)
        gap = left.replace(tzinfo=None) - right.replace(tzinfo=None) if bare else left - right
        return finite(EXACT.divide(Decimal(gap.days * 86400 + gap.seconds), SECONDS))
    one, other = _first(left), _first(right)
    return Decimal((one - other).days) if one and other else None


def _first(value: Value) -> date | None:
    if isinstance(value, Day):
        return value.first if value.exact else None
    return value.date() if isinstance(value, datetime) else None


def _moved(start: Value, days: Decimal) -> Value:
    try:
        if isinstance(start, datetime):
            return start + timedelta(days=float(days))
        if isinstance(start, Day) and start.exact:
            moved = start.first + timedelta(days=int(days))
            return Day(moved, moved)
    except OverflowError:
        return None
    return None


def _plain(op: str, left: Decimal, right: Decimal) -> Value:
    match op:
        case "+":
            return finite(EXACT.add(left, right))
        case "-":
            return finite(EXACT.subtract(left, right))
        case "*":
            return finite(EXACT.multiply(left, right))
        case "div":
            return finite(EXACT.divide(left, right))
    return finite(EXACT.remainder(left, right))


def calculator(op: str) -> Callable[[Value, Value], Value]:
    def run(left: Value, right: Value) -> Value:
        if isinstance(left, Decimal) and isinstance(right, Decimal):
            return _plain(op, left, right)
        if left is None or right is None:
            return None
        if isinstance(right, Decimal) and op in ("+", "-"):
            return _moved(left, right if op == "+" else -right)
        return _minus(left, right) if op == "-" else None

    return run
