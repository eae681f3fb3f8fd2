"""When two texts are the same: exact equality after a normalisation that a type declares. Never similarity."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

PART = "\x1f"
TYPED = "\x1e"


def normal_text(text: str) -> str:
    """NFC, casefolded, runs of white space collapsed to one space, none at the ends.

    "Ana  Petrov" and "ana petrov" are the same; "C" and "C++", "O'Neil" and "ONeil", "Bay 14" and "Bay 15" are not.
    """
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return " ".join(folded.split())


_SEPARATORS = re.compile(r"(?<!\d)[.,]|[.,](?!\d)")


def bare_text(text: str) -> str:
    """The normalised text without spaces, dashes, apostrophes and points, and without the accents of Latin and Greek
    letters: what look-alikes share. Only ever a hint.

    "O'Neil" and "ONeil" share it, "José" and "Jose" do; "C" and "C++", "v1.5" and "v15" or "Мой" and "Мои" do not.
    """
    kept = unaccented(_SEPARATORS.sub("", normal_text(text)))
    return "".join(letter for letter in kept if letter not in "'`´" and unicodedata.category(letter) not in _BETWEEN)


def unaccented(text: str) -> str:
    """The text without the accents of Latin and Greek letters, and with the plain letter for one with a stroke."""
    if text.isascii():
        return text
    kept: list[str] = []
    for letter in unicodedata.normalize("NFD", text.translate(_STROKES)):
        accent = unicodedata.combining(letter) and kept and _takes_accents(kept[-1])
        if not accent:
            kept.append(letter)
    return unicodedata.normalize("NFC", "".join(kept))


def _takes_accents(letter: str) -> bool:
    return "a" <= letter <= "z" or "\u0370" <= letter <= "\u03ff"


_STROKES = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ŧ": "t", "æ": "ae", "œ": "oe", "ı": "i"})
_BETWEEN = frozenset(("Zs", "Pd", "Pc", "Pi", "Pf"))


def _email(text: str) -> str:
    return normal_text(text).removeprefix("mailto:")


def _domain(text: str) -> str:
    bare = normal_text(text).split("://", 1)[-1].split("/", 1)[0].split("@")[-1].split(":", 1)[0].rstrip(".")
    return bare.removeprefix("www.")


def _phone(text: str) -> str:
    digits = "".join(str(unicodedata.decimal(letter)) for letter in text if letter.isdecimal())
    international = normal_text(text).startswith(("+", "00"))
    return "+" + digits.removeprefix("00") if international and digits else digits


def _iri(text: str) -> str:
    return unicodedata.normalize("NFC", text).strip()


NORMALISERS: dict[str, Callable[[str], str]] = {
    "text": normal_text,
    "email": _email,
    "domain": _domain,
    "phone": _phone,
    "iri": _iri,
    "exact": _iri,
}


def normal_value(value: Any, normaliser: str = "text") -> Any:
    """A value as it is compared: texts normalised at any depth, and a number without a fraction equal to the integer.

    So 2 and 2.0 are one value, while 2, "2" and true are three.
    """
    if isinstance(value, str):
        return NORMALISERS[normaliser](value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [normal_value(item, normaliser) for item in value]
    if isinstance(value, dict):
        return {key: normal_value(item, normaliser) for key, item in value.items()}
    return value


def key_text(value: Any, normaliser: str = "text") -> str:
    """A normalised value as the text of an identity key. Two values have one text exactly when they are equal."""
    normal = normal_value(value, normaliser)
    return normal if isinstance(normal, str) else TYPED + json.dumps(normal, sort_keys=True, ensure_ascii=False)
