"""How things stand and until when: a meeting's time, a rate until June, years in a post, and their corrections."""

from typing import Any

from memoryapp.extraction.proposals import Proposal, Signal
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.patterns import pattern
from memoryapp.extraction.rules.people import NAME, who
from memoryapp.extraction.rules.ranges import said_range
from memoryapp.extraction.rules.reading import CHANGE, Reading
from memoryapp.extraction.rules.sentences import Clause
from memoryapp.extraction.rules.topics import noun_topic

_EVENT = (
    r"(?:meeting|stand-?up|call|sync|catch-?up|review|appointment|interview|session|class|workshop"
    r"|lesson|check-in|retro|retrospective|training|lunch|dinner|briefing|handover|delivery|pick-?up"
    r"|rehearsal|practice)"
)
_CLOCK = (
    r"(?:(?:\d{1,2}(?:[:.]\d{2})? ?(?:am|pm|a\.m\.|p\.m\.|o'clock|h)?|noon|midnight|half past \p{L}+"
    r"|quarter (?:past|to) \p{L}+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?:"
    r" o'clock| sharp)?)"
)
_WEEKDAY = r"(?:mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|sundays?|weekdays|every \p{L}+)"
_WHEN = (
    r"(?:(?:at|to|for) "
    + _CLOCK
    + r"(?: on (?:the )?"
    + _WEEKDAY
    + r")?(?: (?:in the )?(?:morning|afternoon|evening)s?)?|(?:on|to|every) "
    + _WEEKDAY
    + r"(?: (?:morning|afternoon|evening)s?)?(?: at "
    + _CLOCK
    + r")?)"
)
_MEETING = pattern(
    r"(?i)^(?P<what>(?:the|our|my) (?:\p{L}[\p{L}'-]* ){0,4}?"
    + _EVENT
    + r") (?:is|was moved|has moved|moved|is moved|has been moved|got moved|will be|starts|has been"
    r" rescheduled|was rescheduled|is now|has changed|changed)"
    r"(?: (?:now|actually|always|back|from (?P<old>.{2,30}?)))* (?P<when>"
    + _WHEN
    + r")(?P<tail>(?:,? (?:not|instead|from now on|now|rather than|every|each|this week|as of|starting"
    r"|from|until)\b.*)?)$"
)
_STANDS = pattern(
    r"(?i)^(?:(?:the|our|my) )(?P<what>(?:\p{L}[\p{L}'-]* ){0,4}?(?:rate|price|budget|fee|limit|rent"
    r"|salary|discount|target|quota|deadline|address|supplier|provider|carrier|vendor|plan|policy"
    r"|tariff|cost|allowance|password policy|contract|subscription|office|schedule|opening hours"
    r"|hours))"
    r" (?P<verb>is|was|will be|are|were|stays|stayed|rises to|drops to|goes up to|went up to|goes to)"
    r" (?P<value>[^,]{1,80}?) (?P<lead>until|from|as of|starting|since|effective|through"
    r"|till)(?P<rest> .+)$"
)
_AWAY = pattern(
    r"^(?P<who>I|i|(?i:we)|(?i:the|our|my) (?P<what>(?:\p{L}[\p{L}'-]* ){0,3}?\p{L}[\p{L}'-]*)|"
    + NAME
    + r")(?i:'m|'re|'s|'ll be| am| are| is| will be| was| were) (?i:closed|shut|open|away|off|off work|out"
    r"|out of (?:the )?office|on (?:leave|holiday|vacation)|unavailable|travelling|traveling|abroad)(?: .{3,60})$"
)
_AS_OF = pattern(
    r"(?i)^(?:as of|from|starting|effective|since) (?P<date>[^,]{3,40}),? (?:the|our|my)"
    r" (?P<what>(?:\p{L}[\p{L}'-]* ){0,3}?\p{L}[\p{L}'-]*) (?:is|will be|are|goes to|rises to|drops"
    r" to|changes to) (?P<value>.{1,80})$"
)
_TENURE = pattern(
    r"^(?P<who>I|i|" + NAME + r")(?i: have|'ve| has| now has| now have|'s)(?i:(?: now| had| got| spent| been)*)"
    r" (?P<years>(?i:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve))"
    r" (?P<unit>(?i:years?|months?))(?i: of experience| of service| experience)? (?P<prep>(?i:at|with"
    r"|in|as)) (?P<where>[\p{L}][\p{L}\p{M}\p{N}&' -]{1,50})$"
)


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One arrangement a clause. What is only the case "this week" is an arrangement too, its dates say so."""
    if clause.asking:
        return []
    for form_pattern, form in (
        (_MEETING, _meeting),
        (_TENURE, _tenure),
        (_AWAY, _away),
        (_STANDS, _stands),
        (_AS_OF, _stands),
    ):
        found = form_pattern.match(clause.text)
        if found is not None:
            proposal: Proposal | None = form(clause, reading, found)
            if proposal is not None or form is not _away:
                return [proposal] if proposal else []
    return []


def _whose(clause: Clause, reading: Reading) -> str | None:
    """The clause told from outside; nothing when "my" or "our" is nobody we know."""
    head, rest = clause.text.split(" ", 1)
    if head.lower() in ("my", "our"):
        return f"{reading.voice.name}'s {reading.voice.others('', rest)}" if reading.first_person else None
    return reading.voice.others("", clause.text)


def _meeting(clause: Clause, reading: Reading, found: Any) -> Proposal | None:
    content = _whose(clause, reading)
    if content is None:
        return None
    old = found.group("old") or ""
    tail = found.group("tail").strip(" ,")
    if tail.lower().startswith("not "):
        old = tail[4:].strip().removeprefix("at ").removeprefix("on ")
    signals: tuple[Signal, ...] = (
        ("replaces",)
        if CHANGE.search(clause.text) or "moved" in clause.text.lower() or "rescheduled" in clause.text.lower()
        else ()
    )
    if tail.lower().startswith("not "):
        signals = ("corrects", "replaces")
    name = noun_topic(found.group("what"))
    return reading.propose(
        clause,
        rule="arrangement.meeting",
        kind="long_term",
        content=content,
        confidence=75,
        topic=f"{name} time",
        signals=signals,
        replaces=old,
    )


def _stands(clause: Clause, reading: Reading, found: Any) -> Proposal | None:
    content = (
        _whose(clause, reading)
        if found.re is _STANDS_RE or clause.text.split(" ", 1)[0].lower() in ("the", "my", "our")
        else reading.voice.others("", clause.text)
    )
    if content is None or not dates.said_dates(clause.text, reading.turn, past=False):
        return None
    return reading.propose(
        clause,
        rule="arrangement.stands",
        kind="long_term",
        content=content,
        confidence=75,
        topic=noun_topic(found.group("what")),
        signals=("replaces",) if CHANGE.search(clause.text) else (),
    )


def _away(clause: Clause, reading: Reading, found: Any) -> Proposal | None:
    """Closed, open or away from one day to another."""
    if said_range(clause.text, reading.turn) is None:
        return None
    what = found.group("what")
    if what:
        content = _whose(clause, reading)
        owners = None
    else:
        person = who(found, reading) if found.group("who").lower() != "we" else reading.self_mention
        if person is None or (found.group("who").lower() in ("i", "we") and not reading.first_person):
            return None
        content, owners = reading.voice.retell(clause.text), reading.owners_of(person)
    if content is None:
        return None
    return reading.propose(
        clause,
        rule="arrangement.away",
        kind="long_term",
        content=content,
        confidence=75,
        owners=owners,
        topic=f"{noun_topic(what)} opening" if what else "whereabouts",
    )


_STANDS_RE = _STANDS


def _tenure(clause: Clause, reading: Reading, found: Any) -> Proposal | None:
    person = who(found, reading)
    if person is None:
        return None
    where = found.group("where").strip()
    topic = f"{found.group('unit').lower().rstrip('s')}s {found.group('prep').lower()} {where.casefold()}"
    return reading.propose(
        clause,
        rule="arrangement.tenure",
        kind="user",
        content=reading.voice.retell(clause.text),
        confidence=75,
        owners=reading.owners_of(person),
        topic=topic,
        subject=person,
        mentions=(person,),
    )
