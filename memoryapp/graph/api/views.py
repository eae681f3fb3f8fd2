"""Named views over REST: stored questions about beliefs, answered now."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.doors.fields import Paged
from memoryapp.graph.api.believing import FULL_BELIEF, shape
from memoryapp.graph.api.serving import noted_page
from memoryapp.graph.queries import views
from memoryapp.graph.queries.beliefs import with_owners
from memoryapp.ontology.queries import current_ontology

VIEW: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "name": serializers.CharField(),
    "title": serializers.CharField(),
    "description": serializers.CharField(),
    "kinds": serializers.ListField(child=serializers.CharField()),
    "history": serializers.BooleanField(help_text="It also holds what has ended."),
}


class Views(Endpoint):
    """The named views there are."""

    needs = {"get": "look_up"}

    @extend_schema(
        operation_id="list_views",
        tags=["graph"],
        summary="List named views",
        description="The stored questions about beliefs that the declared types name.",
        responses=described("ViewList", {"items": described("View", VIEW, many=True)}),
    )
    def get(self, request: Request) -> Response:
        declared = current_ontology(self.by).document.views
        return Response(
            {
                "items": [
                    {
                        "name": name,
                        "title": view.title or name,
                        "description": view.description,
                        "kinds": view.kinds,
                        "history": view.history,
                    }
                    for name, view in sorted(declared.items())
                ]
            }
        )


class OneView(Endpoint):
    """The beliefs in a named view."""

    needs = {"get": "look_up"}
    parameters = {"get": Paged}

    @extend_schema(
        operation_id="read_view",
        tags=["graph"],
        summary="Read a named view",
        description="The beliefs that the view holds now, by id. A kind that was declared since is in it.",
        responses=page_of("BeliefInView", FULL_BELIEF),
    )
    def get(self, request: Request, name: str) -> Response:
        try:
            rows = views.named(self.by, name)
        except Invalid as error:
            raise NotFound(error.detail, code="no_such_view", violations=error.violations) from error
        return noted_page(self, "view", "belief", self.page(with_owners(rows), order=("pk",), shape=shape))


urlpatterns = [
    path("views", Views.as_view(), name="views"),
    path("views/<str:name>", OneView.as_view(), name="view"),
]
