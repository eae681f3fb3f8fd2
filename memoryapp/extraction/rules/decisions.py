"""Decisions that were said to be taken. What is still open ("we haven't decided") or points back ("that") is none."""

from typing import Any

from memoryapp.extraction.proposals import Moment, Proposal, Signal
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.patterns import pattern, words
from memoryapp.extraction.rules.reading import CHANGE, Reading
from memoryapp.extraction.rules.sentences import Clause
from memoryapp.extraction.rules.topics import known_topic, noun_topic

_NAME = r"\p{Lu}[\p{L}\p{M}'-]+"
_WHO = (
    r"(?P<who>(?i:we|i|the (?:team|board|committee|group|council|family|crew|management|company))|"
    + _NAME
    + r"(?: and (?:I|"
    + _NAME
    + r"))?)"
)
_DECIDED = pattern(
    r"^"
    + _WHO
    + r"(?i:'ve| have| has)?(?i: (?:now|just|finally|also|both|all|already|unanimously|today|yesterday|ultimately))*"
    r" (?P<verb>(?i:decided|agreed|chose|chosen|settled on|opted|resolved|picked|selected|adopted"
    r"|went with|gone with|voted"
    r"|signed off on|concluded|ruled out|scrapped|dropped|ended up (?:choosing|picking|going with)))(?P<rest> .+)$"
)
_GOING = pattern(
    r"^(?P<who>(?i:we))(?P<verb>(?i:'re| are|'ll| will)(?i: (?:now|just|definitely))*(?i: (?:going"
    r"|go) (?:with|for)| (?:be )?adopt(?:ing)?| stick(?:ing)? (?:with|to)| (?:be )?switch(?:ing)? to|"
    r" no longer (?:use|using)| (?:be )?us(?:e|ing)))(?P<rest> .+)$"
)
_SAID = pattern(
    r"(?i)^(?:(?:the )?(?:final )?decision(?: is|:| was)|decided:|agreed:|it(?:'s| is| was| has been)"
    r" (?:decided|agreed|settled)(?: that|:)?) (?:that |to )?(?P<rest>\p{L}.{3,})$"
)
_LETS = pattern(r"(?i)^let's (?:go with|settle on|stick with|use) (?P<rest>.{3,})$")
_WHEN = pattern(r"(?i)^(?:yesterday|today|last \p{L}+|this \p{L}+|on \p{L}+day),? ")
_OPEN = pattern(
    r"(?i)^ (?:on )?(?:that|this|it|them|those|these|what|whether|if|how|when|where|why|so|then"
    r"|because|not yet|with (?:you|me|him|her|them)|to (?:disagree|it|that|this|them))(?:\b|$)|^"
    r" (?:yet|already|together)$"
)
_PICKED = pattern(r"(?i)^(?:dropped|picked|selected|chose|voted|went with|gone with)")
_IDLE = pattern(r"(?i)^ (?:up|off|by|out|me|him|her|them|us)\b")
_VERB_CHAIN = pattern(
    r"(?i)^(?:that )?(?:we |i |they )?(?:will |would |should |'ll )?(?:to |on |against |not to |not "
    r"|for |in favou?r of )*"
    r"(?:use|using|go(?:ing)? with|go(?:ing)? for|adopt(?:ing)?|pick|choose|switch(?:ing)? to"
    r"|stick(?:ing)? (?:with|to)|move to|buy|take|have|keep|hire|drop|ship|start|stop|build|make|hold"
    r"|do|get|try|launch|postpone|delay|cancel|skip)? ?"
)
_FOR = pattern(
    r"(?i)\bfor (?:the |our |my )?(?P<matter>[\p{L}\p{N}][\p{L}\p{N} '-]{1,40}?)(?: (?:by|on|in|from"
    r"|next|this|until|as|and|because|instead|starting|to|at|with|over)\b.*)?$"
)
_WRONG_MATTER = pattern(
    r"(?i)^(?:now|a |an |me|us|you|them|it|this|that|example|sure|good|once|some|\d|next|free|real|all|more|less)"
)


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One decision a clause at most."""
    if clause.asking:
        return []
    when = _WHEN.match(clause.text)
    if when is not None:
        found = _DECIDED.match(clause.text[when.end() :])
        return _told(clause, reading, found, clause.text[: when.end()]) if found else []
    found = _DECIDED.match(clause.text) or (_GOING.match(clause.text) if reading.first_person else None)
    if found is not None:
        return _told(clause, reading, found)
    found = _SAID.match(clause.text) or (_LETS.match(clause.text) if reading.first_person else None)
    if found is None or _OPEN.match(" " + found.group("rest")):
        return []
    verb = "proposes to" if clause.text.lower().startswith("let's") else "states the decision:"
    words = clause.text[6:] if verb == "proposes to" else found.group("rest")
    content = f"{reading.voice.name} {verb} {reading.voice.others('', words)}"
    return [
        _decision(
            clause,
            reading,
            content,
            found.group("rest"),
            65 if verb == "proposes to" else 80,
            "proposed" if verb == "proposes to" else "stated",
        )
    ]


def _told(clause: Clause, reading: Reading, found: Any, when: str = "") -> list[Proposal]:
    who, verb, rest = found.group("who"), found.group("verb").strip().lower(), found.group("rest")
    own = who.lower() in ("we", "i")
    if (own and not reading.first_person) or _OPEN.match(rest) or _IDLE.match(rest):
        return []
    if not own and who in _NOT_NAMES:
        return []
    if who.lower() == "i" and _PICKED.match(verb):
        return []
    if verb == "adopted" and _FAMILY.search(rest):
        return []
    if _topic(rest.strip(), False) in _POINTERS:
        return []
    if verb.startswith("voted") and not rest.lower().startswith((" to ", " for ", " against ")):
        return []
    if (
        verb in ("dropped", "picked", "selected", "chose", "went with")
        and who.lower() == "we"
        and _PAST_STORY.search(clause.sentence)
    ):
        return []
    words_said = clause.text[len(when) :]
    content = reading.voice.retell(words_said) if own else _theirs(words_said, who, reading)
    if when:
        content = f"{content} {when[:1].lower()}{when[1:].rstrip(' ,')}"
    return [_decision(clause, reading, content, rest.strip(), 80, "decided")]


def _theirs(words: str, who: str, reading: Reading) -> str:
    named = f"{who[:-1]}{reading.voice.name}" if who.endswith(" and I") else who
    return named + reading.voice.others("", words[len(who) :])


_FAMILY = pattern(r"(?i)\b(?:pupp|dog|cat\b|kitten|pet\b|child|kid|baby|son\b|daughter)")
_PAST_STORY = pattern(r"(?i)\b(?:up|off|last|ago|yesterday|kids|ball)\b")
_POINTERS = words("this that it them these those here there")
_NOT_NAMES = words("They He She It This That You Who Someone Everyone Nobody People Both Then And But So")


def _decision(clause: Clause, reading: Reading, content: str, rest: str, confidence: int, rule: str) -> Proposal:
    signals: list[Signal] = []
    if CHANGE.search(clause.text):
        signals.append("replaces")
    if (
        rest.lower().startswith(("not ", "against "))
        or "no longer" in clause.text.lower()
        or "ruled out" in clause.text.lower()
    ):
        signals.append("negates")
    return reading.propose(
        clause,
        rule=f"decision.{rule}",
        kind="decision",
        content=content,
        confidence=confidence,
        topic=_topic(rest, rule == "stated"),
        signals=tuple(signals),
        valid_from=_start(clause, reading),
    )


def _start(clause: Clause, reading: Reading) -> Moment | None:
    """When it was taken, if the clause says so: "yesterday we decided", "last Tuesday"."""
    now = dates.local_now(reading.turn)
    for said in dates.said_dates(clause.text, reading.turn, past=True):
        backward = said.lead in ("", "on", "in", "at") and said.after <= now
        if backward and clause.text[said.start : said.end].lower().startswith(("yesterday", "last ")):
            return said.moment
    return None


def _topic(rest: str, whole: bool) -> str:
    """What was decided about; nothing for a whole sentence whose verb is unknown here ("the office closes")."""
    known = known_topic(rest)
    if known:
        return known
    matter = _FOR.search(rest)
    if matter is not None and not _WRONG_MATTER.match(matter.group("matter")):
        return noun_topic(matter.group("matter"))
    object_said = _VERB_CHAIN.sub("", rest, count=1)
    if whole and object_said == rest:
        return ""
    return noun_topic(object_said, head_only=True)
