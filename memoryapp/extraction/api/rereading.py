"""Reading again over REST: what it would change, and the job that does it."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Told
from memoryapp.extraction import rereading
from memoryapp.extraction.api.proposing import CANDIDATE, shape
from memoryapp.extraction.candidates import Proposed
from memoryapp.extraction.models import ExtractionRun
from memoryapp.extraction.rereading import MOST_COMPARED, Difference, Of
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

MOST = 500
"""Proposals and candidates that an answer lists; of more it says how many."""
NEW = {
    "source": serializers.UUIDField(),
    "start": serializers.IntegerField(help_text="First character of the quote in the source, from 0."),
    "end": serializers.IntegerField(),
    "quote": serializers.CharField(),
    "kind": serializers.CharField(),
    "content": serializers.CharField(),
    "rule": serializers.CharField(),
}
RUN = {
    "id": serializers.UUIDField(),
    "extractor": serializers.CharField(),
    "version": serializers.CharField(),
    "recorded_at": serializers.DateTimeField(),
    "job": serializers.UUIDField(allow_null=True),
}
DIFFERENCE = {
    "sources": serializers.IntegerField(help_text="Turns or texts that would be read."),
    "version": serializers.CharField(help_text="What reads now."),
    "with_model": serializers.CharField(help_text="The model, and its prompt, that would read too; empty for none."),
    "compared": serializers.BooleanField(
        help_text=f"Not of more than {MOST_COMPARED} turns: there only a job finds out, and the counts are null."
    ),
    "new": described("ProposalOfReading", NEW, many=True, help_text="What the rules would propose."),
    "new_count": serializers.IntegerField(allow_null=True),
    "same_count": serializers.IntegerField(
        allow_null=True, help_text="What they would propose just as before: it changes nothing."
    ),
    "gone": described("CandidateNotFoundAgain", CANDIDATE, many=True, help_text="Found before, not now. It stays."),
    "gone_count": serializers.IntegerField(allow_null=True),
    "runs": described("RunOfReading", RUN, many=True, help_text="Who read it before, the latest first."),
}
SAID = (
    "What the rules of this version would propose of it beside what was proposed before. Nothing is stored, and no "
    "model is asked."
)
DONE = (
    "By the rules, and by the model where there is one: a new run each, done by a job. What was learned before stays, "
    "with what it stands on; the same proposal is not made twice. Asked for while it is being read, it is that reading."
)


class AskedAgain(Told):
    """Nothing but who asks, and why."""


def shown(endpoint: Endpoint, of: Of) -> Response:
    """What reading it again would change."""
    return Response(told(rereading.difference(endpoint.by, of)))


def again(endpoint: Endpoint, of: Of) -> Response:
    """Have it read again."""

    def act(write: Write) -> Answer:
        jobs = rereading.read_again(write, of)
        body = {"jobs": [{"job": str(one.pk), "kind": one.kind, "state": one.state} for one in jobs]}
        return Answer(body, 202, {"Location": f"/api/v1/jobs/{jobs[0].pk}"})

    return endpoint.write("read_again", act)


WHY = OpenApiExample("Why", value={"rationale": "The rules read more than they did."}, request_only=True)
ASKED = described(
    "ReadAgain",
    {
        "jobs": described(
            "JobOfReading",
            {"job": serializers.UUIDField(), "kind": serializers.CharField(), "state": serializers.CharField()},
            many=True,
        )
    },
)


class SourceReading(Endpoint):
    """A source, read again."""

    needs = {"get": "read_candidates", "post": "tell"}
    body = {"post": AskedAgain}

    @extend_schema(
        operation_id="source_reading",
        tags=["tell"],
        summary="What reading a source again would change",
        description=SAID,
        responses=described("SourceReading", DIFFERENCE),
    )
    def get(self, request: Request, source_id: uuid.UUID) -> Response:
        return shown(self, rereading.what(self.by, source_id=source_id))

    @extend_schema(
        operation_id="read_source_again",
        tags=["tell"],
        summary="Read a source again",
        description=DONE,
        responses={202: ASKED},
        examples=[WHY],
    )
    def post(self, request: Request, source_id: uuid.UUID) -> Response:
        return again(self, rereading.what(self.by, source_id=source_id))


class ThreadReading(Endpoint):
    """A conversation, read again."""

    needs = {"get": "read_candidates", "post": "tell"}
    body = {"post": AskedAgain}

    @extend_schema(
        operation_id="thread_reading",
        tags=["tell"],
        summary="What reading a conversation again would change",
        description=SAID,
        responses=described("ThreadReading", DIFFERENCE),
    )
    def get(self, request: Request, thread_id: uuid.UUID) -> Response:
        return shown(self, rereading.what(self.by, thread_id=thread_id))

    @extend_schema(
        operation_id="read_thread_again",
        tags=["tell"],
        summary="Read a conversation again",
        description=DONE,
        responses={202: ASKED},
        examples=[WHY],
    )
    def post(self, request: Request, thread_id: uuid.UUID) -> Response:
        return again(self, rereading.what(self.by, thread_id=thread_id))


def told(found: Difference) -> dict[str, Any]:
    """A difference, as plain data."""
    return {
        "sources": found.sources,
        "version": found.version,
        "with_model": found.with_model,
        "compared": found.compared,
        "new": [_new(one) for one in found.new[:MOST]],
        "new_count": len(found.new) if found.compared else None,
        "same_count": found.same if found.compared else None,
        "gone": [shape(one) for one in found.gone[:MOST]],
        "gone_count": len(found.gone) if found.compared else None,
        "runs": [_run(one) for one in found.runs],
    }


def _new(one: Proposed) -> dict[str, Any]:
    return {
        "source": str(one.source.pk),
        "start": one.start,
        "end": one.end,
        "quote": one.quote,
        "kind": one.kind,
        "content": one.content,
        "rule": one.rule,
    }


def _run(one: ExtractionRun) -> dict[str, Any]:
    return {
        "id": str(one.pk),
        "extractor": one.extractor,
        "version": one.version,
        "recorded_at": one.recorded_at.isoformat(),
        "job": str(one.job_id) if one.job_id else None,
    }


urlpatterns = [
    path("sources/<uuid:source_id>/reading", SourceReading.as_view(), name="source-reading"),
    path("threads/<uuid:thread_id>/reading", ThreadReading.as_view(), name="thread-reading"),
]
