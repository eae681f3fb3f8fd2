"""What was done to the context over REST, and undoing it."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.context import queries, services
from memoryapp.context.api.shapes import ACT, ENTRY, told_all
from memoryapp.context.queries import Act
from memoryapp.doors import paging
from memoryapp.doors.fields import Paged
from memoryapp.graph.api.changing import Reasoned
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

DONE: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "act": ACT,
    "action": serializers.CharField(),
    "entries": serializers.ListField(child=serializers.UUIDField(), help_text="What it changed."),
    "recorded_at": serializers.DateTimeField(),
    "by": serializers.CharField(),
    "by_kind": serializers.CharField(),
    "changed_since": serializers.BooleanField(help_text="Something it changed was changed again: undo that first."),
}


class Acts(Endpoint):
    """What was done to the context."""

    needs = {"get": "read_context"}
    parameters = {"get": Paged}

    @extend_schema(
        operation_id="list_context_acts",
        tags=["context"],
        summary="What was done",
        description="Every act, the latest first, with what it changed.",
        responses=page_of("ContextAct", DONE),
    )
    def get(self, request: Request) -> Response:
        found = paging.page(queries.acts(self.by), order=("-sequence",), **self.paging_asked)
        return Response({"items": [_told(one) for one in queries.with_revisions(found.items)], "next": found.next})


class Undo(Endpoint):
    """An act undone."""

    needs = {"post": "write_context"}
    body = {"post": Reasoned}

    @extend_schema(
        operation_id="undo_context",
        tags=["context"],
        summary="Undo an act",
        description="Everything it changed says again what it said before. That is an act itself, and can be undone. "
        "409 names what was changed since.",
        responses=described("ContextUndone", {"items": described("ContextAsBefore", ENTRY, many=True), "act": ACT}),
        examples=[OpenApiExample("By mistake", value={"reason": "The wrong section."}, request_only=True)],
    )
    def post(self, request: Request, act_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            done = services.undo(write, act_id, reason=self.content["reason"])
            return Answer({"items": told_all(self.by, done), "act": str(write.pk)})

        return self.write("undo_context", act)


def _told(act: Act) -> dict[str, Any]:
    write = act.write
    return {
        "act": str(write.pk),
        "action": write.action,
        "entries": [str(one.entry_id) for one in act.revisions],
        "recorded_at": write.recorded_at,
        "by": write.actor.name,
        "by_kind": write.actor.kind,
        "changed_since": not act.latest,
    }


urlpatterns = [
    path("context/acts", Acts.as_view(), name="context-acts"),
    path("context/acts/<uuid:act_id>/undo", Undo.as_view(), name="undo-context"),
]
