"""Relations over REST: who plays which role, on what that stands, and taking it back."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of, page_of
from memoryapp.doors import etags
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.doors.fields import Fields, Flag, Identifier, Mapped, Paged, Text, Told, When, Whole
from memoryapp.graph import services
from memoryapp.graph.api import evidence
from memoryapp.graph.api.references import NodeNamed
from memoryapp.graph.api.serving import noted, noted_page
from memoryapp.graph.api.shapes import RELATION, shape_relation
from memoryapp.graph.models import Relation, RelationPlayer, RelationState
from memoryapp.graph.queries import relations
from memoryapp.graph.queries.relations import RelationView
from memoryapp.graph.services import RelationInput
from memoryapp.graph.statements import Player, Quoted
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ontology import parking
from memoryapp.ontology.refusals import Parks
from memoryapp.sources.queries import sources_named
from memoryapp.sources.quoting import locate

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

PLAYER: Described = {
    "role": serializers.CharField(),
    "belief": serializers.UUIDField(required=False),
    "node": serializers.UUIDField(required=False),
    "source": serializers.UUIDField(required=False),
    "relation": serializers.UUIDField(required=False),
    "quote": serializers.CharField(required=False, allow_blank=True),
}
QUOTED: Described = {
    "source": serializers.UUIDField(),
    "quote": serializers.CharField(allow_blank=True),
}
STATE: Described = {
    "state": serializers.CharField(),
    "reason": serializers.CharField(),
    "at": serializers.DateTimeField(),
}
LISTED: Described = RELATION | {"players": described("RelationPlayer", PLAYER, many=True)}
SHOWN: Described = LISTED | {
    "evidence": described("RelationEvidence", QUOTED, many=True),
    "history": described("RelationHistory", STATE, many=True),
}


class PlayerFields(Fields):
    """Who plays a role: exactly one of belief, node, source and relation."""

    role = Text(max_length=100)
    belief = Identifier(required=False)
    node = NodeNamed(required=False)
    source = Identifier(required=False)
    relation = Identifier(required=False)
    quote = Text(required=False, max_length=100_000, help_text="Of a source: the words as they stand there.")
    start = Whole(required=False, min_value=0)
    end = Whole(required=False, min_value=1)


class RelationFields(Fields):
    """A relation of a declared kind."""

    kind = Text(max_length=100, help_text="A declared kind of relation.")
    players = PlayerFields(many=True, min_length=1, max_length=1000)
    attributes = Mapped(required=False)
    valid_from = When(required=False)
    valid_to = When(required=False)
    evidence = evidence.EvidenceFields(many=True, required=False, max_length=evidence.MOST)


class NewRelations(OneOrMany):
    """Relations to be stored."""

    item = RelationFields


class RelationFilters(Paged):
    kind = Text(required=False, max_length=100)
    player = Identifier(required=False, help_text="A belief, node, source or relation that plays in it.")
    retracted = Flag(required=False, help_text="Also those that were taken back.")


class Retraction(Told):
    """Why a relation does not hold."""

    reason = Text(max_length=2000, help_text="Why, in a sentence.")


class Relations(Endpoint):
    """Relations among beliefs, nodes, sources and relations."""

    needs = {"get": "look_up", "post": "relate"}
    parameters = {"get": RelationFilters, "post": Parks}
    body = {"post": NewRelations}

    @extend_schema(
        operation_id="list_relations",
        tags=["graph"],
        summary="List relations",
        description="Relations that hold, by id.",
        responses=page_of("Relation", LISTED),
    )
    def get(self, request: Request) -> Response:
        rows = relations.relations(self.by, **self.filters).prefetch_related("players")
        return noted_page(self, "relations", "relation", self.page(rows, order=("pk",), shape=_listed))

    @extend_schema(
        operation_id="relate",
        tags=["graph"],
        summary="Relate",
        description="Stores relations of declared kinds, whole or not at all. A missing role, a role too many, an "
        "unknown role, a player twice and one that may not play are refused with what would be taken. A supersession "
        "ends what is superseded; a conflict makes the later claim wait for a person.",
        responses={201: items_of("RelationStored", LISTED)},
        examples=[
            OpenApiExample(
                "Who shipped to whom",
                request_only=True,
                value={
                    "kind": "shipment",
                    "players": [
                        {"role": "shipper", "node": {"class": "organization", "keys": {"name": "Ferro Studio"}}},
                        {"role": "carrier", "node": {"class": "organization", "keys": {"name": "Pontes Freight"}}},
                        {"role": "receiver", "node": {"class": "person", "keys": {"email": "tomas@vale.example"}}},
                    ],
                    "attributes": {"reference": "FS-204"},
                    "valid_from": "2026-03-02",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                stored = services.relate_all(write, _inputs(write, items))
            return Answer({"items": [_listed(one) for one in stored]}, status=201)

        return self.write("relate", act)


class OneRelation(Endpoint):
    """One relation."""

    needs = {"get": "look_up"}

    @extend_schema(
        operation_id="read_relation",
        tags=["graph"],
        summary="Read a relation",
        description="A relation with its players, what it stands on and how it changed, whether it holds or not.",
        responses=described("RelationShown", SHOWN),
    )
    def get(self, request: Request, relation_id: uuid.UUID) -> Response:
        found = relations.relation(self.by, relation_id)
        answer = Response(_shown(found), headers={"ETag": etags.etag(found.relation.lock)})
        quoted = [("source", one["source"]) for one in answer.data["evidence"]]
        return noted(self, "relation", answer, [("relation", found.relation.pk), *dict.fromkeys(quoted)])


class RetractRelation(Endpoint):
    """Taking a relation back."""

    needs = {"post": "relate"}
    body = {"post": Retraction}
    locked = ("post",)

    @extend_schema(
        operation_id="retract_relation",
        tags=["graph"],
        summary="Take a relation back",
        description="It does not hold, and stays in the history. What a supersession ended holds again.",
        responses=described("RelationRetracted", SHOWN),
        examples=[OpenApiExample("A slip", request_only=True, value={"reason": "It was another parcel."})],
    )
    def post(self, request: Request, relation_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            found = relations.relation(write.by, relation_id)
            etags.check(found.relation.lock, self.lock, shape_relation(found.relation))
            services.retract_relation(write, found.relation, reason=self.content["reason"])
            after = relations.relation(write.by, relation_id)
            return Answer(_shown(after), headers={"ETag": etags.etag(after.relation.lock)})

        return self.write("retract_relation", act)


def _inputs(write: Write, items: Sequence[dict[str, Any]]) -> list[RelationInput]:
    quoted = evidence.quoted(write, [item.get("evidence", ()) for item in items])
    players = _players(write, items)
    return [
        RelationInput(
            kind=item["kind"],
            players=playing,
            attributes=item.get("attributes", {}),
            valid_from=item.get("valid_from"),
            valid_to=item.get("valid_to"),
            evidence=mine,
        )
        for item, playing, mine in zip(items, players, quoted, strict=True)
    ]


def _players(write: Write, items: Sequence[dict[str, Any]]) -> list[tuple[Player, ...]]:
    """The players of each relation, their sources looked up at once. Raises Invalid with every one that is wrong."""
    ids = [player["source"] for item in items for player in item["players"] if "source" in player]
    sources, _ = sources_named(write.by, ids, [])
    wrong: list[Violation] = []
    found: list[tuple[Player, ...]] = []
    for row, item in enumerate(items):
        playing = []
        for place, told in enumerate(item["players"]):
            try:
                playing.append(_player(told, sources, f"/players/{place}", row))
            except DomainError as error:
                wrong += error.violations
        found.append(tuple(playing))
    if wrong:
        raise Invalid.all(wrong)
    return found


def _player(told: dict[str, Any], sources: dict[uuid.UUID, Any], path: str, row: int) -> Player:
    named = [name for name in ("belief", "node", "source", "relation") if name in told]
    if len(named) != 1:
        message, accepted = "A player is exactly one thing.", "one of belief, node, source and relation"
        raise Invalid.all([Violation(path, "player_is_one_thing", message, accepted, row)])
    span = {"quote", "start", "end"} & told.keys()
    if named != ["source"]:
        if span:
            message = "Only a source is quoted."
            raise Invalid.all([Violation(f"{path}/{min(span)}", "only_sources_quoted", message, "no quote", row)])
        return Player(told["role"], **{named[0]: told[named[0]]})
    source = sources.get(told["source"])
    if source is None:
        message = "There is no such source."
        raise Invalid.all([Violation(f"{path}/source", "no_such_source", message, "a source of this workspace", row)])
    if not span:
        return Player(told["role"], source=Quoted(source))
    at = locate(source, told.get("quote"), told.get("start"), told.get("end"), path, row)
    if isinstance(at, Violation):
        raise Invalid.all([at])
    return Player(told["role"], source=Quoted(source, *at))


def _listed(relation: Relation) -> dict[str, Any]:
    players = sorted(relation.players.all(), key=lambda one: (one.position, one.pk))
    return shape_relation(relation) | {"players": _told(players)}


def _shown(found: RelationView) -> dict[str, Any]:
    return shape_relation(found.relation) | {
        "players": _told(found.players),
        "evidence": [{"source": str(one.source_id), "quote": one.quote} for one in found.evidence],
        "history": [_state(one) for one in found.states],
    }


def _told(players: Iterable[RelationPlayer]) -> list[dict[str, Any]]:
    return [_played(player) for player in players]


def _played(player: RelationPlayer) -> dict[str, Any]:
    things = {
        "belief": player.belief_id,
        "node": player.node_id,
        "source": player.source_id,
        "relation": player.played_by_id,
    }
    shown = {"role": player.role} | {name: str(thing) for name, thing in things.items() if thing}
    return shown | ({"quote": player.quote} if player.quote else {})


def _state(state: RelationState) -> dict[str, Any]:
    return {"state": state.state, "reason": state.reason, "at": state.recorded_at}


parking.register(
    "relate",
    body=NewRelations,
    needs="relate",
    store=lambda write, items: services.relate_all(write, _inputs(write, items)),
)

urlpatterns = [
    path("relations", Relations.as_view(), name="relations"),
    path("relations/<uuid:relation_id>", OneRelation.as_view(), name="relation"),
    path("relations/<uuid:relation_id>/retract", RetractRelation.as_view(), name="retract-relation"),
]
