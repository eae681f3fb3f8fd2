"""What sort of change it is, in one closed set of words, and one change as a sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.ontology.changeset.changes import (
    AddProperty,
    AddRole,
    AddType,
    AddValue,
    Change,
    Merge,
    Rename,
    Retire,
    SetField,
    SetKeys,
    SetProperty,
    SetRole,
    Split,
)
from memoryapp.ontology.document import OntologyDocument

KINDS = {
    "add_class": "New class",
    "add_subclass": "New subclass",
    "add_property": "New property",
    "add_value": "New allowed value",
    "add_relationship": "New relationship",
    "add_role": "New role",
    "add_episode_kind": "New kind of episode",
    "add_belief_kind": "New kind of belief",
    "add_relation_kind": "New kind of relation",
    "add_source_kind": "New kind of source",
    "add_root": "New root",
    "add_view": "New view",
    "add_vocabulary": "New vocabulary",
    "widen": "Wider",
    "tighten": "Tighter",
    "describe": "Other words",
    "rename": "Other name",
    "retire": "Retired",
    "change_keys": "Other identity keys",
    "merge": "Merged",
    "split": "Split",
    "several": "Several changes",
}
WORDS = {"title", "description", "label", "template", "templates", "inverse"}
_ADDED = {
    "relationships": "add_relationship",
    "belief_kinds": "add_belief_kind",
    "relation_kinds": "add_relation_kind",
    "episode_kinds": "add_episode_kind",
    "source_kinds": "add_source_kind",
    "file_roots": "add_root",
    "views": "add_view",
    "vocabularies": "add_vocabulary",
}
FAMILY_WORDS = {
    "node_classes": "class",
    "relationships": "relationship",
    "belief_kinds": "kind of belief",
    "relation_kinds": "kind of relation",
    "episode_kinds": "kind of episode",
    "source_kinds": "kind of source",
    "views": "view",
    "vocabularies": "vocabulary",
    "file_roots": "root",
}
LEAST = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
MOST = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")
IDLE = {"title", "description", "examples", "default"}


def kind_of(changes: Sequence[Change], before: OntologyDocument) -> str:
    """The one kind of all of them, or `several`."""
    kinds = {_kind(change, before) for change in changes}
    return kinds.pop() if len(kinds) == 1 else "several"


def _kind(change: Change, before: OntologyDocument) -> str:
    match change:
        case AddType(family="node_classes"):
            return "add_subclass" if change.declaration.get("parent") else "add_class"
        case AddType():
            return _ADDED[change.family]
        case AddProperty():
            return "add_property"
        case AddValue():
            return "add_value"
        case AddRole():
            return "add_role"
        case SetProperty():
            return "widen" if widens(_schema(before, change), change.declaration) else "tighten"
        case SetRole():
            return "widen" if _role_widens(before, change) else "tighten"
        case SetField():
            return "describe" if change.field in WORDS else _field_kind(before, change)
        case SetKeys():
            return "change_keys"
        case Rename():
            return "rename"
        case Retire():
            return "merge" if change.into and not change.part else "retire"
        case Merge():
            return "merge"
        case Split():
            return "split"


def _schema(before: OntologyDocument, change: SetProperty) -> Mapping[str, Any]:
    declared = getattr(before, change.family).get(change.type)
    held = getattr(declared, "properties", None) or getattr(declared, "attributes", None) or {}
    found: Mapping[str, Any] = held.get(change.name, {})
    return found


def _field_kind(before: OntologyDocument, change: SetField) -> str:
    declared = getattr(before, change.family, {}).get(change.type)
    was = getattr(declared, change.field, None)
    if change.field in ("required", "requires"):
        return "widen" if set(change.value or ()) <= set(was or ()) else "tighten"
    if change.field == "pairs" and declared is not None:
        kept = {(one.get("subject"), one.get("object")) for one in change.value if isinstance(one, dict)}
        return "widen" if kept >= {(one.subject, one.object) for one in declared.pairs} else "tighten"
    if change.field == "cardinality":
        return "widen" if change.value in ("many", "multi") else "tighten"
    if change.field in ("retired", "abstract"):
        return "tighten" if change.value else "widen"
    return "describe" if change.field in ("searchable", "precedence", "review_after_days") else "widen"


def _role_widens(before: OntologyDocument, change: SetRole) -> bool:
    declared = getattr(before, change.family).get(change.type)
    was = declared.roles.get(change.name) if declared else None
    if was is None:
        return True
    if isinstance(was, list):
        return set(change.declaration) >= set(was) or "*" in change.declaration
    now = was.model_validate(change.declaration)
    players = all(set(getattr(now, one)) >= set(getattr(was, one)) for one in ("beliefs", "nodes", "sources"))
    most = now.maximum is None or (was.maximum is not None and now.maximum >= was.maximum)
    return players and now.minimum <= was.minimum and most


def widens(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether all that the one schema takes the other surely takes too. What cannot be told counts as tighter."""
    for word in {*before, *after} - IDLE:
        old, new = before.get(word), after.get(word)
        if old == new or word not in after:
            continue
        if word == "enum" and word in before and all(value in new for value in old):  # type: ignore[operator,union-attr]
            continue
        if word in LEAST and word in before and new <= old:  # type: ignore[operator]
            continue
        if word in MOST and word in before and new >= old:  # type: ignore[operator]
            continue
        if word == "type" and word in before and _types(new) >= _types(old):
            continue
        return False
    return True


def _types(given: Any) -> set[str]:
    types = {given} if isinstance(given, str) else set(given or ())
    return types | {"integer"} if "number" in types else types


def title_of(changes: Sequence[Change]) -> str:
    """What the changes do, in one line: the first in words, and how many more there are."""
    first = in_words(changes[0])
    return first if len(changes) == 1 else f"{first}, and {len(changes) - 1} more"


def in_words(change: Change) -> str:
    """One change as a sentence without its stop."""
    match change:
        case AddType():
            below = change.declaration.get("parent")
            return f"Add the {FAMILY_WORDS[change.family]} {change.name}" + (f" below {below}" if below else "")
        case AddProperty():
            return f"Add {change.name} to {change.type}"
        case AddValue():
            return f"Allow {_shown(change.value)} as {change.property} of {change.type}"
        case AddRole():
            return f"Add the role {change.name} to {change.type}"
        case SetProperty():
            return f"Take other values for {change.name} of {change.type}"
        case SetRole():
            return f"Let others play {change.name} in {change.type}"
        case SetField():
            return f"Set {change.field.replace('_', ' ')} of {change.type}"
        case SetKeys():
            keys = ", or by ".join(" and ".join(one) for one in change.keys) or "nothing"
            return f"Identify {change.type} by {keys}"
        case Rename():
            return f"Call {f'{change.name} of {change.type}' if change.part else change.type} {change.to}"
        case Retire():
            what = f"{_part(change)} of {change.type}" if change.part else change.type
            return f"Retire {what}" + (f" into {change.into}" if change.into else "")
        case Merge():
            return f"Merge {change.type} into {change.into}"
        case Split():
            return f"Split {change.type} by {change.property} into {', '.join(one.name for one in change.into)}"


def _part(change: Retire) -> str:
    return f"the value {_shown(change.value)} for {change.name}" if change.part == "value" else change.name


def _shown(value: Any) -> str:
    return f"“{value}”" if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
