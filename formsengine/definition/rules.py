"""Rules written in Python: `age >= 18` on a field of the builder is the rule `${age} >= 18`."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from formsengine.expressions.syntax import quoted


class Says:
    """A part of a rule. Compared or calculated with, it gives a larger part; `&`, `|` and `~` join rules."""

    __hash__ = object.__hash__

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text

    def _with(self, op: str, other: object) -> Says:
        return Says(f"({self.text} {op} {written(other)})")

    def __eq__(self, other: object) -> Says:  # type: ignore[override]
        return self._with("=", other)

    def __ne__(self, other: object) -> Says:  # type: ignore[override]
        return self._with("!=", other)

    def __lt__(self, other: object) -> Says:
        return self._with("<", other)

    def __le__(self, other: object) -> Says:
        return self._with("<=", other)

    def __gt__(self, other: object) -> Says:
        return self._with(">", other)

    def __ge__(self, other: object) -> Says:
        return self._with(">=", other)

    def __add__(self, other: object) -> Says:
        return self._with("+", other)

    def __sub__(self, other: object) -> Says:
        return self._with("-", other)

    def __mul__(self, other: object) -> Says:
        return self._with("*", other)

    def __truediv__(self, other: object) -> Says:
        return self._with("div", other)

    def __and__(self, other: object) -> Says:
        return self._with("and", other)

    def __or__(self, other: object) -> Says:
        return self._with("or", other)

    def __invert__(self) -> Says:
        return Says(f"not({self.text})")

    def __bool__(self) -> bool:
        raise TypeError("A rule is joined with & | ~, not with and, or, not: it is worked out later, not now.")

    def has(self, code: str) -> Says:
        """Whether a choice, or one of several, is this code."""
        return Says(f"selected({self.text}, {quoted(code)})")

    def answered(self) -> Says:
        return Says(f"({self.text} != '')")


OWN = Says(".")
"""The answer that a constraint judges."""


def written(value: object) -> str:
    """A value as it stands in a rule."""
    match value:
        case Says():
            return value.text
        case bool():
            return "true()" if value else "false()"
        case int() | Decimal():
            return format(value, "f") if isinstance(value, Decimal) else str(value)
        case date():
            return f"date('{value.isoformat()}')"
        case str():
            return quoted(value)
    raise TypeError(f"A rule compares with text, whole or exact numbers, yes and no, and dates, not {value!r}.")


def call(name: str, *args: object) -> Says:
    """A function of the language: `call("sum", child.age)`."""
    return Says(f"{name}({', '.join(written(arg) for arg in args)})")


def total(*args: object) -> Says:
    return call("sum", *args)


def count(*args: object) -> Says:
    return call("count", *args)


def today() -> Says:
    return call("today")
