"""Retelling: the speaker's own words in the third person, so that a statement stands without its conversation.

Only person is changed: "I can't stand cilantro" said by Ines is "Ines can't stand cilantro". The first "I" becomes the
name and its verb agrees; every later one becomes "they", "my" becomes "their". "you" becomes the name of the only other
participant, or stays.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memoryapp.extraction.rules.patterns import pattern, words

ADVERB = (
    r"(?:really|truly|just|still|also|always|usually|generally|absolutely|totally|definitely|actually"
    r"|now|personally|strongly"
    r"|genuinely|simply|only|honestly|currently|do|kind of|kinda|sort of|much|so|never|no longer"
    r"|finally|recently|officially"
    r"|mostly|mainly|often|rarely|sometimes|certainly|especially|particularly|even|already|seriously|clearly)"
)
_FIRST = pattern(r"(?i)^(i)(?P<join>'m|'ve|'d|'ll)?((?: " + ADVERB + r"\b)*) ?(?P<verb>[\p{L}']*)")
_WE = pattern(r"(?i)^we(?P<join>'re|'ve|'d|'ll)?\b")
_LATER = pattern(
    r"(?i)(^|[^\p{L}\p{N}'])(i'm|i've|i'd|i'll|i am|i was|i|myself|mine|my|me|we're|we've|we'll|we"
    r"|ours|our|ourselves|us)($|[^\p{L}\p{N}'])"
)
_YOU = pattern(r"(?i)(^|[^\p{L}\p{N}'])(you're|you'll|you've|you are|yourself|yours|your|you)($|[^\p{L}\p{N}'])")
_THEY = {
    "i'm": "they're",
    "i've": "they've",
    "i'd": "they'd",
    "i'll": "they'll",
    "i am": "they are",
    "i was": "they were",
    "i": "they",
    "myself": "themselves",
    "mine": "theirs",
    "my": "their",
    "me": "them",
    "we're": "they're",
    "we've": "they've",
    "we'll": "they'll",
    "we": "they",
    "ours": "theirs",
    "our": "their",
    "ourselves": "themselves",
    "us": "them",
}
_IRREGULAR = {
    "am": "is",
    "have": "has",
    "do": "does",
    "don't": "doesn't",
    "haven't": "hasn't",
    "go": "goes",
    "was": "was",
    "am not": "is not",
}
_UNCHANGED = words(
    "can can't cannot could couldn't would wouldn't will won't shall should shouldn't must mustn't"
    " may might did didn't had hadn't was wasn't used ought got went came ran left took made bought"
    " met saw ate began began gave quit put set let cut hit read spent chose joined became found"
    " built wrote told sold taught thought caught brought lost won felt kept held had drove flew"
    " rode swam sang drank spoke broke fell grew threw knew drew sent paid heard slept woke wore led"
)


_NOT_PAST = words("need feed exceed succeed proceed speed heed bleed")


@dataclass(frozen=True, slots=True)
class Voice:
    """Who speaks and, when there is exactly one, who listens."""

    name: str
    listener: str = ""

    def retell(self, words: str) -> str:
        """A clause in the third person. A clause with no "I" or "we" in it keeps its subject."""
        we = _WE.match(words)
        if we:
            joined = (we.group("join") or "").lower()
            glue = {"'re": " are", "'ve": " have", "'d": " would", "'ll": " will"}.get(joined, "")
            return self.others(f"{self.name} and others{glue}", words[we.end() :])
        first = _FIRST.match(words)
        if first is None or words[1:2].isalpha():
            return self.others("", words)
        head, rest = self._first(first), words[first.end() :]
        return self.others(head, rest)

    def _first(self, first: Any) -> str:
        joined = (first.group("join") or "").lower()
        adverbs = first.group(3) or ""
        verb = first.group("verb")
        glue = {"'m": " is", "'ve": " has", "'d": " would", "'ll": " will"}.get(joined)
        if glue is not None:
            return f"{self.name}{glue}{adverbs} {verb}".rstrip()
        if " do" in f"{adverbs} " and adverbs.endswith(" do"):
            tail = verb if verb.startswith("n't") else f" {verb}"
            return f"{self.name}{adverbs[:-3]} does{tail}".rstrip()
        return f"{self.name}{adverbs} {agree(verb)}".rstrip()

    def others(self, head: str, rest: str) -> str:
        """The rest of a clause with "my", "me", "us", later "I" and "you" told from outside."""
        told = _both(_LATER, rest, lambda word: _THEY[word])
        if self.listener:
            told = _both(_YOU, told, self._you)
        return head + told

    def _you(self, word: str) -> str:
        ending = {"you're": " is", "you'll": " will", "you've": " has", "you are": " is", "your": "'s", "yours": "'s"}
        return self.listener + ending.get(word, "")


def _both(words: Any, text: str, say: Callable[[str], str]) -> str:
    pieces, position = [], 0
    while (found := words.search(text, position)) is not None:
        low, high = found.span(2)
        pieces += [text[position:low], say(text[low:high].lower())]
        position = high
    return "".join([*pieces, text[position:]])


def agree(verb: str) -> str:
    """The form a present-tense verb takes after a name: prefer, prefers. Past forms and auxiliaries stay."""
    low = verb.lower()
    if not low or low in _UNCHANGED or (low.endswith("ed") and low not in _NOT_PAST):
        return verb
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return verb + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
