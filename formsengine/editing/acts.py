"""What an editor does to a form: add, change, move, remove. Each act gives the form after it and says what it was."""

from __future__ import annotations

import copy
import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any

from formsengine.definition.model import CHOOSING
from formsengine.editing.parts import HOLDERS, WHOLE, Data, Part, called, find, items, taken
from formsengine.editing.renaming import renamed
from formsengine.problems import Problem, Refused

Done = tuple[Data, str, str]
"""The form after the act, the part to look at then, and what was done in words."""
LONGEST_NAME = 40
CONTAINERS = ("section", "repeat")


def add(form: Data, near: str, kind: str, label: str) -> Done:
    """A step, section, list of rows or choices, gate, binding, or a field of the type `kind`, after the part `near`.

    Next to a step that means as its last item; next to a section or rows, within it.
    """
    made = copy.deepcopy(form)
    label = label.strip()
    if kind in HOLDERS:
        return _add_holder(made, near, kind, label)
    name = free_name(label or kind, taken(made))
    item: Data = {"kind": "field", "name": name, "uid": name, "type": kind}
    if kind in CONTAINERS:
        item = {"kind": kind, "name": name, "uid": name, "items": []}
    item["label"] = {made.get("default_language", "en"): label or name}
    if kind == "computed":
        item["computed"] = "''"
    if kind in CHOOSING:
        item["choices"] = _new_list(made, name)
    holder, place = _where(made, near)
    holder.insert(place, item)
    return made, f"item:{name}", f"Added “{label or name}”"


def _where(form: Data, near: str) -> tuple[list[Data], int]:
    if near.startswith(("step:", "item:")):
        part = find(form, near)
        if near.startswith("step:") or part.data["kind"] != "field":
            inside: list[Data] = part.data.setdefault("items", [])
            return inside, len(inside)
        return part.holder, part.place + 1
    if not form.get("steps"):
        form["steps"] = [{"name": "questions", "title": {}, "items": []}]
    last: list[Data] = form["steps"][-1].setdefault("items", [])
    return last, len(last)


def _add_holder(form: Data, near: str, kind: str, label: str) -> Done:
    known = {str(each["name"]) for each in form.get(HOLDERS[kind], ())}
    name = free_name(label or kind, known)
    title = {form.get("default_language", "en"): label or name}
    fresh: dict[str, Data] = {
        "step": {"name": name, "title": title, "items": []},
        "list": {"name": name, "choices": []},
        "gate": {"name": name, "kind": "hold", "when": "false()", "title": title},
        "binding": {"name": name, "into": "property", "fields": [], "data": {"of": "subject"}},
    }
    holder: list[Data] = form.setdefault(HOLDERS[kind], [])
    place = len(holder)
    if kind == "step" and near.startswith(("step:", "item:")):
        part = find(form, near)
        place = next(number for number, one in enumerate(holder) if one["name"] in (part.step, part.data["name"])) + 1
    holder.insert(place, fresh[kind])
    return form, f"{kind}:{name}", f"Added “{label or name}”"


def _new_list(form: Data, name: str) -> str:
    found = free_name(name, {str(each["name"]) for each in form.get("lists", ())})
    form.setdefault("lists", []).append({"name": found, "choices": []})
    return found


def free_name(words: str, known: set[str]) -> str:
    """A name made of these words that nothing has yet."""
    plain = unicodedata.normalize("NFKC", words).casefold()
    stem = re.sub(r"[^\w]+", "_", plain).strip("_")[:LONGEST_NAME].strip("_") or "part"
    stem = stem if not stem[0].isdigit() else f"q_{stem}"
    name, number = stem, 2
    while name in known:
        name, number = f"{stem}_{number}", number + 1
    return name


def remove(form: Data, part_id: str) -> Done:
    """The part goes with all that it holds; what named it is told by the checks."""
    made = copy.deepcopy(form)
    part = find(made, part_id)
    del part.holder[part.place]
    said = called(part.data, made.get("default_language", "en"))
    after = part.holder[min(part.place, len(part.holder) - 1)] if part.holder else None
    kind = part_id.partition(":")[0]
    return made, f"{kind}:{after['name']}" if after else part.within or WHOLE, f"Removed “{said}”"


def move(form: Data, part_id: str, way: str) -> Done:
    """`up` or `down` among what stands beside it; at the edge of a step or section, into the one before or after.

    `in` moves it into the section or list of rows right before it, `out` after the one it stands in.
    """
    made = copy.deepcopy(form)
    part = find(made, part_id)
    said = called(part.data, made.get("default_language", "en"))
    target = _target(made, part, way)
    if target is None:
        raise Refused("edge", f"“{said}” cannot be moved further {way}.")
    holder, place = target
    item = part.holder.pop(part.place)
    holder.insert(place, item)
    return made, part_id, f"Moved “{said}” {way}"


