"""What can be recognised without being known: keyed digests of words, by which a proof looks for what was erased.

A fingerprint is of some words in a row, whatever their case, punctuation and spacing. Without the product's own secret
(`KEY_PEPPER`) nobody can tell from it which words they were, nor try guesses.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from django.conf import settings

WORDS = re.compile(r"\w+")
SHINGLE = 5
"""Words in a row that are taken of a text."""
SHORTEST = 3
"""A text of fewer words says nothing that others could not have said."""
MOST = 2000
"""Fingerprints of one text; of a longer one those with the smallest digests, which are spread over all of it."""

Prints = dict[int, set[str]]
"""Fingerprints by how many words they are of."""


class Fingerprinter:
    """Makes the fingerprints of one erasure; `salt` is its own."""

    def __init__(self, salt: str) -> None:
        key = hashlib.sha256(f"{settings.KEY_PEPPER}\x1f{salt}".encode()).digest()
        self._blank = hashlib.blake2b(key=key, digest_size=8)

    def check(self) -> str:
        """A digest that is equal only where the secret is."""
        return self._print(["check"])

    def of_words(self, text: str) -> Iterator[tuple[int, str]]:
        """The fingerprint of a name or key as a whole."""
        found = words(text)
        if len(found) == 1:
            found = WORDS.findall(unicodedata.normalize("NFC", text))
        if found:
            yield len(found), self._print(found)

    def of_text(self, text: str) -> Iterator[tuple[int, str]]:
        """Fingerprints of a text: of every few words in a row."""
        found = words(text)
        if len(found) < SHORTEST:
            return
        size = min(SHINGLE, len(found))
        prints = {self._print(found[at : at + size]) for at in range(len(found) - size + 1)}
        yield from ((size, each) for each in sorted(prints)[:MOST])

    def hits(self, text: str, known: Prints) -> set[str]:
        """Which of the known fingerprints the text holds. A single word is one only as it was written."""
        several, single = words(text), WORDS.findall(unicodedata.normalize("NFC", text)) if 1 in known else []
        return {
            each
            for size, prints in known.items()
            for found in [single if size == 1 else several]
            for at in range(len(found) - size + 1)
            if (each := self._print(found[at : at + size])) in prints
        }

    def _print(self, found: list[str]) -> str:
        digest = self._blank.copy()
        digest.update(" ".join(found).encode())
        return digest.hexdigest()


def words(text: str) -> list[str]:
    """The words of a text as fingerprints see them."""
    return WORDS.findall(unicodedata.normalize("NFC", text).casefold())


def gathered(found: Iterable[tuple[int, str]]) -> Prints:
    """Fingerprints by their size."""
    prints: Prints = {}
    for size, each in found:
        prints.setdefault(size, set()).add(each)
    return prints


def texts_in(value: Any) -> Iterator[str]:
    """Every text within a value of a column, names within JSON included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield str(name)
            yield from texts_in(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from texts_in(inner)
    elif isinstance(value, bytes | memoryview):
        yield bytes(value).decode("utf-8", "ignore")
