"""What an import did not understand: dropped by a person, or written anew as a rule of a field."""

from __future__ import annotations

import copy

from formsengine.editing.acts import Done
from formsengine.editing.parts import UNREAD, Data, find
from formsengine.problems import Problem, Refused

RULES = {
    "relevant": "when it applies",
    "required": "whether it is needed",
    "test": "what the answer must be",
    "computed": "how it is worked out",
    "default": "what stands there at first",
    "filter": "which choices are offered",
    "count": "how many rows there are",
}
"""What a rule that is written anew may be of an item."""
NOTHING = "true()"
"""Stands for a test that was not understood, so that its message keeps its place."""


def drop(form: Data, number: int) -> Done:
    """Leave it out: the form means what it says without it."""
    made = copy.deepcopy(form)
    gone = _taken_out(made, number)
    if gone.get("key") == "test" and gone.get("item"):
        item = find(made, f"item:{gone['item']}").data
        key = "constraints" if item["kind"] == "field" else "checks"
        item[key] = [each for each in item.get(key, []) if each["test"] != NOTHING]
    return made, UNREAD, f"Dropped {gone['text'][:120]}"


def rewrite(form: Data, number: int, item: str, key: str, rule: str) -> Done:
    """Say it in a rule that is understood, as this rule of this item."""
    made = copy.deepcopy(form)
    gone = _taken_out(made, number)
    if key not in RULES:
        raise Refused("rule", "Say which rule of the field it is.", [Problem("key", "rule", key, tuple(RULES))])
    if not rule.strip():
        raise Refused("rule", "Write the rule, or drop it.", [Problem("rule", "missing", "There is no rule.")])
    target = find(made, f"item:{item}").data
    if key == "test":
        holder = "constraints" if target["kind"] == "field" else "checks"
        kept = [dict(each) for each in target.get(holder, [])]
        blank = next((each for each in kept if each["test"] == NOTHING), None)
        if blank is None:
            kept.append({"test": rule.strip()})
        else:
            blank["test"] = rule.strip()
        target[holder] = kept
    else:
        target[key] = rule.strip()
    return made, UNREAD, f"Wrote {gone['text'][:120]} anew"


def _taken_out(form: Data, number: int) -> Data:
    unread: list[Data] = form.get("unread", [])
    if not 0 <= number < len(unread):
        raise Refused("gone", "This was dropped or written anew already.")
    gone = unread.pop(number)
    if not unread:
        del form["unread"]
    return gone
