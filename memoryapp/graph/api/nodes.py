"""Nodes over REST: found or made by their identity keys, looked up, and shown with what leads to and from them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of, page_of
from memoryapp.doors import etags, paging
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.errors import Invalid
from memoryapp.doors.fields import (
    Fields,
    Flag,
    Identifier,
    Mapped,
    Number,
    Paged,
    Parameters,
    Several,
    Text,
    When,
    Zone,
)
from memoryapp.graph import services, todays
from memoryapp.graph.api import evidence
from memoryapp.graph.api.serving import noted, noted_page
from memoryapp.graph.api.shapes import NEIGHBOUR, NODE, neighbour, shape_node
from memoryapp.graph.models import Node
from memoryapp.graph.queries import nodes
from memoryapp.graph.queries.nodes import Neighbour, Neighbourhood
from memoryapp.graph.queries.told import told
from memoryapp.graph.services import NodeInput, Upserted
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ontology import parking
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.refusals import Parks

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

UPSERTED: Described = NODE | {
    "created": serializers.BooleanField(help_text="It was not there before."),
    "beliefs": serializers.ListField(child=serializers.UUIDField(), help_text="What was said of it, as beliefs."),
    "conflicts": serializers.ListField(child=serializers.UUIDField(), help_text="Cases that wait for a person."),
}
EDGE_SEEN: Described = {
    "id": serializers.UUIDField(help_text="Of the edge, which is a belief."),
    "relationship": serializers.CharField(),
    "direction": serializers.ChoiceField(choices=["out", "in"]),
    "node": described("NodeAtTheOtherEnd", NEIGHBOUR),
    "qualifiers": serializers.DictField(),
    "content": serializers.CharField(),
    "valid_from": serializers.CharField(allow_null=True),
    "valid_to": serializers.CharField(allow_null=True),
    "lock": serializers.IntegerField(),
}
SHOWN: Described = NODE | {
    "edges": described("EdgeSeen", EDGE_SEEN, many=True),
    "cut": serializers.BooleanField(help_text="There are more edges."),
    "folded_from": serializers.UUIDField(allow_null=True, help_text="The id that was asked, when it leads here."),
}


class NodeFields(Fields):
    """A node: its class, and properties of which some identify it."""

    locals()["class"] = Text(max_length=100, help_text="A declared node class.")
    properties = Mapped(help_text="Values by name. They must make up at least one identity key set of the class.")
    evidence = evidence.EvidenceFields(many=True, required=False, max_length=evidence.MOST)
    premises = Several(child=Identifier(), required=False, max_length=100, help_text="Beliefs it was concluded from.")
    valid_from = When(required=False)
    valid_to = When(required=False)
    confidence = Number(required=False, min_value=0, max_value=100)


class NewNodes(OneOrMany):
    """Nodes to be found or made."""

    item = NodeFields


class Valued(Text):
    """A property and its value, as `property:value`."""

    accepted = "property:value"

    def to_internal_value(self, data: Any) -> Any:
        name, colon, value = str(super().to_internal_value(data)).partition(":")
        if not colon or not name:
            raise ValidationError("This names no property and value.", code="not_a_pair")
        return name, value


class NodeFilters(Paged):
    locals()["class"] = Text(required=False, max_length=100, help_text="With every class below it.")
    exact = Flag(required=False, help_text="Only the class itself.")
    label = Text(required=False, max_length=300, help_text="A part of what it is called, in any case.")
    key = Several(
        child=Valued(max_length=2000),
        required=False,
        max_length=10,
        help_text="An identity key: email:ines@ferro.example",
    )
    where = Several(
        child=Valued(max_length=2000), required=False, max_length=10, help_text="A property and the value it has now."
    )
    retired = Flag(required=False, help_text="Also those no longer in use.")


class AsOf(Parameters):
    valid_at = When(required=False, help_text="What was true then.")
    known_at = When(required=False, help_text="As it was known then.")
    time_zone = Zone(required=False, help_text="The zone of times that carry no offset.")


class Nodes(Endpoint):
    """Nodes of the graph."""

    needs = {"get": "look_up", "post": "upsert_nodes"}
    parameters = {"get": NodeFilters, "post": Parks}
    body = {"post": NewNodes}

    @extend_schema(
        operation_id="find_nodes",
        tags=["graph"],
        summary="Find nodes",
        description="By class with everything below it, by exact identity key, by a part of the label, or by the value "
        "that a property has now; by id.",
        responses=page_of("Node", NODE),
    )
    def get(self, request: Request) -> Response:
        found = paging.page(self._found(), order=("pk",), **self.paging_asked)
        known = nodes.known_properties(self.by, found.items)
        return noted_page(self, "nodes", "node", Response(found.shaped(lambda one: shape_node(one, known))))

    def _found(self) -> QuerySet[Node]:
        asked = self.filters
        node_class = asked.get("class", "")
        found = nodes.find(
            self.by,
            node_class,
            exact=asked.get("exact", False),
            name=asked.get("label", ""),
            where=self._values(node_class, "where"),
            retired=asked.get("retired", False),
        )
        if "key" in asked:
            held = nodes.with_keys(self.by, node_class, self._values(node_class, "key"))
            found = found.filter(pk__in=held.values("pk"))
        return found

    def _values(self, node_class: str, parameter: str) -> dict[str, Any]:
        """The values that a parameter names, each read as its property is declared."""
        given = self.asked.get(parameter, ())
        if given and not node_class:
            raise Invalid.at("class", "class_missing", "Properties are those of a class.", "a class")
        return {name: self._value(node_class, name, text, parameter) for name, text in given}

    def _value(self, node_class: str, name: str, text: str, parameter: str) -> Any:
        ontology = current_ontology(self.by)
        node_class = todays.node_class(ontology, node_class)
        ontology.node_class(node_class, "class")
        name = next(iter(todays.properties(ontology, node_class, {name: text})))
        declared = ontology.property(node_class, name, parameter)
        if declared.schema.get("type") in ("integer", "number", "boolean"):
            try:
                value = json.loads(text)
            except ValueError:
                return text
            return value if isinstance(value, int | float) else text
        return text

    @extend_schema(
        operation_id="upsert_nodes",
        tags=["graph"],
        summary="Find or make nodes",
        description="By exact, normalised identity keys and nothing else. What is missing is filled in, another value "
        "of a single-valued property is a conflict that waits for a person, and keys of two different nodes are "
        "refused. Every value is a belief with its evidence.",
        responses=dict.fromkeys((201, 200), items_of("NodeUpserted", UPSERTED)),
        examples=[
            OpenApiExample(
                "A person",
                request_only=True,
                value={
                    "class": "person",
                    "properties": {"name": "Ines Ferro", "email": "ines@ferro.example"},
                    "evidence": [
                        {
                            "new_source": {
                                "kind": "system",
                                "content": "Contact: Ines Ferro, ines@ferro.example",
                                "said_at": "2026-03-02T09:00:00+01:00",
                            },
                            "quote": "Ines Ferro, ines@ferro.example",
                        }
                    ],
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                done = services.upsert_nodes(write, _inputs(write, items))
            made = any(one.created for one in done)
            known = nodes.known_properties(self.by, [one.node for one in done])
            return Answer({"items": [_upserted(one, known) for one in done]}, status=201 if made else 200)

        return self.write("upsert_nodes", act)


class OneNode(Endpoint):
    """One node."""

    needs = {"get": "look_up"}
    parameters = {"get": AsOf}

    @extend_schema(
        operation_id="read_node",
        tags=["graph"],
        summary="Read a node",
        description="Its properties and the edges that lead to and from it: now, or as of `valid_at` as it was known "
        "at `known_at`. The id of a node that was folded into another leads to that one.",
        responses=described("NodeShown", SHOWN),
    )
    def get(self, request: Request, node_id: uuid.UUID) -> Response:
        moments = {name: self.asked[name].instant for name in ("valid_at", "known_at") if name in self.asked}
        found = nodes.neighbourhood(self.by, node_id, **moments)
        answer = Response(_shown(found), headers={"ETag": etags.etag(found.node.lock)})
        carried = [("node", found.node.pk), *(("belief", one.edge.pk) for one in found.neighbours)]
        return noted(self, "node", answer, carried)


def _inputs(write: Write, items: Sequence[dict[str, Any]]) -> list[NodeInput]:
    quoted = evidence.quoted(write, [item.get("evidence", ()) for item in items])
    return [
        NodeInput(
            node_class=item["class"],
            properties=item["properties"],
            evidence=mine,
            premises=tuple(item.get("premises", ())),
            valid_from=item.get("valid_from"),
            valid_to=item.get("valid_to"),
            confidence=item.get("confidence"),
        )
        for item, mine in zip(items, quoted, strict=True)
    ]


def _upserted(done: Upserted, known: Mapping[uuid.UUID, dict[str, Any]]) -> dict[str, Any]:
    return shape_node(done.node, known) | {
        "created": done.created,
        "beliefs": [str(belief.pk) for belief in done.beliefs],
        "conflicts": [str(case.pk) for case in done.conflicts],
    }


def _shown(found: Neighbourhood) -> dict[str, Any]:
    return shape_node(found.node, {found.node.pk: found.properties}) | {
        "edges": [_edge(one) for one in found.neighbours],
        "cut": found.cut,
        "folded_from": str(found.asked) if found.asked else None,
    }


def _edge(seen: Neighbour) -> dict[str, Any]:
    edge = told(seen.edge)
    return {
        "id": edge["id"],
        "relationship": seen.relationship,
        "direction": "out" if seen.outgoing else "in",
        "node": neighbour(seen.node),
        "qualifiers": seen.qualifiers,
        "content": edge["content"],
        "valid_from": edge["valid_from"],
        "valid_to": edge["valid_to"],
        "lock": edge["lock"],
    }


parking.register(
    "upsert_nodes",
    body=NewNodes,
    needs="upsert_nodes",
    store=lambda write, items: services.upsert_nodes(write, _inputs(write, items)),
)

urlpatterns = [
    path("nodes", Nodes.as_view(), name="nodes"),
    path("nodes/<uuid:node_id>", OneNode.as_view(), name="node"),
]
