"""What was said or read, over REST: conversations and their turns, documents, files, web pages and notes.

Conversations are told through the room that reads them (`memoryapp.extraction.api`).
"""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path as address
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of, page_of
from memoryapp.doors import moments, strict
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.fields import Fields, Identifier, OneOf, Paged, Several, Text, When
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.sources import queries, services
from memoryapp.sources.inputs import SourceInput
from memoryapp.sources.models import Participant, Source, Thread
from memoryapp.sources.rules import READ_KINDS

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

PARTICIPANT: Described = {
    "key": serializers.CharField(),
    "role": serializers.CharField(),
    "name": serializers.CharField(),
    "class": serializers.CharField(),
    "identity": serializers.DictField(child=serializers.CharField()),
}
THREAD: Described = {
    "id": serializers.UUIDField(),
    "external_id": serializers.CharField(),
    "title": serializers.CharField(),
    "time_zone": serializers.CharField(),
    "audience": serializers.ChoiceField(choices=["workspace", "named"], help_text="Who may be served it."),
    "recorded_at": serializers.DateTimeField(),
}
COUNTED: Described = {
    "turns": serializers.IntegerField(help_text="How many turns it has."),
    "first_said": serializers.DateTimeField(),
    "last_said": serializers.DateTimeField(),
}
SOURCE: Described = {
    "id": serializers.UUIDField(),
    "kind": serializers.ChoiceField(choices=Source.Kind.choices),
    "content": serializers.CharField(),
    "said_at": serializers.CharField(help_text="When it was said or written, in the zone it was said in."),
    "recorded_at": serializers.DateTimeField(),
    "thread": serializers.UUIDField(allow_null=True),
    "position": serializers.IntegerField(allow_null=True, help_text="Place within its thread, from 0."),
    "speaker": serializers.CharField(help_text="Role of who speaks; blank for what is no chat turn."),
    "by": serializers.CharField(help_text="Key of the participant who speaks."),
    "message_id": serializers.CharField(),
    "external_id": serializers.CharField(),
    "title": serializers.CharField(),
    "path": serializers.CharField(),
    "url": serializers.CharField(),
    "audience": serializers.ChoiceField(choices=["workspace", "named"], help_text="Who may be served it."),
    "withdrawn_at": serializers.DateTimeField(allow_null=True, help_text="When it was taken back, if it was."),
}


ADDED: Described = {
    "id": serializers.UUIDField(),
    "repeated": serializers.BooleanField(help_text="It was stored before."),
    "job": serializers.UUIDField(allow_null=True, help_text="The job that reads it."),
}


def readers_field() -> Several:
    """Who may be served what is told, besides who tells it."""
    told = "Who may be served it, besides you; left out, the whole workspace."
    return Several(child=Identifier(), required=False, max_length=100, help_text=told)


class SourceFields(Fields):
    """Something read: a document or file with its path, a web page with its url, or a system note."""

    kind = OneOf(choices=READ_KINDS)
    content = Text(max_length=strict.LARGEST_BODY)
    said_at = When(exact=True, help_text="When it was written.")
    title = Text(required=False, allow_blank=True, max_length=300)
    path = Text(required=False, allow_blank=True, max_length=1000, help_text="Of a document or file.")
    url = Text(required=False, allow_blank=True, max_length=2000, help_text="Of a web page.")
    external_id = Text(required=False, allow_blank=True, max_length=300, help_text="What its own place calls it.")
    readers = readers_field()


class NewSources(OneOrMany):
    """What was read."""

    item = SourceFields


class ThreadFilters(Paged):
    text = Text(required=False, max_length=200, help_text="In the title, external id or a participant's name.")


class SourceFilters(Paged):
    kind = OneOf(required=False, choices=[str(kind) for kind in Source.Kind])


def shape_source(source: Source) -> dict[str, Any]:
    """A source as it is answered."""
    return {
        "id": str(source.pk),
        "kind": source.kind,
        "content": source.content,
        "said_at": moments.render(source.said_at, zone=source.said_zone),
        "recorded_at": source.recorded_at,
        "thread": str(source.thread_id) if source.thread_id else None,
        "position": source.position,
        "speaker": source.speaker,
        "by": source.participant.key if source.participant else "",
        "message_id": source.message_id,
        "external_id": source.external_id,
        "title": source.title,
        "path": source.path,
        "url": source.url,
        "audience": "named" if source.audience_id else "workspace",
        "withdrawn_at": getattr(source, "withdrawn_at", None),
    }


def shape_thread(thread: Thread) -> dict[str, Any]:
    """A thread as it is answered."""
    return {
        "id": str(thread.pk),
        "external_id": thread.external_id,
        "title": thread.title,
        "time_zone": thread.time_zone,
        "audience": "named" if thread.audience_id else "workspace",
        "recorded_at": thread.recorded_at,
    }


