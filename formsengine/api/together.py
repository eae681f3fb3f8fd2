"""Many responses over REST: several accepted, each by itself; all of a form taken out as a file."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from formsengine import accepting, queries
from formsengine.accepting import Decided
from formsengine.models import ResponseState
from formsengine.queries.sheets import EXPORTS
from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Fields, Flag, Identifier, OneOf, Parameters, Several, Told, Whole
from memoryapp.doors.streaming import Streamed
from memoryapp.files.attachments.keeping import XLSX

ACCEPTED = {
    "response": serializers.UUIDField(),
    "accepted": serializers.BooleanField(help_text="With `dry_run`: whether it would be."),
    "commit": serializers.IntegerField(required=False),
    "state": serializers.CharField(required=False),
    "code": serializers.CharField(required=False, help_text="Why it was left, for programs."),
    "problem": serializers.CharField(required=False, help_text="Why it was left, in a sentence."),
}
EXAMPLE = {"items": [{"response": "0190f2c4-6f1e-7a52-8f3a-5d0c3f1b2a44", "base": 6}], "dry_run": True}


class ToAccept(Fields):
    """A submission that was looked at."""

    response = Identifier()
    base = Whole(min_value=0, help_text="The commit you saw: nothing said since is accepted with it.")


class AcceptingSeveralBody(Told):
    items = Several(child=ToAccept(), min_length=1, max_length=accepting.MOST)
    dry_run = Flag(required=False, help_text="Say what would become of each, and accept none.")


class AcceptingSeveral(Endpoint):
    """Submissions accepted at once."""

    needs = {"post": "review_forms"}
    body = {"post": AcceptingSeveralBody}

    @extend_schema(
        operation_id="accept_responses",
        tags=["forms"],
        summary="Accept several submissions",
        description="Each is decided by itself, as it was seen or not at all, in a write of its own; `items` says in "
        "the same order what became of each. One on which a proposed answer waits is left: accept it by itself, with "
        "its `amendments`.",
        responses={
            200: described(
                "FormsAccepted",
                {
                    "items": described("FormAccepted", ACCEPTED, many=True),
                    "accepted": serializers.IntegerField(help_text="How many."),
                    "left": serializers.IntegerField(help_text="How many were not."),
                },
            )
        },
        examples=[OpenApiExample("What would become of one", value=EXAMPLE, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        wanted = [(one["response"], one["base"]) for one in self.content["items"]]
        if self.content.get("dry_run"):
            return Response(_report(accepting.foreseen(self.by, wanted)))
        why = self.told.get("rationale", "")
        return self.write_each(
            "accept_responses", lambda key: _report(accepting.accepted(self.by, wanted, key=key, rationale=why))
        )


def _report(decided: list[Decided]) -> dict[str, Any]:
    accepted = sum(1 for one in decided if one.refusal is None)
    return {"items": [one.told() for one in decided], "accepted": accepted, "left": len(decided) - accepted}


class TakingOut(Parameters):
    format = OneOf(required=False, choices=sorted(EXPORTS), help_text="json, lines of objects, when not said.")
    state = Several(child=OneOf(choices=ResponseState.values), required=False, max_length=7)
    subject = Identifier(required=False, help_text="The node they are about.")


class Exporting(Endpoint):
    """The responses of a form as a file."""

    needs = {"get": "read_forms"}
    parameters = {"get": TakingOut}

    @extend_schema(
        operation_id="export_responses",
        tags=["forms"],
        summary="Take the responses of a form out",
        description="Every response in sight over all versions, sent as it is read, the oldest first. `json`: a line "
        "each (application/x-ndjson), answers by the permanent names of their fields. `csv`: a column a field. "
        "`xlsx`: a sheet more for each list of rows. Whoever is not shown what is sensitive finds `(not shown)` there.",
        responses={
            (200, "application/x-ndjson"): OpenApiTypes.STR,
            (200, "text/csv"): OpenApiTypes.STR,
            (200, XLSX): OpenApiTypes.BINARY,
        },
    )
    def get(self, request: Request, form_id: uuid.UUID) -> Streamed:
        form = queries.form(self.by, form_id)
        asked = self.filters
        write_out, kind, ending = EXPORTS[asked.get("format", "json")]
        rows = write_out(self.by, form, states=asked.get("state", ()), subject=asked.get("subject"))
        answer = Streamed(rows, content_type=kind)
        answer["Content-Disposition"] = f'attachment; filename="{form.name}.{ending}"'
        return answer


urlpatterns = [
    path("forms/responses/accept", AcceptingSeveral.as_view(), name="form-responses-accept"),
    path("forms/<uuid:form_id>/export", Exporting.as_view(), name="form-export"),
]
