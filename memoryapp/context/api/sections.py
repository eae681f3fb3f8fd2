"""Sections over REST: listed with their locks, set whole, unset whole, and the order of them and within them."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described
from memoryapp.context import queries, services
from memoryapp.context.api.shapes import ACT, ENTRY, SET, ContentFields, Explained, entry_input, told_all, told_done
from memoryapp.context.services.drafts import LONGEST_SECTION
from memoryapp.context.services.setting import MOST
from memoryapp.context.services.standing import MOST_ENTRIES
from memoryapp.doors.batches import named_rows
from memoryapp.doors.errors import Invalid
from memoryapp.doors.fields import Identifier, Several, Text, Told
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

SECTION: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "section": serializers.CharField(),
    "entries": serializers.ListField(child=serializers.UUIDField(), help_text="In their order."),
    "lock": serializers.IntegerField(help_text="What a change of the whole section must name; of a new one 0."),
}


class Sections(Endpoint):
    """The sections in which something stands."""

    needs = {"get": "read_context"}

    @extend_schema(
        operation_id="list_context_sections",
        tags=["context"],
        summary="List sections",
        description="In their order, each with the ids of what stands in it and the lock that a change of all names.",
        responses=described("ContextSections", {"items": described("ContextSection", SECTION, many=True)}),
    )
    def get(self, request: Request) -> Response:
        found = queries.sections(self.by)
        locks = queries.section_locks(self.by)
        items = [
            {
                "section": one.name,
                "entries": [str(row.entry_id) for row in one.entries],
                "lock": locks[one.key],
            }
            for one in found
        ]
        return Response({"items": items})


class SectionFields(Told):
    """A section as it is to be: exactly these entries, in this order."""

    section = Text(max_length=LONGEST_SECTION)
    entries = Several(child=ContentFields(), min_length=1, max_length=MOST)


class SetSection(Endpoint):
    """A section set as a whole."""

    needs = {"post": "write_context"}
    body = {"post": SectionFields}
    locked = ("post",)

    @extend_schema(
        operation_id="set_context_section",
        tags=["context"],
        summary="Set a section",
        description="Lets a section hold exactly these entries, in this order. What else stood in it is unset. It is "
        "one act, and `act` undoes all of it. If-Match names the section's lock; of a new section it is 0.",
        responses=described(
            "ContextSectionSet", {"items": described("ContextSectionEntry", SET, many=True), "act": ACT}
        ),
        examples=[
            OpenApiExample(
                "All of a section",
                value={
                    "section": "Writing",
                    "entries": [
                        {"title": "Tone", "content": "Short sentences."},
                        {"title": "Language", "content": "Answer in the language I write in."},
                    ],
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request) -> Response:
        section = self.content["section"]
        entries = [entry_input(one, section) for one in self.content["entries"]]

        def act(write: Write) -> Answer:
            with named_rows(True, "entries"):
                done = services.set_section(write, section, entries, lock=self.lock)
            return Answer({"items": told_done(self.by, done), "act": str(write.pk)})

        return self.write("set_context_section", act)


class SectionNamed(Explained):
    """Which section."""

    section = Text(max_length=LONGEST_SECTION)


class UnsetSection(Endpoint):
    """A section unset as a whole."""

    needs = {"post": "write_context"}
    body = {"post": SectionNamed}
    locked = ("post",)

    @extend_schema(
        operation_id="unset_context_section",
        tags=["context"],
        summary="Unset a section",
        description="Unsets everything that stands in it: one act, and `act` undoes all of it.",
        responses=described("ContextSectionUnset", {"items": described("ContextUnset", ENTRY, many=True), "act": ACT}),
        examples=[OpenApiExample("Over", value={"section": "Travel", "reason": "Back home."}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        def act(write: Write) -> Answer:
            given = self.content
            gone = services.unset_section(write, given["section"], reason=given["reason"], lock=self.lock)
            return Answer({"items": told_all(self.by, gone), "act": str(write.pk)})

        return self.write("unset_context_section", act)


class Arrangement(Told):
    """An order: of sections, or of the entries of one section. What is not named follows."""

    sections = Several(child=Text(max_length=LONGEST_SECTION), required=False, min_length=1, max_length=MOST_ENTRIES)
    section = Text(required=False, max_length=LONGEST_SECTION)
    entries = Several(child=Identifier(), required=False, min_length=1, max_length=MOST_ENTRIES)


class Arrange(Endpoint):
    """The order that the block follows."""

    needs = {"post": "write_context"}
    body = {"post": Arrangement}

    @extend_schema(
        operation_id="arrange_context",
        tags=["context"],
        summary="Put entries in order",
        description="Takes `sections` in their new order, or a `section` with its `entries` in theirs. What does not "
        "fit a budget is left out from the end.",
        responses=described("ContextArranged", {"items": described("ContextMoved", ENTRY, many=True), "act": ACT}),
        examples=[OpenApiExample("Sections", value={"sections": ["Writing", "Travel"]}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        given = self.content

        def act(write: Write) -> Answer:
            if ("sections" in given) == ("section" in given or "entries" in given):
                message = "Give sections in order, or a section with its entries in order."
                raise Invalid.at("/sections", "not_an_order", message, "sections, or section and entries")
            if "sections" in given:
                moved = services.arrange_sections(write, given["sections"])
            elif "section" in given and "entries" in given:
                moved = services.arrange(write, given["section"], given["entries"])
            else:
                missing = "entries" if "section" in given else "section"
                raise Invalid.at(f"/{missing}", "missing", "This is missing.", "a section and its entries in order")
            return Answer({"items": told_all(self.by, moved), "act": str(write.pk)})

        return self.write("arrange_context", act)


urlpatterns = [
    path("context/sections", Sections.as_view(), name="context-sections"),
    path("context/sections/set", SetSection.as_view(), name="set-context-section"),
    path("context/sections/unset", UnsetSection.as_view(), name="unset-context-section"),
    path("context/arrange", Arrange.as_view(), name="arrange-context"),
]
