"""Taking a source or a conversation back, over REST: what it would do, doing it, and how far it is done."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Body, Text
from memoryapp.graph.api.serving import noted_whole
from memoryapp.graph.api.shapes import BELIEF
from memoryapp.graph.queries import withdrawals
from memoryapp.graph.services import withdrawing
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]


def _counted(name: str, item: Described) -> serializers.Serializer[Any]:
    many = described(f"{name}Item", item, many=True)
    return described(name, {"count": serializers.IntegerField(), "items": many})


PREVIEW: Described = {
    "sources": serializers.IntegerField(help_text="How many sources would be taken back."),
    "falls": _counted("Falls", BELIEF),
    "stands": _counted("Stands", BELIEF),
    "comes_back": _counted("ComesBack", BELIEF),
    "needs_a_person": _counted(
        "NeedsAPerson", {"belief": described("AskedBelief", BELIEF), "because": serializers.CharField()}
    ),
}
TAKEN_BACK: Described = {
    "id": serializers.UUIDField(),
    "source": serializers.UUIDField(allow_null=True),
    "thread": serializers.UUIDField(allow_null=True),
    "at": serializers.DateTimeField(),
    "by": serializers.CharField(),
    "rationale": serializers.CharField(),
    "decision": serializers.UUIDField(allow_null=True, help_text="Undo it under /decisions."),
    "complete": serializers.BooleanField(help_text="Nothing is left to decide, and the words are served nowhere."),
    "open_cases": serializers.ListField(child=serializers.UUIDField()),
}
FORESEEN = (
    "What falls, what stands since others confirm it, what comes back since what replaced it falls, and what a person "
    "must decide. Nothing is changed. All are counted, the first of each listed."
)
DONE = (
    "Nothing stands on it any more. What rests on it alone is archived at once; what a person confirmed stays with a "
    "case. It stays readable, is marked in `why`, and the decision can be undone. 409 when it is taken back already."
)
STATE = "Who took it back and why, and whether anything is left to decide; null while it stands."
EXAMPLE = OpenApiExample("Take it back", request_only=True, value={"rationale": "It was said of another project."})


class TakingBack(Body):
    """Why it is taken back."""

    rationale = Text(max_length=2000)


class _Preview(Endpoint):
    def foreseen(self, **thing: uuid.UUID) -> Response:
        return noted_whole(self, "preview", Response(withdrawals.preview(self.by, **thing)))


class _TakeBack(Endpoint):
    def done(self, **thing: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            withdrawal, _ = withdrawing.take_back(write, **thing)
            return Answer(withdrawals.described(self.by, withdrawal), 201)

        return self.write("take_back", act)


class SourcePreview(_Preview):
    """What taking a source back would do."""

    needs = {"get": "read_sources"}

    @extend_schema(
        operation_id="preview_source_withdrawal",
        tags=["sources"],
        summary="What would fall if this source were taken back",
        description=FORESEEN,
        responses=described("SourceWithdrawalPreview", PREVIEW),
    )
    def get(self, request: Request, source_id: uuid.UUID) -> Response:
        return self.foreseen(source=source_id)


class ThreadPreview(_Preview):
    """What taking a conversation back would do."""

    needs = {"get": "read_sources"}

    @extend_schema(
        operation_id="preview_thread_withdrawal",
        tags=["sources"],
        summary="What would fall if this conversation were taken back",
        description=FORESEEN,
        responses=described("ThreadWithdrawalPreview", PREVIEW),
    )
    def get(self, request: Request, thread_id: uuid.UUID) -> Response:
        return self.foreseen(thread=thread_id)


class WithdrawSource(_TakeBack):
    """Take a source back."""

    needs = {"post": "withdraw"}
    body = {"post": TakingBack}

    @extend_schema(
        operation_id="withdraw_source",
        tags=["sources"],
        summary="Take a source back",
        description=DONE,
        responses={201: described("SourceWithdrawn", TAKEN_BACK)},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, source_id: uuid.UUID) -> Response:
        return self.done(source=source_id)


class WithdrawThread(_TakeBack):
    """Take a conversation back."""

    needs = {"post": "withdraw"}
    body = {"post": TakingBack}

    @extend_schema(
        operation_id="withdraw_thread",
        tags=["sources"],
        summary="Take a conversation back",
        description=DONE + " What is told to it later stands.",
        responses={201: described("ThreadWithdrawn", TAKEN_BACK)},
        examples=[EXAMPLE],
    )
    def post(self, request: Request, thread_id: uuid.UUID) -> Response:
        return self.done(thread=thread_id)


class SourceWithdrawal(Endpoint):
    """How the taking back of a source stands."""

    needs = {"get": "read_sources"}

    @extend_schema(
        operation_id="read_source_withdrawal",
        tags=["sources"],
        summary="How the taking back of a source stands",
        description=STATE,
        responses=described(
            "WithdrawalOfSource", {"withdrawal": described("SourceTaken", TAKEN_BACK, allow_null=True)}
        ),
    )
    def get(self, request: Request, source_id: uuid.UUID) -> Response:
        return Response({"withdrawal": withdrawals.withdrawal(self.by, source=source_id)})


class ThreadWithdrawal(Endpoint):
    """How the taking back of a conversation stands."""

    needs = {"get": "read_sources"}

    @extend_schema(
        operation_id="read_thread_withdrawal",
        tags=["sources"],
        summary="How the taking back of a conversation stands",
        description=STATE,
        responses=described(
            "WithdrawalOfThread", {"withdrawal": described("ThreadTaken", TAKEN_BACK, allow_null=True)}
        ),
    )
    def get(self, request: Request, thread_id: uuid.UUID) -> Response:
        return Response({"withdrawal": withdrawals.withdrawal(self.by, thread=thread_id)})


urlpatterns = [
    path("sources/<uuid:source_id>/withdraw/preview", SourcePreview.as_view(), name="withdraw-source-preview"),
    path("sources/<uuid:source_id>/withdraw", WithdrawSource.as_view(), name="withdraw-source"),
    path("sources/<uuid:source_id>/withdrawal", SourceWithdrawal.as_view(), name="source-withdrawal"),
    path("threads/<uuid:thread_id>/withdraw/preview", ThreadPreview.as_view(), name="withdraw-thread-preview"),
    path("threads/<uuid:thread_id>/withdraw", WithdrawThread.as_view(), name="withdraw-thread"),
    path("threads/<uuid:thread_id>/withdrawal", ThreadWithdrawal.as_view(), name="thread-withdrawal"),
]
