"""Candidates over REST: an agent's own proposals, and what came of every one."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, items_of, page_of
from memoryapp.doors.batches import OneOrMany, named_rows
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.doors.fields import Identifier, OneOf, Paged, Text
from memoryapp.extraction import agents, queries
from memoryapp.extraction.api.proposing import CANDIDATE, Described, Proposing, candidate_input, shape
from memoryapp.extraction.models import Candidate
from memoryapp.ledger.idempotency import Answer
from memoryapp.ledger.models import Write
from memoryapp.sources.queries import sources_named

PROPOSED: Described = CANDIDATE | {
    "repeated": serializers.BooleanField(help_text="It was proposed before."),
    "job": serializers.UUIDField(allow_null=True, help_text="The job that considers it."),
}


class CandidateFields(Proposing):
    """A candidate about words of a source: by the source's id, or by thread and message_id."""

    source = Identifier(required=False)
    thread = Identifier(required=False)
    message_id = Text(required=False, max_length=200)

    def validate(self, told: dict[str, Any]) -> dict[str, Any]:
        named = {name for name in ("source", "thread", "message_id") if name in told}
        if named not in ({"source"}, {"thread", "message_id"}):
            raise ValidationError({"source": ["Name the source: by its id, or by thread and message_id."]})
        return super().validate(told)


class NewCandidates(OneOrMany):
    """What an agent proposes."""

    item = CandidateFields


class CandidateFilters(Paged):
    state = OneOf(required=False, choices=[str(state) for state in Candidate.State])
    source = Identifier(required=False)
    thread = Identifier(required=False)
    kind = Text(required=False, max_length=100)


class Candidates(Endpoint):
    """What was proposed."""

    needs = {"get": "read_candidates", "post": "tell"}
    parameters = {"get": CandidateFilters}
    body = {"post": NewCandidates}

    @extend_schema(
        operation_id="list_candidates",
        tags=["tell"],
        summary="List candidates",
        description="What was proposed and what came of it, newest first. A candidate is never a belief.",
        responses=page_of("Candidate", CANDIDATE),
    )
    def get(self, request: Request) -> Response:
        found = queries.candidates_where(self.by, **self.filters)
        return self.page(found, order=("-recorded_at", "-id"), shape=shape)

    @extend_schema(
        operation_id="propose_candidates",
        tags=["tell"],
        summary="Propose candidates",
        description="Each stands on quoted words of a source. The same job that considers what extraction finds "
        "considers them: 202, and what came of each is read from the candidate.",
        responses=dict.fromkeys((202, 200), items_of("CandidateProposed", PROPOSED)),
        examples=[
            OpenApiExample(
                "About a turn",
                request_only=True,
                value={
                    "thread": "01890a5d-ac96-774b-bcce-b302099a8057",
                    "message_id": "m-1",
                    "quote": "send me status emails every week",
                    "kind": "preference",
                    "topic": "status emails",
                    "content": "Wants status emails every week.",
                },
            )
        ],
    )
    def post(self, request: Request) -> Response:
        many, items = self.content["many"], self.content["items"]

        def act(write: Write) -> Answer:
            with named_rows(many):
                inputs = _inputs(write, items)
                suggested = agents.suggest(write, inputs)
            job = agents.ask_to_consider(write, [one.candidate for one in suggested if not one.repeated])
            shown = [
                shape(one.candidate) | {"repeated": one.repeated, "job": job.pk if job and not one.repeated else None}
                for one in suggested
            ]
            headers = {"Location": f"/api/v1/jobs/{job.pk}"} if job else {}
            return Answer({"items": shown}, 202 if job else 200, headers)

        return self.write("propose_candidates", act)


class OneCandidate(Endpoint):
    """One candidate."""

    needs = {"get": "read_candidates"}

    @extend_schema(
        operation_id="read_candidate",
        tags=["tell"],
        summary="Read a candidate",
        description="What was proposed, by whom, of which words, and what came of it.",
        responses=described("OneCandidate", CANDIDATE),
    )
    def get(self, request: Request, candidate_id: uuid.UUID) -> Response:
        return Response(shape(queries.candidate(self.by, candidate_id)))


def _inputs(write: Write, items: Sequence[dict[str, Any]]) -> list[agents.CandidateInput]:
    """Each candidate with its source. Raises Invalid for sources that are not there."""
    ids, messages = [], []
    for item in items:
        if "source" in item:
            ids.append(item["source"])
        else:
            messages.append((item["thread"], item["message_id"]))
    by_id, by_message = sources_named(write.by, ids, messages)
    wrong, found = [], []
    for row, item in enumerate(items):
        place = "source" if "source" in item else "message_id"
        source = by_id.get(item["source"]) if "source" in item else by_message.get((item["thread"], item["message_id"]))
        if source is None:
            message = "There is no such source."
            wrong.append(Violation(f"/{place}", "no_such_source", message, "a source of this workspace", row))
        else:
            found.append(candidate_input(source, item))
    if wrong:
        raise Invalid.all(wrong)
    return found
