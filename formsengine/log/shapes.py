"""The shape of an operation: which part is a word, which a list. Values are anything; their field's type reads them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formsengine.problems import did_you_mean

WORDS = {
    *("op", "field", "repeat", "row", "as", "parent", "in", "reason", "origin"),
    *("speaker", "said_at", "revision", "pick", "head", "words"),
}
LISTS = {"add", "remove", "replace", "evidence"}
OBJECTS = {"values", "sources"}
FREE = {"value", "to", "commit", "confidence", "strict", "unconfirmed", "approximate"}
LONGEST_WORD = 1000


def misshapen(op: Any) -> str:
    """What is wrong with the operation, in a sentence; nothing when it can be decided."""
    if not isinstance(op, Mapping):
        return 'An operation is an object like {"op": "set", "field": "age", "value": 41}.'
    for name, part in op.items():
        if name in WORDS and part is not None and (not isinstance(part, str) or len(part) > LONGEST_WORD):
            return f"{name} is a text of at most {LONGEST_WORD} characters."
        if name in LISTS and part is not None and not isinstance(part, list | tuple):
            return f"{name} is a list."
        if name in OBJECTS and part is not None and not isinstance(part, Mapping):
            return f"{name} is an object."
        if name not in WORDS | LISTS | OBJECTS | FREE:
            known = WORDS | LISTS | OBJECTS | FREE
            return f"An operation has no part {name!r}.{did_you_mean(str(name), known)}"
    if isinstance(op.get("confidence"), list | Mapping):
        return "confidence is a number or a word."
    return ""
