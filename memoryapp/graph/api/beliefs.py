"""Beliefs over REST: remembering, looking up, and asking what stands behind them."""

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
from memoryapp.doors.batches import named_rows
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Flag, Identifier, OneOf, Paged, Parameters, Several, Text, When, Whole, in_query
from memoryapp.graph import services, todays
from memoryapp.graph.api.believing import FULL_BELIEF, NewBeliefs, shape, statement
from memoryapp.graph.api.evidence import quoted
from memoryapp.graph.api.serving import noted, noted_page
from memoryapp.graph.api.shapes import BELIEF, NEIGHBOUR
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries import beliefs as queries
from memoryapp.graph.queries import walks
from memoryapp.graph.queries.told import history, quotes, told
from memoryapp.graph.queries.views import Scope, beliefs
from memoryapp.graph.queries.why import DEPTH, why
from memoryapp.graph.statements import Statement
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ontology import parking
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.refusals import Parks

OUTCOMES = ("created", "said_again", "ended", "already_known", "resolving", "held", "out_of_sight")
DEEPEST = 50
MOST_DEPENDANTS = 1000
BELIEF_ITEM = "belief"
"""As the served log calls it."""

EXAMPLE = {
    "kind": "preference",
    "content": "Prefers a monthly summary.",
    "owners": [{"class": "person", "keys": {"email": "ines@ferro.example"}}],
    "topic": "report frequency",
    "evidence": [
        {
            "new_source": {
                "kind": "document",
                "path": "/notes/2026-06-01.md",
                "content": "Ines: a monthly summary is enough.",
                "said_at": "2026-06-01T10:00:00-05:00",
            },
            "quote": "a monthly summary is enough",
        }
    ],
}
BELIEF_IN_WHY = BELIEF | {"owners": described("OwnerInWhy", NEIGHBOUR, many=True)}
REMEMBERED: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "outcome": serializers.ChoiceField(
        choices=OUTCOMES,
        help_text="created: new. said_again: one more evidence. ended: said again with an end, which it has now. "
        "already_known: nothing was stored. resolving: it contradicts what is held, and waits for a person. held: only "
        "a machine said it; it is no belief until a person accepts it. out_of_sight: taken for an audience that you "
        "are not of; what became of it is not told.",
    ),
    "conflicts": serializers.ListField(child=serializers.UUIDField(), help_text="Cases that wait for a person."),
    "belief": described("BeliefRemembered", FULL_BELIEF, allow_null=True),
}


class BeliefFilters(Paged):
    """Without a time, a status or the history: what is held now."""

    kind = Several(child=Text(max_length=100), required=False, help_text="With every kind below it.")
    exact = Flag(required=False, help_text="The kind alone, without those below it.")
    owner = Identifier(required=False)
    subject = Identifier(required=False)
    predicate = Several(child=Text(max_length=100), required=False)
    object = Identifier(required=False)
    in_evidence_of = Identifier(required=False, help_text="What this belief rests on.")
    not_in_evidence_of = Identifier(required=False)
    status = OneOf(required=False, choices=Status.values)
    history = Flag(required=False, help_text="Everything that was ever held.")
    valid_at = When(required=False, help_text="What was true then.")
    known_at = When(required=False, help_text="As it was known then.")
    order = OneOf(required=False, choices=["newest", "due"], help_text="due: what falls due, the earliest first.")


class DepthAsked(Parameters):
    depth = Whole(required=False, default=DEPTH, min_value=0, max_value=DEEPEST, help_text="Levels of derivation.")


