"""Asking in words over REST: recall, and the brief."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import NOTED, Endpoint, described
from memoryapp.doors.fields import Body, Flag, Identifier, OneOf, Parameters, Several, Text, When, Whole
from memoryapp.graph.api.references import NodeNamed
from memoryapp.graph.identity import resolve
from memoryapp.index.embedding.meaning import STATES
from memoryapp.ledger.models import Served
from memoryapp.recall import services
from memoryapp.recall.asked import LEAST_BUDGET, MOST_BUDGET, MOST_HITS, OVER, USUAL_HITS, Asked
from memoryapp.recall.queries import brief

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

SOURCES = described(
    "RecalledSupport",
    {
        "source": serializers.UUIDField(),
        "line": serializers.CharField(help_text="Who said it, when and where."),
        "quote": serializers.CharField(help_text="The words it stands on; empty when that is the whole source."),
    },
    many=True,
    required=False,
    help_text="Of a belief: what it stands on.",
)
HIT: Described = {
    "what": serializers.ChoiceField(choices=["belief", "node", "source", "episode", "file"]),
    "id": serializers.UUIDField(),
    "text": serializers.CharField(),
    "provenance": serializers.CharField(help_text="Where it comes from, in one line."),
    "score": serializers.FloatField(),
    "parts": serializers.DictField(child=serializers.FloatField(), help_text="What the score is made of."),
    "words": serializers.ListField(child=serializers.CharField(), help_text="Words of the question that it holds."),
    "distance": serializers.FloatField(
        required=False, help_text="How far its meaning is from the question's: 0 the same, 1 unrelated."
    ),
    "tokens": serializers.IntegerField(help_text="Taken to be a quarter of the bytes of text and provenance."),
    "why": serializers.CharField(help_text="Where to ask why it is there."),
    "belief": serializers.DictField(required=False, help_text="Of a belief: how it stands, and whose it is."),
    "sources": SOURCES,
    "changes": serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="Of a belief, when another time is asked for: what it replaces or is replaced by.",
    ),
    "node": serializers.DictField(required=False, help_text="Of a node: its class and label."),
    "source": serializers.DictField(required=False, help_text="Of a source: what it is, and which passage of it."),
    "episode": serializers.DictField(required=False, help_text="Of an episode: its kind, when, and who took part."),
    "file": serializers.DictField(required=False, help_text="Of a file: its path and lock, and which passage of it."),
    "learned": serializers.ListField(
        child=serializers.DictField(),
        required=False,
        help_text="Of a source: the beliefs learned from it, and how they stand.",
    ),
}
RECALLED: Described = {
    "workspace": serializers.CharField(),
    "hits": described("Hit", HIT, many=True),
    "misses": serializers.ListField(
        child=serializers.DictField(), help_text="When nothing answers: what came nearest, named and not served."
    ),
    "tokens": serializers.IntegerField(),
    "left_out": serializers.IntegerField(help_text="Hits that the budget did not hold."),
    "cut": serializers.BooleanField(),
    "unknown_words": serializers.ListField(child=serializers.CharField()),
    "near_words": serializers.DictField(help_text="Words taken for one that nobody used."),
    "vectors": serializers.ChoiceField(
        choices=list(STATES), help_text="; ".join(f"{state}: {meaning}" for state, meaning in STATES.items())
    ),
}
BRIEF: Described = {
    "workspace": serializers.CharField(),
    "owner": serializers.DictField(),
    "text": serializers.CharField(help_text="For a prompt as it is. Told back to us, it is never taken for new."),
    "tokens": serializers.IntegerField(),
    "beliefs": serializers.ListField(child=serializers.UUIDField()),
    "left_out": serializers.IntegerField(),
    "cut": serializers.BooleanField(),
}


class Question(Body):
    """A question in words, and what its answer is drawn from."""

    question = Text(allow_blank=True, help_text="Any text, in any script.")
    over = OneOf(
        choices=list(OVER), required=False, help_text="; ".join(f"{word}: {meaning}" for word, meaning in OVER.items())
    )
    kinds = Several(
        child=Text(max_length=100), required=False, max_length=20, help_text="Kinds of belief, with all below them."
    )
    exact = Flag(required=False, help_text="Of `kinds`, not what is below them.")
    owner = NodeNamed(required=False, help_text="Whose memory.")
    subject = NodeNamed(required=False, help_text="What it is about.")
    valid_at = When(required=False, help_text="What was true then.")
    known_at = When(required=False, help_text="As it was known then.")
    history = Flag(required=False, help_text="Also what has ended, was replaced or never was right.")
    since = When(required=False, help_text="Said, or holding, from then on.")
    until = When(required=False, help_text="Said, or holding, before then.")
    limit = Whole(required=False, min_value=1, max_value=MOST_HITS, help_text=f"Hits; {USUAL_HITS} unless told.")
    budget_tokens = Whole(
        required=False, min_value=LEAST_BUDGET, max_value=MOST_BUDGET, help_text="How long the answer may be."
    )
    run = Text(required=False, allow_blank=True, max_length=200, help_text="The agent's run this belongs to.")
    model = Text(required=False, allow_blank=True, max_length=200, help_text="The model that asks.")


class Recall(Endpoint):
    """What is remembered, asked for in words."""

    needs = {"post": "recall"}
    body = {"post": Question}
    reads_by_post = True

    @extend_schema(
        operation_id="recall",
        tags=["recall"],
        summary="Recall",
        description="What answers the question, best first. Only what is current, unless another time or history is "
        "asked for. That it was served is noted; nothing else is changed. `Commonplace-Served` names the note.",
        responses=described("Recalled", RECALLED),
        examples=[
            OpenApiExample("What is current", {"question": "How often does Ines want status emails?"}),
            OpenApiExample(
                "As it was in April", {"question": "status emails", "valid_at": "2026-04-15", "budget_tokens": 400}
            ),
            OpenApiExample("All that was ever held", {"question": "What did they use to prefer?", "history": True}),
        ],
    )
    def post(self, request: Request) -> Response:
        asked = dict(self.content)
        for name in ("owner", "subject"):
            if name in asked:
                asked[name] = resolve(self.by, asked[name]).pk
        for name in ("valid_at", "known_at", "since", "until"):
            if name in asked:
                asked[name] = asked[name].instant
        asked["kinds"] = tuple(asked.get("kinds", ()))
        answered = services.recall(self.by, Asked(**asked))
        return _noted(answered.recalled.shaped(), answered.served)


class BriefAsked(Parameters):
    owner = Identifier(help_text="The node whose brief it is.")
    budget_tokens = Whole(
        required=False, default=brief.USUAL_BUDGET, min_value=brief.LEAST_BUDGET, max_value=MOST_BUDGET
    )


class Brief(Endpoint):
    """The current beliefs of an owner, for a prompt."""

    needs = {"get": "recall"}
    parameters = {"get": BriefAsked}

    @extend_schema(
        operation_id="brief",
        tags=["recall"],
        summary="The brief of an owner",
        description="What is current of this owner, by kind, the newest change first, within the budget; marked, so "
        "that it is never taken for something new when it comes back in a conversation.",
        responses=described("Brief", BRIEF),
    )
    def get(self, request: Request) -> Response:
        made = services.brief(self.by, self.asked["owner"], self.asked["budget_tokens"])
        return _noted(made.brief.shaped(), made.served)


def _noted(answer: dict[str, Any], served: Served) -> Response:
    return Response(answer, headers={NOTED: str(served.pk)})


urlpatterns = [
    path("recall", Recall.as_view(), name="recall"),
    path("brief", Brief.as_view(), name="brief"),
]
