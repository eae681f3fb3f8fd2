"""Dates that a question names."""

import pytest

from memoryapp.index.dates import NamedDate, named_dates


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("What was said on 7 May 2026?", [NamedDate(2026, 5, 7)]),
        ("What was said on May 7th, 2026?", [NamedDate(2026, 5, 7)]),
        ("on 2026-05-07", [NamedDate(2026, 5, 7)]),
        ("on 07.05.2026", [NamedDate(2026, 5, 7)]),
        ("anything in May?", [NamedDate(None, 5)]),
        ("что было 5 мая 2026", [NamedDate(2026, 5, 5)]),
        ("что решили в июне", [NamedDate(None, 6)]),
        ("plans of 2026", [NamedDate(2026)]),
        ("May I ask who may march?", []),
        ("last week", []),
        ("", []),
    ],
)
def test_a_date_is_read_as_far_as_it_is_named(question: str, named: list[NamedDate]) -> None:
    assert named_dates(question) == named


def test_what_was_left_out_fits_any_day() -> None:
    assert NamedDate(None, 5).fits("2026-05-31")
    assert NamedDate(2026).fits("2026-12-31")
    assert not NamedDate(2026, 5, 7).fits("2026-05-08")
    assert not NamedDate(2026).fits("")
