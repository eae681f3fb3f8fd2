"""Filling over REST: find, open, view, write, history, and what memory knows since."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from formsengine import queries, services
from formsengine.api.shapes import FORM, RESPONSE, VERDICT, VIEW
from formsengine.bindings.offers import look_ahead, look_ahead_of
from formsengine.inputs import Answers, Opening
from formsengine.log.commits import Clock
from formsengine.models import Audience, ResponseState
from formsengine.queries import defined as form_queries
from formsengine.queries import filled as response_queries
from formsengine.queries import moving
from formsengine.view.shown import SCOPES
from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors import paging
from memoryapp.doors.fields import (
    Anything,
    Flag,
    Identifier,
    Mapped,
    OneOf,
    Paged,
    Parameters,
    Several,
    Text,
    Told,
    When,
    Whole,
    in_query,
)
from memoryapp.graph.api.references import NodeNamed
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

MOST_OPS = 200
SEEN = VIEW | {
    "verdicts": serializers.ListField(child=described("FormVerdict", VERDICT), help_text="One for each operation.")
}
OPS = [
    {"op": "set", "field": "pain", "value": 4, "speaker": "Ines Ferro"},
    {"op": "set", "field": "injured_on", "value": "2026-05"},
    {"op": "decline", "field": "address", "reason": "refused"},
]


class FormFilters(Paged):
    query = Text(required=False, max_length=200, help_text="Part of a form's name or title.")
    subject = Identifier(required=False, help_text="A node: lines of the open responses about it alone.")


class Forms(Endpoint):
    """What can be asked, and what is being asked."""

    needs = {"get": "read_forms"}
    parameters = {"get": FormFilters}
    instead = "Store a form with POST /api/v1/forms/definitions."

    @extend_schema(
        operation_id="find_forms",
        tags=["forms"],
        summary="Find forms",
        description="Forms by name, and `lines`: one for each response that is being filled, the newest first.",
        responses=described(
            "FormsFound",
            {
                "items": described("Form", FORM, many=True),
                "next": serializers.CharField(allow_null=True),
                "lines": serializers.ListField(child=serializers.CharField()),
            },
        ),
    )
    def get(self, request: Request) -> Response:
        found = paging.page(
            form_queries.forms(self.by, self.asked.get("query", "")), order=("name", "id"), **self.paging_asked
        )
        live = form_queries.lives(found.items)
        newest = form_queries.latest(found.items)
        counts = form_queries.open_counts(self.by, found.items)
        items = [
            form_queries.told(one, live.get(one.pk), newest.get(one.pk), counts.get(one.pk, {})) for one in found.items
        ]
        lines = queries.standing(self.by, subject=self.asked.get("subject"))
        return Response({"items": items, "next": found.next, "lines": lines})


class OpeningBody(Told):
    form = Text(max_length=120, help_text="The form's name or id.")
    subject = NodeNamed(required=False, help_text="Whom or what it is about.")
    values = Mapped(required=False, help_text="Answers already known, by field.")
    launch = Mapped(required=False, help_text="What the place it is opened from knows, for fields that ask for it.")
    language = Text(required=False, max_length=40, help_text="One of the form's languages.")
    zone = Text(required=False, max_length=64, help_text="The time zone in which it is filled.")
    audience = OneOf(required=False, choices=Audience.values, help_text="Who may see it.")
    readers = Several(child=Identifier(), required=False, max_length=100, help_text="Actors, for the audience named.")
    assigned_to = Identifier(required=False, help_text="The actor who is to fill it.")
    due_at = When(required=False, help_text="Until when.")


class ResponseFilters(Paged):
    form = Identifier(required=False)
    subject = Identifier(required=False, help_text="The node it is about.")
    state = Several(child=OneOf(choices=ResponseState.values), required=False, max_length=7)
    mine = Flag(required=False, help_text="Opened by the caller, or given to it.")


class Responses(Endpoint):
    """Fillings of forms."""

    needs = {"get": "read_forms", "post": "fill_forms"}
    parameters = {"get": ResponseFilters}
    body = {"post": OpeningBody}

    @extend_schema(
        operation_id="list_responses",
        tags=["forms"],
        summary="List responses",
        description="The last changed first.",
        responses=page_of("FormResponse", RESPONSE),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        rows = queries.responses(
            self.by,
            form=given.get("form"),
            states=given.get("state", ()),
            subject=given.get("subject"),
            mine=given.get("mine", False),
        )
        return self.page(rows, order=("-changed_at", "-id"), shape=response_queries.told)

    @extend_schema(
        operation_id="open_response",
        tags=["forms"],
        summary="Open a response",
        description="Begins a response under the form's live version, with what memory knows filled in or suggested, "
        "and shows what to ask now.",
        responses={201: described("FormOpened", SEEN)},
        examples=[
            OpenApiExample(
                "An intake",
                value={"form": "injury_intake", "values": {"name": "Ines Ferro", "pain": "4"}},
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        given = self.content
        opening = Opening(
            form=given["form"],
            subject=given.get("subject"),
            values=given.get("values", {}),
            launch=given.get("launch", {}),
            language=given.get("language", ""),
            zone=given.get("zone", ""),
            audience=given.get("audience", Audience.WORKSPACE),
            readers=tuple(given.get("readers", ())),
            assigned_to=given.get("assigned_to"),
            due_at=given["due_at"].instant if "due_at" in given else None,
        )

        look_ahead(self.by, opening)

        def act(write: Write) -> Answer:
            done = services.open_response(write, opening)
            headers = {"Location": f"/api/v1/forms/responses/{done.row.pk}"}
            return Answer(seen(self, done), 201, headers)

        return self.write("open_response", act)


class Viewing(Parameters):
    scope = OneOf(required=False, choices=SCOPES, help_text="What to show; now, when not said.")
    id = Text(required=False, max_length=300, help_text="The step, or the field.")
    since = Whole(required=False, min_value=0, help_text="The commit you saw, for the scope changes.")
    language = Text(required=False, max_length=40)
    budget = Whole(required=False, min_value=100, max_value=100_000, help_text="Tokens at most.")


class OneResponse(Endpoint):
    """A response, as it stands."""

    needs = {"get": "read_forms"}
    parameters = {"get": Viewing}
    instead = "Answer with POST /api/v1/forms/responses/{id}/write."

    @extend_schema(
        operation_id="view_response",
        tags=["forms"],
        summary="View a response",
        description="`now`: what to ask, within the budget. `step`: one step whole. `field`: one field with why it is "
        "as it is, and every answer it had. `outline`: every step with its counts. `changes`: what changed since a "
        "commit.",
        responses=described("FormView", VIEW),
    )
    def get(self, request: Request, response_id: uuid.UUID) -> Response:
        row = queries.response(self.by, response_id)
        with in_query():
            return Response(queries.viewed(self.by, row, **self.filters))


class WritingBody(Told):
    ops = Several(
        child=Mapped(),
        min_length=1,
        max_length=MOST_OPS,
        help_text="set, retract, decline, ask (it was asked, in which `words`), confirm, acknowledge, resolve, undo, "
        "redo, restore, revert, rows, row-add, row-remove, row-restore, row-move; each names its field by name, uid or "
        "label.",
    )
    base = Whole(required=False, min_value=0, help_text="The commit you saw.")
    key = Text(required=False, max_length=200, help_text="Names this write: sent twice, it is made once.")
    after = Text(
        required=False,
        max_length=200,
        help_text="The key of the write that the same device made before. Until that comes, this one waits.",
    )
    device = Text(required=False, max_length=64, help_text="Names the device: its own answers it has seen.")
    late = Flag(required=False, help_text="Take it although that one never arrives.")
    language = Text(required=False, max_length=40)
    locale = Text(required=False, max_length=40, help_text="How numbers and dates are written: only then 1,5 is read.")
    strict = Flag(required=False, help_text="Undo all of it, or nothing.")
    dry_run = Flag(required=False, help_text="Show the verdicts and what would be asked then, and keep nothing.")
    evidence = Several(
        child=Anything(), required=False, max_length=20, help_text='Where it was said: {"source": id, "quote": words}.'
    )


class Writing(Endpoint):
    """Answers to any fields."""

    needs = {"post": "fill_forms"}
    body = {"post": WritingBody}

    @extend_schema(
        operation_id="write_response",
        tags=["forms"],
        summary="Answer any fields",
        description="Each operation has a verdict of its own: in force, kept as a candidate beside another's answer, "
        "or rejected with what would be taken. Nothing is refused for being early, late or irrelevant.",
        responses={200: described("FormWritten", SEEN)},
        examples=[OpenApiExample("Said in one breath", value={"ops": OPS, "base": 3}, request_only=True)],
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        given = dict(self.content)
        if given.pop("dry_run", False):
            row = queries.response(self.by, response_id)
            at = Clock(timezone.now(), row.zone)
            return Response(seen(self, services.foreseen(self.by, row, Answers(**given), at=at)) | {"commit": row.lock})

        def act(write: Write) -> Answer:
            return Answer(seen(self, services.answer(write, response_id, Answers(**given))))

        return self.write("write_response", act)


class Refreshing(Endpoint):
    """What memory knows now."""

    needs = {"post": "fill_forms"}
    body = {"post": Told}

    @extend_schema(
        operation_id="refresh_response",
        tags=["forms"],
        summary="Offer what memory knows now",
        description="Fills what nobody answered, and says where memory now has something else. No answer is changed.",
        responses={200: described("FormRefreshed", SEEN)},
        examples=[OpenApiExample("Refresh", value={"rationale": "She has moved."}, request_only=True)],
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        look_ahead_of(self.by, queries.response(self.by, response_id))
        return self.write("refresh_response", lambda write: Answer(seen(self, services.refresh(write, response_id))))


MOVE = serializers.DictField(
    required=False, help_text="class, changes, states by field (before, after), orphaned: answers without a field."
)


class MovingBody(Told):
    version = Whole(min_value=1, help_text="The live version to move to.")
    confirmed = Flag(required=False, help_text="The changes were looked at.")
    moved = Mapped(required=False, help_text="Which new field an answer of an old one belongs to, by uid.")
    base = Whole(required=False, min_value=0, help_text="The commit of which you saw the preview.")
    dry_run = Flag(required=False, help_text="Show what would stand otherwise, and move nothing.")


class Moving(Endpoint):
    """Another version of the form."""

    needs = {"post": "fill_forms"}
    body = {"post": MovingBody}

    @extend_schema(
        operation_id="move_response",
        tags=["forms"],
        summary="Move a draft to another version",
        description="Harmless changes move by themselves. What may change an answer's standing wants `confirmed`; what "
        "would lose one from sight wants a map. With `dry_run` nothing moves: `preview` names the differences, each "
        "field that would stand otherwise, and the answers that no field would have.",
        responses={200: described("FormMoved", SEEN | {"preview": MOVE})},
        examples=[
            OpenApiExample("Look first", value={"version": 2, "dry_run": True}, request_only=True),
            OpenApiExample("Move", value={"version": 2, "confirmed": True}, request_only=True),
        ],
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        given = dict(self.content)
        if given.pop("dry_run", False):
            row = queries.response(self.by, response_id)
            told = moving.previewed(self.by, row, version=given["version"], moved=given.get("moved"))
            return Response(queries.viewed(self.by, row) | {"verdicts": [], "preview": told})
        return self.write("move_response", lambda write: Answer(seen(self, services.move(write, response_id, **given))))


class HistoryAsked(Parameters):
    field = Text(required=False, max_length=300, help_text="A field, by name, path or label.")


class History(Endpoint):
    """Who answered what, when."""

    needs = {"get": "read_forms"}
    parameters = {"get": HistoryAsked}

    @extend_schema(
        operation_id="response_history",
        tags=["forms"],
        summary="History of a response",
        description="Every commit with its changes; of a field, every answer it ever had.",
        responses=described(
            "FormHistory",
            {
                "commits": serializers.ListField(child=serializers.DictField(), required=False),
                "field": serializers.CharField(required=False),
                "state": serializers.CharField(required=False),
                "revisions": serializers.ListField(child=serializers.DictField(), required=False),
            },
        ),
    )
    def get(self, request: Request, response_id: uuid.UUID) -> Response:
        row = queries.response(self.by, response_id)
        with in_query():
            return Response(queries.history(self.by, row, self.asked.get("field", "")))


def seen(endpoint: Endpoint, done: services.Written) -> dict[str, Any]:
    """What a write answers: its verdicts, and what to ask now."""
    told = queries.viewed(endpoint.by, done.row, response=done.response)
    return told | {"verdicts": response_queries.named(endpoint.by, done.verdicts)}


urlpatterns = [
    path("forms", Forms.as_view(), name="forms"),
    path("forms/responses", Responses.as_view(), name="form-responses"),
    path("forms/responses/<uuid:response_id>", OneResponse.as_view(), name="form-response"),
    path("forms/responses/<uuid:response_id>/write", Writing.as_view(), name="form-response-write"),
    path("forms/responses/<uuid:response_id>/refresh", Refreshing.as_view(), name="form-response-refresh"),
    path("forms/responses/<uuid:response_id>/move", Moving.as_view(), name="form-response-move"),
    path("forms/responses/<uuid:response_id>/history", History.as_view(), name="form-response-history"),
]
