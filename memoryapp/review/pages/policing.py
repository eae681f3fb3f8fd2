"""Policies: the rules in words, tried over what people decided, what they settled looked at, and how well they do."""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memoryapp.doors import strict
from memoryapp.doors.errors import DomainError, Invalid, Malformed
from memoryapp.doors.pages import member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import policies as known
from memoryapp.review import policing, queries
from memoryapp.review.models import Decision
from memoryapp.review.pages.shown import actor, headlines, verdict_words
from memoryapp.review.policies import Policy
from memoryapp.review.queries.judging import Figure, Trial

LISTED = 25
TITLES = {"policy": "By policy", "agent": "By who told it", "extractor": "By what read it", "kind": "By kind"}


@member_page("read_cases")
def policies(request: HttpRequest, by: Principal) -> HttpResponse:
    """Every policy in words, what of their work waits to be looked at, and how much of it people took back.

    A POST tries rules over the latest decisions of people and changes nothing.
    """
    asked = request.POST.get("setting", "")
    shown = [_policy(by, policy, request.POST if policy.setting == asked else None) for policy in known.policies()]
    sample = queries.sample(by)
    context = {
        "by": by,
        "policies": shown,
        "sample": _decisions(by, sample),
        "share": queries.share_of(by.workspace),
        "figures": _figures(by, queries.figures(by)),
        "may_change": by.may("manage_settings"),
        "may_decide": by.may("decide_cases"),
    }
    wrong = any(one["error"] for one in shown)
    return page(request, "review/policies.html", context, status=422 if wrong else 200)


@require_POST
@member_page("manage_settings")
def put_in_force(request: HttpRequest, by: Principal) -> HttpResponse:
    """Run the workspace by these rules from now on."""
    setting, text = request.POST.get("setting", ""), request.POST.get("document", "")
    try:
        document = _document(text)
        reason = request.POST.get("rationale", "").strip()
        record(
            by,
            "put_policy_in_force",
            lambda write: policing.put_in_force(write, setting=setting, document=document),
            reason,
        )
    except Invalid:
        return policies(request, workspace=by.workspace.slug)  # type: ignore[return-value]
    messages.success(request, "In force from now on. What was decided before stands.")
    return redirect(reverse("review:policies", args=[by.workspace.slug]))


@require_POST
@member_page("decide_cases")
def agree(request: HttpRequest, by: Principal, decision_id: uuid.UUID) -> HttpResponse:
    """Say that one would have decided the same."""
    record(by, "agree", lambda write: policing.agree(write, decision_id))
    messages.success(request, "Noted: you would have decided the same.")
    return redirect(reverse("review:policies", args=[by.workspace.slug]) + "#sample")


def _policy(by: Principal, policy: Policy, given: Any) -> dict[str, Any]:
    own = by.workspace.settings.get(policy.setting, [])
    text = given.get("document", "") if given else json.dumps(own, indent=2, ensure_ascii=False)
    trial, error = None, None
    if given:
        try:
            rules = policy.in_force({policy.setting: _read(policy, text)})
            trial = _trial(by, queries.tried(by, policy, rules))
        except DomainError as refused:
            error = refused
    return {
        "policy": policy,
        "rules": policy.words(policy.in_force(by.workspace.settings)),
        "is_default": not own,
        "text": text,
        "opened": bool(given),
        "trial": trial,
        "error": error,
    }


def _document(text: str) -> Any:
    try:
        return strict.read((text or "[]").encode())
    except Malformed as error:
        message = f"This is not JSON that can be read: {error.detail}"[:200]
        raise Invalid.at("/document", "not_json", message, "a list of objects") from None


def _read(policy: Policy, text: str) -> Any:
    document = _document(text)
    if not isinstance(document, list):
        raise Invalid.at(f"/{policy.setting}", "wrong_type", "A policy is a list of rules.", "a list of objects")
    policy.read(document)
    return document


def _trial(by: Principal, trial: Trial) -> dict[str, Any]:
    listed = trial.disagreed[:LISTED]
    would = {decision.pk: one for decision, one in listed}
    rows = _decisions(by, [decision for decision, _ in listed])
    for row in rows:
        one = would[row["id"]]
        row["would"] = f"{one.verdict.replace('_', ' ').capitalize()}, by the rule “{one.rule}”"
    return {
        "decided": trial.decided,
        "total": trial.total,
        "left": trial.decided - trial.total.acted,
        "rules": sorted(trial.by_rule.items()),
        "disagreed": len(trial.disagreed),
        "rows": rows,
    }


def _decisions(by: Principal, found: Sequence[Decision]) -> list[dict[str, Any]]:
    lines = headlines(by, list({one.case_id: one.case for one in found}.values()))
    slug = by.workspace.slug
    return [
        {
            "id": one.pk,
            "what": verdict_words(one),
            "policy": one.policy,
            "about": lines[one.case_id],
            "url": reverse("review:case", args=[slug, one.case_id]),
            "actor": actor(one.decided_by),
            "at": one.decided_at,
            "why": one.rationale,
            "agree_url": reverse("review:agree", args=[slug, one.pk]),
            "undo_url": reverse("review:undo", args=[slug, one.pk]),
        }
        for one in found
    ]


def _figures(by: Principal, found: dict[str, dict[str, Figure]]) -> list[dict[str, Any]]:
    here = reverse("review:decisions", args=[by.workspace.slug])
    return [
        {
            "title": title,
            "rows": [
                {"name": value, "figure": figure, "trait": trait, "url": here}
                for value, figure in sorted(found[trait].items(), key=lambda item: -item[1].settled)
            ],
        }
        for trait, title in TITLES.items()
        if trait in found
    ]
