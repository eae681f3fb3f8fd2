"""A field called otherwise: every rule, label and binding that names it follows, and its uid stays what it was."""

from __future__ import annotations

import re
from typing import Any

from formsengine.definition.plan import CREATE_IF
from formsengine.editing.parts import Data

NAMING = {"recompute_on", "blames", "fields"}
"""Keys whose values are lists of names of items."""
NAMED = {"row_label", "rows_of", "of"}
"""Keys whose value is the name of an item."""
IN_BINDINGS = {"when", "field"}
IN_BRACES = {"text", "title", "section", "path"}
"""Texts of bindings that name fields in braces."""


def renamed(form: Data, old: str, new: str) -> None:
    """Let everything that says `old` of an item say `new`. The item itself is renamed by the caller."""
    pattern = re.compile(r"\$\{\s*" + re.escape(old) + r"\s*\}")
    for key in ("steps", "checks", "gates", "hooks", "lists"):
        if key in form:
            form[key] = _in(form[key], old, new, pattern)
    for binding in form.get("bindings", ()):
        binding["fields"] = [new if each == old else each for each in binding.get("fields", ())]
        data = binding.get("data", {})
        for key in IN_BINDINGS & data.keys():
            data[key] = new if data[key] == old else data[key]
        properties = data.get("properties")
        if isinstance(properties, dict):
            data["properties"] = {key: new if each == old else each for key, each in properties.items()}
        for key in IN_BRACES & data.keys():
            data[key] = str(data[key]).replace("{" + old + "}", "{" + new + "}")
        if CREATE_IF in data:
            data[CREATE_IF] = pattern.sub("${" + new + "}", str(data[CREATE_IF]))


def _in(value: Any, old: str, new: str, pattern: re.Pattern[str], key: str = "") -> Any:
    if isinstance(value, str):
        if key in NAMED:
            return new if value == old else value
        return pattern.sub("${" + new + "}", value)
    if isinstance(value, list):
        if key in NAMING:
            return [new if each == old else each for each in value]
        return [_in(each, old, new, pattern) for each in value]
    if isinstance(value, dict):
        return {inner: _in(each, old, new, pattern, inner) for inner, each in value.items()}
    return value
