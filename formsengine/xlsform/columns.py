"""Column headings: their many spellings, and the languages they name."""

from __future__ import annotations

import re
from functools import lru_cache

from babel import Locale

TEXTS = {
    "label": "label",
    "caption": "label",
    "hint": "hint",
    "constraint_message": "constraint_message",
    "constraint message": "constraint_message",
    "required_message": "required_message",
    "required message": "required_message",
    "guidance_hint": "guidance_hint",
    "image": "image",
    "audio": "audio",
    "video": "video",
    "big-image": "big-image",
    "media::image": "image",
    "media::audio": "audio",
    "media::video": "video",
    "media::big-image": "big-image",
    "media:image": "image",
    "media:audio": "audio",
    "media:video": "video",
    "bind::jr:constraintmsg": "constraint_message",
    "bind:jr:constraintmsg": "constraint_message",
    "bind::jr:requiredmsg": "required_message",
}
"""Headings that may end in a language."""

PLAIN = {
    "type": "type",
    "command": "type",
    "name": "name",
    "tag": "name",
    "value": "name",
    "relevant": "relevant",
    "relevance": "relevant",
    "bind:relevant": "relevant",
    "bind::relevant": "relevant",
    "skippattern": "relevant",
    "constraint": "constraint",
    "bind:constraint": "constraint",
    "bind::constraint": "constraint",
    "required": "required",
    "bind:required": "required",
    "bind::required": "required",
    "calculation": "calculation",
    "calculate": "calculation",
    "bind:calculate": "calculation",
    "bind::calculate": "calculation",
    "default": "default",
    "appearance": "appearance",
    "control:appearance": "appearance",
    "choice_filter": "choice_filter",
    "choice filter": "choice_filter",
    "repeat_count": "repeat_count",
    "repeat count": "repeat_count",
    "count": "repeat_count",
    "jr:count": "repeat_count",
    "control:jr:count": "repeat_count",
    "read_only": "read_only",
    "readonly": "read_only",
    "bind::readonly": "read_only",
    "trigger": "trigger",
    "parameters": "parameters",
    "save_to": "save_to",
    "list_name": "list_name",
    "list name": "list_name",
    "disabled": "disabled",
    "sensitive": "sensitive",
    "note": "comment",
    "notes": "comment",
    "comment": "comment",
    "comments": "comment",
}

CODED = re.compile(r"^(.*?)\s*\(\s*([A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)\s*\)$")


def split(column: str) -> tuple[str, str] | None:
    """The column's meaning and the language it names ("" for none); None for a heading without a meaning here."""
    folded = column.strip().lower()
    if folded in TEXTS:
        return TEXTS[folded], ""
    if folded in PLAIN:
        return PLAIN[folded], ""
    for separator in ("::", ":"):
        head, found, language = column.rpartition(separator)
        if found and head.strip().lower() in TEXTS and language.strip():
            return TEXTS[head.strip().lower()], language.strip()
    return None


@lru_cache(maxsize=1000)
def language_code(name: str) -> str:
    """The BCP-47 code of a language named by code, as `English (en)`, or in English or its own words."""
    name = " ".join(name.split())
    if coded := CODED.match(name):
        return coded[2].lower() if len(coded[2]) <= 3 else coded[2]
    folded = name.strip().casefold()
    if re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]{2,8})*", folded):
        return name.strip()
    for code, english in Locale("en").languages.items():
        if english.casefold() == folded and re.fullmatch(r"[a-z]{2,3}", code):
            return str(code)
    for code in ("fr", "es", "pt", "de", "it", "ru", "ar", "sw", "zh", "hi", "bn", "am", "so", "ne", "km", "uk", "tr"):
        if str(Locale(code).get_display_name()).casefold() == folded:
            return code
    letters = re.sub(r"[^a-z0-9]", "", folded)[:8] or "other"
    return f"qaa-{letters}"


OTHER_WORDS = {
    "en": "Other",
    "fr": "Autre",
    "es": "Otro",
    "pt": "Outro",
    "de": "Andere",
    "it": "Altro",
    "ru": "Другое",
    "ar": "أخرى",
    "sw": "Nyingine",
    "zh": "其他",
    "hi": "अन्य",
    "uk": "Інше",
}
"""What stands for an answer outside the list; in another language it is the English word."""
