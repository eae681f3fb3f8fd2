"""How much happened when: a count for each day, or for each month or year of what lasted longer."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace

from django.db.models import Count, Max, Min
from django.db.models.functions import TruncDay, TruncMonth, TruncYear

from memoryapp.ledger.principal import Principal
from memoryapp.timeline.queries.episodes import Asked, episodes

MOST_DAYS = 370
MOST_MONTHS = 240
DAY = dt.timedelta(days=1)
TRUNCATED = {"day": TruncDay, "month": TruncMonth, "year": TruncYear}


@dataclass(frozen=True)
class Bar:
    """How many episodes stand between `start` and `end`, which is outside: local midnights."""

    start: dt.datetime
    end: dt.datetime
    count: int


@dataclass(frozen=True)
class Density:
    """Counts from `since` to `until` without a gap, by day, month or year."""

    unit: str
    bars: list[Bar]

    @property
    def highest(self) -> int:
        return max((bar.count for bar in self.bars), default=0)


def density(by: Principal, asked: Asked, zone: dt.tzinfo) -> Density | None:
    """How the episodes that are asked for are spread, in days of this zone; None when there are none.

    An episode counts where it stands in the timeline: where it began. Two queries.
    """
    rows = episodes(by, replace(asked, since=None)).order_by()
    if asked.since:
        rows = rows.filter(ordered_at__gte=asked.since)
    extent = rows.aggregate(first=Min("ordered_at"), last=Max("ordered_at"))
    if extent["first"] is None:
        return None
    first = _midnight(asked.since or extent["first"], zone)
    last = _midnight((asked.until - dt.timedelta(microseconds=1)) if asked.until else extent["last"], zone)
    unit = _unit(first, last)
    counted = rows.annotate(bucket=TRUNCATED[unit]("ordered_at", tzinfo=zone)).values("bucket").annotate(n=Count("pk"))
    found = {one["bucket"].astimezone(zone).date(): one["n"] for one in counted}
    return Density(unit, _bars(unit, first, last, found, zone))


def _unit(first: dt.datetime, last: dt.datetime) -> str:
    if (last - first) / DAY <= MOST_DAYS:
        return "day"
    return "month" if (last.year - first.year) * 12 + last.month - first.month <= MOST_MONTHS else "year"


def _bars(unit: str, first: dt.datetime, last: dt.datetime, found: dict[dt.date, int], zone: dt.tzinfo) -> list[Bar]:
    bars: list[Bar] = []
    start = _floor(unit, first.date())
    while start <= last.date():
        end = _next(unit, start)
        bars.append(Bar(_at(start, zone), _at(end, zone), found.get(start, 0)))
        if end <= start:
            break
        start = end
    return bars


def _floor(unit: str, day: dt.date) -> dt.date:
    if unit == "day":
        return day
    return day.replace(day=1) if unit == "month" else day.replace(month=1, day=1)


def _next(unit: str, day: dt.date) -> dt.date:
    try:
        if unit == "day":
            return day + DAY
        if unit == "month":
            return dt.date(day.year + day.month // 12, day.month % 12 + 1, 1)
        return dt.date(day.year + 1, 1, 1)
    except (OverflowError, ValueError):
        return day


def _at(day: dt.date, zone: dt.tzinfo) -> dt.datetime:
    return dt.datetime(day.year, day.month, day.day, tzinfo=zone)


def _midnight(instant: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    try:
        local = instant.astimezone(zone)
    except OverflowError:
        local = instant.replace(tzinfo=zone)
    return local.replace(hour=0, minute=0, second=0, microsecond=0)
