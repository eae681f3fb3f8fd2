"""Texts in the reader's language, or in one there is: never blank."""

from __future__ import annotations

from collections.abc import Mapping


def text_in(texts: Mapping[str, str], language: str, default: str, otherwise: str = "") -> str:
    """The text in the language, in the language without its region, in the form's own, in any; or `otherwise`."""
    for each in (language, language.split("-")[0], default):
        if (found := texts.get(each)) and found.strip() not in ("", "-"):
            return found
    for found in texts.values():
        if found.strip() not in ("", "-"):
            return found
    return otherwise
