"""What happened, asked for in words, over REST."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Anything, Body, Flag, Identifier, Mapped, Number, Several, Text, When, Whole
from memoryapp.timeline import queries
from memoryapp.timeline.api.episodes import bounded_part, connected_part
from memoryapp.timeline.api.shapes import CONNECTED, EPISODE, Connection, asked_for
from memoryapp.timeline.queries.searching import MOST, USUAL_LIMIT, USUAL_WEIGHT, search
from memoryapp.timeline.queries.told import told
from memoryapp.timeline.services.serving import note

ANSWER = EPISODE | {
    "score": serializers.FloatField(help_text="(1 - recency_weight) * relevance + recency_weight * recency."),
    "relevance": serializers.FloatField(help_text="From 0 to 1: how much of the question it holds."),
    "recency": serializers.FloatField(help_text="From 0 to 1: halved with every 30 days since it ended."),
    "words": serializers.ListField(child=serializers.CharField(), help_text="Words of the question that it holds."),
    "turns": serializers.ListField(child=serializers.UUIDField(), help_text="Turns of its thread that hold them."),
}
SEARCHED: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "items": described("EpisodeFound", ANSWER, many=True),
    "unknown_words": serializers.ListField(child=serializers.CharField()),
    "near_words": serializers.DictField(help_text="Words taken for one that nobody used."),
} | CONNECTED


class EpisodeQuestion(Body):
    """A question in words, and which episodes may answer it."""

    question = Text(allow_blank=True, max_length=10_000, help_text="Any text, in any script.")
    kinds = Several(child=Text(max_length=100), required=False, max_length=20, help_text="With every kind below them.")
    exact = Flag(required=False, help_text="The kinds alone.")
    participants = Several(child=Identifier(), required=False, max_length=20, help_text="One of them took part.")
    every = Flag(required=False, help_text="All of these participants took part.")
    role = Text(required=False, max_length=100, help_text="The role in which they took part.")
    connected = Connection(required=False, help_text="Anyone connected so took part: worksAt:Acme, by name or id.")
    where = Anything(
        required=False,
        help_text='A condition over properties, or a list of such: {"amount": {"gt": 12}}.',
    )
    who = Mapped(required=False, help_text="A question to the graph: anyone it finds took part, up to 500.")
    since = When(required=False, help_text="It lasted beyond then.")
    until = When(required=False, help_text="It began before then.")
    known_at = When(required=False, help_text="As it was known then.")
    recency_weight = Number(required=False, min_value=0, max_value=1, help_text=f"{USUAL_WEIGHT} unless told.")
    limit = Whole(required=False, min_value=1, max_value=MOST, help_text=f"{USUAL_LIMIT} unless told.")
    run = Text(required=False, allow_blank=True, max_length=200, help_text="The agent's run this belongs to.")
    model = Text(required=False, allow_blank=True, max_length=200, help_text="The model that asks.")


class EpisodeSearch(Endpoint):
    """What happened, asked for in words."""

    needs = {"post": "read_timeline"}
    body = {"post": EpisodeQuestion}
    reads_by_post = True

    @extend_schema(
        operation_id="search_episodes",
        tags=["timeline"],
        summary="Search what happened",
        description="What answers the question, best first, each with how well it answers and how long ago it was. Of "
        "a conversation the turns are searched. That it was served is noted.",
        responses=described("EpisodesSearched", SEARCHED),
        examples=[
            OpenApiExample("What did we discuss about pricing?", {"question": "pricing", "kinds": ["meeting"]}),
            OpenApiExample("With anyone of Acme", {"question": "contract", "connected": "worksAt:Acme"}),
            OpenApiExample(
                "What was bought for more than 100 euros",
                {"question": "sails", "kinds": ["purchase"], "where": {"amount": {"gt": 100}, "currency": "EUR"}},
            ),
            OpenApiExample(
                "With any captain of a running project",
                {
                    "question": "contract",
                    "who": {
                        "class": "person",
                        "where": {
                            "role": {"fuzzy": "captain"},
                            "related": {"relationship": "worksOn", "where": {"state": "running"}},
                        },
                    },
                },
            ),
        ],
    )
    def post(self, request: Request) -> Response:
        given = dict(self.content)
        asked, circle = asked_for(self.by, given, self.told.get("time_zone"))
        found = search(
            self.by,
            given["question"],
            asked,
            weight=given.get("recency_weight", USUAL_WEIGHT),
            limit=given.get("limit", USUAL_LIMIT),
        )
        shown = queries.with_details([one.episode for one in found.answers], asked.known_at)
        said = {one.episode.pk: told(one) for one in shown}
        items = [
            said[one.episode.pk]
            | {"score": one.score, "relevance": one.relevance, "recency": one.recency}
            | {"words": one.words, "turns": [str(turn) for turn in one.turns]}
            for one in found.answers
            if one.episode.pk in said
        ]
        others = {name: value for name, value in given.items() if name != "question"}
        note(self.by, [(one.episode.pk, one.score) for one in found.answers], question=given["question"], asked=others)
        body = {"items": items, "unknown_words": found.unknown, "near_words": found.expanded}
        return Response(body | bounded_part(asked) | connected_part(shown, circle))


urlpatterns = [path("episodes/search", EpisodeSearch.as_view(), name="search-episodes")]
