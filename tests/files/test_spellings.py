"""A folded word is found however it is written, by an engine that knows the cases of ASCII alone."""

from __future__ import annotations

import re
import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from memoryapp.files.spellings import LAST_SIGN, in_any_spelling
from memoryapp.ontology.normalise import normal_text

LETTERS = "sßẞſﬅtKkﬁﬃfi\u0130ΣσςόΌᾳ\u0345Łźŉǰאּa."


def is_found(word: str, text: str) -> bool:
    return bool(re.search(in_any_spelling(normal_text(word)), text, re.IGNORECASE | re.ASCII))


@settings(max_examples=40)
@given(st.text(LETTERS, min_size=1, max_size=6))
@example("ΟΔΥΣΣΕΎΣ")
@example("Οδυσσεύς")
@example("ſtraße")
def test_a_word_is_found_in_every_text_that_holds_it(word: str) -> None:
    """R13."""
    word = unicodedata.normalize("NFC", word)
    for written in (word, word.upper(), word.lower(), word.title(), unicodedata.normalize("NFD", word)):
        if normal_text(word) in normal_text(written):
            assert is_found(word, f"(({written}))")


def test_another_word_is_not_found() -> None:
    assert not is_found("Οδυσσεύς", "Οδυσσέας")
    assert not is_found("quay.", "quays")


def test_no_sign_behind_the_last_folds_to_another() -> None:
    behind = map(chr, range(LAST_SIGN + 1, LAST_SIGN + 0x10000))
    assert not [one for one in behind if one.isprintable() and normal_text(one) != one]
