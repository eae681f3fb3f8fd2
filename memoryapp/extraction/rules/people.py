"""Who a statement is about, and how a property or an edge of theirs is put."""

from typing import Any

from memoryapp.extraction.proposals import Mention, Moment, Proposal, Signal
from memoryapp.extraction.rules import dates
from memoryapp.extraction.rules.patterns import words
from memoryapp.extraction.rules.reading import Reading
from memoryapp.extraction.rules.sentences import Clause

NAME = r"\p{Lu}[\p{L}\p{M}'-]*(?: \p{Lu}[\p{L}\p{M}'.-]*){0,2}"
THING = (
    r"(?:(?i:the) )?\p{Lu}[\p{L}\p{M}\p{N}'&+-]*(?: (?:(?:of|and|&|de|for|the)"
    r" )?[\p{Lu}\p{N}][\p{L}\p{M}\p{N}'&+-]*){0,4}"
)
WHO = r"(?P<who>I|i|" + NAME + r"|(?i:my) \p{L}+ " + NAME + ")"
ADVERB = (
    r"(?i:(?: (?:now|still|currently|also|just|recently|actually|formally|officially|mostly|finally"
    r"|only|already|both))*)"
)
NOT_NAMES = words(
    "He She It This That They We You Who There Someone Everyone Everybody Nobody Anyone People Which"
    " What Where When How If So Then Here Yes No Also My Our The A An And But Or Both All Some Life"
    " Work Time Today Tomorrow Yesterday Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    " Mom Dad Mum Congrats Cool Wow Thanks Not Just Only"
)
_NOT_THINGS = words(
    "I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May"
    " June July August September October November December Christmas Easter Linux Windows Ubuntu"
    " Python Excel Java Mac Macos Android"
)
CLASSES = {"worksOn": "project", "worksAt": "organization", "livesIn": "place"}


def who(found: Any, reading: Reading) -> Mention | None:
    """The person a statement is about, or nothing when the words name nobody we can tell."""
    said = found.group("who")
    if said.lower() == "i":
        return reading.self_mention if reading.first_person else None
    if said[:3].lower() == "my ":
        if not reading.first_person:
            return None
        said = said.split(" ", 2)[2]
    if said.split()[0] in NOT_NAMES or (len(said) > 3 and said.isupper()):
        return None
    return reading.person(said)


def thing(name: str) -> str:
    bare = name.strip()
    for article in ("the ", "The ", "project ", "Project "):
        bare = bare.removeprefix(article)
    return "" if bare.split()[0] in _NOT_THINGS or bare.removesuffix("s") in _NOT_THINGS else bare


def fact(
    clause: Clause,
    reading: Reading,
    person: Mention,
    *,
    rule: str,
    content: str = "",
    confidence: int = 80,
    signals: tuple[Signal, ...] = (),
    started: bool = False,
    **shape: Any,
) -> Proposal:
    """A property or edge of a person. With `started`, a past date in the clause ("joined last week") is its start."""
    if started and not shape.get("valid_from"):
        shape["valid_from"] = past_start(clause, reading)
    if shape.get("object") is not None and shape.get("predicate") and "ends" not in signals:
        reading.met[shape["object"].name.casefold()] = shape["predicate"]
    mentions = (person, *((shape["object"],) if shape.get("object") else ()))
    words = shape.pop("words", None)
    return reading.propose(
        clause,
        rule=rule,
        kind=shape.pop("kind", "fact"),
        content=content or retold(clause, reading),
        confidence=confidence,
        words=words,
        owners=reading.owners_of(person),
        subject=person,
        signals=signals,
        mentions=mentions,
        **shape,
    )


def retold(clause: Clause, reading: Reading) -> str:
    if clause.text[:3].lower() == "my ":
        return f"{reading.voice.name}'s {reading.voice.others('', clause.text[3:])}"
    return reading.voice.retell(clause.text)


def past_start(clause: Clause, reading: Reading) -> Moment | None:
    now = dates.local_now(reading.turn)
    for said in dates.said_dates(clause.text, reading.turn, past=True):
        if said.moment.at <= now and said.lead in ("", "in", "on", "since"):
            return said.moment
    return None
