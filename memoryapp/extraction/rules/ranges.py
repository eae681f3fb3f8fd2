"""From when to when, in one breath: "10 to 21 August", "from 3 to 9 May", "between June and September".

Both ends are days, months or years and belong to the time meant, so it is over with the first instant after the last.
Weekdays ("from Monday to Friday") come back every week and are no such stretch; nor are times of the day.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

from memoryapp.extraction.proposals import Moment, Turn
from memoryapp.extraction.rules.dates import MONTH_NAME, SHORT_MONTH, Said, said_dates
from memoryapp.extraction.rules.patterns import pattern

_JOIN = r" ?(?:to|until|till|through|and|-|\x{2013}|\x{2014}) ?"
_OPEN = r"(?:(?P<opening>from|between|on)(?: the)? )?"
_DAYS_THEN_MONTH = pattern(
    r"(?i)(?:^|[^\p{L}\p{N}])"
    + _OPEN
    + r"(?P<first>\d{1,2})(?:st|nd|rd|th)?"
    + _JOIN
    + r"(?P<last>(?:the )?\d{1,2}(?:st|nd|rd|th)?(?: of)? (?:"
    + MONTH_NAME
    + "|"
    + SHORT_MONTH
    + r")(?:,? \d{4})?)\b"
)
_MONTH_THEN_DAYS = pattern(
    r"(?i)(?:^|[^\p{L}\p{N}])"
    + _OPEN
    + r"(?P<month>"
    + MONTH_NAME
    + "|"
    + SHORT_MONTH
    + r") (?:the )?(?P<first>\d{1,2})"
    r"(?:st|nd|rd|th)?" + _JOIN + r"(?:the )?(?P<last>\d{1,2})(?:st|nd|rd|th)?(?P<year>,? \d{4})?\b"
)
_BETWEEN = pattern(r"(?i)^" + _JOIN + r"(?:the )?$")
_LED = pattern(r"(?i)(?:^|[^\p{L}])(?:from|between)(?: the)? ?$")
_GONE_BY = pattern(r"(?i)\b(?:was|were|had|did|spent|stayed|went)\b")
_LONGEST = timedelta(days=366 * 50)


@dataclass(frozen=True, slots=True)
class Range:
    """A stretch of time at [start, end) of the text; `until` is the first instant after it."""

    start: int
    end: int
    since: Moment
    until: Moment


def said_range(text: str, turn: Turn) -> Range | None:
    """The first stretch of time that the text names, if it names one."""
    past = _GONE_BY.search(text) is not None
    return _days_of_one_month(text, turn, past) or _two_dates(text, turn, past)


def _days_of_one_month(text: str, turn: Turn, past: bool) -> Range | None:
    found = _DAYS_THEN_MONTH.search(text)
    if found is not None:
        last = found.group("last")
    else:
        found = _MONTH_THEN_DAYS.search(text)
        if found is None:
            return None
        last = f"{found.group('month')} {found.group('last')}{found.group('year') or ''}"
    read = said_dates(last, turn, past=past)
    if len(read) != 1 or read[0].moment.precision != "day":
        return None
    closing = read[0]
    try:
        begins = closing.moment.at.replace(day=int(found.group("first")))
    except ValueError:
        return None
    return _range(found.start(), found.end(), begins, closing)


def _two_dates(text: str, turn: Turn, past: bool) -> Range | None:
    """Two dates of one precision joined by "to", or led by "from" or "between"."""
    dates = said_dates(text, turn, past=past)
    for first, last in pairwise(dates):
        if _BETWEEN.match(text[first.end : last.start]) is None:
            continue
        joined = _LED.search(text[: first.start]) is not None or "and" not in text[first.end : last.start].lower()
        named = first.moment.precision in ("day", "month", "year") and not _is_weekday(text, first)
        if not joined or not named or first.moment.precision != last.moment.precision:
            continue
        begins = first.moment.at
        while begins > last.moment.at and not _says_year(text, first):
            begins = begins.replace(year=begins.year - 1)
        return _range(first.start, last.end, begins, last)
    return None


def _range(start: int, end: int, begins: datetime, closing: Said) -> Range | None:
    if not timedelta() <= closing.moment.at - begins <= _LONGEST:
        return None
    precision = closing.moment.precision
    return Range(start, end, Moment(begins, precision), Moment(closing.after, precision))


def _is_weekday(text: str, said: Said) -> bool:
    return "day" in text[said.start : said.end].lower()


def _says_year(text: str, said: Said) -> bool:
    return any(text[at : at + 4].isdigit() for at in range(said.start, said.end - 3))
