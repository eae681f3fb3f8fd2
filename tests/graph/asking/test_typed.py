"""Values are compared as what they are: numbers as numbers, dates as dates, texts by code point."""

from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.graph.typed import DATE, FLAG, LONGEST, NUMBER, OTHER, TEXT, key_of, sort_of

numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
moments = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9999, 12, 30), timezones=st.just(dt.UTC))


@settings(max_examples=50)
@given(numbers, numbers)
def test_numbers_are_in_order_as_numbers(one: float, other: float) -> None:
    keys = key_of(one, NUMBER), key_of(other, NUMBER)
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (float(one) < float(other), float(one) == float(other))


@settings(max_examples=50)
@given(texts, texts)
def test_texts_are_in_order_by_code_point(one: str, other: str) -> None:
    keys = key_of(one, TEXT), key_of(other, TEXT)
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (one < other, one == other)


@settings(max_examples=50)
@given(moments, moments)
def test_dates_are_in_order_as_instants_whatever_their_zone(one: dt.datetime, other: dt.datetime) -> None:
    lima = dt.timezone(dt.timedelta(hours=-5))
    keys = key_of(one.isoformat(), DATE), key_of(other.astimezone(lima).isoformat(), DATE)
    assert (keys[0] < keys[1], keys[0] == keys[1]) == (one < other, one == other)


def test_sorts_are_never_mixed_and_one_value_has_one_key() -> None:
    assert key_of(True, FLAG) != key_of(1, NUMBER) != key_of("1", TEXT)
    assert key_of(2, NUMBER) == key_of(2.0, NUMBER)
    assert key_of(0.0, NUMBER) == key_of(-0.0, NUMBER)
    assert key_of({"a": 1, "b": 2}, OTHER) == key_of({"b": 2, "a": 1}, OTHER)
    assert key_of("2024", DATE) == key_of("2024-01-01", DATE) == key_of("2024-01-01T01:00:00+01:00", DATE)
    assert key_of("not a date", DATE)[:1] == TEXT
    long = "é" * LONGEST
    assert len(key_of(long, TEXT)) < LONGEST + 40
    assert key_of(long + "x", TEXT) != key_of(long + "y", TEXT)


@pytest.mark.parametrize(
    ("schema", "sort"),
    [
        ({"type": "integer"}, NUMBER),
        ({"type": "boolean"}, FLAG),
        ({"type": "string", "format": "date"}, DATE),
        ({"type": "string", "format": "email"}, TEXT),
        ({"enum": ["a", "b"]}, TEXT),
        ({"enum": ["a", 1]}, OTHER),
        ({"type": ["string", "null"]}, OTHER),
        ({"type": "object"}, OTHER),
        ({}, OTHER),
    ],
)
def test_the_sort_is_read_off_the_declared_schema(schema: dict[str, object], sort: bytes) -> None:
    assert sort_of(schema) == sort
