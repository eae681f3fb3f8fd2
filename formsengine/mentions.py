"""Which forms would no longer work without a declared type: the published ones, and those that are being filled.

A form names types where it writes into memory, where it fills an answer from memory, and where it asks for a node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import Q

from formsengine.bindings import todays
from formsengine.models import OPEN, FormResponse, FormVersion, VersionState
from formsengine.services.evidence import class_of
from memoryapp.graph.todays import predicates
from memoryapp.ledger.models import Workspace
from memoryapp.ontology import mentions
from memoryapp.ontology.compiled import FACT, Ontology
from memoryapp.ontology.mentions import Mention
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.usage import Part

NAMED_UNDER = {
    "node_classes": "class",
    "relationships": "relationship",
    "belief_kinds": "kind",
    "episode_kinds": "kind",
}
"""Under which word a binding names a type of a family."""


def register() -> None:
    mentions.register(mentioning)


def mentioning(workspace: Workspace, part: Part) -> Iterator[Mention]:
    """Forms that write into a type or property that goes, are filled from it, ask for it, or know a node by it; that
    offer a value which goes; or that write a type without what it is to be told with."""
    filled = FormResponse.objects.filter(workspace=workspace, state__in=OPEN).values("version")
    versions = FormVersion.objects.filter(workspace=workspace).filter(Q(state=VersionState.LIVE) | Q(pk__in=filled))
    ontology = current_ontology(workspace)
    for name, definition in versions.order_by("form__name").values_list("form__name", "definition"):
        bindings = list(_bindings(definition, ontology))
        if part.part == "value":
            written = any(_offers(definition, one, part) for one in bindings)
        else:
            written = any(_writes(one, part) for one in bindings)
        if written or any(_reads(one, part, ontology) for one in _questions(definition.get("steps", []))):
            yield Mention("form", name)


def _bindings(definition: Mapping[str, Any], ontology: Ontology) -> Iterator[dict[str, Any]]:
    """The data of each binding in the words of today, with the class of what it is about where the form says it."""
    said = {one["name"]: one.get("data", {}) for one in definition.get("bindings", [])}
    for one in definition.get("bindings", []):
        data = one.get("data", {})
        owner = str(said.get(str(data.get("of")), {}).get("class", ""))
        now = {"class": ontology.today("node_classes", owner)} | todays.data(ontology, data, owner)
        yield now | {"into": one.get("into", ""), "fields": one.get("fields", [])}


def _questions(items: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for one in items:
        if one.get("kind") == "field":
            yield one
        yield from _questions(one.get("items", []))


def _offers(definition: Mapping[str, Any], data: Mapping[str, Any], part: Part) -> bool:
    """Whether a field from which the property is written has the value among its choices."""
    if part.family != "node_classes" or (data["class"] and data["class"] not in part.types):
        return False
    mapped = data["properties"] if isinstance(data.get("properties"), Mapping) else {}
    fields = {mapped.get(part.name), *(data["fields"] if data.get("property") == part.name else ())}
    lists = {
        one.get("choices") for one in _questions(definition.get("steps", [])) if one.get("name") in fields - {None}
    }
    return any(
        part.value == choice.get("code") or part.value in _labels(choice)
        for one in definition.get("lists", [])
        if one.get("name") in lists
        for choice in one.get("choices", [])
    )


def _labels(choice: Mapping[str, Any]) -> list[Any]:
    label = choice.get("label")
    return list(label.values()) if isinstance(label, Mapping) else [label]


def _writes(data: Mapping[str, Any], part: Part) -> bool:
    if part.part == "required":
        told = part.family == "episode_kinds" and data["into"] == "episode" and data.get("kind") in part.types
        fact = part.family == "belief_kinds" and data["into"] in ("property", "entity", "relation")
        return told or (fact and FACT in part.types)
    if not part.part:
        return bool(data.get(NAMED_UNDER.get(part.family, "")) == part.type)
    mapped = data["properties"] if isinstance(data.get("properties"), Mapping) else {}
    ours = data["class"] in part.types
    if part.part == "keys":
        known_by = [key for key in (part.name.split(" with "), *(part.value or ())) if set(key) <= mapped.keys()]
        return ours and known_by == [part.name.split(" with ")]
    if part.part not in ("property", "attribute"):
        return False
    return (ours and part.name in mapped) or (data.get("property") == part.name and (ours or not data["class"]))


def _reads(question: Mapping[str, Any], part: Part, ontology: Ontology) -> bool:
    """Whether a field is filled from it, or asks for a node of it."""
    source = question.get("prefill") or {}
    key, _, beyond = str(source.get("key", "")).partition(".")
    if part.family == "relationships" and not part.part:
        return source.get("source") == "related" and ontology.today("relationships", key) == part.type
    if part.family != "node_classes":
        return False
    if not part.part:
        asked = class_of(question.get("parameters", "")) if question.get("type") == "entity" else ""
        return ontology.today("node_classes", asked) == part.type
    if part.part != "property":
        return False
    named = {"subject": key, "related": beyond}.get(source.get("source", ""), "")
    return part.name in predicates(ontology, [named] if named else [])