def _target(form: Data, part: Part, way: str) -> tuple[list[Data], int] | None:
    if way in ("up", "down"):
        place = part.place + (1 if way == "down" else -1)
        if 0 <= place < len(part.holder):
            return part.holder, place
        return _neighbour(form, part, way) if part.id.startswith("item:") else None
    if way == "in" and part.place > 0 and part.id.startswith("item:"):
        before = part.holder[part.place - 1]
        if before["kind"] != "field":
            inside: list[Data] = before.setdefault("items", [])
            return inside, len(inside)
    if way == "out" and part.within.startswith("item:"):
        around = find(form, part.within)
        return around.holder, around.place + 1
    return None


def _neighbour(form: Data, part: Part, way: str) -> tuple[list[Data], int] | None:
    """Beyond the edge: out of the section, or into the step before or after."""
    if part.within.startswith("item:"):
        around = find(form, part.within)
        return around.holder, around.place + (1 if way == "down" else 0)
    names = [step["name"] for step in form["steps"]]
    number = names.index(part.step) + (1 if way == "down" else -1)
    if not 0 <= number < len(names):
        return None
    there: list[Data] = form["steps"][number].setdefault("items", [])
    return there, 0 if way == "down" else len(there)


def change(form: Data, part_id: str, values: Mapping[str, Any]) -> Done | None:
    """The part with these values; None takes a key away. None when nothing is otherwise. A new name is followed."""
    made = copy.deepcopy(form)
    target = made if part_id == WHOLE else find(made, part_id).data
    before = copy.deepcopy(target)
    for key, value in values.items():
        if value is None:
            target.pop(key, None)
        else:
            target[key] = value
    if target == before:
        return None
    if part_id != WHOLE and target["name"] != before["name"]:
        _follow(made, part_id, target, str(before["name"]))
        part_id = f"{part_id.partition(':')[0]}:{target['name']}"
    said = made.get("id", "") if part_id == WHOLE else called(target, made.get("default_language", "en"))
    differing = [key for key in sorted({*before, *target}) if before.get(key) != target.get(key)]
    words = ", ".join(WORDS.get(key, key.replace("_", " ")) for key in differing if key != "uid")
    return made, part_id, f"Changed “{said}”: {words}"


WORDS = {
    "relevant": "when it applies",
    "required": "whether it is needed",
    "constraints": "rules of the answer",
    "checks": "checks",
    "computed": "how it is worked out",
    "filter": "which choices are offered",
    "items": "what it asks",
}


def _follow(form: Data, part_id: str, target: Data, old: str) -> None:
    """What names the part follows its new name; an item keeps its uid."""
    kind, new = part_id.partition(":")[0], str(target["name"])
    others = [each for each in (items(form) if kind == "item" else form[HOLDERS[kind]]) if each is not target]
    if new in {str(each[key]) for each in others for key in ("name", "uid") if each.get(key)}:
        raise Refused("repeated-name", "This name is taken.", [Problem("name", "repeated-name", f"{new} is taken.")])
    FOLLOW[kind](form, target, old, new)


def _item_follows(form: Data, target: Data, old: str, new: str) -> None:
    target.setdefault("uid", old)
    renamed(form, old, new)


def _list_follows(form: Data, target: Data, old: str, new: str) -> None:
    for item in items(form):
        if item.get("choices") == old:
            item["choices"] = new


def _step_follows(form: Data, target: Data, old: str, new: str) -> None:
    target.setdefault("uid", old)
    for gate in form.get("gates", ()):
        gate["holds_steps"] = [new if each == old else each for each in gate.get("holds_steps", ())]


def _binding_follows(form: Data, target: Data, old: str, new: str) -> None:
    for binding in form.get("bindings", ()):
        data = binding.get("data", {})
        for key in ("of", "to"):
            if data.get(key) == old:
                data[key] = new


def _nothing_follows(form: Data, target: Data, old: str, new: str) -> None:
    """Rules that ask for the outcome of a gate are told by the checks."""


FOLLOW: dict[str, Callable[[Data, Data, str, str], None]] = {
    "item": _item_follows,
    "list": _list_follows,
    "step": _step_follows,
    "binding": _binding_follows,
    "gate": _nothing_follows,
}
