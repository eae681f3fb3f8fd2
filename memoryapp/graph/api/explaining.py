"""Why anything is there, over REST."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Parameters, Whole
from memoryapp.graph.api.serving import noted
from memoryapp.graph.queries.anything import why_anything
from memoryapp.graph.queries.why import DEPTH

DEEPEST = 50

WHY: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "what": serializers.ChoiceField(choices=["belief", "relation", "node", "source", "episode", "form_response"]),
    "recorded": serializers.DictField(help_text="Who recorded it, when, through which channel, with which model."),
    "served": serializers.ListField(child=serializers.DictField(), help_text="The latest answers that carried it."),
}


class DepthAsked(Parameters):
    depth = Whole(
        required=False, default=DEPTH, min_value=0, max_value=DEEPEST, help_text="Levels of derivation of a belief."
    )


class Why(Endpoint):
    """Why anything is there."""

    needs = {"get": "look_up"}
    parameters = {"get": DepthAsked}

    @extend_schema(
        operation_id="why",
        tags=["graph"],
        summary="Why is this there?",
        description="For the id of a belief, relation, node, source, episode or response of a form: what it stands on "
        "with the quoted words, what it took the place of and what took its place, conflicts and their decisions, its "
        "history, and where it was served. `what` says which of them it is.",
        responses=described("Why", WHY),
    )
    def get(self, request: Request, thing_id: uuid.UUID) -> Response:
        found = why_anything(self.by, thing_id, self.asked["depth"])
        return noted(self, "why", Response(found), [(found["what"], thing_id)])


urlpatterns = [path("why/<uuid:thing_id>", Why.as_view(), name="why")]
