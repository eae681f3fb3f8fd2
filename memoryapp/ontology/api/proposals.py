"""Proposals over REST: filed, listed, read, said otherwise and taken back. Approving and applying is not for keys."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors import etags
from memoryapp.doors.fields import Anything, Body, OneOf, Paged, Several, Text, Told, Whole
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.ontology import presenting, services
from memoryapp.ontology.changeset import KINDS
from memoryapp.ontology.models import Proposal, Severity, Status
from memoryapp.ontology.models.proposals import Origin
from memoryapp.ontology.queries import proposals as queries
from memoryapp.ontology.services import Draft

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

PROPOSAL: Described = {
    "id": serializers.UUIDField(),
    "number": serializers.IntegerField(help_text="What people call it."),
    "title": serializers.CharField(help_text="What it does, in one line."),
    "kind": serializers.ChoiceField(choices=list(KINDS)),
    "status": serializers.ChoiceField(choices=Status.values),
    "severity": serializers.ChoiceField(
        choices=Severity.values,
        help_text="safe: stored rows stay as they are. changing: some are changed. breaking: some would not fit, or "
        "something names what goes.",
    ),
    "origin": serializers.ChoiceField(choices=Origin.values),
    "filer": serializers.CharField(),
    "base_edition": serializers.IntegerField(help_text="The edition it was drawn against."),
    "applied_edition": serializers.IntegerField(allow_null=True),
    "revision": serializers.IntegerField(),
    "occurrences": serializers.IntegerField(help_text="How many writes were refused for want of it."),
    "changes": serializers.ListField(child=serializers.DictField()),
    "rationale": serializers.CharField(allow_blank=True),
    "alternatives": serializers.ListField(child=serializers.CharField()),
    "lock": serializers.IntegerField(help_text="What a change of it must name, as its ETag."),
    "recorded_at": serializers.DateTimeField(),
}
DRY_RUN: Described = {
    "edition": serializers.IntegerField(help_text="The edition in force that it was tried on."),
    "stale": serializers.BooleanField(help_text="It was drawn against another edition."),
    "problems": serializers.ListField(child=serializers.DictField(), help_text="Why it cannot be made at all."),
    "differences": serializers.ListField(child=serializers.DictField(), help_text="As it is and as it would be."),
    "severity": serializers.ChoiceField(choices=Severity.values),
    "rows_moving": serializers.DictField(child=serializers.IntegerField(), help_text="Rows that follow, by table."),
    "in_use": serializers.ListField(child=serializers.DictField(), help_text="What would go and rows use."),
    "mentioned": serializers.ListField(
        child=serializers.DictField(), help_text="Views, policies and forms it would break."
    ),
    "not_fitting": serializers.ListField(child=serializers.DictField(), help_text="Rows that would not fit."),
    "named": serializers.ListField(child=serializers.DictField(), help_text="What names it, and goes on naming it."),
}
FULL: Described = PROPOSAL | {
    "dry_run": described("DryRun", DRY_RUN),
    "moves": serializers.ListField(child=serializers.DictField(), help_text="Who moved it where, when and why."),
    "met": serializers.ListField(child=serializers.DictField(), help_text="Writes refused for want of it, verbatim."),
}
EXAMPLE = {
    "changes": [
        {
            "change": "add_type",
            "family": "node_classes",
            "name": "vessel",
            "declaration": {
                "parent": "thing",
                "properties": {"draught": {"type": "number"}, "call_sign": {"type": "string", "maxLength": 20}},
                "keys": [["call_sign"]],
            },
        }
    ],
    "rationale": "Berths are booked for vessels, and nothing here is one.",
    "alternatives": ["Use product, with the call sign as its name."],
}
CHANGES = (
    "Each names its `change`: "
    "add_type, add_property, add_value, add_role, set_property, set_role, set, set_keys, rename, retire, merge, split."
)


class ProposalFields(Told):
    """A change set, why, and what else was thought of."""

    changes = Several(child=Anything(), min_length=1, max_length=200, help_text=CHANGES)
    rationale = Text(required=False, allow_blank=True, max_length=10_000, help_text="Why it should be so.")
    alternatives = Several(child=Text(max_length=2000), required=False, max_length=20)
    base_edition = Whole(required=False, min_value=1, help_text="The edition you looked at; refused when it is past.")


class Reason(Told):
    """Why it is taken back."""

    reason = Text(max_length=2000, help_text="Why, in a sentence.")


class ProposalFilters(Paged):
    status = OneOf(required=False, choices=Status.values)


class Trial(Body):
    """Changes to be tried."""

    changes = Several(child=Anything(), min_length=1, max_length=200, help_text=CHANGES)


class Proposals(Endpoint):
    """Proposals to change the declared types."""

    needs = {"get": "read_ontology", "post": "propose_schema"}
    parameters = {"get": ProposalFilters}
    body = {"post": ProposalFields}

    @extend_schema(
        operation_id="list_proposals",
        tags=["ontology"],
        summary="List proposals",
        description="Newest first.",
        responses=page_of("Proposal", PROPOSAL),
    )
    def get(self, request: Request) -> Response:
        rows = queries.proposals(self.by, status=self.asked.get("status", "")).order_by()
        return self.page(rows, order=("-number",), shape=lambda one: presenting.told(one, queries.revision_of(one)))

    @extend_schema(
        operation_id="propose_types",
        tags=["ontology"],
        summary="Propose a change of the declared types",
        description="Files changes for people to decide on. The `drafts` of a refused write are bodies for this as "
        "they are. Nothing changes until a person approves and applies it; no key can.",
        responses={201: described("ProposalFiled", PROPOSAL)},
        examples=[OpenApiExample("A new class", request_only=True, value=EXAMPLE)],
    )
    def post(self, request: Request) -> Response:
        told = self.content

        def act(write: Write) -> Answer:
            filed = services.propose(write, _draft(self.told), base_edition=told.get("base_edition"))
            return _answer(filed, 201)

        return self.write("propose_schema", act)


class Trials(Endpoint):
    """What changes would do."""

    needs = {"post": "read_ontology"}
    body = {"post": Trial}
    reads_by_post = True

    @extend_schema(
        operation_id="try_changes",
        tags=["ontology"],
        summary="Try changes of the declared types",
        description="A dry run on the edition in force: what would differ, which rows would follow, and everything "
        "that stands in the way. Nothing is stored.",
        responses=described("Trial", DRY_RUN),
        examples=[OpenApiExample("A new class", request_only=True, value={"changes": EXAMPLE["changes"]})],
    )
    def post(self, request: Request) -> Response:
        return Response(queries.outlook(self.by, self.told["changes"]).as_data())


class OneProposal(Endpoint):
    """One proposal."""

    needs = {"get": "read_ontology"}

    @extend_schema(
        operation_id="read_proposal",
        tags=["ontology"],
        summary="Read a proposal",
        description="With what it would do now, every step it took, and the writes that were refused for want of it.",
        responses=described("ProposalShown", FULL),
    )
    def get(self, request: Request, proposal_id: uuid.UUID) -> Response:
        found = queries.seen(self.by, proposal_id)
        return Response(presenting.plain(self.by, found), headers={"ETag": etags.etag(found.lock)})


class ReviseProposal(Endpoint):
    """Saying otherwise what is proposed."""

    needs = {"post": "propose_schema"}
    body = {"post": ProposalFields}
    locked = ("post",)

    @extend_schema(
        operation_id="revise_proposal",
        tags=["ontology"],
        summary="Revise a proposal",
        description="Another change set for the same proposal, drawn against the edition in force. Only its filer.",
        responses=described("ProposalRevised", PROPOSAL),
        examples=[OpenApiExample("Put right", request_only=True, value=EXAMPLE)],
    )
    def post(self, request: Request, proposal_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            found = queries.seen(write.by, proposal_id)
            return _answer(services.revise(write, found, _draft(self.told), lock=self.lock))

        return self.write("revise_proposal", act)


class WithdrawProposal(Endpoint):
    """Taking a proposal back."""

    needs = {"post": "propose_schema"}
    body = {"post": Reason}
    locked = ("post",)

    @extend_schema(
        operation_id="withdraw_proposal",
        tags=["ontology"],
        summary="Withdraw a proposal",
        description="Only its filer. What was parked on it is not written.",
        responses=described("ProposalWithdrawn", PROPOSAL),
        examples=[OpenApiExample("Not needed", request_only=True, value={"reason": "A product will do."})],
    )
    def post(self, request: Request, proposal_id: uuid.UUID) -> Response:
        def act(write: Write) -> Answer:
            found = queries.seen(write.by, proposal_id)
            return _answer(services.withdraw(write, found, self.content["reason"], lock=self.lock))

        return self.write("withdraw_proposal", act)


def _draft(told: dict[str, Any]) -> Draft:
    return Draft(told["changes"], told.get("rationale", ""), tuple(told.get("alternatives", ())))


def _answer(proposal: Proposal, status: int = 200) -> Answer:
    body = presenting.told(proposal, queries.revision_of(proposal))
    headers = {"ETag": etags.etag(proposal.lock), "Location": f"/api/v1/proposals/{proposal.pk}"}
    return Answer(body, status, headers)


urlpatterns = [
    path("proposals", Proposals.as_view(), name="proposals"),
    path("proposals/trial", Trials.as_view(), name="proposal-trial"),
    path("proposals/<uuid:proposal_id>", OneProposal.as_view(), name="proposal"),
    path("proposals/<uuid:proposal_id>/revise", ReviseProposal.as_view(), name="proposal-revise"),
    path("proposals/<uuid:proposal_id>/withdraw", WithdrawProposal.as_view(), name="proposal-withdraw"),
]
