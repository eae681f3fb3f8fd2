"""A folded word however it may be written: for engines that know no other letters than those of ASCII in both cases."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import defaultdict
from collections.abc import Collection

from memoryapp.ontology.normalise import normal_text

LAST_SIGN = 0x2FA1F
"""Behind it Unicode has nothing that folds to something else."""


def in_any_spelling(word: str) -> str:
    """A regular expression, for an engine that ignores the case of ASCII, that is found in every text whose
    `normal_text` holds this word (itself normalised). Where several letters may be written as one, like ß or ﬁ, or the
    marks of one in any order, it is found in some others as well.
    """
    single, several = _spellings()
    together = _together(word, several)
    found, at = "", 0
    while at < len(word):
        end = at + 1
        while together[at] and end < len(word) and together[end]:
            end += 1
        ways = {way for letter in word[at:end] for way in _ways(letter, single)}
        if together[at]:
            ways |= {sign for letters, signs in several.items() if set(letters) <= set(word[at:end]) for sign in signs}
            found += f"[{_signs_of(ways)}]+"
        else:
            found += _one_of(ways)
        at = end
    return found


def _together(word: str, several: Collection[str]) -> list[bool]:
    """Of each letter whether it may be written as one with those beside it: such are found in any order."""
    together = [False] * len(word)
    for at, letter in enumerate(word):
        if unicodedata.combining(letter):
            together[max(at - 1, 0) : at + 1] = [True] * min(at + 1, 2)
        for length in _lengths():
            if word[at : at + length] in several:
                together[at : at + length] = [True] * len(word[at : at + length])
    return together


def _ways(letter: str, single: dict[str, set[str]]) -> set[str]:
    """A letter in both cases and as its variants, composed and not."""
    written = {letter, *single.get(letter, ())}
    return written | {unicodedata.normalize("NFD", one) for one in written}


def _signs_of(ways: set[str]) -> str:
    every = ways | {unicodedata.normalize("NFD", one) for one in ways}
    return "".join(re.escape(one) for one in sorted(set("".join(every))))


def _one_of(ways: set[str]) -> str:
    if len(ways) == 1:
        return re.escape(*ways)
    return f"({'|'.join(re.escape(one) for one in sorted(ways))})"


@functools.cache
def _spellings() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """What other signs a folded letter stands for, and a few folded letters together."""
    single: dict[str, set[str]] = defaultdict(set)
    several: dict[str, set[str]] = defaultdict(set)
    for number in range(0x80, LAST_SIGN + 1):
        sign = chr(number)
        if sign.isprintable():
            folded = normal_text(sign)
            if folded not in ("", sign):
                (single if len(folded) == 1 else several)[folded].add(sign)
    return dict(single), dict(several)


@functools.cache
def _lengths() -> tuple[int, ...]:
    return tuple({len(letters) for letters in _spellings()[1]})
