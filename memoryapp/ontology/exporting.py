"""The declared types for other programs: one JSON Schema document with a definition for each type."""

from __future__ import annotations

from typing import Any

from memoryapp.ontology.compiled import Ontology

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def as_json_schema(ontology: Ontology) -> dict[str, Any]:
    """What may be stored of each type, with everything inherited."""
    document = ontology.document
    found: dict[str, Any] = {}
    for name in document.node_classes:
        properties = {
            key: {"type": "array", "items": dict(one.schema)} if one.multi_valued else dict(one.schema)
            for key, one in ontology.properties_of(name).items()
        }
        found[f"node_classes/{name}"] = _object(document.node_classes[name], properties, ())
    for name, declared in document.relationships.items():
        found[f"relationships/{name}"] = _object(declared, _schemas(ontology.edge_properties(name)), ())
    for name, kind in document.belief_kinds.items():
        required = {one for up in ontology.kind_line(name) for one in document.belief_kinds[up].required}
        found[f"belief_kinds/{name}"] = _object(kind, _schemas(ontology.attributes_of(name)), required)
    for name, relation in document.relation_kinds.items():
        attributes = {key: dict(schema) for key, schema in relation.attributes.items()}
        found[f"relation_kinds/{name}"] = _object(relation, attributes, relation.required)
    for name, episode in document.episode_kinds.items():
        needed = {one for up in ontology.episode_line(name) for one in document.episode_kinds[up].required}
        found[f"episode_kinds/{name}"] = _object(episode, _schemas(ontology.episode_properties(name)), needed)
    return {"$schema": DRAFT, "title": document.title or document.name, "$defs": found}


def _schemas(known: Any) -> dict[str, Any]:
    return {key: dict(one.schema) for key, one in known.items()}


def _object(declared: Any, properties: dict[str, Any], required: Any) -> dict[str, Any]:
    shown = {"title": declared.title, "description": declared.description, "type": "object", "properties": properties}
    needed = sorted(required)
    return (
        {key: value for key, value in shown.items() if value}
        | ({"required": needed} if needed else {})
        | {"additionalProperties": False}
    )
