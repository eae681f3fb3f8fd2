"""Dates as people say them, said on Wednesday 10 June 2026 at noon, UTC."""

import pytest

from memoryapp.extraction.rules.dates import said_dates
from tests.extraction.rules.telling import said, turn

AHEAD = [
    ("today", "2026-06-10"),
    ("tomorrow", "2026-06-11"),
    ("the day after tomorrow", "2026-06-12"),
    ("by Friday", "2026-06-12"),
    ("on Wednesday", "2026-06-17"),
    ("this Friday", "2026-06-12"),
    ("next Friday", "2026-06-19"),
    ("next week", "2026-06-15"),
    ("next month", "2026-07"),
    ("next quarter", "2026-07"),
    ("next year", "2027"),
    ("in three days", "2026-06-13"),
    ("in two weeks", "2026-06-24"),
    ("in a month", "2026-07-10"),
    ("by the end of the week", "2026-06-12"),
    ("by the end of the month", "2026-06-30"),
    ("end of next month", "2026-07"),
    ("by the end of next month", "2026-07-31"),
    ("5 July", "2026-07-05"),
    ("July 5th", "2026-07-05"),
    ("the 5th of March", "2027-03-05"),
    ("March 5, 2028", "2028-03-05"),
    ("2026-08-01", "2026-08-01"),
    ("2026-08", "2026-08"),
    ("in August", "2026-08"),
    ("until June", "2026-06"),
    ("in 2028", "2028"),
    ("tomorrow at 5pm", "2026-06-11T17:00+00:00"),
    ("tomorrow at 17:30", "2026-06-11T17:30+00:00"),
    ("Friday at noon", "2026-06-12T12:00+00:00"),
]
BACK = [
    ("yesterday", "2026-06-09"),
    ("last night", "2026-06-09"),
    ("the day before yesterday", "2026-06-08"),
    ("last Tuesday", "2026-06-09"),
    ("last Wednesday", "2026-06-03"),
    ("on Friday", "2026-06-05"),
    ("last week", "2026-06-01"),
    ("last weekend", "2026-06-06"),
    ("last month", "2026-05"),
    ("last year", "2025"),
    ("three days ago", "2026-06-07"),
    ("two months ago", "2026-04"),
    ("in March", "2026-03"),
    ("in August", "2025-08"),
    ("5 July", "2025-07-05"),
    ("since 2019", "2019"),
]
UNREAD = [
    "3/4/2026",
    "at 3",
    "soon",
    "some day",
    "31 February",
    "2026-13-01",
    "2026-02-30",
    "the 99th of June",
    "Fridays",
    "may",
    "march on",
]


@pytest.mark.parametrize(("words", "meant"), AHEAD)
def test_a_date_ahead(words: str, meant: str) -> None:
    assert said_dates(words, turn(words), past=False)[0].moment.as_text() == meant


@pytest.mark.parametrize(("words", "meant"), BACK)
def test_a_date_gone_by(words: str, meant: str) -> None:
    assert said_dates(words, turn(words), past=True)[0].moment.as_text() == meant


@pytest.mark.parametrize("words", UNREAD)
def test_what_is_ambiguous_or_impossible_is_not_read(words: str) -> None:
    assert said_dates(words, turn(words), past=False) == []


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("The rate was 4% until June", "", "2026-06"),
        ("The rent is 900 euros from September", "2026-09", ""),
        ("As of 1 July, the rate is 5%", "2026-07-01", ""),
        ("I'd like weekly reports until the end of the year", "", "2027-01-01"),
        ("I've been living in Ghent since 2019", "2019", ""),
        ("I'm moving to Ghent next month", "2026-07", ""),
        ("I moved to Lisbon in March", "2026-03", ""),
        ("We visited Osprey Bay last weekend", "2026-06-06", ""),
    ],
)
def test_a_statement_holds_from_and_until_when_it_says(words: str, start: str, end: str) -> None:
    found = said(words)[0]
    assert (found.valid_from.as_text() if found.valid_from else "") == start
    assert (found.valid_to.as_text() if found.valid_to else "") == end


def test_the_due_date_is_an_attribute_as_well() -> None:
    found = said("I'll send the draft by Friday")[0]
    assert found.attributes == {"due_at": "2026-06-12"}


@pytest.mark.parametrize(
    ("words", "start", "end"),
    [
        ("The office is closed 10 to 21 August", "2026-08-10", "2026-08-22"),
        ("The office was closed from 3 to 9 May", "2026-05-03", "2026-05-10"),
        ("The pool is closed from the 3rd to the 9th of July", "2026-07-03", "2026-07-10"),
        ("I'm away between 3 and 9 July", "2026-07-03", "2026-07-10"),
        ("I'm on leave from 28 June to 4 July", "2026-06-28", "2026-07-05"),
        ("Our shop will be closed 24-27 December", "2026-12-24", "2026-12-28"),
        ("The office is closed between 20 December and 6 January", "2026-12-20", "2027-01-07"),
        ("Bram is on holiday from August 10 to August 21", "2026-08-10", "2026-08-22"),
        ("The rate is 5% from June to September", "2026-06", "2026-10"),
        ("The discount is 10% from 2019 to 2022", "2019", "2023"),
        ("I want daily reports from 3 to 9 July", "2026-07-03", "2026-07-10"),
    ],
)
def test_a_stretch_of_time_has_both_its_ends(words: str, start: str, end: str) -> None:
    [found] = said(words)
    assert found.valid_from is not None
    assert found.valid_to is not None
    assert (found.valid_from.as_text(), found.valid_to.as_text()) == (start, end)


@pytest.mark.parametrize(
    "words", ["We're open from Monday to Friday", "I'm off from 9 to 5", "I am open to ideas 3 to 9"]
)
def test_what_comes_back_every_week_or_day_is_no_stretch_of_time(words: str) -> None:
    assert said(words) == []
