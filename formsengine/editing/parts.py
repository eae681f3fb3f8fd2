"""The parts of a form that is being written, each found by a name that stays while others move.

`form` is the whole form; `step:who`, `item:age`, `list:colours`, `gate:seen` and `binding:born` are what it holds. The
form is plain data here: it may be wrong while it is written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from formsengine.problems import Problem, Refused, nearest

Data = dict[str, Any]
WHOLE = "form"
UNREAD = "unread"
HOLDERS = {"step": "steps", "list": "lists", "gate": "gates", "binding": "bindings"}
"""Under which key of the form each kind of part stands; items stand in steps, sections and rows."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part where it stands: the list that holds it, its place there, and the path to it."""

    id: str
    data: Data
    holder: list[Data]
    place: int
    path: str
    step: str = ""
    within: str = ""


def parts(form: Data) -> Iterator[Part]:
    """Every part but the form itself, in the order of the form."""
    for kind, key in HOLDERS.items():
        for place, one in enumerate(form.get(key, [])):
            part = Part(f"{kind}:{one['name']}", one, form[key], place, f"{key}/{place}")
            yield part
            if kind == "step":
                yield from _items(one.setdefault("items", []), f"steps/{place}", one["name"], part.id)


def _items(items: list[Data], path: str, step: str, within: str) -> Iterator[Part]:
    for place, one in enumerate(items):
        part = Part(f"item:{one['name']}", one, items, place, f"{path}/items/{place}", step, within)
        yield part
        if one["kind"] != "field":
            yield from _items(one.setdefault("items", []), part.path, step, part.id)


def find(form: Data, part_id: str) -> Part:
    """The part. Raises Refused("gone") with the nearest names."""
    known = []
    for part in parts(form):
        if part.id == part_id:
            return part
        known.append(part.id)
    close = nearest(part_id, known)
    raise Refused("gone", "This part of the form is not there any more.", [Problem("part", "gone", part_id, (*close,))])


def items(form: Data) -> Iterator[Data]:
    """Every field, section and list of rows."""
    return (part.data for part in parts(form) if part.id.startswith("item:"))


def taken(form: Data) -> set[str]:
    """Names and permanent uids that no other item may have."""
    return {str(one[key]) for one in items(form) for key in ("name", "uid") if one.get(key)}


def at(form: Data, path: str) -> tuple[str, str]:
    """To which part a path into the form leads, and what of the path is left within it."""
    best = (WHOLE, path)
    if path.startswith(("survey:", "/")):
        return UNREAD, path
    for part in parts(form):
        if path == part.path or path.startswith(f"{part.path}/"):
            best = (part.id, path[len(part.path) + 1 :])
    return best


def called(data: Mapping[str, Any], language: str) -> str:
    """What a part is called in a list: its words in this language or any, else its name."""
    texts = data.get("label") or data.get("title") or {}
    found = texts.get(language) or next((text for text in texts.values() if text), "")
    return str(found or data.get("name", ""))
