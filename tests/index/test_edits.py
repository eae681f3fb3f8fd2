"""How far apart words are, against the plain table of the textbook."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.index.edits import distances_from


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("pricing", "prcing", 1),
        ("pricing", "pircing", 1),
        ("pricing", "pricing", 0),
        ("abc", "abcde", 2),
        ("abc", "x", 3),
        ("", "abc", 3),
    ],
)
def test_edits_are_counted(one: str, other: str, distance: int) -> None:
    assert distances_from(one)(other) == distance


@given(st.text("abcd", max_size=12), st.text("abcd", max_size=12))
def test_the_count_is_that_of_the_whole_table(one: str, other: str) -> None:
    table = [[max(i, j) if not i or not j else 0 for j in range(len(other) + 1)] for i in range(len(one) + 1)]
    for i in range(1, len(one) + 1):
        for j in range(1, len(other) + 1):
            table[i][j] = min(
                table[i - 1][j] + 1, table[i][j - 1] + 1, table[i - 1][j - 1] + (one[i - 1] != other[j - 1])
            )
            if i > 1 and j > 1 and one[i - 1] == other[j - 2] and one[i - 2] == other[j - 1]:
                table[i][j] = min(table[i][j], table[i - 2][j - 2] + 1)
    assert distances_from(one)(other) == table[-1][-1]
