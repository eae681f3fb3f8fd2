"""How two free statements of one owner bear on each other, by rules alone. It never decides; it gives a reason.

The rules know a few English words of liking and disliking. Everything else is `unrelated`, which is the honest answer
of a rule that does not understand. Reach: "loves pickles" against "hates pickles", "likes tea" against "does not like
tea", and additions such as "likes tea" and "likes tea with milk".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from memoryapp.graph.slots import normal_content

Bearing = Literal["updates", "extends", "contradicts", "unrelated"]

NEGATIVE = (
    "cannot stand",
    "can not stand",
    "can't stand",
    "could not stand",
    "no longer likes",
    "no longer like",
    "no longer loves",
    "no longer enjoys",
    "no longer wants",
    "no longer eats",
    "no longer drinks",
    "does not like",
    "doesn't like",
    "do not like",
    "don't like",
    "does not enjoy",
    "doesn't enjoy",
    "does not want",
    "doesn't want",
    "does not eat",
    "doesn't eat",
    "does not drink",
    "doesn't drink",
    "hates",
    "hate",
    "dislikes",
    "dislike",
    "detests",
    "loathes",
    "despises",
)
POSITIVE = (
    "loves",
    "love",
    "likes",
    "like",
    "enjoys",
    "enjoy",
    "adores",
    "is fond of",
    "wants",
    "eats",
    "drinks",
)
_POLAR = re.compile(
    r"(?<![\w'])(?:(?P<negative>" + "|".join(NEGATIVE) + r")|(?P<positive>" + "|".join(POSITIVE) + r"))(?![\w'])"
)
_EMPTY_WORDS = "a an the any some his her their its my our really very so much now always still to"
_EMPTY = frozenset(_EMPTY_WORDS.split(" "))
_WORD = re.compile(r"[\w'+#]+")


@dataclass(frozen=True)
class Assessment:
    """How a newcomer bears on an older statement, and why."""

    bearing: Bearing
    reason: str


@dataclass(frozen=True)
class Polar:
    """A statement of liking or disliking: towards which words."""

    likes: bool
    words: frozenset[str]


@lru_cache(maxsize=1 << 14)
def polar(content: str) -> Polar | None:
    """The liking or disliking a statement expresses, if it plainly does."""
    text = normal_content(content).replace("’", "'")
    found = _POLAR.search(text)
    if found is None:
        return None
    words = frozenset(_WORD.findall(text[found.end() :])) - _EMPTY
    return Polar(found["positive"] is not None, words) if words else None


def assess(older: str, newcomer: str) -> Assessment:
    """How the newcomer bears on the older statement. Both are of the same owners and family of kinds."""
    one, other = polar(older), polar(newcomer)
    if one is None or other is None:
        return Assessment("unrelated", "The rules see no bearing.")
    if one.likes != other.likes:
        if one.words == other.words:
            return Assessment("contradicts", "One likes what the other dislikes, in the same words.")
        return Assessment("unrelated", "They speak of different things.")
    if one.words < other.words:
        return Assessment("extends", "The newcomer says the same of something narrower.")
    return Assessment("unrelated", "They do not contradict each other.")
