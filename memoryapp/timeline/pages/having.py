"""Conditions over properties on the timeline's page: kept in its address as JSON, added one at a time by a form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from memoryapp.doors import strict
from memoryapp.doors.errors import DomainError, Malformed
from memoryapp.doors.pages import here
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline.queries.having import AsTyped, properties, read

OPERATORS = {
    "eq": "is",
    "neq": "is not",
    "contains": "contains",
    "starts_with": "starts with",
    "ends_with": "ends with",
    "fuzzy": "is nearly",
    "gt": "is after or more than",
    "gte": "is from or at least",
    "lt": "is before or less than",
    "lte": "is until or at most",
    "told": "is told",
    "not_told": "is not told",
}
"""What the form offers, by the word in the address. Other conditions may be written into the address."""
TOLD = {"told": True, "not_told": False}
LONGEST = 4000
FORM = ("property", "operator", "value")


def conditions(request: HttpRequest) -> list[Any]:
    """The conditions in the address, texts as they were typed. Raises Malformed for what is no list of conditions."""
    text = request.GET.get("where", "").strip()
    if not text:
        return []
    accepted = 'JSON such as [{"amount": {"gt": 12}}]'
    if len(text) > LONGEST:
        raise Malformed.at("where", "too_long", "These conditions are too long.", f"at most {LONGEST} characters")
    try:
        found = strict.read(text.encode())
    except DomainError as error:
        raise Malformed.at("where", "not_json", "These are no conditions.", accepted) from error
    several: list[Any] = _as_typed(found if isinstance(found, list) else [found])
    return several


def added(request: HttpRequest, by: Principal, already: Sequence[Any], kinds: Sequence[str]) -> str:
    """The address with what the form says besides; empty when it says nothing. Raises Malformed for what cannot be."""
    name, operator, value = (request.GET.get(one, "").strip()[:500] for one in FORM)
    if not name:
        return ""
    operand = {"exists": TOLD[operator]} if operator in TOLD else {operator: AsTyped(value)}
    ontology = current_ontology(by)
    read(ontology, {name: operand}, _every(ontology, kinds), time_zone=by.workspace.time_zone, path="where")
    where = json.dumps([*already, {name: operand}], ensure_ascii=False)
    return here(request, where=where, after="", **dict.fromkeys(FORM, ""))


def chips(request: HttpRequest, already: Sequence[Any]) -> list[dict[str, str]]:
    """Each condition in words, with the address without it."""
    found = []
    for place, one in enumerate(already):
        rest = [other for at, other in enumerate(already) if at != place]
        without = json.dumps(rest, ensure_ascii=False) if rest else ""
        found.append({"words": _words(one), "clear_url": here(request, where=without, after="")})
    return found


def form(ontology: Ontology, kinds: Sequence[str]) -> dict[str, Any] | None:
    """What the form offers for episodes of these kinds, or of any; None when they have no properties."""
    every = _every(ontology, kinds)
    names = sorted({one.name for of in properties(ontology, every).values() for one in of.values()})
    if not names:
        return None
    return {
        "properties": [(name, name.replace("_", " ").capitalize()) for name in names],
        "operators": list(OPERATORS.items()),
    }


def _every(ontology: Ontology, kinds: Sequence[str]) -> list[str]:
    return [one for kind in kinds for one in ontology.episode_subkinds(kind)] or list(ontology.document.episode_kinds)


def _words(condition: Any) -> str:
    """A plain condition as a sentence, any other as it is written."""
    if isinstance(condition, dict) and len(condition) == 1:
        [(name, told)] = condition.items()
        operator, operand = next(iter(told.items())) if isinstance(told, dict) and len(told) == 1 else ("eq", told)
        said = name.replace("_", " ").capitalize()
        if operator == "exists" and isinstance(operand, bool):
            return f"{said} {OPERATORS['told' if operand else 'not_told']}"
        if operator in OPERATORS and isinstance(operand, str | int | float):
            return f"{said} {OPERATORS[operator]} {operand}"
    return json.dumps(condition, ensure_ascii=False)[:200]


def _as_typed(value: Any) -> Any:
    if isinstance(value, str):
        return AsTyped(value)
    if isinstance(value, list):
        return [_as_typed(one) for one in value]
    return {name: _as_typed(one) for name, one in value.items()} if isinstance(value, dict) else value
