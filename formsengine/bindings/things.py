"""Answers as memory takes them: the value of a property, and the words in which it is said."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from formsengine.definition.model import CHOOSING
from formsengine.definition.plan import Plan, Planned
from formsengine.definition.texts import text_in


def as_memory(plan: Plan, planned: Planned, kept: Any, schema: Mapping[str, Any]) -> Any:
    """The answer as a property of this schema takes it; None is no answer.

    A choice is its code where the property names that code, else its label; a number is a number where one is asked
    for; whatever has parts is said in words.
    """
    if kept is None:
        return None
    wanted = schema.get("type")
    if planned.question.type in CHOOSING:
        chosen = [_choice(plan, planned, each, schema) for each in (kept if isinstance(kept, list) else [kept])]
        return ", ".join(chosen) if wanted != "array" else chosen
    if isinstance(kept, bool):
        return kept if wanted == "boolean" else ("yes" if kept else "no")
    if wanted in ("number", "integer") and not isinstance(kept, Mapping | list):
        return _number(kept)
    return kept if isinstance(kept, str) else words(kept)


def _choice(plan: Plan, planned: Planned, kept: Any, schema: Mapping[str, Any]) -> str:
    if isinstance(kept, Mapping):
        return str(kept.get("text") or kept.get("other") or "")
    if kept in schema.get("enum", ()):
        return str(kept)
    found = plan.list_of(planned)
    choices = found.by_code.get(str(kept), ()) if found else ()
    default = plan.form.default_language
    return text_in(choices[0].label, default, default, str(kept)) if choices else str(kept)


def _number(kept: Any) -> Any:
    try:
        exact = Decimal(str(kept))
    except InvalidOperation:
        return kept
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def words(kept: Any) -> str:
    """A kept answer in words."""
    if isinstance(kept, bool):
        return "yes" if kept else "no"
    if isinstance(kept, Mapping):
        if "digest" in kept:
            return str(kept.get("name") or "file")
        if "label" in kept:
            return str(kept["label"])
        if "start" in kept or "end" in kept:
            return f"{kept.get('start', '')} to {kept.get('end', '')}".strip()
        return " ".join(str(value) for value in kept.values() if value not in (None, ""))
    if isinstance(kept, list):
        return ", ".join(words(each) for each in kept)
    return str(kept)


def spoken(plan: Plan, planned: Planned, kept: Any, language: str = "") -> str:
    """The answer as people read it: choices by their labels."""
    if planned.question.type in CHOOSING:
        found = plan.list_of(planned)
        default = plan.form.default_language
        shown = []
        for each in kept if isinstance(kept, list) else [kept]:
            if isinstance(each, Mapping):
                shown.append(words(each.get("text") or each.get("other") or ""))
                continue
            choices = found.by_code.get(str(each), ()) if found else ()
            shown.append(text_in(choices[0].label, language or default, default, str(each)) if choices else str(each))
        return ", ".join(shown)
    return words(kept)
