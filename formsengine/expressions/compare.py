"""Comparing two values: what may be compared with what, and what comes of an empty side or a partial date."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, time
from decimal import Decimal
from typing import Any

from formsengine.expressions.syntax import Literal, quoted
from formsengine.expressions.types import WORDED, Kind, Type
from formsengine.problems import nearest
from formsengine.values.runtime import Day, Value, day, number

ORDERED = {Kind.NUMBER, Kind.DATE, Kind.MOMENT, Kind.TIME}


class Unlike(Exception):
    """Two sides that cannot be compared: a message, and what to write instead."""

    def __init__(self, code: str, message: str, *accepted: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.accepted = accepted


def literal_as(kind: Kind, literal: Literal) -> Value:
    """A text or number of the rule, read as the type it is compared with. Raises Unlike when it is not of that type."""
    text = literal.value
    if isinstance(text, Decimal):
        if kind in WORDED:
            raise Unlike("types", f"A text is compared with a text: write {quoted(format(text, 'f'))}.")
        return text
    read: Callable[[str], Value] | None = {
        Kind.NUMBER: number,
        Kind.DATE: day,
        Kind.MOMENT: lambda value: datetime.fromisoformat(value),
        Kind.TIME: lambda value: time.fromisoformat(value),
    }.get(kind)
    if read is None:
        return text
    try:
        found = read(text)
    except ValueError:
        found = None
    if found is None:
        raise Unlike("types", f"{quoted(text)} is no {kind}.", {Kind.DATE: "'2026-05-15'"}.get(kind, str(kind)))
    return found


def check(op: str, left: Type, right: Type) -> None:
    """Raises Unlike when the two types do not go together under `op`."""
    for side in (left, right):
        if side.many:
            raise Unlike("rows", "This is asked once for each row: take sum(), count(), min(), max() or join().")
    kinds = {left.kind, right.kind}
    if Kind.NOTHING in kinds:
        return
    if Kind.CODES in kinds and len(kinds) > 1:
        raise Unlike("types", "Choices are a list: ask selected(list, code).", "selected()", "count-selected()")
    alike = len(kinds) == 1 or kinds <= WORDED or kinds == {Kind.DATE, Kind.MOMENT}
    if not alike:
        raise Unlike("types", f"A {left} cannot be compared with a {right}.", "number()", "string()")
    if op not in ("=", "!=") and not kinds <= ORDERED:
        raise Unlike("types", f"{op} orders numbers, dates and times, not {left}.", "number()", "date()")


def check_code(codes: frozenset[str] | None, literal: Value) -> None:
    """Raises Unlike when a text is compared with a choice that has no such code."""
    if codes is not None and isinstance(literal, str) and literal and literal not in codes:
        close = nearest(literal, codes) or sorted(codes)[:8]
        raise Unlike("unknown-code", f"There is no choice {quoted(literal)} here.", *(quoted(each) for each in close))


def equal(left: Value, right: Value) -> bool:
    if left is None or right is None or left == "" or right == "":
        return (left is None or left == "" or left == ()) and (right is None or right == "" or right == ())
    left, right = _aligned(left, right)
    return left == right


def _aligned(left: Any, right: Any) -> tuple[Any, Any]:
    """A moment beside a date counts as its day; moments without an offset are compared as they are written."""
    if isinstance(left, Day) and isinstance(right, datetime):
        return left, Day(right.date(), right.date())
    if isinstance(left, datetime) and isinstance(right, Day):
        return Day(left.date(), left.date()), right
    if isinstance(left, datetime) and isinstance(right, datetime) and (left.tzinfo is None) != (right.tzinfo is None):
        return left.replace(tzinfo=None), right.replace(tzinfo=None)
    return left, right


def before(left: Value, right: Value) -> bool:
    """Certainly before: false with an empty side, and for partial dates that may be the same day."""
    if left is None or right is None or left == "" or right == "":
        return False
    left, right = _aligned(left, right)
    if isinstance(left, Day) and isinstance(right, Day):
        return left.last < right.first
    try:
        return bool(left < right)  # type: ignore[operator]
    except TypeError:
        return False


def not_after(left: Value, right: Value) -> bool:
    """Before or the same; for partial dates also when the last day of one is the first of the other."""
    if left is None or right is None or left == "" or right == "":
        return False
    one, other = _aligned(left, right)
    if isinstance(one, Day) and isinstance(other, Day):
        return one.last <= other.first or one == other
    return before(left, right) or equal(left, right)


COMPARE: dict[str, Callable[[Value, Value], bool]] = {
    "=": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": before,
    ">": lambda left, right: before(right, left),
    "<=": not_after,
    ">=": lambda left, right: not_after(right, left),
}
