"""What an edit changed, small enough to keep, and enough to take it back."""

from __future__ import annotations

import copy
from typing import Any

Data = dict[str, Any]
Change = dict[str, Any]
"""`path` into the form; `was` and `now` of a value, absent where there was or is none; or `place`, `out` and `in` of
what left a list and what came in its stead."""


def difference(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> list[Change]:
    """What has to be done to `before` to make it `after`, as few places as can be told apart."""
    if before == after:
        return []
    if isinstance(before, dict) and isinstance(after, dict):
        found: list[Change] = []
        for key in sorted({*before, *after}):
            if key in before and key in after:
                found += difference(before[key], after[key], (*path, key))
            else:
                change: Change = {"path": [*path, key]}
                change |= {"was": before[key]} if key in before else {"now": after[key]}
                found.append(change)
        return found
    if isinstance(before, list) and isinstance(after, list):
        if len(before) == len(after) and sum(one != other for one, other in zip(before, after, strict=True)) == 1:
            place = next(number for number, one in enumerate(before) if one != after[number])
            return difference(before[place], after[place], (*path, place))
        return [_spliced(before, after, path)]
    return [{"path": [*path], "was": before, "now": after}]


def _spliced(before: list[Any], after: list[Any], path: tuple[str | int, ...]) -> Change:
    alike = 0
    while alike < min(len(before), len(after)) and before[alike] == after[alike]:
        alike += 1
    rest = 0
    while rest < min(len(before), len(after)) - alike and before[-1 - rest] == after[-1 - rest]:
        rest += 1
    return {
        "path": [*path],
        "place": alike,
        "out": before[alike : len(before) - rest],
        "in": after[alike : len(after) - rest],
    }


def inverse(changes: list[Change]) -> list[Change]:
    """What takes the changes back, done in turn."""
    names = {"was": "now", "now": "was", "out": "in", "in": "out"}
    return [{names.get(key, key): value for key, value in change.items()} for change in reversed(changes)]


def applied(form: Data, changes: list[Change]) -> Data:
    """The form after the changes; the one given stays as it is."""
    made = copy.deepcopy(form)
    for change in changes:
        _apply(made, change)
    return made


def _apply(form: Data, change: Change) -> None:
    at: Any = form
    if "place" in change:
        for key in change["path"]:
            at = at[key]
        at[change["place"] : change["place"] + len(change["out"])] = copy.deepcopy(change["in"])
        return
    *steps, last = change["path"]
    for key in steps:
        at = at[key]
    if "now" in change:
        at[last] = copy.deepcopy(change["now"])
    else:
        del at[last]
