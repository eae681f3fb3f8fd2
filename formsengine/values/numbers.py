"""Numbers as people write them, read exactly or not at all."""

from __future__ import annotations

import re
from decimal import Decimal

from babel import Locale, UnknownLocaleError
from babel.numbers import get_decimal_symbol, get_group_symbol

from formsengine.values.runtime import number

PLAIN = re.compile(r"[+-]?\d{1,60}(\.\d{1,40})?|[+-]?\.\d{1,40}")
SPACED = re.compile(r"[+-]?\d{1,3}([ \u00a0\u202f\u2009']\d{3})+(\.\d+)?")
ABOUT = re.compile(
    r"(?:~|≈|about|around|approx\.?|approximately|circa|ca\.?|около|примерно)\s*(?=[-+.\d])", re.IGNORECASE
)


def about(text: str) -> tuple[str, bool]:
    """The text without a leading "about", and whether there was one."""
    found = ABOUT.match(text)
    return (text[found.end() :], True) if found else (text, False)


def known_locale(name: str | None) -> Locale | None:
    try:
        return Locale.parse(name.replace("-", "_")) if name else None
    except (ValueError, UnknownLocaleError):
        return None


def read_number(text: str, locale: str | None) -> Decimal | None:
    """The number, or None. A comma has a meaning only in a declared locale: "1,23" is guessed by nobody."""
    text = text.strip().replace("\u2212", "-")
    if PLAIN.fullmatch(text) and known_locale(locale) is None:
        return number(text)
    if SPACED.fullmatch(text):
        return number(re.sub(r"[ \u00a0\u202f\u2009']", "", text))
    declared = known_locale(locale)
    return _in_locale(text, declared) if declared else None


def _in_locale(text: str, locale: Locale) -> Decimal | None:
    point, group = get_decimal_symbol(locale), get_group_symbol(locale)
    spaces = "\u00a0\u202f\u2009 '’"
    if group.strip() == "" or group in spaces:
        text = re.sub(f"(?<=\\d)[{spaces}](?=\\d{{3}}(?!\\d))", "", text)
    elif re.fullmatch(rf"[+-]?\d{{1,3}}({re.escape(group)}\d{{3}})+({re.escape(point)}\d+)?", text):
        text = text.replace(group, "")
    if point != "." and PLAIN.fullmatch(text) and "." in text:
        # A full stop that groups nothing is still the decimal point of a keyboard without a comma.
        return number(text)
    text = text.replace(point, ".") if text.count(point) == 1 else text
    return number(text) if PLAIN.fullmatch(text) else None
