"""Sentences from declared templates: `{subject} works at {object}[ as {role}]`.

`{a|b}` is the first of the named values there is. A part in square brackets is left out when one of its values is
missing. Anything else is taken as written.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PART = re.compile(r"\[([^\[\]]*)\]")
_PLACE = re.compile(r"\{([A-Za-z0-9_|]+)\}")


def names_in(template: str) -> set[str]:
    """The values a template asks for."""
    return {name for place in _PLACE.findall(template) for name in place.split("|")}


def render(template: str, values: Mapping[str, Any]) -> str:
    """The sentence. A value missing outside brackets is rendered as nothing."""
    texts = {name: as_text(value) for name, value in values.items()}
    return fill(_PART.sub(lambda part: _optional(part.group(1), texts), template), texts)


def _optional(part: str, texts: Mapping[str, str]) -> str:
    whole = all(any(texts.get(name) for name in place.split("|")) for place in _PLACE.findall(part))
    return part if whole else ""


def fill(template: str, texts: Mapping[str, str]) -> str:
    return _PLACE.sub(
        lambda place: next((texts[name] for name in place.group(1).split("|") if texts.get(name)), ""), template
    )


def as_text(value: Any) -> str:
    """A value as it reads in a sentence."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(as_text(item) for item in value)
    if isinstance(value, dict):
        return ", ".join(f"{key} {as_text(item)}" for key, item in sorted(value.items()))
    return str(value)
