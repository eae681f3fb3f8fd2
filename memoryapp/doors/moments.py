"""Times as people and agents say them: an instant with an offset, or a date that is only known so far.

A partial date (2024, 2024-05, 2024-05-03) keeps its precision and stands for the start of its interval. A time without
an offset says nothing by itself and is refused unless the request names its time zone.
"""

import datetime as dt
import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from memoryapp.doors.errors import Invalid

ACCEPTED = "2024, 2024-05, 2024-05-03 or 2024-05-03T14:30:00+02:00"


class Precision(StrEnum):
    YEAR = "year"
    MONTH = "month"
    DAY = "day"
    INSTANT = "instant"


class NotAMoment(ValueError):
    """The text is no time. `code` says why, the text says it to a person, `accepted` what would be taken."""

    def __init__(self, code: str, message: str, accepted: str = ACCEPTED) -> None:
        super().__init__(message)
        self.code = code
        self.accepted = accepted


@dataclass(frozen=True, order=True)
class Moment:
    """An instant in UTC, how exactly it is known, and the zone or offset it was said in."""

    instant: dt.datetime
    precision: Precision = Precision.INSTANT
    zone: str = "UTC"

    def __str__(self) -> str:
        return render(self.instant, self.precision, self.zone)


_SHAPE = re.compile(
    r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2})"
    r"(?:[Tt](?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,](?P<fraction>[0-9]{1,9}))?)?"
    r"(?P<offset>[Zz]|[+-][0-9]{2}:?[0-9]{2})?)?)?)?"
)
_OFFSET = re.compile(r"[+-][0-9]{2}:[0-9]{2}")


@cache
def time_zones() -> frozenset[str]:
    """The IANA names this machine knows, read from its disk once."""
    return frozenset(available_timezones())


def zone_of(name: str) -> dt.tzinfo:
    """The zone of an IANA name (`America/Lima`) or of an offset (`+02:00`). Raises NotAMoment."""
    if _OFFSET.fullmatch(name):
        return _fixed(name)
    if name in ("UTC", "Z"):
        return dt.UTC
    if name not in time_zones():
        raise NotAMoment("unknown_time_zone", f"There is no time zone “{name[:64]}”.", "an IANA name: Europe/Paris")
    return ZoneInfo(name)


def parse(text: str, *, time_zone: str | None = None) -> Moment:
    """The moment that a text names.

    `time_zone` is the one the request names: it gives a time without offset its meaning. A partial date starts at its
    midnight in UTC, wherever it was said, so that it reads back as itself. Raises NotAMoment: `not_a_time`,
    `naive_time`, `no_such_time`, `out_of_range`.
    """
    found = _SHAPE.fullmatch(text)
    if not found:
        raise NotAMoment("not_a_time", f"“{text[:40]}” is not a time.")
    part = found.groupdict()
    if part["hour"] is None:
        precision = Precision.DAY if part["day"] else Precision.MONTH if part["month"] else Precision.YEAR
        return Moment(_to_utc(_local(part), dt.UTC), precision)
    offset = part["offset"]
    if offset is None and time_zone is None:
        raise NotAMoment(
            "naive_time",
            f"“{text[:40]}” does not say in which time zone: give its offset, or time_zone in the request.",
            "a time with its offset (2024-05-03T14:30:00+02:00), or time_zone in the request",
        )
    if offset is None:
        assert time_zone is not None
        return Moment(_to_utc(_local(part), zone_of(time_zone)), Precision.INSTANT, time_zone)
    zone = (
        "UTC" if offset in ("Z", "z", "+00:00", "+0000") else offset if ":" in offset else f"{offset[:3]}:{offset[3:]}"
    )
    return Moment(_to_utc(_local(part), zone_of(zone)), Precision.INSTANT, zone)


def given(text: str, path: str, *, time_zone: str | None = None) -> Moment:
    """The moment that was typed at this place. Raises Invalid, which names the place, for what is none."""
    try:
        return parse(text, time_zone=time_zone)
    except NotAMoment as error:
        raise Invalid.at(path, error.code, str(error), error.accepted) from error


def render(instant: dt.datetime, precision: str = Precision.INSTANT, zone: str = "UTC") -> str:
    """The moment in ISO 8601 as exactly as it is known, in the zone it was said in (or any other)."""
    try:
        local = instant.astimezone(zone_of(zone))
    except (OverflowError, NotAMoment):
        local = instant.astimezone(dt.UTC)
    if precision == Precision.YEAR:
        return f"{local.year:04d}"
    if precision == Precision.MONTH:
        return f"{local.year:04d}-{local.month:02d}"
    if precision == Precision.DAY:
        return f"{local.year:04d}-{local.month:02d}-{local.day:02d}"
    return local.isoformat().replace("+00:00", "Z")


def end_of(moment: Moment) -> dt.datetime:
    """The first instant after the interval a partial date stands for; the instant itself when it is exact.

    The last year there is has no end and gives its last instant.
    """
    if moment.precision == Precision.INSTANT:
        return moment.instant
    zone = zone_of(moment.zone)
    local = moment.instant.astimezone(zone).replace(tzinfo=None)
    year, month = local.year, local.month
    try:
        if moment.precision == Precision.YEAR:
            after = dt.datetime(year + 1, 1, 1)
        elif moment.precision == Precision.MONTH:
            after = dt.datetime(year + month // 12, month % 12 + 1, 1)
        else:
            after = local + dt.timedelta(days=1)
        return after.replace(tzinfo=zone).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        return dt.datetime.max.replace(tzinfo=dt.UTC)


def _local(part: dict[str, str | None]) -> dt.datetime:
    fraction = (part["fraction"] or "")[:6].ljust(6, "0")
    try:
        return dt.datetime(
            int(part["year"] or 0),
            int(part["month"] or 1),
            int(part["day"] or 1),
            int(part["hour"] or 0),
            int(part["minute"] or 0),
            int(part["second"] or 0),
            int(fraction),
        )
    except ValueError as error:
        raise NotAMoment("no_such_time", f"There is no such time: {error}.") from error


def _to_utc(local: dt.datetime, zone: dt.tzinfo) -> dt.datetime:
    try:
        instant = local.replace(tzinfo=zone).astimezone(dt.UTC)
        back = instant.astimezone(zone).replace(tzinfo=None)
    except (OverflowError, ValueError) as error:
        raise NotAMoment(
            "out_of_range", "This time falls outside the years 0001 to 9999 in UTC.", "years 0001 to 9999"
        ) from error
    midnight = (local.hour, local.minute, local.second) == (0, 0, 0)
    if back != local and not midnight:
        raise NotAMoment("no_such_time", "The clocks skip this time in that zone.", "a time that the clocks show")
    return instant


def _fixed(offset: str) -> dt.tzinfo:
    hours, minutes = int(offset[1:3]), int(offset[4:6])
    if hours > 23 or minutes > 59:
        raise NotAMoment("no_such_time", f"There is no offset {offset}.")
    span = dt.timedelta(hours=hours, minutes=minutes)
    return dt.timezone(span if offset[0] == "+" else -span)
