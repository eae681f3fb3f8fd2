"""Whether two names look as if they meant one thing, and by what. Only ever a hint for a person.

Names that differ by a number, by a sign or by a single letter that stands alone never look alike: `invoice 2024` and
`invoice 2025`, `C` and `C++`, `Revision A` and `Revision B` are told apart by exactly that.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from memoryapp.doors.nearest import edit_distance
from memoryapp.ontology.normalise import bare_text, normal_text, unaccented

SPELLING = "Their names differ by spaces or punctuation alone."
ACCENTS = "Their names differ by accents alone."
ACRONYM = "One name is the initials of the other."
INITIAL = "One name has an initial where the other has a given name."
NICKNAME = "One name has a usual short form of the other's given name."
LETTER = "Their names differ by one letter."

LONGEST = 300
SHORTEST = 3
SHORTEST_TYPO = 8
"""Letters of a name of which one may be a slip; in a shorter one another letter is another name."""
SHORTEST_WORD = 5
LONGEST_TYPO = 40

_BREAKS = re.compile(r"[\s_\-./,]+")
_SMALL = frozenset(["a", "an", "and", "de", "der", "des", "do", "for", "la", "le", "of", "the", "und", "van", "von"])
_SHORT_FORMS = (
    "alexander alex sasha",
    "alexandra alex sandra sasha",
    "andrew andy drew",
    "anthony tony",
    "antonio tony toni",
    "benjamin ben",
    "catherine cathy kate katie",
    "christopher chris",
    "christina chris tina",
    "daniel dan danny",
    "david dave",
    "edward ed eddie ted",
    "elizabeth beth betty eliza liz lisa",
    "francisco paco chico",
    "frederick fred freddy",
    "gregory greg",
    "james jim jimmy jamie",
    "jennifer jen jenny",
    "jessica jess",
    "johannes hannes hans",
    "john jack johnny",
    "jonathan jon johnny",
    "joseph joe",
    "katherine kate kathy katie",
    "kenneth ken",
    "lawrence larry",
    "margaret maggie meg peggy greta",
    "matthew matt",
    "michael mike mick",
    "nicholas nick",
    "patricia pat tricia",
    "patrick pat",
    "peter pete",
    "philip phil",
    "rebecca becky",
    "richard dick rich rick",
    "robert bob bobby rob",
    "ronald ron",
    "samuel sam",
    "samantha sam",
    "stephen steve",
    "steven steve",
    "susan sue susie",
    "theodore ted theo",
    "thomas tom tommy",
    "timothy tim",
    "victoria vicky",
    "vincent vince",
    "william bill billy will",
)


class Forms(NamedTuple):
    """The columns of a node that hold forms of its name: itself bare, its initials, and itself with an initial for the
    given name."""

    bare_label: str
    initials: str | None
    initialled: str | None


KEPT = Forms._fields


def why_alike(one: str, other: str) -> str:
    """By what the two names look alike, in a sentence that quotes neither; empty when they do not."""
    if tells_apart(one, other):
        return ""
    bare, opposite = bare_text(one), bare_text(other)
    if bare == opposite:
        alike = SPELLING if _accents(one) == _accents(other) else ACCENTS
        return alike if len(bare) >= SHORTEST else ""
    left, right = words(one), words(other)
    if _is_acronym(bare, right) or _is_acronym(opposite, left):
        return ACRONYM
    if len(left) == len(right) > 1 and left[1:] == right[1:]:
        if _is_initial(left[0], right[0]) or _is_initial(right[0], left[0]):
            return INITIAL
        if short_forms(left[0]) & short_forms(right[0]):
            return NICKNAME
    return LETTER if _is_slip(left, right) else ""


def tells_apart(one: str, other: str) -> bool:
    """Whether the names differ by a number, by a sign, or by a letter that stands alone in both."""
    if _numbers(one) != _numbers(other) or _signs(one) != _signs(other):
        return True
    left, right = words(one), words(other)
    if len(left) != len(right):
        return False
    return any(a != b and len(a) == len(b) == 1 for a, b in zip(left, right, strict=True))


def words(name: str) -> list[str]:
    """The normalised words of a name."""
    return [
        word for word in _BREAKS.split(unaccented(normal_text(name)).replace("'", "").replace("\u2019", "")) if word
    ]


def forms(name: str) -> set[str]:
    """The bare forms by which a name that looks like this one may be known: for a look-up by equality."""
    found = {bare_text(name)}
    said = words(name)
    big = [word for word in said if word not in _SMALL]
    if len(big) >= SHORTEST:
        found.add("".join(word[0] for word in big))
    if len(said) > 1:
        rest = "".join(said[1:])
        found |= {form + rest for form in short_forms(said[0])} | {said[0][0] + rest}
    return {form for form in found if len(form) >= SHORTEST}


def kept_forms(name: str) -> Forms:
    """What is kept beside a name, so that a shorter one that is told later finds it by equality."""
    said = words(name)
    big = [word for word in said if word not in _SMALL]
    initialled = said[0][0] + "".join(said[1:]) if len(said) > 1 and len(said[0]) > 1 else ""
    return Forms(
        bare_text(name)[:LONGEST],
        "".join(word[0] for word in big)[:LONGEST] if len(big) >= SHORTEST else None,
        initialled[:LONGEST] if len(initialled) >= SHORTEST else None,
    )


def shortens(name: str) -> dict[str, str]:
    """The columns in which a longer name is found that this one may be short for, each with what it holds there."""
    bare, said = bare_text(name), words(name)
    if len(bare) < SHORTEST:
        return {}
    if len(said) == 1:
        return {"initials": bare} if bare.isalpha() else {}
    return {"initialled": bare} if len(said[0]) == 1 and said[0].isalpha() else {}


def shorter_forms(name: str) -> set[str]:
    """The bare forms with one letter less, of a name long enough that it may be a slip."""
    bare = bare_text(name)
    if not SHORTEST_TYPO <= len(bare) <= LONGEST_TYPO:
        return set()
    return {bare[:place] + bare[place + 1 :] for place in range(len(bare))}


@cache
def short_forms(given: str) -> frozenset[str]:
    """The given name with its usual short forms, and with those of which it is one."""
    found = {given}
    for long, *short in (line.split() for line in _SHORT_FORMS):
        if given == long:
            found.update(short)
        elif given in short:
            found.add(long)
    return frozenset(found)


def _is_acronym(bare: str, said: list[str]) -> bool:
    if len(bare) < SHORTEST or len(said) < SHORTEST or not bare.isalpha():
        return False
    return bare in ("".join(word[0] for word in said), "".join(word[0] for word in said if word not in _SMALL))


def _is_initial(short: str, given: str) -> bool:
    return len(short) == 1 and short.isalpha() and len(given) > 1 and given.startswith(short)


def _is_slip(left: list[str], right: list[str]) -> bool:
    """One letter more, less, other or swapped, in one word, of names that are long enough."""
    if len(left) != len(right) or min(sum(map(len, left)), sum(map(len, right))) < SHORTEST_TYPO:
        return False
    other = [(a, b) for a, b in zip(left, right, strict=True) if a != b]
    if len(other) != 1:
        return False
    [(one, opposite)] = other
    long = min(len(one), len(opposite)) >= SHORTEST_WORD and max(len(one), len(opposite)) <= LONGEST_TYPO
    return long and one.isalpha() and opposite.isalpha() and edit_distance(one, opposite) == 1


def _accents(name: str) -> list[str]:
    """The letters of a name that are not written plainly."""
    return [letter for letter in normal_text(name) if unaccented(letter) != letter]


def _numbers(name: str) -> list[str]:
    return re.findall(r"\d+", unicodedata.normalize("NFKC", name))


def _signs(name: str) -> list[str]:
    letters = normal_text(name)
    return sorted(one for one in letters if one in "+#*%&@!?" or unicodedata.category(one)[0] == "S")
