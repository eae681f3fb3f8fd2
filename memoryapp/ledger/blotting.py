"""Blotting words out of texts that stay, as if with ink: letter for letter, so that every place stays where it is."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Any

INK = "█"


class Blotter:
    """Blots out some names and keys.

    Several words, and keys such as an address, are found whatever their case, spacing and composition of letters; a
    single plain word only in the case it is written in, since a name such as Will is a word as well.
    """

    def __init__(self, words: Iterable[str]) -> None:
        loose: list[str] = []
        exact: list[str] = []
        written = {unicodedata.normalize(form, word.strip()) for word in words for form in ("NFC", "NFD")}
        for word in sorted(written, key=lambda word: (-len(word), word)):
            if word:
                pattern = r"\s+".join(re.escape(part) for part in word.split())
                (exact if unicodedata.normalize("NFC", word).isalpha() else loose).append(pattern)
        self._patterns = [
            re.compile(rf"(?<!\w)(?:{'|'.join(patterns)})(?!\w)", flags)
            for patterns, flags in ((loose, re.IGNORECASE), (exact, 0))
            if patterns
        ]

    def blot(self, value: Any) -> Any:
        """The value of a column without the words; texts and names within JSON alike."""
        if isinstance(value, str):
            for pattern in self._patterns:
                value = pattern.sub(lambda found: self.cover(found.group()), value)
            return value
        if isinstance(value, dict):
            return {self.blot(name): self.blot(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.blot(inner) for inner in value]
        return value

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where in a text the words stand, in their order."""
        return sorted(found.span() for pattern in self._patterns for found in pattern.finditer(text))

    @staticmethod
    def cover(text: str) -> str:
        """As much ink as there is text; spaces stay."""
        return re.sub(r"\S", INK, text)
