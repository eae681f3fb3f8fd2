"""Files as answers over REST: sent with the field they answer, and given back."""

from __future__ import annotations

import base64
import uuid

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from formsengine import queries, services
from formsengine.api.filling import SEEN, seen
from formsengine.inputs import Answers
from formsengine.queries import attached
from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors import strict
from memoryapp.doors.errors import Malformed
from memoryapp.doors.fields import Text, Told, Whole
from memoryapp.files.attachments import keeping
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

FILE = {
    "id": serializers.UUIDField(),
    "name": serializers.CharField(),
    "type": serializers.CharField(help_text="What its bytes are, read from themselves."),
    "size": serializers.IntegerField(help_text="In bytes."),
    "digest": serializers.CharField(help_text="SHA-256 of the bytes."),
    "content": serializers.CharField(help_text="The bytes, as base64."),
}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


class AttachingBody(Told):
    field = Text(max_length=300, help_text="The field it answers: of the type file, photo, audio or signature.")
    name = Text(max_length=1000, help_text="What the file is called.")
    content = Text(max_length=strict.LARGEST_BODY, help_text="The bytes, as base64.")
    base = Whole(required=False, min_value=0, help_text="The commit you saw.")
    key = Text(required=False, max_length=200, help_text="Names this write: sent twice, it is made once.")


class Attaching(Endpoint):
    """A file as the answer of a field."""

    needs = {"post": "fill_forms"}
    body = {"post": AttachingBody}

    @extend_schema(
        operation_id="attach_to_response",
        tags=["forms"],
        summary="Answer a field with a file",
        description="A file, photo, recording or signature; what it is, its bytes say. Its bytes are kept with the "
        "response, and the answer names it by id, name, type and digest. What it replaces stays in the log.",
        responses={200: described("FormAttached", SEEN)},
        examples=[
            OpenApiExample("A photo", value={"field": "photo", "name": "gate.png", "content": PIXEL}, request_only=True)
        ],
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        given = self.content
        queries.response(self.by, response_id)
        try:
            data = base64.b64decode(given["content"], validate=True)
        except ValueError as error:
            raise Malformed.at("/content", "not_base64", "This is not base64.", "bytes as base64") from error
        kept = services.received(data, given["name"])
        taken: list[bool] = []

        def act(write: Write) -> Answer:
            answers = Answers((), base=given.get("base"), key=given.get("key", ""))
            done, stored = services.attach(
                write, response_id, field=given["field"], name=given["name"], kept=kept, answers=answers
            )
            taken[:] = [stored is not None]
            return Answer(seen(self, done))

        try:
            answered = self.write("attach_to_response", act)
        except Exception:
            keeping.let_go(kept.stored)
            raise
        if taken != [True] or "Idempotency-Replayed" in answered:
            keeping.let_go(kept.stored)
        return answered


class OneAttachment(Endpoint):
    """A file that was sent as an answer."""

    needs = {"get": "read_forms"}
    instead = "Send another with POST /api/v1/forms/responses/{id}/attachments."

    @extend_schema(
        operation_id="read_attachment",
        tags=["forms"],
        summary="Read a file of a response",
        description="Also one that was replaced or removed since. An agent is not given the file of a sensitive field.",
        responses=described("FormAttachment", FILE),
    )
    def get(self, request: Request, response_id: uuid.UUID, attachment_id: uuid.UUID) -> Response:
        row = queries.response(self.by, response_id)
        found = attached.attachment(self.by, row, attachment_id)
        data = base64.b64encode(attached.bytes_of(found)).decode("ascii")
        told = {"id": found.pk, "name": found.name, "type": found.media_type, "size": found.size}
        return Response(told | {"digest": found.digest, "content": data})


urlpatterns = [
    path("forms/responses/<uuid:response_id>/attachments", Attaching.as_view(), name="form-response-attachments"),
    path(
        "forms/responses/<uuid:response_id>/attachments/<uuid:attachment_id>",
        OneAttachment.as_view(),
        name="form-response-attachment",
    ),
]