class Beliefs(Endpoint):
    """What is held true."""

    needs = {"get": "look_up", "post": "remember"}
    parameters = {"get": BeliefFilters, "post": Parks}
    body = {"post": NewBeliefs}

    @extend_schema(
        operation_id="list_beliefs",
        tags=["graph"],
        summary="List beliefs",
        description="What is held now, newest first; other statuses, the history and any past time when asked for.",
        responses=page_of("BeliefListed", FULL_BELIEF),
    )
    def get(self, request: Request) -> Response:
        asked = dict(self.filters)
        order = asked.pop("order", "newest")
        rows = _rows(self, asked)
        if order == "newest":
            return noted_page(self, "current", BELIEF_ITEM, self.page(rows, order=("-recorded_at", "-id"), shape=shape))
        found = paging.page_of_keys(queries.by_due_time(rows), **self.paging_asked)
        shown = {one.pk: shape(one) for one in rows.filter(pk__in=[key[-1] for key in found.items])}
        answer = Response({"items": [shown[key[-1]] for key in found.items], "next": found.next})
        return noted_page(self, "current", BELIEF_ITEM, answer)

    @extend_schema(
        operation_id="remember",
        tags=["graph"],
        summary="Remember",
        description="Writes down what you hold true, with what it stands on. A statement that contradicts what is held "
        "waits for a person; the older one stays current.",
        responses=dict.fromkeys((201, 200), items_of("Remembered", REMEMBERED)),
        examples=[OpenApiExample("A preference, with the note it was read in", value=EXAMPLE, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                remembered = services.remember_all(write, statements(write, items))
            made = [one.belief.pk for one in remembered if isinstance(one, services.Remembered)]
            shown = {one.pk: shape(one) for one in queries.told_back(write.by, made)}
            told_back = [_told_back(one, shown) for one in remembered]
            stored = any(one["outcome"] != "already_known" for one in told_back)
            headers = {}
            if not many and (belief := told_back[0]["belief"]):
                headers = {"Location": f"/api/v1/beliefs/{belief['id']}", "ETag": etag(belief["lock"])}
            return Answer({"items": told_back}, 201 if stored else 200, headers)

        return self.write("remember", act)


def _told_back(one: services.Remembered | services.Waiting, shown: dict[uuid.UUID, Any]) -> dict[str, Any]:
    """What became of a statement. Of one for an audience that its writer is not of, nothing: not even that somebody
    had said it before."""
    if isinstance(one, services.Waiting):
        return {"outcome": one.outcome, "conflicts": [one.case.pk], "belief": None}
    if one.belief.pk not in shown:
        return {"outcome": "out_of_sight", "conflicts": [], "belief": None}
    return {
        "outcome": one.outcome,
        "conflicts": [case.pk for case in one.conflicts],
        "belief": shown[one.belief.pk],
    }


def statements(write: Write, items: Sequence[dict[str, Any]]) -> list[Statement]:
    """What is to be remembered, with the evidence of every item found or stored."""
    evidence = quoted(write, [item.get("evidence", ()) for item in items])
    return [statement(item, found) for item, found in zip(items, evidence, strict=True)]


class OneBelief(Endpoint):
    """One belief."""

    needs = {"get": "look_up"}
    instead = (
        "What a belief says and its kind never change: remember another, and let it take its place with "
        "POST /api/v1/beliefs/{id}/supersede."
    )

    @extend_schema(
        operation_id="read_belief",
        tags=["graph"],
        summary="Read a belief",
        description="Whatever its status. The ETag is what a change of it must name.",
        responses=described("OneBelief", FULL_BELIEF),
    )
    def get(self, request: Request, belief_id: uuid.UUID) -> Response:
        belief = queries.belief(self.by, belief_id)
        answer = Response(shape(belief), headers={"ETag": etag(belief.lock)})
        return noted(self, "belief", answer, [(BELIEF_ITEM, belief_id)])


class BeliefWhy(Endpoint):
    """Why a belief is held."""

    needs = {"get": "look_up"}
    parameters = {"get": DepthAsked}

    @extend_schema(
        operation_id="why_belief",
        tags=["graph"],
        summary="Why is it held?",
        description="The quoted sources, derivations down to `depth`, what it replaced and what replaced it, conflicts "
        "with their decisions, its history, and where it was served.",
        responses=described("BeliefExplained", {"belief": described("BeliefInWhy", BELIEF_IN_WHY)}),
    )
    def get(self, request: Request, belief_id: uuid.UUID) -> Response:
        queries.belief(self.by, belief_id)
        answer = Response(why(self.by, belief_id, self.asked["depth"]))
        return noted(self, "why", answer, [(BELIEF_ITEM, belief_id)])


class BeliefHistory(Endpoint):
    """What became of a belief."""

    needs = {"get": "look_up"}

    @extend_schema(
        operation_id="belief_history",
        tags=["graph"],
        summary="What became of it?",
        description="Every change of status, validity, audience and owners: from, to, when, who and why.",
        responses=described(
            "BeliefHistory", {"items": serializers.ListField(child=serializers.DictField(), help_text="Oldest first.")}
        ),
    )
    def get(self, request: Request, belief_id: uuid.UUID) -> Response:
        answer = Response({"items": history(queries.belief(self.by, belief_id))})
        return noted(self, "history", answer, [(BELIEF_ITEM, belief_id)])


class BeliefEvidence(Endpoint):
    """What a belief rests on."""

    needs = {"get": "look_up"}

    @extend_schema(
        operation_id="belief_evidence",
        tags=["graph"],
        summary="What does it rest on?",
        description="Its quoted sources, and every belief it is concluded from, through any number of derivations.",
        responses=described(
            "BeliefEvidence",
            {
                "sources": serializers.ListField(child=serializers.DictField()),
                "ancestors": serializers.ListField(child=serializers.DictField(), help_text="Nearest first."),
                "circular": serializers.BooleanField(),
                "withheld": serializers.IntegerField(help_text="How many of them are out of your sight."),
            },
        ),
    )
    def get(self, request: Request, belief_id: uuid.UUID) -> Response:
        walk = walks.evidence(self.by, queries.belief(self.by, belief_id).pk)
        found = {one.pk: one for one in beliefs(self.by, Scope(ids=walk.ids))}
        quoted_by = quotes(self.by, [belief_id, *walk.ids])
        ancestors = [told(found[one]) | {"distance": walk.distance[one], "sources": quoted_by[one]} for one in walk.ids]
        answer = Response(
            {
                "sources": quoted_by[belief_id],
                "ancestors": ancestors,
                "circular": walk.circular,
                "withheld": walk.withheld,
            }
        )
        return noted(self, "evidence", answer, [(BELIEF_ITEM, one) for one in dict.fromkeys([belief_id, *walk.ids])])


class BeliefDependants(Endpoint):
    """What would fall with a belief."""

    needs = {"get": "look_up"}

    @extend_schema(
        operation_id="belief_dependants",
        tags=["graph"],
        summary="What rests on it?",
        description="What would fall if it no longer stood: beliefs that nothing else supports.",
        responses=described(
            "BeliefDependants",
            {
                "items": described("Dependant", FULL_BELIEF, many=True),
                "count": serializers.IntegerField(),
                "cut": serializers.BooleanField(help_text=f"There are more than {MOST_DEPENDANTS}."),
            },
        ),
    )
    def get(self, request: Request, belief_id: uuid.UUID) -> Response:
        ids = walks.dependants(self.by, belief=queries.belief(self.by, belief_id).pk)
        rows = queries.with_owners(beliefs(self.by, Scope(ids=ids[:MOST_DEPENDANTS])))
        answer = {"items": [shape(one) for one in rows], "count": len(ids), "cut": len(ids) > MOST_DEPENDANTS}
        return noted_page(self, "dependants", BELIEF_ITEM, Response(answer))


def _rows(endpoint: Endpoint, asked: dict[str, Any]) -> Any:
    """The beliefs that are asked for, or what is wrong with the question."""
    predicates = asked.get("predicate", ())
    if predicates:
        predicates = sorted(todays.predicates(current_ontology(endpoint.by), predicates))
    scope = Scope(
        owner=asked.get("owner"),
        kinds=tuple(asked.get("kind", ())),
        exact=asked.get("exact", False),
        subject=asked.get("subject"),
        predicates=tuple(predicates),
        object=asked.get("object"),
        in_evidence_of=asked.get("in_evidence_of"),
        not_in_evidence_of=asked.get("not_in_evidence_of"),
    )
    how = {name: asked[name] for name in ("status", "history", "valid_at", "known_at") if name in asked}
    with in_query():
        return queries.listed(endpoint.by, scope, **how)


parking.register(
    "remember",
    body=NewBeliefs,
    needs="remember",
    store=lambda write, items: services.remember_all(write, statements(write, items)),
)

urlpatterns = [
    path("beliefs", Beliefs.as_view(), name="beliefs"),
    path("beliefs/<uuid:belief_id>", OneBelief.as_view(), name="belief"),
    path("beliefs/<uuid:belief_id>/why", BeliefWhy.as_view(), name="belief-why"),
    path("beliefs/<uuid:belief_id>/history", BeliefHistory.as_view(), name="belief-history"),
    path("beliefs/<uuid:belief_id>/evidence", BeliefEvidence.as_view(), name="belief-evidence"),
    path("beliefs/<uuid:belief_id>/dependants", BeliefDependants.as_view(), name="belief-dependants"),
]
