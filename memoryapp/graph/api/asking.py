"""Questions to the graph over REST; see docs/query.md."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Anything, Body, Flag, Mapped, Several, Text, When, Whole
from memoryapp.graph.api.serving import noted
from memoryapp.graph.api.shapes import NEIGHBOUR
from memoryapp.graph.queries import asking
from memoryapp.graph.queries.asking import Answer, Found
from memoryapp.graph.queries.asking.reading import MOST_LIMIT, MOST_OFFSET, USUAL_LIMIT
from memoryapp.ontology.queries import current_ontology

FOUND: dict[str, serializers.Field[Any, Any, Any, Any]] = NEIGHBOUR | {
    "properties": serializers.DictField(help_text="What is held of it."),
    "expanded": serializers.ListField(
        child=serializers.DictField(), help_text="For each hop its relationship, edges with the nodes there, and cut."
    ),
}
ANSWER: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "items": described("NodeAskedFor", FOUND, many=True),
    "more": serializers.BooleanField(help_text="Others follow: ask with a greater offset."),
    "cut": serializers.BooleanField(help_text="A hop, or a fuzzy comparison, reached its bound."),
}
TIMES = ("valid_at", "known_at")


class GraphQuestion(Body):
    """Which nodes, what is told of them, and what leads on from them."""

    locals()["class"] = Text(max_length=100, help_text="With every class below it.")
    exact = Flag(required=False, help_text="The class alone.")
    where = Anything(required=False, help_text="A condition, or a list of which all must hold.")
    select = Several(
        child=Text(max_length=100), required=False, max_length=100, help_text="Properties; all unless told."
    )
    order = Several(
        child=Text(max_length=101), required=False, max_length=10, help_text="Properties, with - from the greatest."
    )
    limit = Whole(required=False, min_value=1, max_value=MOST_LIMIT, help_text=f"{USUAL_LIMIT} unless told.")
    offset = Whole(required=False, min_value=0, max_value=MOST_OFFSET, help_text="How many are left out first.")
    expand = Several(
        child=Mapped(), required=False, max_length=10, help_text="Hops: relationship, direction, where ..."
    )
    retired = Flag(required=False, help_text="Also nodes no longer in use.")
    valid_at = When(required=False, help_text="What was true then.")
    known_at = When(required=False, help_text="As it was known then.")


class Asking(Endpoint):
    """Nodes asked for."""

    needs = {"post": "look_up"}
    body = {"post": GraphQuestion}
    reads_by_post = True

    @extend_schema(
        operation_id="query_graph",
        tags=["graph"],
        summary="Ask the graph",
        description="Nodes of a class by conditions over what is held of them and how they are related, in an order, "
        "with what leads on from each. Conditions: `{property: {operator: value}}`, joined by `and`, `or`, `not`, and "
        "`related`. Operators: eq, neq, in, not_in, exists, fuzzy, contains, starts_with, ends_with, gt, gte, lt, lte, "
        "between.",
        responses=described("GraphAnswer", ANSWER),
        examples=[
            OpenApiExample(
                "Who works at Acme",
                {
                    "class": "person",
                    "where": {"related": {"relationship": "worksAt", "where": {"name": "Acme"}}},
                    "select": ["email"],
                    "order": ["name"],
                    "limit": 20,
                    "expand": [{"relationship": "worksAt", "direction": "out", "select": ["domain"]}],
                },
            ),
            OpenApiExample(
                "Projects that are due",
                {
                    "class": "project",
                    "where": {"deadline": {"lt": "2026-07-01"}, "state": {"neq": "finished"}},
                },
            ),
        ],
    )
    def post(self, request: Request) -> Response:
        given = {name: value for name, value in self.content.items() if name not in TIMES}
        times = {name: self.content[name].instant for name in TIMES if name in self.content}
        question = asking.read(current_ontology(self.by), given, time_zone=self.told.get("time_zone"), **times)
        answer = asking.ask(self.by, question)
        return noted(self, "query", Response(asking.told(answer)), _carried(answer))


def _carried(answer: Answer) -> list[tuple[str, Any]]:
    """Every node and edge that an answer tells of, once."""
    found: dict[tuple[str, Any], None] = {}
    waiting: list[Found] = list(answer.found)
    while waiting:
        one = waiting.pop(0)
        found["node", one.pk] = None
        for expanded in one.expanded:
            for reached in expanded.edges:
                if ("belief", reached.edge.pk) not in found:
                    found["belief", reached.edge.pk] = None
                    waiting.append(reached.found)
    return list(found)


urlpatterns = [path("nodes/query", Asking.as_view(), name="query-nodes")]
