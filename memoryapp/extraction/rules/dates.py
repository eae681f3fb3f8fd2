"""Dates as people say them, read against the turn's own time and zone.

A small closed grammar: what is ambiguous (3/4/2026, "at 3") is not read at all. Weeks begin on Monday. "next Friday" is
the Friday of the next week, "this Friday" that of this one, a bare "Friday" the nearest one in the direction the
sentence looks, never the day it is said on.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

from memoryapp.extraction.proposals import Moment, Precision, Turn
from memoryapp.extraction.rules.patterns import pattern

DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
NUMBERS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "a couple of": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
}

_DAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
MONTH_NAME = "(?:january|february|march|april|may|june|july|august|september|october|november|december)"
SHORT_MONTH = r"(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?"
_NUMBER = r"(?:a couple of|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\d{1,3})"
_UNIT = "(?:day|week|month|year)s?"

_FORMS: tuple[tuple[str, str], ...] = (
    ("iso", r"(?P<iso_y>\d{4})-(?P<iso_m>\d{2})(?:-(?P<iso_d>\d{2}))?"),
    ("end", r"(?:the )?end of (?:the |this )?(?P<end_unit>day|week|month|quarter|year)"),
    ("endof", r"the end of (?P<endof_next>next (?:week|month|quarter|year)|" + MONTH_NAME + ")"),
    ("eod", r"(?P<eod>eod|cob|eow|eom|close of business)"),
    (
        "word",
        r"(?P<word>the day after tomorrow|the day before yesterday|today|tonight|this (?:morning"
        r"|afternoon|evening)"
        r"|tomorrow(?: (?:morning|afternoon|evening|night))?|yesterday(?: (?:morning|afternoon|evening))?"
        r"|last night|last weekend|next weekend|this weekend|this past weekend|over the weekend)",
    ),
    (
        "day",
        r"(?P<day_rel>last |this past |this coming |this |next |coming )?(?P<day_name>"
        + _DAY
        + r")(?: (?:morning|afternoon|evening|night))?",
    ),
    ("unit", r"(?P<unit_rel>last|this|next) (?P<unit>week|month|quarter|year)"),
    ("ago", r"(?:about )?(?P<ago_n>" + _NUMBER + r") (?P<ago_unit>" + _UNIT + r") ago"),
    ("in", r"(?:in|within) (?P<in_n>" + _NUMBER + r") (?P<in_unit>" + _UNIT + r")(?:' time)?"),
    (
        "dm",
        r"(?:the )?(?P<dm_d>\d{1,2})(?:st|nd|rd|th)?(?: of)? (?P<dm_m>"
        + MONTH_NAME
        + "|"
        + SHORT_MONTH
        + r")(?:,? (?P<dm_y>\d{4}))?",
    ),
    (
        "md",
        r"(?P<md_m>"
        + MONTH_NAME
        + "|"
        + SHORT_MONTH
        + r") (?:the )?(?P<md_d>\d{1,2})(?:st|nd|rd|th)?(?:,? (?P<md_y>\d{4}))?",
    ),
    (
        "month",
        r"(?P<month_rel>last |this |next |early |late |mid-)?(?P<month_name>"
        + MONTH_NAME
        + r")(?:,? (?:of )?(?P<month_y>\d{4}))?",
    ),
    ("year", r"(?P<year_y>(?:19|20)\d{2})"),
)
_CLOCK = (
    r"(?:,? (?:at|by|before) (?P<clock>(?P<clock_h>\d{1,2})(?:[:.](?P<clock_m>\d{2}))?"
    r" ?(?P<clock_half>am|pm|a\.m\.|p\.m\.)"
    r"|(?P<clock_h24>\d{1,2}):(?P<clock_m24>\d{2})|noon|midnight))?"
)
DATE = "(?:" + "|".join(form for _, form in _FORMS) + ")" + _CLOCK
_DATE = pattern(r"(?i)\b" + DATE + r"\b")
_LEAD = pattern(
    r"(?i)(?:^|.*[^\p{L}])(by|before|until|till|til|through|since|from|as of|starting|effective|on|in"
    r"|over|at|due|during)(?: on)? ?$"
)


@dataclass(frozen=True, slots=True)
class Said:
    """A date in a text: [start, end), the word that led to it ("by", "until", "since", or empty), and what it means.

    `moment` is the start of the interval meant, `after` the first instant past it. With "until" the end of the interval
    is `moment.at`, unless the words were "the end of ..." or "through", when it is `after`.
    """

    start: int
    end: int
    lead: str
    moment: Moment
    after: datetime
    closing: bool


def local_now(turn: Turn) -> datetime:
    """When the turn was said, on the clock of its own zone."""
    return turn.said_at.astimezone(_zone(turn))


def _zone(turn: Turn) -> tzinfo:
    if turn.zone:
        try:
            return ZoneInfo(turn.zone)
        except (ValueError, OSError, KeyError):
            pass
    return turn.said_at.tzinfo or UTC


def said_dates(text: str, turn: Turn, *, past: bool) -> list[Said]:
    """Every date of the text, in order. `past` says which way a bare "Friday" or "June" looks."""
    return list(_read(text, turn, past))


def _read(text: str, turn: Turn, past: bool) -> Iterator[Said]:
    now = local_now(turn)
    for found in _DATE.finditer(text):
        glued = text[found.start() - 1 : found.start()] in ("/", "-", ".") or text[found.end() : found.end() + 1] == "/"
        if glued or text[found.start() : found.end()] in ("may", "march"):
            continue
        lead_match = _LEAD.match(text[max(0, found.start() - 14) : found.start()])
        lead = lead_match.group(1).lower() if lead_match else ""
        backward = past or lead == "since"
        try:
            meaning = _meaning(found, now, backward)
            if meaning is None:
                continue
            day, precision, after_day = meaning
            yield _said(found, lead, now, day, precision, after_day)
        except (ValueError, OverflowError):
            continue


def _said(found: Any, lead: str, now: datetime, day: date, precision: Precision, after_day: date) -> Said:
    zone = now.tzinfo
    at = datetime.combine(day, time(), zone)
    after = datetime.combine(after_day, time(), zone)
    clock = _clock(found)
    if clock is not None and precision == "day":
        at = datetime.combine(day, clock, zone)
        precision, after = "minute", at
    closing = bool(found.group("end_unit") or found.group("endof_next") or found.group("eod")) or lead == "through"
    return Said(found.start(), found.end(), lead, Moment(at, precision), after, closing)


def _clock(found: Any) -> time | None:
    said = found.group("clock")
    if not said:
        return None
    if said.lower() == "noon":
        return time(12)
    if said.lower() == "midnight":
        return time(23, 59)
    if found.group("clock_h24"):
        return time(int(found.group("clock_h24")), int(found.group("clock_m24")))
    hour = int(found.group("clock_h"))
    if not 1 <= hour <= 12:
        raise ValueError
    afternoon = found.group("clock_half").lower().startswith("p")
    return time(hour % 12 + (12 if afternoon else 0), int(found.group("clock_m") or 0))


Meaning = tuple[date, Precision, date]


def _meaning(found: Any, now: datetime, past: bool) -> Meaning | None:
    for name, reader in _READERS:
        if found.group(name):
            return reader(found, now.date(), past)
    return None


def _one_day(day: date) -> Meaning:
    return day, "day", day + timedelta(days=1)


def _iso(found: Any, today: date, past: bool) -> Meaning:
    year, month = int(found.group("iso_y")), int(found.group("iso_m"))
    if found.group("iso_d"):
        return _one_day(date(year, month, int(found.group("iso_d"))))
    return _month_of(year, month)


def _month_of(year: int, month: int) -> Meaning:
    return date(year, month, 1), "month", _add_months(date(year, month, 1), 1)


def _add_months(day: date, count: int) -> date:
    index = day.year * 12 + day.month - 1 + count
    year, month = divmod(index, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return date(year, month + 1, min(day.day, last))
        except ValueError:
            if not 1 <= year <= 9999:
                raise
    raise ValueError(day)


def unit_of(unit: str, today: date, shift: int) -> Meaning:
    """The week, month, quarter or year that lies `shift` after today's."""
    if unit == "week":
        start = today - timedelta(days=today.weekday()) + timedelta(weeks=shift)
        return start, "week", start + timedelta(weeks=1)
    if unit == "month":
        start = _add_months(today.replace(day=1), shift)
        return start, "month", _add_months(start, 1)
    if unit == "quarter":
        start = _add_months(date(today.year, (today.month - 1) // 3 * 3 + 1, 1), 3 * shift)
        return start, "quarter", _add_months(start, 3)
    return date(today.year + shift, 1, 1), "year", date(today.year + shift + 1, 1, 1)


def _end(found: Any, today: date, past: bool) -> Meaning:
    unit = found.group("end_unit").lower()
    if unit == "day":
        return _one_day(today)
    last = unit_of(unit, today, 0)[2] - timedelta(days=3 if unit == "week" else 1)
    return _one_day(last)


def _end_of(found: Any, today: date, past: bool) -> Meaning:
    words = found.group("endof_next").lower()
    if words.startswith("next "):
        unit = words.split()[1]
        after = unit_of(unit, today, 1)[2]
        return _one_day(after - timedelta(days=3 if unit == "week" else 1))
    return _one_day(_named_month(words, today, past, None)[2] - timedelta(days=1))


def _eod(found: Any, today: date, past: bool) -> Meaning:
    word = found.group("eod").lower()
    if word == "eow":
        return _one_day(unit_of("week", today, 0)[2] - timedelta(days=3))
    if word == "eom":
        return _one_day(unit_of("month", today, 0)[2] - timedelta(days=1))
    return _one_day(today)


_WORD_DAYS = {"the day after": 2, "the day before": -2, "tomorrow": 1, "yesterday": -1, "last night": -1}


def _word(found: Any, today: date, past: bool) -> Meaning:
    word = found.group("word").lower()
    if "weekend" in word:
        week = today - timedelta(days=today.weekday())
        backward = word != "next weekend" and (word != "this weekend" or past)
        saturday = week + timedelta(days=5 if not backward or (today.weekday() >= 5 and "last" not in word) else -2)
        if word == "next weekend":
            saturday += timedelta(weeks=1)
        return saturday, "day", saturday + timedelta(days=2)
    for start, shift in _WORD_DAYS.items():
        if word.startswith(start):
            return _one_day(today + timedelta(days=shift))
    return _one_day(today)


def _weekday(found: Any, today: date, past: bool) -> Meaning:
    relation = (found.group("day_rel") or "").strip().lower()
    wanted = DAYS.index(found.group("day_name").lower())
    monday = today - timedelta(days=today.weekday())
    if relation == "this":
        return _one_day(monday + timedelta(days=wanted))
    if relation == "next":
        return _one_day(monday + timedelta(days=7 + wanted))
    if relation in ("last", "this past") or (not relation and past):
        return _one_day(today - timedelta(days=(today.weekday() - wanted - 1) % 7 + 1))
    return _one_day(today + timedelta(days=(wanted - today.weekday() - 1) % 7 + 1))


def _unit(found: Any, today: date, past: bool) -> Meaning:
    shift = {"last": -1, "this": 0, "next": 1}[found.group("unit_rel").lower()]
    return unit_of(found.group("unit").lower(), today, shift)


def _shifted(count_text: str, unit_text: str, today: date, sign: int) -> Meaning:
    count = sign * (int(count_text) if count_text.isdecimal() else NUMBERS[count_text.lower()])
    unit = unit_text.lower().rstrip("s")
    if unit == "day":
        return _one_day(today + timedelta(days=count))
    if unit == "week":
        day = today + timedelta(weeks=count)
        return (day, "week", day + timedelta(weeks=1)) if sign < 0 else _one_day(day)
    if sign > 0:
        return _one_day(_add_months(today, count * (12 if unit == "year" else 1)))
    return unit_of(unit, today, count)


def _ago(found: Any, today: date, past: bool) -> Meaning:
    return _shifted(found.group("ago_n"), found.group("ago_unit"), today, -1)


def _in(found: Any, today: date, past: bool) -> Meaning:
    return _shifted(found.group("in_n"), found.group("in_unit"), today, 1)


def _month_number(word: str) -> int:
    return next(index for index, name in enumerate(MONTHS, 1) if name.startswith(word.lower().rstrip(".")[:3]))


def _dated(day: int, month_word: str, year: str | None, today: date, past: bool) -> Meaning:
    month = _month_number(month_word)
    if year:
        return _one_day(date(int(year), month, day))
    found = date(today.year, month, day)
    if past and found > today:
        found = date(today.year - 1, month, day)
    elif not past and found < today:
        found = date(today.year + 1, month, day)
    return _one_day(found)


def _day_month(found: Any, today: date, past: bool) -> Meaning:
    return _dated(int(found.group("dm_d")), found.group("dm_m"), found.group("dm_y"), today, past)


def _month_day(found: Any, today: date, past: bool) -> Meaning:
    return _dated(int(found.group("md_d")), found.group("md_m"), found.group("md_y"), today, past)


def _named_month(word: str, today: date, past: bool, relation: str | None) -> Meaning:
    month = _month_number(word)
    year = today.year
    if past and month > today.month:
        year -= 1
    elif not past and (month < today.month or (relation == "next" and month == today.month)):
        year += 1
    return _month_of(year, month)


def _month(found: Any, today: date, past: bool) -> Meaning:
    if found.group("month_y"):
        return _month_of(int(found.group("month_y")), _month_number(found.group("month_name")))
    relation = (found.group("month_rel") or "").strip().lower()
    backward = relation == "last" or (past and relation not in ("this", "next"))
    return _named_month(found.group("month_name"), today, backward, relation)


def _year(found: Any, today: date, past: bool) -> Meaning:
    year = int(found.group("year_y"))
    return date(year, 1, 1), "year", date(year + 1, 1, 1)


_READERS: tuple[tuple[str, Callable[[Any, date, bool], Meaning]], ...] = (
    ("iso_y", _iso),
    ("end_unit", _end),
    ("endof_next", _end_of),
    ("eod", _eod),
    ("word", _word),
    ("day_name", _weekday),
    ("unit", _unit),
    ("ago_n", _ago),
    ("in_n", _in),
    ("dm_d", _day_month),
    ("md_d", _month_day),
    ("month_name", _month),
    ("year_y", _year),
)
