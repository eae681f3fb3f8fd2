"""What somebody did on a day they named: "I ran today", "we visited Osprey Bay last weekend"."""

from typing import Any

from memoryapp.extraction.proposals import Proposal
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.patterns import pattern, span_of
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.sentences import Clause

_PAST = (
    r"(?:\p{L}{2,}ed|went|ran|took|made|bought|met|saw|ate|began|gave|quit|got|hit|read|spent|won"
    r"|lost|found|built|wrote|told|sold|taught|caught|brought|held|drove"
    r"|flew|rode|swam|sang|spoke|broke|fell|grew|threw|drew|sent|paid|heard|woke|left|came|had|led"
    r"|sprained|cut|put|set|hurt|was|were|did|hung|dove|knit|baked|lent|shot|hosted)"
)
_DID = pattern(
    r"(?i)^(?P<when>(?:yesterday|today|last (?:night|week|weekend|month|year|\p{L}+day)|this"
    r" (?:morning|week|month|past weekend)|on \p{L}+day|(?:a|an|one|two|three|four|five|six|\d+|a few"
    r"|a couple of) (?:day|week|month|year)s? ago),? )?"
    r"(?P<who>i|we)(?: (?:just|also|finally|actually|even|recently|both|really))* (?P<verb>"
    + _PAST
    + r")\b(?P<rest>.*)$"
)
_NOT_AN_ACT = pattern(
    r"(?i)^(?:wanted|needed|loved|liked|hated|used|wished|hoped|planned|preferred|decided|agreed"
    r"|wondered|expected|believed|promised|supposed|heard|felt|missed|enjoyed|noticed|realized"
    r"|realised|figured|mentioned|talked|stopped|got|did)$"
)
_NO_ACT_REST = pattern(
    r"(?i)^ (?:n't|not|going to|about to|supposed to|thinking|wondering|hoping|planning|able|to"
    r" (?:admit|say)|like\b|just thinking|so |really |worried|sad|happy|glad|excited|busy|here|there"
    r"|it\b|that\b)"
)
_POINTING = pattern(r"(?i)^ (?:\S+ ){0,2}(?:it|them|him|her|this|these|those|there|here|that)\b")
_DATED = pattern(
    r"(?i)\b(?:yesterday|today|tonight|ago|last|this (?:morning|week|month|weekend|afternoon|past)"
    r"|\p{L}+day|\d{4}|\d{1,2}(?:st|nd|rd|th)?|over the weekend)\b"
)
_VAGUE = pattern(r"(?i)^(?:19|20)\d\d$")


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One experience a clause: true from the day (week, month) it names, and ever after, because it happened."""
    if clause.asking or not reading.first_person:
        return []
    found = _DID.match(clause.text) if _DATED.search(clause.text) else None
    if (
        found is None
        or _NOT_AN_ACT.match(found.group("verb"))
        or _NO_ACT_REST.match(found.group("rest"))
        or _POINTING.match(found.group("rest"))
    ):
        return []
    if found.group("verb").lower() in ("was", "were") and not found.group("rest").lower().startswith(
        (" in ", " at ", " on ")
    ):
        return []
    now = dates.local_now(reading.turn)
    for said in dates.said_dates(clause.text, reading.turn, past=True):
        past = said.moment.at <= now and said.lead in ("", "on", "in", "at", "over", "during")
        if past and not _VAGUE.match(clause.text[said.start : said.end]):
            return [_experience(clause, reading, found, said)]
    return []


def _experience(clause: Clause, reading: Reading, found: Any, said: dates.Said) -> Proposal:
    when = (found.group("when") or "").strip(" ,")
    words = clause.text[span_of(found, "when")[1] :] if when else clause.text
    content = reading.voice.retell(words) + (f" {when[:1].lower()}{when[1:]}" if when else "")
    return reading.propose(
        clause,
        rule="experience.dated",
        kind="experience",
        content=content,
        confidence=75,
        ranged=False,
        valid_from=said.moment,
    )
