"""Where somebody lives or is based, and moves."""

from typing import Any

from memoryapp.extraction.proposals import Mention, Moment, Proposal, Signal
from memoryapp.extraction.rules import dates, places
from memoryapp.extraction.rules.patterns import pattern, span_of, words
from memoryapp.extraction.rules.people import NAME, fact, who
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.sentences import Clause

_PLACE = (
    r"\p{Lu}[\p{L}\p{M}'-]*(?:[ -](?:(?:of|de|la|upon|on|am|the)"
    r" )?[\p{Lu}\p{N}][\p{L}\p{M}\p{N}'-]*){0,3}(?:, \p{Lu}[\p{L}\p{M}'-]+(?:"
    r" \p{Lu}[\p{L}\p{M}'-]+)?)?"
)
_WHO = r"(?P<who>I|i|(?i:my) \p{L}+ " + NAME + "|" + NAME + ")"
_ADVERB = r"(?i:(?: (?:now|still|currently|also|just|recently|actually|finally|both|mostly|already))*)"
_TAIL = (
    r"(?P<tail>(?i:(?:,? (?:now|since|from|as of|these days|until|last|this|next|in|on|for|with|about"
    r"|a|two|three|four|five|six|yesterday|again|instead|where|near|after|to|at the moment|because|so|but|which"
    r"|full[- ]time|permanently)\b.*)?))$"
)
_LIVES = pattern(
    r"^"
    + _WHO
    + r"(?:'m|'s|'ve| am| is| has| have)?"
    + _ADVERB
    + r"(?i: (?:live|lives|living|reside|resides|based|been living|been based|located|lived)) (?:in|at"
    r"|out of|near|on|outside) (?P<where>" + _PLACE + ")" + _TAIL
)
_MOVED = pattern(
    r"^"
    + _WHO
    + r"(?:'ve|'s| has| have)?"
    + _ADVERB
    + r"(?i: (?:moved|relocated|settled)(?: back| out| over| house)? (?:to|in)) (?P<where>"
    + _PLACE
    + ")"
    + _TAIL
)
_NO_LONGER = pattern(
    r"^" + _WHO + r"(?i:(?:'m| am| is|'s)? no longer (?:live|lives|living|based) in| (?:don't|do not|doesn't|does"
    r" not) live in) (?P<where>" + _PLACE + r")(?P<tail>.*)$"
)
_MOVING = pattern(
    r"^" + _WHO + r"(?i:'m| am|'ll be| will be|'ll| will)?(?i: (?:moving|relocating|move|moves|relocate))(?: back|"
    r" out| over)? to (?P<where>" + _PLACE + ")" + _TAIL
)
_ANY_MORE = pattern(r"(?i)\b(?:any ?more|any longer|no longer)\b")
_MONTHS = words(
    "January February March April May June July August September October November December Monday"
    " Tuesday Wednesday Thursday Friday Saturday Sunday I"
)
_TEAM = pattern(r"(?i)^ (?:team|project|account|desk|department)\b")


def find(clause: Clause, reading: Reading) -> list[Proposal]:
    """One place a clause."""
    if clause.asking:
        return []
    for form_pattern, form in ((_NO_LONGER, _left), (_LIVES, _lives), (_MOVED, _moved), (_MOVING, _moving)):
        found = form_pattern.match(clause.text)
        if found is None:
            continue
        person, where = who(found, reading), found.group("where").rstrip(" ,.")
        if person is None or where.split()[0].strip(",") in _MONTHS or _TEAM.match(found.group("tail")):
            return []
        proposal: Proposal | None = form(clause, reading, found, person, where)
        return [proposal] if proposal else []
    return []


def _lives(clause: Clause, reading: Reading, found: Any, person: Mention, where: str) -> Proposal | None:
    if " lived " in clause.text[: span_of(found, "where")[0]] and not found.group("tail").lower().startswith(
        (" since", " for")
    ):
        return None
    changed: tuple[Signal, ...] = (
        ("replaces",) if " now" in clause.text.lower() or "these days" in clause.text.lower() else ()
    )
    return fact(
        clause,
        reading,
        person,
        rule="place.lives",
        predicate="livesIn",
        object=Mention(where, "place"),
        signals=changed,
    )


def _moved(clause: Clause, reading: Reading, found: Any, person: Mention, where: str) -> Proposal | None:
    known = reading.met.get(where.casefold())
    if known == "worksOn":
        return fact(
            clause,
            reading,
            person,
            rule="place.moved",
            predicate="worksOn",
            object=Mention(where, "project"),
            signals=("replaces",),
            started=True,
        )
    old_story = any(
        said.after.year < dates.local_now(reading.turn).year - 80
        for said in dates.said_dates(clause.text, reading.turn, past=True)
    )
    if old_story:
        return None
    sure = places.known(where.split(",")[0]) or "," in where or known == "livesIn" or person.key == reading.owner.key
    return fact(
        clause,
        reading,
        person,
        rule="place.moved",
        predicate="livesIn",
        object=Mention(where, "place"),
        signals=("replaces",),
        started=True,
        confidence=80 if sure else 60,
    )


def _moving(clause: Clause, reading: Reading, found: Any, person: Mention, where: str) -> Proposal | None:
    """A move to come counts only with its date, and holds from then."""
    now = dates.local_now(reading.turn)
    ahead = [said for said in dates.said_dates(clause.text, reading.turn, past=False) if said.after > now]
    if not ahead:
        return None
    return fact(
        clause,
        reading,
        person,
        rule="place.moving",
        predicate="livesIn",
        object=Mention(where, "place"),
        signals=("replaces",),
        valid_from=ahead[0].moment,
        confidence=75,
    )


def _left(clause: Clause, reading: Reading, found: Any, person: Mention, where: str) -> Proposal | None:
    if not _ANY_MORE.search(clause.text):
        return None
    today = dates.local_now(reading.turn).replace(hour=0, minute=0, second=0, microsecond=0)
    return fact(
        clause,
        reading,
        person,
        rule="place.left",
        predicate="livesIn",
        object=Mention(where, "place"),
        signals=("ends",),
        valid_to=Moment(today, "day"),
    )
