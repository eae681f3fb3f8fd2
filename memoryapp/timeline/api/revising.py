"""Amending an episode over REST, taking it away, and what was learned from it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Identifier, Mapped, OneOf, Paged, Several, Text, When
from memoryapp.doors.fields import Told as ToldBody
from memoryapp.graph.api.changing import Reasoned
from memoryapp.graph.api.shapes import BELIEF
from memoryapp.graph.queries.told import told as told_belief
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.timeline import queries, services
from memoryapp.timeline.api.episodes import TakingPart, takings, when
from memoryapp.timeline.api.shapes import EPISODE
from memoryapp.timeline.inputs import Amendment
from memoryapp.timeline.models import Audience
from memoryapp.timeline.queries.told import told, told_revision
from memoryapp.timeline.services.learning import MOST as MOST_LEARNED

REVISION: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "sequence": serializers.IntegerField(),
    **{
        name: EPISODE[name]
        for name in ("content", "state", "occurred_at", "occurred_from", "occurred_to", "participants", "properties")
    },
    "reason": serializers.CharField(help_text="Why it was said anew; empty of the first."),
    "recorded_at": serializers.DateTimeField(),
    "by": serializers.CharField(),
    "by_kind": serializers.CharField(),
    "action": serializers.CharField(),
    "channel": serializers.CharField(),
}


class Amending(Reasoned):
    """What is said anew. What is left out stays as it was."""

    content = Text(required=False, allow_blank=True)
    occurred_at = When(required=False)
    occurred_from = When(required=False)
    occurred_to = When(required=False)
    participants = TakingPart(many=True, required=False, max_length=200, help_text="In place of those before.")
    properties = Mapped(required=False, help_text="In place of those before.")
    audience = OneOf(required=False, choices=Audience.values)
    readers = Several(child=Identifier(), required=False, max_length=100, help_text="Besides those before.")


class LearnedBeliefs(ToldBody):
    """Beliefs that were learned from an episode."""

    beliefs = Several(child=Identifier(), min_length=1, max_length=MOST_LEARNED)


def _described(operation: str, summary: str, description: str, example: dict[str, Any]) -> Callable[[Any], Any]:
    return extend_schema(
        operation_id=operation,
        tags=["timeline"],
        summary=summary,
        description=description,
        responses=described("EpisodeRevised", EPISODE),
        examples=[OpenApiExample(summary, value=example, request_only=True)],
    )


class Amend(Endpoint):
    """Saying something else of an episode."""

    needs = {"post": "record_episodes"}
    body = {"post": Amending}
    locked = ("post",)

    @_described(
        "amend_episode",
        "Amend an episode",
        "Adds a revision beside the others, which stay readable. What a person said of it an agent does not amend.",
        {"reason": "It lasted until noon.", "occurred_to": "2026-03-02T12:00:00+01:00"},
    )
    def post(self, request: Request, episode_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            queries.episode(self.by, episode_id)
            services.amend(write, episode_id, self._amendment(), reason=self.told["reason"], lock=self.lock)
            return revised(self, episode_id)

        return self.write("amend_episode", act)

    def _amendment(self) -> Amendment:
        given = self.content
        return Amendment(
            content=given.get("content"),
            happened=when(given),
            participants=takings(given["participants"]) if "participants" in given else None,
            properties=given.get("properties"),
            audience=given.get("audience"),
            readers=tuple(given.get("readers", ())),
        )


class Retract(Endpoint):
    """An episode that never was so."""

    needs = {"post": "withdraw"}
    body = {"post": Reasoned}
    locked = ("post",)

    @_described(
        "retract_episode",
        "Take an episode away",
        "It never was so. A tombstone with the reason stays, and what was said of it in its revisions.",
        {"reason": "The meeting did not take place."},
    )
    def post(self, request: Request, episode_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            services.retract(write, episode_id, reason=self.told["reason"], lock=self.lock)
            return revised(self, episode_id)

        return self.write("retract_episode", act)


class Reinstate(Endpoint):
    """An episode that was taken away by mistake."""

    needs = {"post": "withdraw"}
    body = {"post": Reasoned}
    locked = ("post",)

    @_described(
        "reinstate_episode",
        "Let an episode stand again",
        "As it was said last before it was taken away.",
        {"reason": "It did take place."},
    )
    def post(self, request: Request, episode_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            services.reinstate(write, episode_id, reason=self.told["reason"], lock=self.lock)
            return revised(self, episode_id)

        return self.write("reinstate_episode", act)


class Revisions(Endpoint):
    """What was said of an episode, and when."""

    needs = {"get": "read_timeline"}

    @extend_schema(
        operation_id="episode_history",
        tags=["timeline"],
        summary="What was said of it?",
        description="Every revision, the latest first, with who said it and why.",
        responses=described("EpisodeHistory", {"items": described("EpisodeRevision", REVISION, many=True)}),
    )
    def get(self, request: Request, episode_id: uuid.UUID) -> Response:
        found = queries.revisions(queries.episode(self.by, episode_id))
        return Response({"items": [told_revision(one) for one in found]})


class Learned(Endpoint):
    """What was learned from an episode."""

    needs = {"get": "read_timeline", "post": "record_episodes"}
    parameters = {"get": Paged}
    body = {"post": LearnedBeliefs}

    @extend_schema(
        operation_id="learned_from_episode",
        tags=["timeline"],
        summary="What was learned from it?",
        description="Beliefs linked to it, and those that stand on its conversation or on what else it is known from.",
        responses=page_of("LearnedFromEpisode", BELIEF),
    )
    def get(self, request: Request, episode_id: uuid.UUID) -> Response:
        rows = queries.learned(self.by, queries.episode(self.by, episode_id))
        return self.page(rows, order=("-recorded_at", "-id"), shape=told_belief)

    @extend_schema(
        operation_id="link_learned",
        tags=["timeline"],
        summary="Link what was learned from it",
        description="Names beliefs that were learned from the episode. It gives them no support of its own.",
        responses=described("LearnedLinked", {"linked": serializers.IntegerField(help_text="How many are new.")}),
        examples=[
            OpenApiExample("A belief", value={"beliefs": ["01890a5d-ac96-774b-bcce-b302099a8057"]}, request_only=True)
        ],
    )
    def post(self, request: Request, episode_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            return Answer({"linked": len(services.learned_from(write, episode_id, self.content["beliefs"]))})

        return self.write("link_learned", act)


def revised(endpoint: Endpoint, episode_id: uuid.UUID) -> Answer:
    """The episode as it is said now."""
    shown = queries.shown(queries.episode(endpoint.by, episode_id))
    return Answer(told(shown), 200, {"ETag": etag(shown.episode.lock)})


urlpatterns = [
    path("episodes/<uuid:episode_id>/amend", Amend.as_view(), name="amend-episode"),
    path("episodes/<uuid:episode_id>/retract", Retract.as_view(), name="retract-episode"),
    path("episodes/<uuid:episode_id>/reinstate", Reinstate.as_view(), name="reinstate-episode"),
    path("episodes/<uuid:episode_id>/history", Revisions.as_view(), name="episode-history"),
    path("episodes/<uuid:episode_id>/learned", Learned.as_view(), name="episode-learned"),
]
