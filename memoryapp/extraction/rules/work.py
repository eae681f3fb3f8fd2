"""Employers and projects; moves between them and their end."""

from typing import Any

from memoryapp.extraction.proposals import Mention, Moment, Proposal, Signal
from memoryapp.extraction.rules import dates, places
from memoryapp.extraction.rules.patterns import pattern
from memoryapp.extraction.rules.people import (
    ADVERB,
    CLASSES,
    THING,
    WHO,
    fact,
    past_start,
    retold,
    thing,
    who,
)
from memoryapp.extraction.rules.reading import Reading, first_of
from memoryapp.extraction.rules.sentences import Clause

_WORKS_AT = pattern(
    r"^"
    + WHO
    + r"(?:'m|'s|'ve| am| is| has| have)?"
    + ADVERB
    + r"(?P<verb>(?i: (?:works?|working|worked|been working|employed|been)(?: here)? (?:at|for|with)|"
    r" joined| joins| started(?: working| work| a (?:new )?job)? at| got (?:a|the) (?:new )?job (?:at"
    r"|with)| signed (?:on )?with| employed (?:at|by)| hired by))"
    + r" (?P<where>"
    + THING
    + r")(?P<tail>(?i:(?: (?:now|since|from|as of|last|this|next|in|on|for|until|yesterday|today|these"
    r" days|as|instead|again|full[- ]time|part[- ]time)\b.*|, .*)?))$"
)
_WORKS_ON = pattern(
    r"^"
    + WHO
    + r"(?:'m|'s| am| is)?"
    + ADVERB
    + r"(?i: (?:works?|working|assigned|been assigned|moved|been moved)(?: full[- ]time| part[- ]time|"
    r" mostly)? (?:on|to)) (?P<what>(?i:the )?(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team))?)(?P<tail>(?i:(?: (?:now|since|from|as of|these days|until"
    r"|last|this|next|in|on|instead|again|with|full[- ]time|part[- ]time)\b.*|, .*)?))$"
)
_MOVED = pattern(
    r"^"
    + WHO
    + r"(?:'ve|'s| has| have| was| is| got|'m| am)?"
    + ADVERB
    + r"(?P<verb>(?i: (?:moved|moving|transferred|switched|reassigned|switching|gone|went|moves"
    r"|relocated|changed)(?: over)?)) from (?i:the )?(?P<old>(?i:project )?"
    + THING
    + r")(?i: team| project)? (?i:over )?to (?P<new>(?i:the )?(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team))?)(?P<tail>(?i:(?: (?:now|since|from|as of|last|this|next|in|on"
    r"|to|yesterday|today|for|because|at|after)\b.*|, .*)?))$"
)
_LEFT = pattern(
    r"^"
    + WHO
    + r"(?:'ve|'s|'m| has| have| am| is)?"
    + ADVERB
    + r"(?P<verb>(?i: (?:left|quit|resigned from|retired from|no longer (?:works?|working|employed)"
    r" (?:at|for|with)|not (?:working )?(?:at|with)|no longer (?:at|with)|leaving|do(?:es)?(?:n't|"
    r" not) work (?:at|for)|stopped working (?:at|for)))) (?:my job at )?(?P<where>"
    + THING
    + r")(?P<tail>(?i:(?: .*|, .*)?))$"
)
_OFF = pattern(
    r"^"
    + WHO
    + r"(?:'m|'s| am| is|'ve been| has been)?"
    + ADVERB
    + r"(?i: (?:no longer works? on|no longer working on|no longer on|off|taken off|do(?:es)?(?:n't|"
    r" not) work on|stopped working on)) (?P<what>(?i:the )?(?i:project )?"
    + THING
    + r")(?P<kind>(?i: (?:project|team))?)(?P<tail>(?i:(?: (?:any ?more|now|since|from|as of).*)?))$"
)
_ANY_MORE = pattern(r"(?i)\b(?:any ?more|any longer)\b")


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One employer or project a clause."""
    return [] if clause.asking else first_of(_FORMS, clause, reading)


def _works_at(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, where, verb = who(found, reading), thing(found.group("where")), found.group("verb").lower().strip()
    if (
        person is None
        or not where
        or (verb == "been with" or verb == "been for")
        or (verb.startswith("work") and " with" in verb and where.casefold() in reading.people)
    ):
        return []
    if verb.startswith("worked") or (verb in ("works with", "work with", "working with") and len(where.split()) == 1):
        return []
    if (
        verb == "been at"
        and not reading.met.get(where.casefold())
        and " for " not in found.group("tail")
        and " since " not in found.group("tail")
    ):
        return []
    joined = verb.startswith(("join", "started", "got", "signed", "hired"))
    changed: tuple[Signal, ...] = ("replaces",) if joined or " now" in clause.text.lower() else ()
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.employer",
            predicate="worksAt",
            object=Mention(where, "organization"),
            signals=changed,
            started=joined,
        )
    ]


def _works_on(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, what = who(found, reading), thing(found.group("what"))
    moved = " moved to" in clause.text or " assigned to" in clause.text
    if person is None or not what or (moved and not (found.group("kind") or "project " in found.group("what").lower())):
        return []
    changed: tuple[Signal, ...] = ("replaces",) if moved or " now" in clause.text.lower() else ()
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.project",
            predicate="worksOn",
            object=Mention(what, "project"),
            signals=changed,
            started=moved,
        )
    ]


def _moved(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    """From one to another: what kind of thing they are is known from the words, from earlier in the conversation, or
    from the short list of places; otherwise the predicate stays open and `replaces` names what it was."""
    person, old, new = who(found, reading), thing(found.group("old")), thing(found.group("new"))
    if person is None or not old or not new or old == new:
        return []
    project = (
        found.group("kind")
        or "project " in found.group("old").lower() + found.group("new").lower()
        or " team to " in clause.text
    )
    predicate = "worksOn" if project else reading.met.get(old.casefold()) or reading.met.get(new.casefold()) or ""
    if not predicate and (places.known(old) or places.known(new)):
        predicate = "livesIn"
    target = Mention(new, CLASSES.get(predicate, ""))
    signals: tuple[Signal, ...] = ("replaces",)
    if predicate:
        return [
            fact(
                clause,
                reading,
                person,
                rule="work.moved",
                predicate=predicate,
                object=target,
                replaces=old,
                signals=signals,
                started=True,
            )
        ]
    return [
        reading.propose(
            clause,
            rule="work.moved",
            kind="user",
            content=retold(clause, reading),
            confidence=65,
            owners=reading.owners_of(person),
            topic="",
            subject=person,
            object=target,
            replaces=old,
            signals=signals,
            mentions=(person, target),
            valid_from=past_start(clause, reading),
        )
    ]


def _left(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, where, verb = who(found, reading), thing(found.group("where")), found.group("verb").lower().strip()
    if person is None or not where:
        return []
    negative = verb.startswith(("do", "not"))
    if negative and not _ANY_MORE.search(clause.text):
        return []
    predicate = reading.met.get(where.casefold()) or (
        "livesIn" if places.known(where) and verb in ("left", "leaving") else "worksAt"
    )
    if verb == "leaving" and not reading.met.get(where.casefold()):
        return []
    if (
        verb in ("left", "quit")
        and not reading.met.get(where.casefold())
        and (predicate == "livesIn" or " for " in clause.text or " behind" in clause.text)
    ):
        return []
    ended = past_start(clause, reading)
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.left",
            predicate=predicate,
            object=Mention(where, CLASSES.get(predicate, "")),
            signals=("ends",),
            valid_to=ended
            or Moment(dates.local_now(reading.turn).replace(hour=0, minute=0, second=0, microsecond=0), "day"),
        )
    ]


def _off(clause: Clause, reading: Reading, found: Any) -> list[Proposal]:
    person, what = who(found, reading), thing(found.group("what"))
    if (
        person is None
        or not what
        or ("n't work" in clause.text and not _ANY_MORE.search(clause.text))
        or (" off " in clause.text and not found.group("kind") and what.casefold() not in reading.met)
    ):
        return []
    today = dates.local_now(reading.turn).replace(hour=0, minute=0, second=0, microsecond=0)
    return [
        fact(
            clause,
            reading,
            person,
            rule="work.left",
            predicate="worksOn",
            object=Mention(what, "project"),
            signals=("ends",),
            valid_to=Moment(today, "day"),
        )
    ]


_FORMS: tuple[tuple[Any, Any], ...] = (
    (_LEFT, _left),
    (_OFF, _off),
    (_MOVED, _moved),
    (_WORKS_AT, _works_at),
    (_WORKS_ON, _works_on),
)
