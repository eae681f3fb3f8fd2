"""Did you mean: only what is close, and always the same."""

from hypothesis import given
from hypothesis import strategies as st

from memoryapp.doors.nearest import edit_distance, nearest


def test_a_slip_finds_its_name() -> None:
    known = ["state", "kind", "subject_id", "page_size"]
    assert nearest("staet", known) == "state"
    assert nearest("pagesize", known) == "page_size"
    assert nearest("State", known) == "state"


def test_nothing_close_finds_nothing() -> None:
    known = ["state", "kind"]
    assert nearest("zzzzz", known) is None
    assert nearest("", known) is None
    assert nearest("x" * 100_000, known) is None


@given(st.text(max_size=12), st.text(max_size=12))
def test_the_distance_is_the_same_both_ways(one: str, other: str) -> None:
    assert edit_distance(one, other) == edit_distance(other, one)
    assert (edit_distance(one, other) == 0) == (one == other)
