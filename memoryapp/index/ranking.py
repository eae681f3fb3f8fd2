"""The score: BM25 over the workspace's own statistics, and what a turn gains from where, when and by whom it was said.

Pure arithmetic on numbers and signs, in one fixed order, so that a question gets the same bytes on every engine. The
formula is Okapi BM25 as given by Robertson and Zaragoza (2009) with the always positive idf of Lucene.
"""

from __future__ import annotations

import math
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from memoryapp.index.dates import NamedDate
from memoryapp.index.words import name_words

SATURATION = 0.9
LENGTH_WEIGHT = 0.4
DECIMALS = 6
MEANING = 0.5
"""The share of what a text means in its score; the rest is its words."""
MOST_WORDS_WEIGHED = 8
NO_TARGET = uuid.UUID(int=0)


@dataclass(frozen=True)
class Gains:
    """Shares by which a turn gains: of the turn before and after it, of the words its thread holds, of the best text
    score if it was said on a named day; and the factor if its speaker is named."""

    before: float = 0.5
    after: float = 0.2
    section: float = 0.3
    date: float = 0.5
    participant: float = 1.3


@dataclass(frozen=True)
class Sought:
    """A sign that is looked for: which word of the question it stands for, and what finding it is worth.

    `certainty` is 1 for the word itself and less for a near word that stands in for it.
    """

    word: int
    sign: str
    written: str
    idf: float
    certainty: float
    frequency: int


@dataclass(slots=True)
class Candidate:
    """A row of the index under consideration."""

    id: int
    digest: str
    section: str
    text_score: float
    matched: int
    place: str = ""
    target_type: str = ""
    target_id: uuid.UUID = NO_TARGET
    part: int = 0
    position: int | None = None
    speaker: str = ""
    day: str = ""
    closeness: float | None = None
    meaning_score: float = 0.0
    parts: dict[str, float] = field(default_factory=dict)
    score: float = 0.0


def idf(documents: int, frequency: int) -> float:
    """What a word that `frequency` of `documents` rows hold says of a row. Never negative."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


class Scorer:
    """Scores rows for one question."""

    def __init__(self, sought: Sequence[Sought], average_length: float, word_weights: Sequence[float]) -> None:
        self.sought = list(sought)
        self.average_length = average_length or 1.0
        self.word_weights = list(word_weights)
        self._worths = [one.certainty * one.idf * (SATURATION + 1) for one in self.sought]
        self._numbers: dict[str, list[int]] = {}
        for number, one in enumerate(self.sought):
            self._numbers.setdefault(one.sign, []).append(number)
        self._signs = frozenset(self._numbers)
        self._whole = math.fsum(sorted(self.word_weights, reverse=True)[:MOST_WORDS_WEIGHED])
        self._masses: dict[int, float] = {}

    def score(self, terms: str, length: int) -> tuple[float, int]:
        """BM25 of a row by its signs and its length, and which of the sought signs it holds."""
        held = self._signs.intersection(terms.split(" "))
        norm = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * length / self.average_length)
        total, matched = 0.0, 0
        for number, sign in sorted((number, one) for one in held for number in self._numbers[one]):
            times = terms.count(sign)
            total += self._worths[number] * times / (times + norm)
            matched |= 1 << number
        return total, matched

    def most(self, sought: Iterable[Sought]) -> float:
        """More than a row can score by these signs alone."""
        return sum(one.certainty * one.idf * (SATURATION + 1) for one in sought) * (1 + 1e-9)

    def mass(self, matched: int) -> float:
        """Weight of the question's words among these signs; a word found in several forms counts once, at its best."""
        if matched not in self._masses:
            best: dict[int, float] = {}
            for number, sought in enumerate(self.sought):
                if matched >> number & 1:
                    best[sought.word] = max(best.get(sought.word, 0.0), sought.certainty * sought.idf)
            self._masses[matched] = math.fsum(best.values())
        return self._masses[matched]

    def share(self, matched: int) -> float:
        """Part of the question's weight that these signs carry, 0 to 1. Of a long question the heaviest words count."""
        return min(1.0, self.mass(matched) / self._whole) if self._whole else 0.0

    def words_found(self, matched: int) -> list[str]:
        return [sought.written for number, sought in enumerate(self.sought) if matched >> number & 1]


def section_masses(scorer: Scorer, held: Iterable[tuple[str, int]]) -> dict[str, float]:
    """For each thread, by the signs that each of its rows holds: the weight of the words found anywhere in it."""
    matched: dict[str, int] = {}
    for section, signs in held:
        if section:
            matched[section] = matched.get(section, 0) | signs
    return {section: scorer.mass(found) for section, found in matched.items()}


@dataclass(frozen=True)
class Circumstances:
    """What a question and the pool say beside the words of one row."""

    sections: dict[str, float]
    dates: list[NamedDate]
    asked: frozenset[str]
    best: float


def blend(candidates: Sequence[Candidate], closeness: Mapping[int, float], floor: float) -> float:
    """Halve each row's text score and add half of what its closeness in meaning is worth: as much as the best text
    where it is the closest of all. A row without a vector keeps its whole text score. Returns the best of both.

    Both are divided by their best among the candidates; nobody is the closest who is farther away than the floor.
    """
    best = max((row.text_score for row in candidates), default=0.0) or 1.0
    nearest = max([floor, *closeness.values()])
    for row in candidates:
        row.closeness = closeness.get(row.id)
        if row.closeness is not None:
            row.text_score *= 1 - MEANING
            row.meaning_score = MEANING * best * max(row.closeness, 0.0) / nearest if nearest > 0 else 0.0
    return max((row.text_score + row.meaning_score for row in candidates), default=0.0)


def gain(candidates: Sequence[Candidate], around: Circumstances, gains: Gains) -> None:
    """Set the parts of each row's score and their sum."""
    at = {
        (row.section, row.position): row.text_score + row.meaning_score
        for row in candidates
        if row.section and row.part == 0
    }
    for row in candidates:
        row.parts = parts = {"text": row.text_score}
        if row.meaning_score:
            parts["meaning"] = row.meaning_score
        if row.section and row.position is not None:
            before = at.get((row.section, row.position - 1), 0.0)
            after = at.get((row.section, row.position + 1), 0.0)
            parts["neighbours"] = gains.before * before + gains.after * after
            parts["section"] = gains.section * around.sections.get(row.section, 0.0)
        for date in around.dates:
            if date.fits(row.day):
                parts["date"] = gains.date * around.best
        total = sum(parts.values())
        if row.speaker and not around.asked.isdisjoint(name_words(row.speaker)):
            parts["participant"] = (gains.participant - 1) * total
            total += parts["participant"]
        row.score = round(total, DECIMALS)


def in_order(candidates: Iterable[Candidate]) -> list[Candidate]:
    """Best first; equal scores by content digest, then by id and part."""
    return sorted(candidates, key=lambda row: (-row.score, row.digest, row.target_id, row.part))
