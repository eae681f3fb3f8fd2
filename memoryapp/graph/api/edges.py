"""Edges over REST: connecting nodes, and saying that a connection is over or never was."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of
from memoryapp.doors import etags
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.errors import DomainError, NotFound
from memoryapp.doors.fields import Fields, Flag, Identifier, Mapped, Number, Several, Text, Told, When
from memoryapp.graph import services
from memoryapp.graph.api import evidence
from memoryapp.graph.api.changing import ASKED
from memoryapp.graph.api.references import NodeNamed
from memoryapp.graph.api.serving import noted
from memoryapp.graph.api.shapes import EDGE, shape_edge
from memoryapp.graph.cases import asked
from memoryapp.graph.models import Belief
from memoryapp.graph.services import Remembered
from memoryapp.graph.statements import Statement
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import parking
from memoryapp.ontology.refusals import Parks
from memoryapp.review.models import Case

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

CONNECTED: Described = EDGE | {
    "outcome": serializers.ChoiceField(
        choices=["created", "said_again", "ended", "already_known", "resolving"],
        help_text="resolving: it contradicts an edge that is held, and waits for a person.",
    ),
    "conflicts": serializers.ListField(child=serializers.UUIDField(), help_text="Cases that wait for a person."),
}


class EdgeFields(Fields):
    """An edge from one node to another."""

    subject = NodeNamed()
    relationship = Text(max_length=100, help_text="A declared relationship.")
    object = NodeNamed()
    qualifiers = Mapped(required=False, help_text="The edge's own properties.")
    evidence = evidence.EvidenceFields(many=True, required=False, max_length=evidence.MOST)
    premises = Several(child=Identifier(), required=False, max_length=100, help_text="Beliefs it was concluded from.")
    valid_from = When(required=False)
    valid_to = When(required=False)
    confidence = Number(required=False, min_value=0, max_value=100)


class NewEdges(OneOrMany):
    """Edges to be connected."""

    item = EdgeFields


class Ending(Told):
    """Why an edge is over, and since when."""

    reason = Text(max_length=2000, help_text="Why, in a sentence.")
    at = When(required=False, help_text="Since when it is over; now when left out.")
    never = Flag(required=False, default=False, help_text="It never was right.")


class Edges(Endpoint):
    """Edges between nodes."""

    needs = {"post": "connect_nodes"}
    parameters = {"post": Parks}
    body = {"post": NewEdges}

    @extend_schema(
        operation_id="connect_nodes",
        tags=["graph"],
        summary="Connect nodes",
        description="An edge is a belief with its evidence. The same edge again is one more evidence; with other "
        "qualifiers it takes the place of the one that holds. A second edge where one is declared is a conflict that "
        "waits for a person.",
        responses=dict.fromkeys((201, 200), items_of("EdgeConnected", CONNECTED)),
        examples=[
            OpenApiExample(
                "Somebody's employer",
                request_only=True,
                value={
                    "subject": {"class": "person", "keys": {"email": "ines@ferro.example"}},
                    "relationship": "worksAt",
                    "object": {"class": "organization", "keys": {"domain": "ferro.example"}},
                    "qualifiers": {"role": "owner"},
                    "valid_from": "2024-05",
                    "evidence": [
                        {
                            "new_source": {
                                "kind": "web",
                                "url": "https://ferro.example/about",
                                "content": "Ines Ferro has run the studio since May 2024.",
                                "said_at": "2026-03-02T09:00:00+01:00",
                            }
                        }
                    ],
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many), _as_relationship():
                done = services.connect_all(write, _statements(write, items))
            made = any(one.outcome in ("created", "resolving") for one in done)
            return Answer({"items": [_connected(one) for one in done]}, status=201 if made else 200)

        return self.write("connect_nodes", act)


class OneEdge(Endpoint):
    """One edge."""

    needs = {"get": "look_up"}

    @extend_schema(
        operation_id="read_edge",
        tags=["graph"],
        summary="Read an edge",
        description="Whether it holds or not. What it stands on is told by `why`.",
        responses=described("OneEdge", EDGE),
    )
    def get(self, request: Request, edge_id: uuid.UUID) -> Response:
        found = _edge(self.by, edge_id)
        answer = Response(shape_edge(found), headers={"ETag": etags.etag(found.lock)})
        return noted(self, "edge", answer, [("belief", found.pk)])


class Disconnect(Endpoint):
    """The end of an edge."""

    needs = {"post": "connect_nodes"}
    body = {"post": Ending}
    locked = ("post",)

    @extend_schema(
        operation_id="disconnect_nodes",
        tags=["graph"],
        summary="Disconnect nodes",
        description="The edge is over since `at`, or `never` was right. It and its history stay.",
        responses={200: described("EdgeDisconnected", EDGE), 202: ASKED},
        examples=[OpenApiExample("She left", request_only=True, value={"reason": "She left.", "at": "2026-06-01"})],
    )
    def post(self, request: Request, edge_id: uuid.UUID) -> Response:
        told = self.content

        def act(write: Write) -> Answer:
            edge = _edge(write.by, edge_id)
            given: dict[str, Any] = {name: told.get(name) for name in ("reason", "at", "never")}
            done = asked.or_ask(
                write,
                edge,
                "retract" if told["never"] else "retire",
                partial(services.disconnect, write, edge, lock=self.lock, **given),
                reason=told["reason"],
                at=told.get("at"),
            )
            if isinstance(done, Case):
                return Answer(asked.told_case(done), 202, {"Location": f"/api/v1/cases/{done.pk}"})
            edge = done
            return Answer(shape_edge(edge), headers={"ETag": etags.etag(edge.lock)})

        return self.write("disconnect_nodes", act)


@contextmanager
def _as_relationship() -> Iterator[None]:
    """What beliefs call the predicate of an edge, a body calls its relationship."""
    try:
        yield
    except DomainError as error:
        error.violations = tuple(
            replace(one, path=one.path.replace("/predicate", "/relationship", 1)) for one in error.violations
        )
        raise


def _edge(by: Principal, edge_id: uuid.UUID) -> Belief:
    edges = Belief.objects.visible_to(by).filter(shape=Belief.Shape.EDGE)
    found: Belief | None = edges.filter(pk=edge_id).select_related("subject", "object").first()
    if found is None:
        raise NotFound("There is no such edge.", code="no_such_edge", extra={"id": str(edge_id)})
    return found


def _statements(write: Write, items: Sequence[dict[str, Any]]) -> list[Statement]:
    quoted = evidence.quoted(write, [item.get("evidence", ()) for item in items])
    return [
        Statement(
            subject=item["subject"],
            predicate=item["relationship"],
            object=item["object"],
            qualifiers=item.get("qualifiers", {}),
            evidence=mine,
            premises=tuple(item.get("premises", ())),
            valid_from=item.get("valid_from"),
            valid_to=item.get("valid_to"),
            confidence=item.get("confidence"),
        )
        for item, mine in zip(items, quoted, strict=True)
    ]


def _connected(done: Remembered) -> dict[str, Any]:
    return shape_edge(done.belief) | {
        "outcome": done.outcome,
        "conflicts": [str(case.pk) for case in done.conflicts],
    }


parking.register(
    "connect_nodes",
    body=NewEdges,
    needs="connect_nodes",
    store=lambda write, items: services.connect_all(write, _statements(write, items)),
)

urlpatterns = [
    path("edges", Edges.as_view(), name="edges"),
    path("edges/<uuid:edge_id>", OneEdge.as_view(), name="edge"),
    path("edges/<uuid:edge_id>/disconnect", Disconnect.as_view(), name="disconnect"),
]
