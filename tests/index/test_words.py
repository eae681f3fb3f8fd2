"""Words: what is written in any script becomes what is searched."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.index import words as analysis
from memoryapp.index.words import question_words, sign, words


def stems(text: str) -> list[str]:
    return [word.stem for word in words(text)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("letters", "letter"),
        ("письма", "письмо"),
        ("Ёлка", "елка"),
        ("café", "CAFE\N{COMBINING ACUTE ACCENT}"),
        ("Ağrı", "AĞRI"),
        ("القهوة", "قهوه"),
        ("Harbour's", "harbour"),
        ("O'Neil", "ONeil"),
        ("fullwidth", "ｆｕｌｌｗｉｄｔｈ"),
    ],
)
def test_forms_of_one_word_are_searched_alike_R21(one: str, other: str) -> None:
    assert stems(one) == stems(other) != []


def test_programming_languages_stay_apart() -> None:
    assert [stems(name) for name in ("C++", "C#", "C")] == [["c++"], ["c#"], ["c"]]


def test_an_identifier_is_found_whole_and_by_its_pieces() -> None:
    assert stems("staging_eu_1") == ["staging_eu_1", "stage", "eu", "1"]
    assert "mira@quay.example" in stems("write to mira@quay.example.")


def test_scripts_without_spaces_are_cut_into_pairs() -> None:
    assert "ラテ" in stems("榛子ラテ")
    assert [word.stem for word in question_words("榛子")] == ["榛子"]
    assert [word.stem for word in question_words("茶")] == ["茶"]
    assert set(stems("กาแฟ")) <= set(stems("กาแฟตอนเช้า"))


def test_common_words_are_not_searched_but_names_and_months_are() -> None:
    assert stems("What did they do about it, and I'll see?") == ["see"]
    assert stems("Will in May") == ["will", "may"]


@given(st.text())
def test_any_string_has_words_that_can_be_stored(text: str) -> None:
    for word in words(text):
        assert 0 < len(word.stem) <= 80
        assert word.stem.encode()
        assert len(sign("workspace", word.stem)) == 15


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_quick_way_for_plain_letters_finds_the_same_words(text: str) -> None:
    folded = analysis.normalise(text)
    quick = [match.group() for match in analysis._ASCII_PIECES.finditer(folded)]
    assert quick == [match.group() for match in analysis._PIECES.finditer(folded)]


def test_a_long_chain_of_joined_words_takes_no_longer_than_its_length() -> None:
    assert len(words("a-" * 20_000)) == 0
    assert len(words("xy_" * 20_000)) > 10_000
