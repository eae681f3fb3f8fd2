"""What every form of preference shares: how one is put, and which words can stand for a thing by themselves."""

from typing import Any

from memoryapp.extraction.proposals import Proposal, Signal
from memoryapp.extraction.rules.patterns import pattern
from memoryapp.extraction.rules.reading import CHANGE, Reading, tidy
from memoryapp.extraction.rules.sentences import Clause

STANDING_CUE = pattern(
    r"(?i)\b(?:always|never|from now on|going forward|in (?:the )?future|from here on|henceforth"
    r"|instead|no more|any ?more|any longer|only ever|by default|whenever|every time|each time)\b"
)
BAD_OBJECT = pattern(
    r"(?i)^(?:it|that|this|these|those|them|him|her|he|she|they|you|your|yours|how|what|why|where"
    r"|when|which|who|the way|the fact|the idea|the thought|the sound|the look|being able"
    r"|hearing|seeing (?:you|your|that|it|how|them)|to (?:hear|see|know|think|say|add|ask|point|thank"
    r"|mention|be|talk to you|chat|share|get|do|go|have|make|keep|take|help|find|learn|try|come|join"
    r"|give|show|start)|talking (?:to|with)"
    r"|chatting|so much|a lot|more|one|ones|everything|anything|something|nothing|all of|all the|all"
    r" that|all|both|having you|getting to|and|or|but|too|such|there|here|as|sure|any|some|my|our|us"
    r"|me|him|her|his|their|its"
    r"|going (?:out )?with|sharing|supporting|watching (?:them|him|her|it)|things like that|stuff like that)(?:\b|$)"
)
TO_PERSON = pattern(r"(?i)\b(?:you|your|yours)\b")
POINTING = pattern(r"(?i)^(?:\S+ ){0,3}(?:it|them|him|her|this|these|those|there|here|that)\b")
STABLE = frozenset(
    {
        "reporting cadence",
        "seat",
        "diet",
        "reply length",
        "form of address",
        "theme",
        "channel of contact",
        "pronouns",
        "time format",
        "units",
    }
)
PLACED = frozenset({"delivery address", "invoice recipient", "language", "tone"})


def preference(
    clause: Clause, reading: Reading, rule: str, topic: str, confidence: int, content: str = "", **more: Any
) -> Proposal:
    signals: tuple[Signal, ...] = more.pop("signals", ())
    if CHANGE.search(clause.text) and "replaces" not in signals:
        signals = (*signals, "replaces")
    told = content or reading.voice.retell(clause.text)
    if clause.circumstance:
        told = f"{tidy(told)} ({reading.voice.others('', lowered(clause.circumstance))})"
    return reading.propose(
        clause,
        rule=f"preference.{rule}",
        kind="preference",
        content=told,
        confidence=confidence,
        topic=topic,
        signals=signals,
        **more,
    )


def usable(words: str) -> bool:
    """Whether the words name a thing by themselves: nothing that only points at what was said before, nor at "you"."""
    return not POINTING.match(words) and not BAD_OBJECT.match(words) and not TO_PERSON.search(words) and len(words) > 1


def lowered(words: str) -> str:
    return words if words[1:2].isupper() or words[:2] in ("I ", "I'") else words[:1].lower() + words[1:]
