"""The context block over REST: what an agent puts into its prompt at every turn."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, OpenApiResponse, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import NOTED, Endpoint, described
from memoryapp.context import queries
from memoryapp.context.queries import Asked, Block
from memoryapp.context.queries.rendering import LEAST_BUDGET, MOST_BUDGET, USUAL_BUDGET
from memoryapp.context.services.drafts import LONGEST_SECTION
from memoryapp.context.services.serving import note
from memoryapp.doors.fields import Flag, Parameters, Several, Text, When, Whole, in_query

BLOCK: dict[str, serializers.Field[Any, Any, Any, Any]] = {
    "workspace": serializers.CharField(),
    "text": serializers.CharField(help_text="The block, between its marks."),
    "tokens": serializers.IntegerField(help_text="Its UTF-8 bytes divided by four."),
    "left_out": serializers.IntegerField(help_text="Entries that did not fit the budget; the block names them."),
    "cut": serializers.BooleanField(),
}


class BlockAsked(Parameters):
    budget_tokens = Whole(required=False, default=USUAL_BUDGET, min_value=LEAST_BUDGET, max_value=MOST_BUDGET)
    section = Several(
        child=Text(max_length=LONGEST_SECTION), required=False, max_length=50, help_text="These sections alone."
    )
    unpinned = Flag(required=False, help_text="Also what is not pinned.")
    known_at = When(required=False, help_text="As it was then.")


class Render(Endpoint):
    """The context block."""

    needs = {"get": "read_context"}
    parameters = {"get": BlockAsked}

    @extend_schema(
        operation_id="render_context",
        tags=["context"],
        summary="Render the context",
        description="One markdown block of what is pinned, by section, within the budget, marked so that it is never "
        "taken for something new when it comes back in a conversation. The same entries give the same text. Its ETag "
        "changes exactly when the block does: send it as If-None-Match and get 304 until then.",
        responses={200: described("ContextBlock", BLOCK), 304: OpenApiResponse(description="The block is the same.")},
        examples=[
            OpenApiExample(
                "A block",
                value={
                    "workspace": "harbour",
                    "text": "⟦commonplace context⟧\nKeep in mind, in the user's own words:\n\n## Writing\n"
                    "- **Tone**: Short sentences.\n⟦/commonplace⟧",
                    "tokens": 32,
                    "left_out": 0,
                    "cut": False,
                },
                response_only=True,
                status_codes=["200"],
            )
        ],
    )
    def get(self, request: Request) -> Response:
        known_at = self.asked["known_at"].instant if "known_at" in self.asked else None
        asked = Asked(
            sections=tuple(self.asked.get("section", ())),
            pinned=None if self.asked.get("unpinned") else True,
            known_at=known_at,
        )
        with in_query():
            block = queries.render(self.by, asked, self.asked["budget_tokens"])
        headers = {"ETag": f'"{block.digest}"', "Cache-Control": "private, no-cache"}
        if self.channel == "rest" and _held(request.headers.get("If-None-Match", ""), headers["ETag"]):
            return Response(status=304, headers=headers)
        served = note(self.by, [one.entry_id for one in block.entries], self.filters)
        return Response(_shaped(block), headers=headers | {NOTED: str(served.pk)})


def _held(named: str, etag: str) -> bool:
    """Whether the caller has this block already."""
    return named.strip() == "*" or etag in {one.strip().removeprefix("W/") for one in named.split(",")}


def _shaped(block: Block) -> dict[str, Any]:
    return {
        "workspace": block.workspace,
        "text": block.text,
        "tokens": block.tokens,
        "left_out": len(block.left_out),
        "cut": bool(block.left_out),
    }


urlpatterns = [path("context/render", Render.as_view(), name="render-context")]
