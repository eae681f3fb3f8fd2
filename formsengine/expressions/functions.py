"""The functions of rules: what each takes, gives and does. None of them raises; what has no answer is empty."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import re2

from formsengine.expressions.types import DATE, MOMENT, NUMBER, TEXT, TRUTH, Kind, Type
from formsengine.values.runtime import EXACT, Day, Value, day, finite, number, shown, truth

LONGEST_TEXT = 10_000
"""Characters of a text that a rule makes or searches; what is longer is cut."""

ANY = "any"
WORDS = "words"
LIST = "list"

EPOCH = 719163


@dataclass(frozen=True, slots=True)
class Function:
    """`takes`: what each argument must be; `more` lets the last one repeat. `gives` None: what its arguments are."""

    takes: tuple[str, ...]
    gives: Type | None
    run: Callable[..., Value]
    at_least: int
    more: bool = False


def flat(values: tuple[Value, ...]) -> list[Value]:
    """Every non-empty value of several arguments, lists opened."""
    found: list[Value] = []
    for value in values:
        if isinstance(value, tuple):
            found.extend(flat(value))
        elif value is not None and value != "":
            found.append(value)
    return found


def _numbers(values: tuple[Value, ...]) -> list[Decimal]:
    return [each for each in flat(values) if isinstance(each, Decimal)]


def total(*values: Value) -> Value:
    found = Decimal(0)
    for each in _numbers(values):
        found = EXACT.add(found, each)
    return finite(found)


def comparable(value: Value) -> Any:
    return value.first if isinstance(value, Day) else value


def alike(found: list[Value]) -> bool:
    return len({type(each) for each in found}) == 1 and not isinstance(found[0], Mapping)


def least(*values: Value) -> Value:
    found = flat(values)
    return min(found, key=comparable) if found and alike(found) else None


def most(*values: Value) -> Value:
    found = flat(values)
    return max(found, key=comparable) if found and alike(found) else None


def rounded(value: Value, digits: Value = None) -> Value:
    """Half goes away from zero, as people round."""
    if not isinstance(value, Decimal):
        return None
    places = int(digits) if isinstance(digits, Decimal) and abs(digits) <= 30 else 0
    found = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=EXACT)
    return finite(found)


def whole(value: Value) -> Value:
    found = as_number(value)
    return found.to_integral_value(rounding="ROUND_DOWN") if isinstance(found, Decimal) else None


def as_number(value: Value) -> Value:
    match value:
        case bool():
            return Decimal(int(value))
        case Decimal():
            return value
        case str():
            return number(value)
        case Day():
            return Decimal(value.first.toordinal() - EPOCH) if value.exact else None
        case datetime():
            return day_number(value)
    return None


def day_number(value: Value) -> Value:
    """Days since 1970-01-01, with the part of the day for a moment."""
    if isinstance(value, Day):
        return as_number(value)
    if isinstance(value, datetime):
        seconds = Decimal(int(value.timestamp()))
        return finite(EXACT.divide(seconds, Decimal(86400)))
    return None


def measured(function: Callable[..., float]) -> Callable[..., Value]:
    """A function of measurement: twelve digits, the same on every machine, and empty where it has no value."""

    def run(*values: Value) -> Value:
        if not all(isinstance(value, Decimal) for value in values):
            return None
        try:
            found = Decimal(repr(function(*(float(value) for value in values if isinstance(value, Decimal)))))
        except (ValueError, OverflowError):
            return None
        return finite(Context(prec=12).plus(found).normalize()) if found.is_finite() else None

    return run


def absolute(value: Value) -> Value:
    return abs(value) if isinstance(value, Decimal) else None


def selected(value: Value, code: Value) -> Value:
    """Whether a choice, or a list of choices, holds the code; a text of words counts as a list."""
    if isinstance(value, tuple):
        return code in value
    return isinstance(value, str) and code is not None and (value == code or code in value.split())


def selected_at(value: Value, place: Value) -> Value:
    items = value if isinstance(value, tuple) else (value,) if value else ()
    at = int(place) if isinstance(place, Decimal) and 0 <= place < len(items) else -1
    return items[at] if at >= 0 else None


def count_selected(value: Value) -> Value:
    return Decimal(len(value) if isinstance(value, tuple) else 1 if value else 0)


def joined(separator: Value, *values: Value) -> Value:
    return cut(shown(separator).join(shown(each) for each in flat(values)))


def concatenated(*values: Value) -> Value:
    return cut("".join(shown(each) for each in values))


def cut(text: str) -> str | None:
    return text[:LONGEST_TEXT] or None


PATTERNS: dict[str, Any] = {}


def pattern(text: str) -> Any:
    """A compiled pattern whose search takes time in proportion to the text. Raises re2.error when it is none."""
    found = PATTERNS.get(text)
    if found is None:
        if len(PATTERNS) > 1000:
            PATTERNS.clear()
        options = re2.Options()
        options.log_errors = False
        options.max_mem = 1 << 20
        found = PATTERNS[text] = re2.compile(text, options)
    return found


def matches(value: Value, text: Value) -> Value:
    """Whether the whole text is as the pattern says."""
    if value is None or not isinstance(text, str):
        return False
    try:
        return pattern(text).fullmatch(shown(value)[:LONGEST_TEXT]) is not None
    except re2.error:
        return False


def contains(value: Value, part: Value) -> Value:
    if isinstance(value, tuple):
        return part in value
    return value is not None and shown(part) in shown(value)


def substring(value: Value, start: Value, end: Value = None) -> Value:
    """From the place `start`, counted from 0, up to before `end`."""
    if not isinstance(start, Decimal):
        return None
    last = int(end) if isinstance(end, Decimal) else None
    return shown(value)[int(start) : last] or None


def as_day(value: Value) -> Value:
    match value:
        case Day():
            return value
        case datetime():
            return Day(value.date(), value.date())
        case str():
            return day(value[:10])
    return None


def as_moment(value: Value) -> Value:
    try:
        return (
            datetime.fromisoformat(value) if isinstance(value, str) else value if isinstance(value, datetime) else None
        )
    except ValueError:
        return None


DATE_SIGNS = {"%Y", "%y", "%m", "%n", "%d", "%e", "%H", "%h", "%M", "%S"}


def dated(value: Value, form: Value) -> Value:
    """A date or moment as text, by %Y %y %m %n %d %e %H %h %M %S; a partial date is shown as it is."""
    if isinstance(value, Day) and not value.exact:
        return str(value)
    moment = value.first if isinstance(value, Day) else value
    if not isinstance(moment, date | time):
        return None
    signs = {"%n": "%-m", "%e": "%-d", "%h": "%-H"}
    text = shown(form)[:100]
    parts = [text[at : at + 2] for at in range(len(text))]
    made, skip = "", False
    for part in parts:
        if skip:
            skip = False
        elif part in DATE_SIGNS:
            made += moment.strftime(signs.get(part, part))
            skip = True
        else:
            made += part[0]
    return made


def part_of(key: str) -> Callable[[Value], Value]:
    def run(value: Value) -> Value:
        if not isinstance(value, Mapping) or value.get(key) in (None, ""):
            return None
        kept = str(value[key])
        return number(kept) if key == "amount" else day(kept[:10]) if key in ("start", "end") else kept

    return run


FUNCTIONS: dict[str, Function] = {
    "selected": Function((ANY, WORDS), TRUTH, selected, 2),
    "selected-at": Function((ANY, "number"), TEXT, selected_at, 2),
    "count-selected": Function((ANY,), NUMBER, count_selected, 1),
    "not": Function((ANY,), TRUTH, lambda value: not truth(value), 1),
    "true": Function((), TRUTH, lambda: True, 0),
    "false": Function((), TRUTH, lambda: False, 0),
    "boolean": Function((ANY,), TRUTH, truth, 1),
    "contains": Function((ANY, WORDS), TRUTH, contains, 2),
    "starts-with": Function((WORDS, WORDS), TRUTH, lambda a, b: a is not None and shown(a).startswith(shown(b)), 2),
    "ends-with": Function((WORDS, WORDS), TRUTH, lambda a, b: a is not None and shown(a).endswith(shown(b)), 2),
    "regex": Function((ANY, "text"), TRUTH, matches, 2),
    "string-length": Function((ANY,), NUMBER, lambda value: Decimal(len(shown(value))), 1),
    "string": Function((ANY,), TEXT, lambda value: shown(value) or None, 1),
    "substr": Function((WORDS, "number", "number"), TEXT, substring, 2),
    "lower-case": Function((WORDS,), TEXT, lambda value: shown(value).lower() or None, 1),
    "upper-case": Function((WORDS,), TEXT, lambda value: shown(value).upper() or None, 1),
    "normalize-space": Function((WORDS,), TEXT, lambda value: " ".join(shown(value).split()) or None, 1),
    "concat": Function((ANY,), TEXT, concatenated, 1, more=True),
    "join": Function(("text", LIST), TEXT, joined, 2, more=True),
    "round": Function(("number", "number"), NUMBER, rounded, 1),
    "int": Function((ANY,), NUMBER, whole, 1),
    "number": Function((ANY,), NUMBER, as_number, 1),
    "abs": Function(("number",), NUMBER, absolute, 1),
    "sqrt": Function(("number",), NUMBER, measured(math.sqrt), 1),
    "pow": Function(("number", "number"), NUMBER, measured(math.pow), 2),
    "exp": Function(("number",), NUMBER, measured(math.exp), 1),
    "log": Function(("number",), NUMBER, measured(math.log), 1),
    "log10": Function(("number",), NUMBER, measured(math.log10), 1),
    "sin": Function(("number",), NUMBER, measured(math.sin), 1),
    "cos": Function(("number",), NUMBER, measured(math.cos), 1),
    "tan": Function(("number",), NUMBER, measured(math.tan), 1),
    "asin": Function(("number",), NUMBER, measured(math.asin), 1),
    "acos": Function(("number",), NUMBER, measured(math.acos), 1),
    "atan": Function(("number",), NUMBER, measured(math.atan), 1),
    "atan2": Function(("number", "number"), NUMBER, measured(math.atan2), 2),
    "pi": Function((), NUMBER, lambda: Decimal("3.14159265359"), 0),
    "sum": Function((LIST,), NUMBER, total, 1, more=True),
    "min": Function((LIST,), None, least, 1, more=True),
    "max": Function((LIST,), None, most, 1, more=True),
    "count": Function((LIST,), NUMBER, lambda *values: Decimal(len(flat(values))), 1, more=True),
    "count-non-empty": Function((LIST,), NUMBER, lambda *values: Decimal(len(flat(values))), 1, more=True),
    "date": Function((ANY,), DATE, as_day, 1),
    "date-time": Function((ANY,), MOMENT, as_moment, 1),
    "format-date": Function((ANY, "text"), TEXT, dated, 2),
    "decimal-date-time": Function((ANY,), NUMBER, day_number, 1),
    "amount": Function((ANY,), NUMBER, part_of("amount"), 1),
    "unit": Function((ANY,), TEXT, part_of("unit"), 1),
    "currency": Function((ANY,), TEXT, part_of("currency"), 1),
    "start": Function((ANY,), DATE, part_of("start"), 1),
    "end": Function((ANY,), DATE, part_of("end"), 1),
}
"""Functions that only look at their arguments. Those that look at the response are compiled one by one."""

SPECIAL = {
    "if": 3,
    "coalesce": 2,
    "once": 1,
    "position": 0,
    "today": 0,
    "now": 0,
    "uuid": 0,
    "random": 0,
    "choice-name": 1,
    "lookup": 3,
    "rows": 1,
    "previous": 1,
    "complete": 1,
    "gate": 1,
    "has-role": 1,
}
"""Functions that look at the response, and how many arguments each takes."""

KIND_NAMES = {"number": {Kind.NUMBER}, "text": {Kind.TEXT, Kind.CODE}, WORDS: {Kind.TEXT, Kind.CODE, Kind.CODES}}
