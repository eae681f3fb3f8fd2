"""How the graph's answers are described: what `queries.told` gives, for the schema."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from rest_framework import serializers

from memoryapp.access.endpoints import described
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries.told import told

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

BELIEF: Described = {
    "id": serializers.UUIDField(),
    "shape": serializers.ChoiceField(choices=Belief.Shape.choices),
    "kind": serializers.CharField(),
    "content": serializers.CharField(),
    "status": serializers.ChoiceField(choices=Status.choices),
    "standing": serializers.ChoiceField(choices=Standing.choices),
    "valid_from": serializers.CharField(allow_null=True, help_text="As exactly as it is known."),
    "valid_to": serializers.CharField(allow_null=True),
    "recorded_at": serializers.DateTimeField(),
    "confidence": serializers.FloatField(allow_null=True),
    "lock": serializers.IntegerField(),
}
NODE: Described = {
    "id": serializers.UUIDField(),
    "class": serializers.CharField(),
    "label": serializers.CharField(),
    "state": serializers.ChoiceField(choices=Node.State.choices),
    "properties": serializers.DictField(help_text="What is believed of it now."),
    "recorded_at": serializers.DateTimeField(),
    "lock": serializers.IntegerField(),
}
NEIGHBOUR: Described = {
    "id": serializers.UUIDField(),
    "class": serializers.CharField(),
    "label": serializers.CharField(),
}
EDGE: Described = BELIEF | {
    "subject": described("EdgeSubject", NEIGHBOUR),
    "relationship": serializers.CharField(),
    "object": described("EdgeObject", NEIGHBOUR),
    "qualifiers": serializers.DictField(help_text="The edge's own properties."),
}
RELATION: Described = {
    "id": serializers.UUIDField(),
    "kind": serializers.CharField(),
    "state": serializers.ChoiceField(choices=[Relation.State.ACTIVATED, Relation.State.RETRACTED]),
    "attributes": serializers.DictField(),
    "valid_from": serializers.DateTimeField(allow_null=True),
    "valid_to": serializers.DateTimeField(allow_null=True),
    "recorded_at": serializers.DateTimeField(),
    "lock": serializers.IntegerField(),
}


def shape_node(node: Node, known: Mapping[uuid.UUID, dict[str, Any]]) -> dict[str, Any]:
    """A node as it is answered. `known`: what may be told of those of which not everything may be."""
    return {
        "id": str(node.pk),
        "class": node.node_class,
        "label": node.label,
        "state": node.state,
        "properties": known.get(node.pk, node.properties),
        "recorded_at": node.recorded_at,
        "lock": node.lock,
    }


def neighbour(node: Node | None) -> dict[str, Any] | None:
    """A node as it is named at the end of an edge."""
    return {"id": str(node.pk), "class": node.node_class, "label": node.label} if node else None


def shape_edge(edge: Belief) -> dict[str, Any]:
    """An edge as it is answered."""
    return told(edge) | {
        "subject": neighbour(edge.subject),
        "relationship": edge.predicate,
        "object": neighbour(edge.object),
        "qualifiers": edge.qualifiers,
    }


def shape_relation(relation: Relation) -> dict[str, Any]:
    """A relation as it is answered, without its players."""
    return {
        "id": str(relation.pk),
        "kind": relation.kind,
        "state": relation.state,
        "attributes": relation.attributes,
        "valid_from": relation.valid_from,
        "valid_to": relation.valid_to,
        "recorded_at": relation.recorded_at,
        "lock": relation.lock,
    }
