"""Cases and decisions over REST, to read. Nothing here decides: a person does, on the pages."""

from __future__ import annotations

import uuid
from typing import Any

from django.urls import path
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from memoryapp.access.endpoints import Endpoint, described, page_of
from memoryapp.doors import etags
from memoryapp.doors.fields import Flag, Identifier, OneOf, Paged, Text
from memoryapp.review import queries, registry
from memoryapp.review.models import Case, CaseChange, Decision
from memoryapp.review.queries import Filters, Presented

Described = dict[str, "serializers.Field[Any, Any, Any, Any]"]

SUBJECT: Described = {
    "role": serializers.CharField(),
    "type": serializers.CharField(help_text="belief, candidate, node, mention, relation or source."),
    "id": serializers.UUIDField(),
}
CASE: Described = {
    "id": serializers.UUIDField(),
    "kind": serializers.CharField(),
    "title": serializers.CharField(),
    "state": serializers.ChoiceField(choices=Case.State.choices),
    "reason": serializers.CharField(help_text="Why it opened, in one sentence."),
    "priority": serializers.IntegerField(),
    "reach": serializers.IntegerField(help_text="How much rests on it or was served from it."),
    "opened_at": serializers.DateTimeField(),
    "closed_at": serializers.DateTimeField(allow_null=True),
    "due": serializers.DateTimeField(allow_null=True),
    "snoozed_until": serializers.DateTimeField(allow_null=True),
    "claimed_by": serializers.CharField(help_text="Who is on it; blank when nobody is."),
    "assignee": serializers.CharField(help_text="Whom it was given to; blank when nobody was."),
    "subjects": described("CaseSubject", SUBJECT, many=True),
    "lock": serializers.IntegerField(),
}
DECISION: Described = {
    "id": serializers.UUIDField(),
    "case": serializers.UUIDField(),
    "case_kind": serializers.CharField(),
    "verdict": serializers.CharField(),
    "label": serializers.CharField(help_text="The verdict in words."),
    "rationale": serializers.CharField(allow_blank=True),
    "by": serializers.CharField(),
    "by_kind": serializers.CharField(),
    "policy": serializers.CharField(help_text="The policy that decided; blank when a person did."),
    "at": serializers.DateTimeField(),
    "undoes": serializers.UUIDField(allow_null=True),
    "undone_by": serializers.UUIDField(allow_null=True),
}
CHOICE: Described = {
    "key": serializers.CharField(),
    "label": serializers.CharField(),
    "explains": serializers.CharField(),
    "blocked": serializers.CharField(help_text="Why it cannot be chosen now; blank when it can."),
}
CHANGE: Described = {
    "change": serializers.CharField(),
    "what": serializers.CharField(),
    "at": serializers.DateTimeField(),
    "by": serializers.CharField(),
}
SUGGESTION: Described = {"verdict": serializers.CharField(), "because": serializers.CharField()}
PRESENTED: Described = CASE | {
    "view": serializers.DictField(help_text="Everything needed to decide, as its kind shows it."),
    "verdicts": described("VerdictOffered", CHOICE, many=True),
    "suggestion": described("VerdictSuggested", SUGGESTION, allow_null=True),
    "changes": described("CaseChange", CHANGE, many=True),
    "decisions": described("DecisionOnCase", DECISION, many=True),
}


class CaseFilters(Paged):
    kind = Text(required=False, max_length=40)
    state = OneOf(required=False, choices=[str(state) for state in Case.State], help_text="Open ones when left out.")
    assignee = Text(required=False, max_length=40, help_text="me, nobody or an actor's id.")
    text = Text(required=False, max_length=200, help_text="In the reason, or in the words of what it is about.")
    subject = Identifier(required=False, help_text="Something it is about.")
    snoozed = Flag(required=False, help_text="Also those that were put off.")


class DecisionFilters(Paged):
    actor = Identifier(required=False, help_text="Who decided.")
    policy = Text(required=False, max_length=100, help_text="The policy that decided.")


def shape(case: Case) -> dict[str, Any]:
    """A case as it is answered."""
    subjects = sorted(case.subjects.all(), key=lambda one: (one.role, one.pk))
    return {
        "id": str(case.pk),
        "kind": case.kind,
        "title": registry.kind_named(case.kind).title,
        "state": case.state,
        "reason": case.reason,
        "priority": case.priority,
        "reach": case.reach,
        "opened_at": case.opened_at,
        "closed_at": case.closed_at,
        "due": case.due,
        "snoozed_until": case.snoozed_until,
        "claimed_by": case.claimed_by.name if case.claimed_by else "",
        "assignee": case.assignee.name if case.assignee else "",
        "subjects": [{"role": one.role, "type": one.subject_type, "id": str(one.subject_id)} for one in subjects],
        "lock": case.lock,
    }


