"""Episodes over REST: recorded, found by kind, participants and window, and read."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of, page_of
from memoryapp.doors import paging
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Fields, Flag, Identifier, Mapped, OneOf, Parameters, Several, Text, When, in_query
from memoryapp.graph.api.evidence import MOST as MOST_EVIDENCE
from memoryapp.graph.api.evidence import EvidenceFields, quoted
from memoryapp.graph.api.references import NodeNamed
from memoryapp.graph.api.shapes import neighbour
from memoryapp.graph.queries.told import provenance
from memoryapp.index.queries import Standing, standing
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ontology import parking
from memoryapp.ontology.refusals import Parks
from memoryapp.timeline import feeding, queries, services
from memoryapp.timeline.api.shapes import CONNECTED, EPISODE, WhatHappened, asked_for
from memoryapp.timeline.inputs import EpisodeInput, Happened, Taking
from memoryapp.timeline.models import Audience
from memoryapp.timeline.queries.connected import Circle
from memoryapp.timeline.queries.told import Shown, told
from memoryapp.timeline.services.serving import note

RECORDED = EPISODE | {
    "repeated": serializers.BooleanField(help_text="It was there under its external id; nothing was stored.")
}
EXAMPLE = {
    "kind": "meeting",
    "content": "Talked about the prices of next season's berths.",
    "occurred_from": "2026-03-02T10:00:00+01:00",
    "occurred_to": "2026-03-02T11:30:00+01:00",
    "participants": [
        {"node": {"class": "person", "keys": {"email": "ines@ferro.example"}}, "role": "host"},
        {"node": "01890a5d-ac96-774b-bcce-b302099a8057", "role": "attendee"},
    ],
    "properties": {"location": "Harbour office"},
    "external_id": "calendar-8812",
}


class TakingPart(Fields):
    """Who takes part, and how."""

    node = NodeNamed()
    role = Text(required=False, default="participant", max_length=100, help_text="A role that the kind declares.")


class EpisodeFields(Fields):
    """Something that happened: at a moment, or from one to another, of which one may be left open."""

    kind = Text(max_length=100, help_text="A declared kind of episode.")
    content = Text(required=False, default="", allow_blank=True, help_text="What happened; a conversation needs none.")
    occurred_at = When(required=False)
    occurred_from = When(required=False)
    occurred_to = When(required=False)
    participants = TakingPart(many=True, required=False, max_length=200)
    properties = Mapped(required=False, help_text="Values by name, as the kind declares them.")
    evidence = EvidenceFields(many=True, required=False, max_length=MOST_EVIDENCE)
    thread = Identifier(required=False, help_text="The conversation that it is.")
    external_id = Text(required=False, max_length=200, help_text="What its own platform calls it: told once.")
    audience = OneOf(required=False, choices=Audience.values, help_text="Who may be served it.")
    readers = Several(child=Identifier(), required=False, max_length=100, help_text="Actors, for the audience named.")
    beliefs = Several(child=Identifier(), required=False, max_length=200, help_text="Beliefs learned from it.")


class NewEpisodes(OneOrMany):
    """Episodes to be recorded."""

    item = EpisodeFields


class EpisodeFilters(WhatHappened):
    since = When(required=False, help_text="It lasted beyond then.")
    until = When(required=False, help_text="It began before then.")
    thread = Identifier(required=False, help_text="The episode that a conversation is.")
    history = Flag(required=False, help_text="Also what was taken away.")
    order = OneOf(required=False, choices=["occurred", "recorded"], help_text="The latest first, by either time.")


class Episodes(Endpoint):
    """What happened."""

    needs = {"get": "read_timeline", "post": "record_episodes"}
    parameters = {"get": EpisodeFilters, "post": Parks}
    body = {"post": NewEpisodes}

    @extend_schema(
        operation_id="list_episodes",
        tags=["timeline"],
        summary="List what happened",
        description="The latest first: by kind with all below it, by who took part, by window, by conditions over "
        "properties (docs/query.md). "
        "`connected=worksAt:Acme&kind=meeting` asks whom we met from Acme, and `connected` names them.",
        responses=page_of("Episode", EPISODE | CONNECTED),
    )
    def get(self, request: Request) -> Response:
        given = dict(self.filters)
        by_recorded = given.pop("order", "occurred") == "recorded"
        with in_query():
            asked, circle = asked_for(self.by, given)
            rows = queries.episodes(self.by, asked)
        order = ("-recorded_at", "-id") if by_recorded else ("-ordered_at", "-id")
        return listed(self, rows, order, asked, circle)

    @extend_schema(
        operation_id="record_episodes",
        tags=["timeline"],
        summary="Record what happened",
        description="Stores episodes with who took part. Told again under its `external_id` it is the same one; with "
        "another body it is refused. Nothing stored is changed: amend it instead.",
        responses=dict.fromkeys((201, 200), items_of("EpisodeRecorded", RECORDED)),
        examples=[OpenApiExample("A meeting", value=EXAMPLE, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                done = services.record_episodes(write, episode_inputs(write, items))
            shown = {one.episode.pk: told(one) for one in queries.with_details([one.episode for one in done])}
            answered = [shown[one.episode.pk] | {"repeated": one.repeated} for one in done]
            new = any(not one.repeated for one in done)
            headers = {}
            if not many:
                episode = done[0].episode
                headers = {"Location": f"/api/v1/episodes/{episode.pk}", "ETag": etag(episode.lock)}
            return Answer({"items": answered}, 201 if new else 200, headers)

        return self.write("record_episodes", act)


class AsKnown(Parameters):
    known_at = When(required=False, help_text="As it was known then.")


class OneEpisode(Endpoint):
    """One episode."""

    needs = {"get": "read_timeline"}
    parameters = {"get": AsKnown}
    instead = "What was told of an episode never changes: amend it with POST /api/v1/episodes/{id}/amend."

    @extend_schema(
        operation_id="read_episode",
        tags=["timeline"],
        summary="Read an episode",
        description="Whatever its state, with what it is known from and who recorded it. The ETag is what an amendment "
        "must name.",
        responses=described(
            "OneEpisode",
            EPISODE
            | {
                "sources": serializers.ListField(child=serializers.DictField(), help_text="What it is known from."),
                "recorded": serializers.DictField(help_text="Who recorded it, when and through which channel."),
                "indexed": serializers.ChoiceField(
                    choices=Standing.choices,
                    help_text="How it is found: by its words, by its meaning too; waiting for a job; of one that says "
                    "nothing of its own, none.",
                ),
            },
        ),
    )
    def get(self, request: Request, episode_id: uuid.UUID) -> Response:
        known_at = self.asked["known_at"].instant if "known_at" in self.asked else None
        found = queries.episode(self.by, episode_id)
        shown = queries.shown(found, known_at)
        note(self.by, [(found.pk, None)], asked=self.filters)
        body = told(shown) | {
            "sources": queries.known_from(self.by, shown.revision),
            "recorded": provenance(found.write),
            "indexed": standing(self.by.workspace, feeding.EPISODE, found.pk),
        }
        return Response(body, headers={"ETag": etag(found.lock)})


class BetweenAsked(WhatHappened):
    start = When(help_text="The beginning of the window.")
    end = When(help_text="Its end, which is outside.")


class Timeline(Endpoint):
    """What happened between two times."""

    needs = {"get": "read_timeline"}
    parameters = {"get": BetweenAsked}

    @extend_schema(
        operation_id="timeline_between",
        tags=["timeline"],
        summary="What happened between two times",
        description="Everything that overlaps the window, in the order in which it happened.",
        responses=page_of("EpisodeBetween", EPISODE | CONNECTED),
    )
    def get(self, request: Request) -> Response:
        given = dict(self.filters)
        start, end = given.pop("start").instant, given.pop("end").instant
        with in_query():
            asked, circle = asked_for(self.by, given)
            rows = queries.between(self.by, start, end, asked)
        return listed(self, rows, ("ordered_at", "id"), asked, circle)


class NodeTimeline(Endpoint):
    """What happened with a node."""

    needs = {"get": "read_timeline"}
    parameters = {"get": EpisodeFilters}

    @extend_schema(
        operation_id="node_timeline",
        tags=["timeline"],
        summary="What happened with a node",
        description="Everything it took part in, the latest first; of a node that others were folded into, theirs too.",
        responses=page_of("EpisodeOfNode", EPISODE | CONNECTED),
    )
    def get(self, request: Request, node_id: uuid.UUID) -> Response:
        given = dict(self.filters)
        by_recorded = given.pop("order", "occurred") == "recorded"
        with in_query():
            asked, circle = asked_for(self.by, given)
            rows = queries.timeline(self.by, node_id, asked)
        order = ("-recorded_at", "-id") if by_recorded else ("-ordered_at", "-id")
        return listed(self, rows, order, asked, circle)


def listed(
    endpoint: Endpoint, rows: Any, order: tuple[str, ...], asked: queries.Asked, circle: Circle | None
) -> Response:
    """One page of episodes, noted as served; with who of those connected takes part in them."""
    found = paging.page(rows, order=order, **endpoint.paging_asked)
    shown = queries.with_details(found.items, asked.known_at)
    note(endpoint.by, [(one.episode.pk, None) for one in shown], asked=endpoint.filters)
    body = {"items": [told(one) for one in shown], "next": found.next}
    return Response(body | bounded_part(asked) | connected_part(shown, circle))


def bounded_part(asked: queries.Asked) -> dict[str, Any]:
    """That not every value was compared, where it was not."""
    return {"where_cut": True} if asked.bounded else {}


def connected_part(shown: Sequence[Shown], circle: Circle | None) -> dict[str, Any]:
    """Who of those connected takes part in what is shown."""
    if circle is None:
        return {}
    wanted = set(circle.nodes)
    part = {node.pk: neighbour(node) for one in shown for node, _ in one.people if node.pk in wanted}
    return {"connected": list(part.values()), "connected_cut": circle.cut}


def episode_inputs(write: Write, items: Sequence[dict[str, Any]]) -> list[EpisodeInput]:
    """Episodes as a body tells them, for the services, with their evidence found or stored."""
    evidence = quoted(write, [item.get("evidence", ()) for item in items])
    return [
        EpisodeInput(
            kind=item["kind"],
            content=item.get("content", ""),
            happened=when(item),
            participants=takings(item.get("participants", ())),
            properties=item.get("properties", {}),
            evidence=mine,
            thread=item.get("thread"),
            external_id=item.get("external_id", ""),
            audience=item.get("audience", Audience.WORKSPACE),
            readers=tuple(item.get("readers", ())),
            beliefs=tuple(item.get("beliefs", ())),
        )
        for item, mine in zip(items, evidence, strict=True)
    ]


def when(item: dict[str, Any]) -> Happened:
    return Happened(item.get("occurred_at"), item.get("occurred_from"), item.get("occurred_to"))


def takings(told: Sequence[dict[str, Any]]) -> tuple[Taking, ...]:
    return tuple(Taking(one["node"], one.get("role", "participant")) for one in told)


parking.register(
    "record_episodes",
    body=NewEpisodes,
    needs="record_episodes",
    store=lambda write, items: services.record_episodes(write, episode_inputs(write, items)),
)

urlpatterns = [
    path("episodes", Episodes.as_view(), name="episodes"),
    path("episodes/<uuid:episode_id>", OneEpisode.as_view(), name="episode"),
    path("timeline", Timeline.as_view(), name="timeline"),
    path("nodes/<uuid:node_id>/timeline", NodeTimeline.as_view(), name="node-timeline"),
]
