"""What the answers of a version are, as JSON Schema: for the types of agents and of whoever reads what is taken out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from formsengine.definition.model import ATTACHED, Item, Question, Repeat
from formsengine.definition.plan import OTHER, Plan

Schema = dict[str, Any]
EXACT = r"^-?[0-9]+(\.[0-9]+)?$"
PARTIAL = r"^[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?$"
POINT: Schema = {
    "type": "object",
    "properties": {name: {"type": "string", "pattern": EXACT} for name in ("lat", "lon", "alt", "acc")},
    "required": ["lat", "lon"],
    "additionalProperties": False,
}
PLAIN: dict[str, Schema] = {
    "text": {"type": "string"},
    "longtext": {"type": "string"},
    "integer": {"type": "integer"},
    "decimal": {"type": "string", "pattern": EXACT},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "pattern": PARTIAL},
    "time": {"type": "string", "pattern": r"^[0-9]{2}:[0-9]{2}"},
    "datetime": {"type": "string", "format": "date-time", "pattern": r"^[0-9]{4}-.*T.*([+-][0-9:]+|Z)$"},
    "range": {
        "type": "object",
        "properties": {name: {"type": "string", "pattern": PARTIAL} for name in ("start", "end")},
        "minProperties": 1,
        "additionalProperties": False,
    },
    "email": {"type": "string", "format": "email"},
    "phone": {"type": "string", "pattern": r"^\+[0-9]+$"},
    "url": {"type": "string", "format": "uri"},
    "point": POINT,
    "line": {"type": "array", "items": POINT, "minItems": 2},
    "area": {"type": "array", "items": POINT, "minItems": 3},
    "entity": {
        "type": "object",
        "properties": {"id": {"type": "string"}, "label": {"type": "string"}},
        "required": ["id", "label"],
    },
    "row": {"type": "string", "description": "The id of a row."},
    "consent": {
        "type": "object",
        "properties": {"given": {"type": "boolean"}, "text": {"type": "string"}},
        "required": ["given", "text"],
    },
    "meta": {"type": "string"},
    "computed": {"type": ["string", "integer", "boolean", "array", "object"]},
}
FILE: Schema = {"type": "object", "properties": {"id": {"type": "string"}, "digest": {"type": "string"}}}
FILE |= {"required": ["id", "digest"]}


def answers_schema(plan: Plan) -> Schema:
    """JSON Schema 2020-12 of the answers by name, those of a list of rows as a list of objects.

    Nothing is required by it: whether an answer is needed is decided by the other answers.
    """
    items = [item for step in plan.form.steps for item in step.items]
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **_object(plan, items)}


def _object(plan: Plan, items: Sequence[Item]) -> Schema:
    return {"type": "object", "properties": _properties(plan, items), "additionalProperties": False}


def _properties(plan: Plan, items: Sequence[Item]) -> dict[str, Schema]:
    found: dict[str, Schema] = {}
    for item in items:
        if isinstance(item, Question):
            if item.type != "note":
                told = {"title": plan.label(plan.by_name[item.name]), "description": _hint(plan, item)}
                found[item.name] = {**{name: text for name, text in told.items() if text}, **answer_schema(plan, item)}
        elif isinstance(item, Repeat):
            title = plan.label(plan.by_name[item.name])
            found[item.name] = {"title": title, "type": "array", "items": _object(plan, item.items)}
        else:
            found |= _properties(plan, item.items)
    return found


def _hint(plan: Plan, question: Question) -> str:
    return question.hint.get(plan.form.default_language, "")


def answer_schema(plan: Plan, question: Question) -> Schema:
    """One answer as it is kept."""
    kind = question.type
    if kind in ATTACHED:
        return FILE
    if kind in ("quantity", "money"):
        return _amount("unit" if kind == "quantity" else "currency", question.units)
    if kind == "choice":
        return _choice(plan, question)
    if kind in ("choices", "rank"):
        return {"type": "array", "items": _choice(plan, question), "uniqueItems": True}
    return PLAIN[kind]


def _amount(key: str, units: Sequence[str]) -> Schema:
    unit: Schema = {"type": "string", **({"enum": list(units)} if units else {})}
    properties = {"amount": {"type": "string", "pattern": EXACT}, key: unit}
    return {"type": "object", "properties": properties, "required": ["amount", key], "additionalProperties": False}


def _choice(plan: Plan, question: Question) -> Schema:
    """A code; retired ones are in old answers."""
    found = plan.lists.get(question.choices or "")
    codes: Schema = {"type": "string", **({"enum": list(found.by_code)} if found else {})}
    if not question.other:
        return codes
    other = {"code": {"const": OTHER}, "text": {"type": "string"}}
    return {"anyOf": [codes, {"type": "object", "properties": other, "required": ["code", "text"]}]}
