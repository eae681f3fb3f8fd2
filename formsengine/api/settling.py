"""Submitting over REST, and what becomes of a submission: returned, accepted, reopened, ended."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any, TypeVar

from django.urls import path
from django.utils import timezone
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from formsengine import queries, services
from formsengine.api.filling import SEEN, seen
from formsengine.api.shapes import OUTCOME, PLANNED, VIEW
from formsengine.log.commits import Clock
from formsengine.log.lifecycle import OUTCOMES
from formsengine.queries import filled as response_queries
from formsengine.services.settling import planned
from memoryapp.access.endpoints import Endpoint, described
from memoryapp.doors.fields import Fields, Flag, OneOf, Several, Text, Told, Whole
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write

Verb = TypeVar("Verb", bound=Callable[..., Any])


class SubmittingBody(Told):
    base = Whole(min_value=0, help_text="The commit you saw: exactly that is submitted.")
    key = Text(required=False, max_length=200, help_text="Names this submission: sent twice, it is made once.")
    dry_run = Flag(required=False, help_text="Show what would be written into memory, and submit nothing.")


class Submitting(Endpoint):
    """The submission of a response."""

    needs = {"post": "fill_forms"}
    body = {"post": SubmittingBody}

    @extend_schema(
        operation_id="submit_response",
        tags=["forms"],
        summary="Submit a response",
        description="Submits the named commit, once. What is in the way is refused with every reason; what was changed "
        "since is refused with the difference. The answers that count are written into memory: `plan` says how, "
        "`outcomes` what came of it. With `dry_run` nothing happens but the plan.",
        responses={
            200: described(
                "FormSubmitted",
                VIEW
                | {
                    "submission": serializers.IntegerField(required=False),
                    "plan": PLANNED,
                    "outcomes": described("FormOutcome", OUTCOME, many=True, required=False),
                },
            )
        },
        examples=[OpenApiExample("Look first", value={"base": 12, "dry_run": True}, request_only=True)],
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        base, key = self.content["base"], self.content.get("key", "")
        if self.content.get("dry_run"):
            row = queries.response(self.by, response_id)
            lines = planned(self.by, row, base=base, at=Clock(timezone.now(), row.zone))
            return Response(queries.viewed(self.by, row) | {"plan": lines})

        def act(write: Write) -> Answer:
            done, outcomes = services.submit(write, response_id, base=base, key=key)
            lines = [response_queries.told_outcome(one) for one in outcomes]
            told = queries.viewed(self.by, done.row, response=done.response)
            plan = [{"binding": one["binding"], "act": one["act"], "says": one["says"]} for one in lines]
            return Answer(told | {"submission": done.row.submission, "plan": plan, "outcomes": lines})

        return self.write("submit_response", act)


class Outcomes(Endpoint):
    """What a response wrote into memory."""

    needs = {"get": "read_forms"}

    @extend_schema(
        operation_id="response_outcomes",
        tags=["forms"],
        summary="What a response wrote into memory",
        description="Each belief, node and episode with the answer it was written from, and the case where memory "
        "says otherwise.",
        responses=described("FormOutcomes", {"items": described("FormOutcomeItem", OUTCOME, many=True)}),
    )
    def get(self, request: Request, response_id: uuid.UUID) -> Response:
        row = queries.response(self.by, response_id)
        return Response({"items": queries.outcomes(self.by, row)})


class Note(Fields):
    """What is to be looked at again."""

    field = Text(max_length=300)
    note = Text(max_length=2000)


class ReturningBody(Told):
    reason = Text(max_length=2000)
    notes = Several(child=Note(), required=False, max_length=200)


class AcceptingBody(Told):
    amendments = Several(child=Text(max_length=40), required=False, max_length=200, help_text="Revisions that wait.")
    base = Whole(required=False, min_value=0, help_text="The commit you saw: nothing said since is accepted with it.")


class ReasonBody(Told):
    reason = Text(max_length=2000, help_text="Why, in a sentence.")


class FindingBody(Told):
    gate = Text(max_length=120)
    outcome = OneOf(choices=OUTCOMES)
    reason = Text(required=False, max_length=2000, help_text="Needed to waive.")


class _Settling(Endpoint):
    """One act on a response; the body's fields are the service's own."""

    def done(self, action: str, response_id: uuid.UUID, service: Any) -> Response:
        given = self.content

        def act(write: Write) -> Answer:
            return Answer(seen(self, service(write, response_id, **given)))

        return self.write(action, act)


def _described(operation: str, summary: str, description: str, example: dict[str, Any]) -> Callable[[Verb], Verb]:
    name = "".join(part.capitalize() for part in operation.split("_"))
    made: Callable[[Verb], Verb] = extend_schema(
        operation_id=operation,
        tags=["forms"],
        summary=summary,
        description=description,
        responses={200: described(name, SEEN)},
        examples=[OpenApiExample(summary, value=example, request_only=True)],
    )
    return made


class Returning(_Settling):
    needs = {"post": "review_forms"}
    body = {"post": ReturningBody}

    @_described(
        "return_response",
        "Return what was submitted",
        "Back to whoever fills it, with a note for each field that needs another look.",
        {"reason": "The date cannot be.", "notes": [{"field": "injured_on", "note": "This is in the future."}]},
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        return self.done("return_response", response_id, services.send_back)


class Accepting(_Settling):
    needs = {"post": "review_forms"}
    body = {"post": AcceptingBody}

    @_described(
        "accept_response",
        "Accept what was submitted",
        "Locks it. Amendments that are named become part of it. With `base`, nothing that was said since is accepted.",
        {"amendments": []},
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        return self.done("accept_response", response_id, services.accept)


class Reopening(_Settling):
    needs = {"post": "review_forms"}
    body = {"post": ReasonBody}

    @_described(
        "reopen_response",
        "Reopen what was submitted or accepted",
        "Open again from its last submission, below which undo does not reach.",
        {"reason": "She called with another date."},
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        return self.done("reopen_response", response_id, services.reopen)


class Voiding(_Settling):
    needs = {"post": "fill_forms"}
    body = {"post": ReasonBody}

    @_described(
        "void_response",
        "End a response without a result",
        "Nothing of it is written into memory; a person may revive it.",
        {"reason": "She withdrew her consent."},
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        return self.done("void_response", response_id, services.void)


class Finding(_Settling):
    needs = {"post": "review_forms"}
    body = {"post": FindingBody}

    @_described(
        "find_gate",
        "Say what a check found",
        "passed, failed or waived, of a gate that is open. Waiving says why.",
        {"gate": "fracture_seen", "outcome": "passed"},
    )
    def post(self, request: Request, response_id: uuid.UUID) -> Response:
        return self.done("find_gate", response_id, services.find)


ACTS = {
    "submit": Submitting,
    "outcomes": Outcomes,
    "return": Returning,
    "accept": Accepting,
    "reopen": Reopening,
    "void": Voiding,
    "gate": Finding,
}
urlpatterns = [
    path(f"forms/responses/<uuid:response_id>/{name}", view.as_view(), name=f"form-response-{name}")
    for name, view in ACTS.items()
]
