"""Forms over REST: stored, imported from a sheet, published, withdrawn."""

from __future__ import annotations

import uuid

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from formsengine import services
from formsengine.api.shapes import VERSION, WHOLE_VERSION
from formsengine.definition.answers import answers_schema
from formsengine.definition.publish import check
from formsengine.definition.stored import read
from formsengine.queries import defined as queries
from formsengine.refusals import refused
from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors.fields import Flag, Mapped, Paged, Text, Told, Whole
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

SMALL = {
    "format": "form/1",
    "id": "visit",
    "title": {"en": "A visit"},
    "steps": [
        {
            "name": "who",
            "items": [{"kind": "field", "name": "name", "type": "text", "label": {"en": "Name"}, "required": True}],
        }
    ],
}
SHEET = "fCBzdXJ2ZXkgfAp8IHwgdHlwZSB8IG5hbWUgfCBsYWJlbCB8CnwgfCB0ZXh0IHwgbmFtZSB8IE5hbWUgfAo="
LONGEST_FILE = 6_700_000


class DefinitionBody(Told):
    definition = Mapped(help_text="The form, as `form/1`: id, title, languages, lists, steps, gates, bindings.")


class Definitions(Endpoint):
    """Definitions of forms."""

    needs = {"post": "write_forms"}
    body = {"post": DefinitionBody}

    @extend_schema(
        operation_id="store_form",
        tags=["forms"],
        summary="Store a form",
        description="Stores the next version of the form that the definition's `id` names, as a draft. `problems` says "
        "what keeps it from being published.",
        responses={201: described("FormStored", WHOLE_VERSION)},
        examples=[OpenApiExample("A form of one question", value={"definition": SMALL}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        with refused():
            definition = read(self.content["definition"])
            problems = check(definition)[1]

        def act(write: Write) -> Answer:
            return Answer(queries.told_version(services.define(write, definition), problems=problems), 201)

        return self.write("store_form", act)


class ImportBody(Told):
    content = Text(max_length=LONGEST_FILE, help_text="The bytes of an .xlsx, .xls, CSV or XForm file, in base64.")
    name = Text(required=False, max_length=120, help_text="What the form is called, if the sheet does not say.")


class Imports(Endpoint):
    """Forms from spreadsheets."""

    needs = {"post": "write_forms"}
    body = {"post": ImportBody}

    @extend_schema(
        operation_id="import_form",
        tags=["forms"],
        summary="Import a form from a spreadsheet or an XForm",
        description="Reads XLSForm or XForm XML from bytes, whatever the file is called, and stores it as a draft. "
        "`report` says what was taken, what is written otherwise and what was not understood; the last keeps it from "
        "being published until it is dropped or rewritten.",
        responses={201: described("FormImported", WHOLE_VERSION)},
        examples=[OpenApiExample("A table of bars", value={"content": SHEET, "name": "visit"}, request_only=True)],
    )
    def post(self, request: Request) -> Response:
        found = services.read_sheet(services.bytes_of(self.content["content"]), name=self.content.get("name", ""))
        problems = check(found.form)[1]

        def act(write: Write) -> Answer:
            return Answer(queries.told_version(services.import_sheet(write, found), problems=problems), 201)

        return self.write("import_form", act)


class Versions(Endpoint):
    """The versions of a form."""

    needs = {"get": "read_forms"}
    parameters = {"get": Paged}

    @extend_schema(
        operation_id="list_form_versions",
        tags=["forms"],
        summary="List the versions of a form",
        description="The newest first.",
        responses=page_of("FormVersion", VERSION),
    )
    def get(self, request: Request, form_id: uuid.UUID) -> Response:
        rows = queries.form(self.by, form_id).versions.defer("definition", "report")
        return self.page(rows, order=("-number",), shape=lambda one: queries.told_version(one, whole=False))


ANSWERS = serializers.DictField(help_text="JSON Schema (2020-12) of the answers by name, as they are kept.")


class OneVersion(Endpoint):
    """One version of a form."""

    needs = {"get": "read_forms"}
    instead = "A version never changes: store the form again with POST /api/v1/forms/definitions."

    @extend_schema(
        operation_id="read_form_version",
        tags=["forms"],
        summary="Read a version of a form",
        description="What it asks, what keeps it from being published, the report of its import, and what its answers "
        "are, as JSON Schema.",
        responses=described("OneFormVersion", WHOLE_VERSION | {"answers": ANSWERS}),
    )
    def get(self, request: Request, form_id: uuid.UUID, number: int) -> Response:
        version = queries.version(self.by, form_id, number)
        plan, problems = check(read(version.definition))
        return Response(queries.told_version(version, problems=problems) | {"answers": answers_schema(plan)})


IMPACT = serializers.DictField(help_text="The differences, their class, and how many drafts would stand otherwise.")


class PublishingBody(Told):
    dry_run = Flag(required=False, help_text="Show what it means for drafts, and publish nothing.")
    latest_version = Whole(required=False, min_value=1, help_text="The newest version you know of.")


class Publishing(Endpoint):
    """A version made live."""

    needs = {"post": "write_forms"}
    body = {"post": PublishingBody}

    @extend_schema(
        operation_id="publish_form",
        tags=["forms"],
        summary="Publish a version",
        description="Responses start under it from now on. Drafts move by themselves when nothing but harmless things "
        "changed, and are offered the move otherwise; `impact` says which would stand otherwise.",
        responses={200: described("FormPublished", VERSION | {"impact": IMPACT})},
        examples=[OpenApiExample("Look first", value={"dry_run": True}, request_only=True)],
    )
    def post(self, request: Request, form_id: uuid.UUID, number: int) -> Response:
        version = queries.version(self.by, form_id, number)
        impact = queries.impact(self.by, version)
        if self.content.get("dry_run"):
            return Response(queries.told_version(version, whole=False) | {"impact": impact})

        def act(write: Write) -> Answer:
            done = services.publish(write, version, lock=self.content.get("latest_version"))
            return Answer(queries.told_version(done, whole=False) | {"impact": impact})

        return self.write("publish_form", act)


class WithdrawingBody(Told):
    reason = Text(max_length=2000, help_text="Why, in a sentence.")


class Withdrawing(Endpoint):
    """A version taken out of use."""

    needs = {"post": "write_forms"}
    body = {"post": WithdrawingBody}

    @extend_schema(
        operation_id="withdraw_form",
        tags=["forms"],
        summary="Withdraw a version",
        description="Nothing starts under it any more. Drafts stay, and are offered the version that is live then.",
        responses={200: described("FormWithdrawn", VERSION)},
        examples=[OpenApiExample("A wrong rule", value={"reason": "It asks children for income."}, request_only=True)],
    )
    def post(self, request: Request, form_id: uuid.UUID, number: int) -> Response:
        version = queries.version(self.by, form_id, number)
        reason = self.content["reason"]

        def act(write: Write) -> Answer:
            return Answer(queries.told_version(services.withdraw(write, version, reason=reason), whole=False))

        return self.write("withdraw_form", act)


urlpatterns = [
    path("forms/definitions", Definitions.as_view(), name="form-definitions"),
    path("forms/imports", Imports.as_view(), name="form-imports"),
    path("forms/<uuid:form_id>/versions", Versions.as_view(), name="form-versions"),
    path("forms/<uuid:form_id>/versions/<int:number>", OneVersion.as_view(), name="form-version"),
    path("forms/<uuid:form_id>/versions/<int:number>/publish", Publishing.as_view(), name="form-version-publish"),
    path("forms/<uuid:form_id>/versions/<int:number>/withdraw", Withdrawing.as_view(), name="form-version-withdraw"),
]
