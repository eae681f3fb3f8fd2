"""What is wrong with a definition, an expression, an import or a write, said so that it can be put right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

MOST_COMPARED = 60
"""Characters of a word that are compared: what is longer resembles nothing by a slip of the keyboard."""
MOST_KNOWN = 2000
"""Words of about its length that a word is compared with."""
ALIKE = 0.6


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong at one place. `position` counts characters of an expression from 0."""

    path: str
    code: str
    message: str
    accepted: tuple[str, ...] = ()
    severity: str = "error"
    position: int | None = None

    def as_data(self) -> dict[str, Any]:
        return {**asdict(self), "accepted": list(self.accepted)}


class Refused(Exception):
    """Nothing was done. `problems` name each place and what would be accepted there."""

    def __init__(self, code: str, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.problems = tuple(problems)


def nearest(word: str, known: Iterable[str], *, at_most: int = 3) -> list[str]:
    """The known words that `word` may be a slip of, the closest first, ties in alphabetical order."""
    if not word or len(word) > MOST_COMPARED:
        return []
    folded = word.casefold()
    scored: list[tuple[float, str]] = []
    compared = 0
    for each in sorted(set(known)):
        other = each.casefold()
        begins = len(folded) >= 3 and (other.startswith(folded) or folded.startswith(other))
        if not begins and 2 * min(len(folded), len(other)) < ALIKE * (len(folded) + len(other)):
            continue
        compared += 1
        if compared > MOST_KNOWN:
            break
        alike = SequenceMatcher(None, folded, other, autojunk=False).ratio()
        if begins or alike >= ALIKE:
            scored.append((-alike, each))
    return [each for _, each in sorted(scored)[:at_most]]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A sentence to append, or nothing when nothing is close."""
    close = nearest(word, known)
    return f" Did you mean {' or '.join(close)}?" if close else ""