def shape_decision(decision: Decision) -> dict[str, Any]:
    """A decision as it is answered."""
    verdict = registry.kind_named(decision.case.kind).verdict(decision.verdict)
    undone_by = getattr(decision, "undone_by", None)
    return {
        "id": str(decision.pk),
        "case": str(decision.case_id),
        "case_kind": decision.case.kind,
        "verdict": decision.verdict,
        "label": verdict.label if verdict else decision.verdict.capitalize(),
        "rationale": decision.rationale,
        "by": decision.decided_by.name,
        "by_kind": decision.decided_by.kind,
        "policy": decision.policy,
        "at": decision.decided_at,
        "undoes": str(decision.undoes_id) if decision.undoes_id else None,
        "undone_by": str(undone_by.pk) if undone_by else None,
    }


def shape_presented(found: Presented, view: dict[str, Any]) -> dict[str, Any]:
    """A case with everything needed to decide it."""
    return shape(found.case) | {
        "view": view,
        "verdicts": [
            {
                "key": one.verdict.key,
                "label": one.verdict.label,
                "explains": one.verdict.explains,
                "blocked": one.blocked,
            }
            for one in found.choices
        ],
        "suggestion": {"verdict": found.suggestion.verdict, "because": found.suggestion.because}
        if found.suggestion
        else None,
        "changes": [_change(one) for one in found.changes],
        "decisions": [shape_decision(one) for one in found.decisions],
    }


def _change(change: CaseChange) -> dict[str, Any]:
    return {
        "change": change.change,
        "what": change.what,
        "at": change.write.recorded_at,
        "by": change.write.actor.name,
    }


class Cases(Endpoint):
    """What waits for a person."""

    needs = {"get": "read_cases"}
    parameters = {"get": CaseFilters}

    @extend_schema(
        operation_id="list_cases",
        tags=["review"],
        summary="List cases",
        description="What waits for a person, in the order it should be decided.",
        responses=page_of("Case", CASE),
    )
    def get(self, request: Request) -> Response:
        rows = queries.queue(self.by, Filters(**self.filters)).prefetch_related("subjects")
        return self.page(rows, order=queries.ORDERS["priority"], shape=shape)


class OneCase(Endpoint):
    """One case."""

    needs = {"get": "read_cases"}

    @extend_schema(
        operation_id="read_case",
        tags=["review"],
        summary="Read a case",
        description="A case with everything needed to decide it, and what was decided. A person decides, on the page.",
        responses=described("CasePresented", PRESENTED),
    )
    def get(self, request: Request, case_id: uuid.UUID) -> Response:
        found = queries.presented(self.by, case_id)
        view = found.kind.told(self.by, found.case) if found.kind.told else found.view
        return Response(shape_presented(found, view), headers={"ETag": etags.etag(found.case.lock)})


class Decisions(Endpoint):
    """What was decided."""

    needs = {"get": "read_cases"}
    parameters = {"get": DecisionFilters}

    @extend_schema(
        operation_id="list_decisions",
        tags=["review"],
        summary="List decisions",
        description="What people and policies decided, the latest first.",
        responses=page_of("Decision", DECISION),
    )
    def get(self, request: Request) -> Response:
        filters = self.filters
        rows = queries.decisions(self.by, actor_id=filters.get("actor"), policy=filters.get("policy", ""))
        return self.page(rows, order=("-decided_at", "-pk"), shape=shape_decision)


class OneDecision(Endpoint):
    """One decision."""

    needs = {"get": "read_cases"}

    @extend_schema(
        operation_id="read_decision",
        tags=["review"],
        summary="Read a decision",
        description="A verdict with who gave it and why.",
        responses=described("OneDecision", DECISION),
    )
    def get(self, request: Request, decision_id: uuid.UUID) -> Response:
        return Response(shape_decision(queries.decision(self.by, decision_id)))


urlpatterns = [
    path("cases", Cases.as_view(), name="cases"),
    path("cases/<uuid:case_id>", OneCase.as_view(), name="case"),
    path("decisions", Decisions.as_view(), name="decisions"),
    path("decisions/<uuid:decision_id>", OneDecision.as_view(), name="decision"),
]
