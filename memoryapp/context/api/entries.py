"""Standing entries over REST: listed, set and read."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import NOTED, Endpoint, described, page_of
from memoryapp.context import queries, services
from memoryapp.context.api.shapes import ACT, ENTRY, REVISION, SET, EntryFields, entry_input, told_done
from memoryapp.context.queries import Asked
from memoryapp.context.queries.entries import ORDER
from memoryapp.context.services.drafts import LONGEST_SECTION
from memoryapp.context.services.serving import note
from memoryapp.context.services.setting import MOST
from memoryapp.doors import paging
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Flag, Paged, Parameters, Several, Text, When
from memoryapp.graph.queries.told import provenance
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write


class EntryFilters(Paged):
    section = Several(child=Text(max_length=LONGEST_SECTION), required=False, max_length=50, help_text="These alone.")
    pinned = Flag(required=False, help_text="Only what is in the block, or only what is not.")
    expired = Flag(required=False, help_text="Also what has expired.")
    history = Flag(required=False, help_text="Also what was unset.")
    known_at = When(required=False, help_text="As it was then.")


class NewEntries(OneOrMany):
    """Entries to be set."""

    item = EntryFields
    most = MOST


class Entries(Endpoint):
    """Standing entries."""

    needs = {"get": "read_context", "post": "write_context"}
    parameters = {"get": EntryFilters}
    body = {"post": NewEntries}

    @extend_schema(
        operation_id="list_context",
        tags=["context"],
        summary="List standing entries",
        description="What stands now, section by section in their order, pinned or not.",
        responses=page_of("ContextEntry", ENTRY),
    )
    def get(self, request: Request) -> Response:
        given = self.filters
        known_at = given["known_at"].instant if "known_at" in given else None
        asked = Asked(
            sections=tuple(given.get("section", ())),
            pinned=given.get("pinned"),
            expired=given.get("expired", False),
            history=given.get("history", False),
            known_at=known_at,
        )
        found = paging.page(queries.revisions(self.by, asked), order=ORDER, **self.paging_asked)
        shown = queries.with_links(self.by, found.items)
        served = note(self.by, [one.entry.pk for one in shown], given)
        at = known_at or queries.now(self.by)
        body = {"items": [queries.told(one, at) for one in shown], "next": found.next}
        return Response(body, headers={NOTED: str(served.pk)})

    @extend_schema(
        operation_id="set_context",
        tags=["context"],
        summary="Set standing entries",
        description="Writes down what the user wants kept in mind, in their words. Set again under the same section "
        "and title it is the same entry said anew; what it said before stays in its history. `act` undoes it.",
        responses=dict.fromkeys(
            (201, 200),
            described("ContextSetItems", {"items": described("ContextSet", SET, many=True), "act": ACT}),
        ),
        examples=[
            OpenApiExample(
                "How to write",
                value={"section": "Writing", "title": "Tone", "content": "Short sentences. No exclamation marks."},
                request_only=True,
            ),
            OpenApiExample(
                "For a while",
                value={
                    "section": "Travel",
                    "title": "Away",
                    "content": "I am in Porto; propose no meetings before 11.",
                    "expires_at": "2026-06-30",
                },
                request_only=True,
            ),
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                done = services.set_entries(write, [entry_input(one, one["section"]) for one in items])
            new = any(one.changed and one.revision.sequence == 1 for one in done)
            headers = {}
            if not many:
                entry = done[0].revision.entry
                headers = {"Location": f"/api/v1/context/entries/{entry.pk}", "ETag": etag(entry.lock)}
            body = {"items": told_done(self.by, done), "act": str(write.pk)}
            return Answer(body, 201 if new else 200, headers)

        return self.write("set_context", act)


class AsItWas(Parameters):
    known_at = When(required=False, help_text="As it was then.")


class OneEntry(Endpoint):
    """One standing entry."""

    needs = {"get": "read_context"}
    parameters = {"get": AsItWas}
    instead = "Change an entry with POST /api/v1/context/entries/{id}/update, take it away with …/unset."

    @extend_schema(
        operation_id="read_context_entry",
        tags=["context"],
        summary="Read an entry",
        description="Whatever its state, with who set it. The ETag is what a change must name.",
        responses=described("OneContextEntry", ENTRY | {"recorded": serializers.DictField(help_text="Who set it.")}),
    )
    def get(self, request: Request, entry_id: uuid.UUID) -> Response:
        known_at = self.asked["known_at"].instant if "known_at" in self.asked else None
        shown = queries.shown(self.by, entry_id, known_at)
        served = note(self.by, [shown.entry.pk], self.filters)
        body: dict[str, Any] = queries.told(shown, known_at or queries.now(self.by))
        headers = {"ETag": etag(shown.entry.lock), NOTED: str(served.pk)}
        return Response(body | {"recorded": provenance(shown.entry.write)}, headers=headers)


class History(Endpoint):
    """What was said of an entry, and when."""

    needs = {"get": "read_context"}

    @extend_schema(
        operation_id="context_entry_history",
        tags=["context"],
        summary="What did it say?",
        description="Every revision, the latest first, with who said it. `act` undoes what made it, as a whole.",
        responses=described("ContextHistory", {"items": described("ContextRevision", REVISION, many=True)}),
    )
    def get(self, request: Request, entry_id: uuid.UUID) -> Response:
        found = queries.history(self.by, entry_id)
        served = note(self.by, [entry_id], {})
        items = [queries.told_revision(one) for one in found]
        return Response({"items": items}, headers={NOTED: str(served.pk)})


urlpatterns = [
    path("context/entries", Entries.as_view(), name="context-entries"),
    path("context/entries/<uuid:entry_id>", OneEntry.as_view(), name="context-entry"),
    path("context/entries/<uuid:entry_id>/history", History.as_view(), name="context-entry-history"),
]
