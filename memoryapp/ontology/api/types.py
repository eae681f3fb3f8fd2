"""The declared types over REST: what a workspace may hold, as it was declared and with everything inherited."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors import etags
from memoryapp.doors.fields import Parameters, Whole
from memoryapp.ontology import queries
from memoryapp.ontology.compiled import Ontology

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

ONTOLOGY: Described = {
    "edition": serializers.IntegerField(help_text="The number of this edition."),
    "document": serializers.DictField(help_text="The types as they were declared."),
    "rendered": described(
        "RenderedTypes",
        {
            "node_classes": serializers.DictField(help_text="Each class with inherited properties and identity keys."),
            "relationships": serializers.DictField(help_text="Each type of edge: from where to where, and how many."),
            "belief_kinds": serializers.DictField(help_text="Each kind with what is above it and its attributes."),
            "relation_kinds": serializers.DictField(help_text="Each kind of relation with its roles."),
            "episode_kinds": serializers.DictField(help_text="Each kind of episode with its properties and roles."),
            "file_roots": serializers.DictField(help_text="Directories in which agents may write, and what for."),
        },
    ),
}


class EditionAsked(Parameters):
    edition = Whole(required=False, min_value=1, help_text="An earlier edition; the one in force when left out.")


def rendered(ontology: Ontology) -> dict[str, Any]:
    """Every type with what it inherits: what a writer needs to know, without walking up by itself."""
    document = ontology.document
    return {
        "node_classes": {name: _node_class(ontology, name) for name in sorted(document.node_classes)},
        "relationships": {
            name: {
                "pairs": [{"subject": pair.subject, "object": pair.object} for pair in one.pairs],
                "cardinality": one.cardinality,
                "qualifiers": {key: dict(found.schema) for key, found in ontology.edge_properties(name).items()},
                "usable": not one.retired,
            }
            for name, one in sorted(document.relationships.items())
        },
        "belief_kinds": {
            name: {
                "is_a": list(ontology.kind_line(name)),
                "attributes": {key: dict(found.schema) for key, found in ontology.attributes_of(name).items()},
                "topics": sorted({t for kind in ontology.kind_line(name) for t in _topics(ontology, kind)}),
                "usable": name in ontology.instantiable_kinds,
            }
            for name in sorted(document.belief_kinds)
        },
        "relation_kinds": {
            name: {
                "roles": {role: declared.model_dump(mode="json") for role, declared in one.roles.items()},
                "usable": not one.retired,
            }
            for name, one in sorted(document.relation_kinds.items())
        },
        "episode_kinds": {
            name: {
                "is_a": list(ontology.episode_line(name)),
                "properties": {key: dict(found.schema) for key, found in ontology.episode_properties(name).items()},
                "roles": ontology.episode_roles(name),
                "usable": name in ontology.usable_episode_kinds,
            }
            for name in sorted(document.episode_kinds)
        },
        "file_roots": {
            path: {"title": one.title, "description": one.description, "indexed": one.indexed}
            for path, one in sorted(document.file_roots.items())
        },
    }


def _topics(ontology: Ontology, kind: str) -> list[str]:
    return list(ontology.document.belief_kinds[kind].single_valued_topics)


def _node_class(ontology: Ontology, name: str) -> dict[str, Any]:
    declared = ontology.document.node_classes[name]
    return {
        "is_a": list(ontology.class_line(name)),
        "properties": {
            key: {"schema": dict(found.schema), "of": found.owner, "multi_valued": found.multi_valued}
            for key, found in ontology.properties_of(name).items()
        },
        "identified_by": [list(key_set.properties) for key_set in ontology.key_sets(name)],
        "usable": not declared.abstract and not declared.retired,
    }


class Types(Endpoint):
    """The declared types."""

    needs = {"get": "read_ontology"}
    parameters = {"get": EditionAsked}

    @extend_schema(
        operation_id="read_ontology",
        tags=["ontology"],
        summary="Read the declared types",
        description="The edition in force, or an earlier one: as declared, and with everything inherited applied.",
        responses=described("Ontology", ONTOLOGY),
    )
    def get(self, request: Request) -> Response:
        edition = self.asked.get("edition")
        found = queries.ontology_at(self.by, edition) if edition else queries.current_ontology(self.by)
        body = {"edition": found.number, "document": found.document.as_data(), "rendered": rendered(found)}
        return Response(body, headers={"ETag": etags.etag(found.number)})


urlpatterns = [path("ontology", Types.as_view(), name="ontology")]
