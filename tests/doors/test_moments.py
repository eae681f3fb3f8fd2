"""Times keep the precision and the zone they were said with, and never mean something that was not said."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.doors.moments import Moment, NotAMoment, Precision, end_of, parse, render


@pytest.mark.parametrize(
    ("text", "instant", "precision"),
    [
        ("2024", "2024-01-01T00:00:00+00:00", "year"),
        ("2024-05", "2024-05-01T00:00:00+00:00", "month"),
        ("2024-05-03", "2024-05-03T00:00:00+00:00", "day"),
        ("2024-05-03T14:30:00Z", "2024-05-03T14:30:00+00:00", "instant"),
        ("2024-05-03T14:30+02:00", "2024-05-03T12:30:00+00:00", "instant"),
        ("2024-05-03T23:30:00-0500", "2024-05-04T04:30:00+00:00", "instant"),
        ("2024-05-03T14:30:00.123456789Z", "2024-05-03T14:30:00.123456+00:00", "instant"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00", "instant"),
        ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59+00:00", "instant"),
    ],
)
def test_a_moment_is_read_as_it_is_said(text: str, instant: str, precision: str) -> None:
    found = parse(text)
    assert (found.instant.isoformat(), found.precision) == (instant, precision)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("2024-05-03T14:30:00", "naive_time"),
        ("2024-05-03 14:30:00Z", "not_a_time"),
        ("20240503", "not_a_time"),
        ("", "not_a_time"),
        ("٢٠٢٤", "not_a_time"),
        ("2024-13", "no_such_time"),
        ("2023-02-29", "no_such_time"),
        ("2024-05-03T24:00:00Z", "no_such_time"),
        ("2024-05-03T14:30:60Z", "no_such_time"),
        ("2024-05-03T14:30:00+25:00", "no_such_time"),
        ("0000", "no_such_time"),
        ("0001-01-01T00:00:00+05:00", "out_of_range"),
        ("9999-12-31T23:00:00-05:00", "out_of_range"),
        ("10000", "not_a_time"),
        ("2024-05-03\n", "not_a_time"),
    ],
)
def test_what_is_no_moment_is_refused_with_what_would_be(text: str, code: str) -> None:
    with pytest.raises(NotAMoment) as refused:
        parse(text)
    assert refused.value.code == code
    assert refused.value.accepted


def test_a_naive_time_needs_the_zone_of_the_request() -> None:
    """T36: the same instant reads back under another zone, and 23:30 at UTC-5 is that day there."""
    found = parse("2024-05-03T23:30", time_zone="America/Lima")
    assert found.instant == dt.datetime(2024, 5, 4, 4, 30, tzinfo=dt.UTC)
    assert str(found) == "2024-05-03T23:30:00-05:00"
    assert render(found.instant, zone="Asia/Tokyo") == "2024-05-04T13:30:00+09:00"
    assert render(found.instant, Precision.DAY, "America/Lima") == "2024-05-03"


def test_a_time_that_the_clocks_skip_does_not_exist() -> None:
    with pytest.raises(NotAMoment, match="skip"):
        parse("2024-03-31T02:30", time_zone="Europe/Berlin")


def test_a_partial_date_is_the_same_wherever_it_was_said() -> None:
    may = parse("2024-05", time_zone="America/Lima")
    assert may == parse("2024-05", time_zone="Asia/Tokyo")
    assert may.instant == dt.datetime(2024, 5, 1, tzinfo=dt.UTC)
    assert end_of(may) == dt.datetime(2024, 6, 1, tzinfo=dt.UTC)
    assert end_of(parse("2024")) == dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
    assert end_of(parse("2024-12")) == dt.datetime(2025, 1, 1, tzinfo=dt.UTC)
    assert end_of(parse("9999")).year == 9999


instants = st.datetimes(
    timezones=st.sampled_from([dt.UTC, dt.timezone(dt.timedelta(hours=-5))]),
    min_value=dt.datetime(2, 1, 1),
    max_value=dt.datetime(9998, 1, 1),
)


@given(instants)
def test_an_exact_moment_reads_back_as_itself(instant: dt.datetime) -> None:
    found = parse(instant.isoformat())
    assert found.instant == instant
    assert parse(str(found)) == found


days = st.dates(min_value=dt.date(2, 1, 1), max_value=dt.date(9998, 12, 31))


@given(days, st.sampled_from(["UTC", "America/Lima", "Asia/Tokyo", "Asia/Beirut"]))
def test_a_partial_date_reads_back_as_itself_in_any_zone(day: dt.date, zone: str) -> None:
    for text in (day.isoformat(), day.isoformat()[:7], day.isoformat()[:4]):
        assert str(parse(text, time_zone=zone)) == text


def read(text: str) -> Moment | str:
    """The moment, or the code of the refusal."""
    try:
        return parse(text)
    except NotAMoment as error:
        return error.code


@given(st.text() | st.text(alphabet="0123456789-T:Z+.", max_size=30))
def test_any_text_is_a_moment_or_refused(text: str) -> None:
    found = read(text)
    codes = ("naive_time", "not_a_time", "no_such_time", "out_of_range")
    assert found in codes if isinstance(found, str) else str(found)