def _counted(thread: Any) -> dict[str, Any]:
    counts = {"turns": thread.turn_count, "first_said": thread.first_said, "last_said": thread.last_said}
    return shape_thread(thread) | counts


def _participant(person: Participant) -> dict[str, Any]:
    return {
        "key": person.key,
        "role": person.role,
        "name": person.name,
        "class": person.node_class,
        "identity": person.identity,
    }


class Threads(Endpoint):
    """Conversations."""

    needs = {"get": "read_sources"}
    parameters = {"get": ThreadFilters}

    @extend_schema(
        operation_id="list_threads",
        tags=["sources"],
        summary="List conversations",
        description="The one with the latest turn first.",
        responses=page_of("Thread", THREAD | COUNTED),
    )
    def get(self, request: Request) -> Response:
        return self.page(queries.threads(self.by, **self.filters), order=("-last_said", "-pk"), shape=_counted)


class OneThread(Endpoint):
    """One conversation."""

    needs = {"get": "read_sources"}

    @extend_schema(
        operation_id="read_thread",
        tags=["sources"],
        summary="Read a conversation",
        description="The conversation and who takes part in it.",
        responses=described(
            "ThreadWithParticipants",
            THREAD | {"participants": described("Participant", PARTICIPANT, many=True)},
        ),
    )
    def get(self, request: Request, thread_id: uuid.UUID) -> Response:
        thread = queries.thread(self.by, thread_id)
        people = sorted(thread.participants.all(), key=lambda person: person.pk)
        return Response(shape_thread(thread) | {"participants": [_participant(person) for person in people]})


class Turns(Endpoint):
    """The turns of a conversation."""

    needs = {"get": "read_sources"}
    parameters = {"get": Paged}

    @extend_schema(
        operation_id="list_turns",
        tags=["sources"],
        summary="Read the turns of a conversation",
        description="In the order told.",
        responses=page_of("Turn", SOURCE),
    )
    def get(self, request: Request, thread_id: uuid.UUID) -> Response:
        queries.thread(self.by, thread_id)
        return self.page(queries.turns(self.by, thread_id), order=("position", "pk"), shape=shape_source)


class Sources(Endpoint):
    """Everything said or read."""

    needs = {"get": "read_sources", "post": "tell"}
    parameters = {"get": SourceFilters}
    body = {"post": NewSources}

    @extend_schema(
        operation_id="list_sources",
        tags=["sources"],
        summary="List sources",
        description="Everything said or read, the latest first.",
        responses=page_of("Source", SOURCE),
    )
    def get(self, request: Request) -> Response:
        return self.page(queries.sources(self.by, **self.filters), order=("-said_at", "-pk"), shape=shape_source)

    @extend_schema(
        operation_id="add_sources",
        tags=["sources"],
        summary="Add something read",
        description="Stores documents, files, web pages or system notes and asks for them to be read: 202 with the "
        "job of each that is new. The very same again stores nothing.",
        responses=dict.fromkeys((202, 200), items_of("SourceAdded", ADDED)),
        examples=[
            OpenApiExample(
                "A web page",
                request_only=True,
                value={
                    "kind": "web",
                    "url": "https://ferro.example/prices",
                    "title": "Prices",
                    "content": "From May on a berth costs 40 euros a night.",
                    "said_at": "2026-04-20T09:00:00+02:00",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                read = services.read_all(write, [source_input(item) for item in items])
            jobs = {job.subject_id: job.pk for job in write.jobs.order_by("created_at", "id")}
            shown = [{"id": one.source.pk, "repeated": one.repeated, "job": jobs.get(one.source.pk)} for one in read]
            return Answer({"items": shown}, status=202 if jobs else 200)

        return self.write("add_sources", act)


class OneSource(Endpoint):
    """One source."""

    needs = {"get": "read_sources"}

    @extend_schema(
        operation_id="read_source",
        tags=["sources"],
        summary="Read a source",
        description="What was said or read, word for word.",
        responses=described("OneSource", SOURCE),
    )
    def get(self, request: Request, source_id: uuid.UUID) -> Response:
        return Response(shape_source(queries.source(self.by, source_id)))


def source_input(item: dict[str, Any]) -> SourceInput:
    """A source as a body tells it, for the services."""
    said: moments.Moment = item["said_at"]
    return SourceInput(**(with_readers(item) | {"said_at": said.instant, "said_zone": said.zone}))


def with_readers(item: dict[str, Any]) -> dict[str, Any]:
    """What is told with its readers as the services take them."""
    return item | ({"readers": tuple(item["readers"])} if "readers" in item else {})


urlpatterns = [
    address("threads", Threads.as_view(), name="threads"),
    address("threads/<uuid:thread_id>", OneThread.as_view(), name="thread"),
    address("threads/<uuid:thread_id>/turns", Turns.as_view(), name="turns"),
    address("sources", Sources.as_view(), name="sources"),
    address("sources/<uuid:source_id>", OneSource.as_view(), name="source"),
]
