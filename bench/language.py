"""Invented words for benchmarks."""

from __future__ import annotations

import random

SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "an", "er", "ol")]


class Language:
    """Invented words, used as often as words are (the n-th most frequent 1/n as often as the first)."""

    def __init__(self, size: int, seed: int) -> None:
        self.random = random.Random(seed)
        made: dict[str, None] = {}
        while len(made) < size:
            made["".join(self.random.choices(SYLLABLES, k=self.random.choice((2, 2, 3, 3, 4))))] = None
        self.words = list(made)
        self.weights = [1 / rank for rank in range(1, size + 1)]
        total = 0.0
        self.cumulative = [total := total + weight for weight in self.weights]

    def say(self, words: int) -> str:
        return " ".join(self.random.choices(self.words, cum_weights=self.cumulative, k=words))
