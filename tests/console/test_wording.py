"""How time and change are put into words."""

from __future__ import annotations

import datetime as dt

import pytest
from django.template import Context, Template
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.console.wording import age_words, ago_words, around, day_words, word_diff

NOW = dt.datetime(2026, 6, 2, 14, 0, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (dt.timedelta(seconds=20), "just now"),
        (dt.timedelta(minutes=4), "4 min ago"),
        (dt.timedelta(hours=3, minutes=50), "3 h ago"),
        (dt.timedelta(days=12), "12 d ago"),
        (dt.timedelta(days=85), "9 March 2026"),
        (dt.timedelta(minutes=-4), "in 4 min"),
    ],
)
def test_a_time_is_told_by_its_distance(before: dt.timedelta, words: str) -> None:
    assert ago_words(NOW - before, NOW) == words


def test_an_age_is_short_however_old() -> None:
    ages = [age_words(NOW - dt.timedelta(days=days), NOW) for days in (0, 1, 45, 90, 800)]
    assert ages == ["now", "1 d", "45 d", "3 mo", "2 y"]


def test_a_partial_date_is_told_as_far_as_it_is_known() -> None:
    start = dt.datetime(2024, 5, 1, tzinfo=dt.UTC)
    assert [day_words(start, how) for how in ("year", "month", "day")] == ["2024", "May 2024", "1 May 2024"]


def test_a_day_is_the_day_in_the_zone_of_the_page() -> None:
    late = dt.datetime(2026, 3, 9, 23, 30, tzinfo=dt.UTC)
    with timezone.override("Asia/Tokyo"):
        assert day_words(late) == "10 March 2026"


def test_a_date_without_a_time_of_day_is_that_date_in_every_zone() -> None:
    new_year = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    with timezone.override("America/Lima"):
        told = [day_words(new_year, how) for how in ("year", "month", "day", "instant")]
    assert told == ["2026", "January 2026", "1 January 2026", "31 December 2025"]


@pytest.mark.parametrize(
    ("zone", "edge"),
    [("Asia/Tokyo", dt.datetime(9999, 12, 31, 23, 59, 59)), ("America/Lima", dt.datetime(1, 1, 1))],
)
def test_the_first_and_the_last_instant_there_are_can_be_shown(zone: str, edge: dt.datetime) -> None:
    instant = edge.replace(tzinfo=dt.UTC)
    template = Template("{% load console %}{% validity at at %}{% moment at 'clock' %}{% moment at %}")
    with timezone.override(zone):
        assert template.render(Context({"at": instant})).count(f'datetime="{instant.isoformat()}"') == 4


def test_validity_is_told_in_words_with_the_machines_form_beside() -> None:
    template = Template("{% load console %}{% validity since until %}")
    told = template.render(Context({"since": dt.datetime(2026, 3, 9, tzinfo=dt.UTC), "until": NOW}))
    assert "True from" in told
    assert 'datetime="2026-03-09T00:00:00+00:00"' in told
    open_ended = template.render(Context({"since": None, "until": None}))
    assert open_ended == "True at all times, as far as is known"


def test_a_difference_names_the_words_that_changed() -> None:
    stretches = word_diff("Ines prefers weekly status emails.", "Ines prefers a monthly summary.")
    assert [(one.kind, one.text) for one in stretches] == [
        ("same", "Ines prefers "),
        ("del", "weekly status emails"),
        ("ins", "a monthly summary"),
        ("same", "."),
    ]


def test_a_difference_in_a_script_without_spaces_is_by_character() -> None:
    assert [(one.kind, one.text) for one in word_diff("毎週の要約", "毎月の要約")] == [
        ("same", "毎"),
        ("del", "週"),
        ("ins", "月"),
        ("same", "の要約"),
    ]


@given(st.text(max_size=80), st.text(max_size=80))
def test_each_side_of_a_difference_reads_as_its_own_text(old: str, new: str) -> None:
    stretches = word_diff(old, new)
    assert "".join(one.text for one in stretches if one.kind != "ins") == old
    assert "".join(one.text for one in stretches if one.kind != "del") == new


def test_a_difference_of_markup_is_escaped() -> None:
    told = Template("{% load console %}{% word_diff a b %}").render(Context({"a": "<b>x</b>", "b": "<i>x</i>"}))
    assert "<b>" not in told
    assert "&lt;" in told


@pytest.mark.parametrize(("start", "end"), [(None, None), (3, 3), (-1, 2), (2, 99), (5, 1)])
def test_a_span_outside_its_text_marks_nothing(start: int | None, end: int | None) -> None:
    assert around("monthly", start, end) == ("monthly", "", "")


def test_a_span_is_marked_by_characters_not_bytes() -> None:
    told = Template("{% load console %}{% highlighted words 2 6 %}").render(Context({"words": "🙂 раз два"}))
    assert told == "🙂 <mark>раз </mark>два"
