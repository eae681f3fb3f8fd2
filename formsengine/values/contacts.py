"""Addresses of people: e-mail, telephone, web."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import phonenumbers

from formsengine.values.numbers import known_locale

EMAIL = re.compile(r"[^\s@<>\"(),:;\\\[\]]{1,64}@[^\W_]([\w-]{0,62}\.)+[^\W\d_][\w-]{1,62}", re.UNICODE)


def read_email(text: str, locale: str | None) -> str | None:
    """One address, its domain in lower case."""
    if len(text) > 254 or not EMAIL.fullmatch(text) or ".." in text:
        return None
    name, _, domain = text.rpartition("@")
    return f"{name}@{domain.lower()}"


def read_phone(text: str, locale: str | None) -> str | None:
    """The number as +country and digits. Without a + the declared locale must name a country."""
    declared = known_locale(locale)
    try:
        found = phonenumbers.parse(text[:40], declared.territory if declared else None)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(found):
        return None
    return str(phonenumbers.format_number(found, phonenumbers.PhoneNumberFormat.E164))


def read_url(text: str, locale: str | None) -> str | None:
    """An address of the web; a bare host gets https."""
    text = text if "://" in text else f"https://{text}"
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host or "." not in host or re.search(r"\s", text):
        return None
    return text
