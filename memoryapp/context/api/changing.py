"""Changing one entry over REST: said anew, unset, restored. Each names the state it was drawn from."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.context import queries, services
from memoryapp.context.api.shapes import ACT, ENTRY, EntryLinkFields, Explained, links
from memoryapp.context.inputs import UNCHANGED, Change
from memoryapp.context.models import Audience
from memoryapp.context.services.drafts import LONGEST_CONTENT, LONGEST_SECTION, LONGEST_TITLE, MOST_LINKS
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Flag, Identifier, OneOf, Several, Text, When, Whole
from memoryapp.graph.api.changing import Reasoned
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write


class Updating(Reasoned):
    """What is said anew. What is left out stays as it was."""

    section = Text(required=False, max_length=LONGEST_SECTION)
    title = Text(required=False, max_length=LONGEST_TITLE)
    content = Text(required=False, allow_blank=True, max_length=LONGEST_CONTENT)
    pinned = Flag(required=False)
    expires_at = When(required=False, allow_null=True, help_text="null: it no longer expires.")
    links = EntryLinkFields(many=True, required=False, max_length=MOST_LINKS, help_text="In place of those before.")
    audience = OneOf(required=False, choices=Audience.values)
    readers = Several(child=Identifier(), required=False, max_length=100, help_text="Besides those before.")


class RestoringEntry(Explained):
    """Which revision is to stand again."""

    sequence = Whole(min_value=1, help_text="The number of the revision.")


def _described(operation: str, summary: str, description: str, example: dict[str, Any]) -> Callable[[Any], Any]:
    return extend_schema(
        operation_id=operation,
        tags=["context"],
        summary=summary,
        description=description,
        responses=described("ContextChanged", ENTRY | {"act": ACT}),
        examples=[OpenApiExample(summary, value=example, request_only=True)],
    )


class Update(Endpoint):
    """An entry said anew."""

    needs = {"post": "write_context"}
    body = {"post": Updating}
    locked = ("post",)

    @_described(
        "update_context",
        "Change an entry",
        "Says anew what is given. What it said before stays in its history, and can be restored.",
        {"content": "Short sentences.", "pinned": True, "reason": "Less is enough."},
    )
    def post(self, request: Request, entry_id: uuid.UUID) -> Response:
        given = self.content
        change = Change(
            section=given.get("section"),
            title=given.get("title"),
            content=given.get("content"),
            pinned=given.get("pinned"),
            expires_at=given.get("expires_at", UNCHANGED),
            links=links(given["links"]) if "links" in given else None,
            audience=given.get("audience"),
            readers=tuple(given.get("readers", ())),
        )

        def act(write: Write) -> Answer:
            services.update(write, entry_id, change, reason=given["reason"], lock=self.lock)
            return changed(self, entry_id, write)

        return self.write("update_context", act)


class Unset(Endpoint):
    """An entry taken away."""

    needs = {"post": "write_context"}
    body = {"post": Reasoned}
    locked = ("post",)

    @_described(
        "unset_context",
        "Unset an entry",
        "It is in no block any more. What it said stays in its history, and can be restored.",
        {"reason": "The trip is over."},
    )
    def post(self, request: Request, entry_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            services.unset(write, entry_id, reason=self.content["reason"], lock=self.lock)
            return changed(self, entry_id, write)

        return self.write("unset_context", act)


class Restore(Endpoint):
    """An entry as it was."""

    needs = {"post": "write_context"}
    body = {"post": RestoringEntry}
    locked = ("post",)

    @_described(
        "restore_context",
        "Restore an entry",
        "Lets it say again what it said in an earlier revision, set or unset as it is now.",
        {"sequence": 1},
    )
    def post(self, request: Request, entry_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            services.restore(
                write, entry_id, sequence=self.content["sequence"], reason=self.content["reason"], lock=self.lock
            )
            return changed(self, entry_id, write)

        return self.write("restore_context", act)


def changed(endpoint: Endpoint, entry_id: uuid.UUID, write: Write) -> Answer:
    """The entry as it is said now, and the act that said so."""
    shown = queries.shown(endpoint.by, entry_id)
    body = queries.told(shown, queries.now(endpoint.by)) | {"act": str(write.pk)}
    return Answer(body, 200, {"ETag": etag(shown.entry.lock)})


urlpatterns = [
    path("context/entries/<uuid:entry_id>/update", Update.as_view(), name="update-context"),
    path("context/entries/<uuid:entry_id>/unset", Unset.as_view(), name="unset-context"),
    path("context/entries/<uuid:entry_id>/restore", Restore.as_view(), name="restore-context"),
]
