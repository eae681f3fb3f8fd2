"""What rules see of a kept answer: exact numbers, days known to the day, month or year, codes as text."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Context, Decimal, InvalidOperation
from typing import Any

EXACT = Context(prec=34, Emax=99, Emin=-99, traps=[])
"""Numbers of rules: 34 digits; what grows beyond 1E+99 or is no number is empty."""


@dataclass(frozen=True, slots=True)
class Day:
    """A date, known to the day, the month or the year: the first and the last day it may be."""

    first: date
    last: date

    @property
    def exact(self) -> bool:
        return self.first == self.last

    def __str__(self) -> str:
        text = self.first.isoformat()
        if self.exact:
            return text
        return text[:7] if self.first.month == self.last.month else text[:4]


Value = str | Decimal | bool | Day | time | datetime | tuple[Any, ...] | Mapping[str, Any] | None
"""What a rule works with; None is the empty answer."""


def day(text: str) -> Day | None:
    """A date YYYY, YYYY-MM or YYYY-MM-DD, or None when it is none."""
    try:
        if len(text) == 4:
            return Day(date(int(text), 1, 1), date(int(text), 12, 31))
        if len(text) == 7:
            first = date.fromisoformat(text + "-01")
            return Day(first, first.replace(day=calendar.monthrange(first.year, first.month)[1]))
        whole = date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None
    return Day(whole, whole) if whole else None


def number(text: str) -> Decimal | None:
    """An exact number, or None when the text is none or has more digits than rules keep."""
    try:
        value = Decimal(text.strip())
    except InvalidOperation:
        return None
    return finite(value)


def finite(value: Decimal) -> Decimal | None:
    return value if value.is_finite() and (not value or abs(value.adjusted()) < 100) else None


def shown(value: Value) -> str:
    """The value as text, as `concat` and `join` write it: numbers without an exponent, lists with spaces."""
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case Decimal():
            text = format(value, "f")
            return text.rstrip("0").rstrip(".") if "." in text else text
        case str():
            return value
        case tuple():
            return " ".join(shown(each) for each in value)
        case time() | datetime():
            return value.isoformat()
        case Mapping():
            return str(value.get("label") or value.get("amount") or value.get("id") or "")
    return str(value)


def truth(value: Value) -> bool:
    """Two-valued: nothing, no, zero, and an empty text or list are false."""
    return bool(value)


def of_answer(kind: str, kept: Any) -> Value:
    """What rules see of a kept answer of a field type."""
    if kept is None or kept == "" or kept == []:
        return None
    match kind:
        case "integer" | "decimal":
            return number(str(kept))
        case "boolean":
            return bool(kept)
        case "date":
            return day(str(kept))
        case "time":
            return time.fromisoformat(str(kept))
        case "datetime":
            return datetime.fromisoformat(str(kept))
        case "choice":
            return str(kept["code"]) if isinstance(kept, Mapping) else str(kept)
        case "choices" | "rank":
            return tuple(str(each["code"]) if isinstance(each, Mapping) else str(each) for each in kept)
        case "consent":
            return bool(kept.get("given"))
    return kept if isinstance(kept, str | Mapping) else str(kept)
