"""Policies: the rules in words, tried over what people decided, what they settled looked at, and how well they do."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from memoryapp.doors.errors import DomainError, Invalid, NotFound, Stale, Violation
from memoryapp.doors.pages import member_page, page, wants_fragment
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import policies as known
from memoryapp.review import policing, queries
from memoryapp.review.models import Decision
from memoryapp.review.pages import rules
from memoryapp.review.pages.shown import actor, headlines, verdict_words
from memoryapp.review.policies import Policy
from memoryapp.review.queries.judging import Figure, Trial

LISTED = 25
MISTAKEN = "Nothing was changed. Each mistake is named where it is."
OVERTAKEN = "What is in force now stands above. Yours are as you typed them; put in force again, they take its place."
TITLES = {"policy": "By policy", "agent": "By who told it", "extractor": "By what read it", "kind": "By kind"}


@member_page("read_cases")
def policies(request: HttpRequest, by: Principal) -> HttpResponse:
    """Every policy in words, what of their work waits to be looked at, and how much of it people took back.

    A POST changes the rows of a form of rules, says them in words, or tries them over the latest decisions of people.
    It changes nothing in the workspace.
    """
    asked = known.policy_named(request.POST.get("setting", ""))
    if asked and wants_fragment(request):
        return _editor(request, by, asked)
    return _whole(request, by, {asked.setting: request.POST} if asked else {})


@require_POST
@member_page("manage_settings")
def put_in_force(request: HttpRequest, by: Principal) -> HttpResponse:
    """Run the workspace by these rules from now on."""
    policy = known.policy_named(request.POST.get("setting", ""))
    if policy is None:
        raise NotFound("There is no such policy.", code="no_such_policy")
    parts = known.parts_of(policy, by)
    document, wrong = rules.document_of(policy, parts, rules.typed(parts, request.POST))
    if "rows" not in request.POST:
        wrong.append(
            Violation("/rows", "missing", "The form came without its rules.", "the number of rules, 0 for none")
        )
    try:
        if wrong:
            raise Invalid.all(wrong)
        reason = request.POST.get("rationale", "").strip()
        record(
            by,
            "put_policy_in_force",
            lambda write: policing.put_in_force(
                write, setting=policy.setting, document=document, seen=request.POST.get("seen", "")
            ),
            reason,
        )
    except (Invalid, Stale) as refused:
        by.workspace.refresh_from_db(fields=["settings"])
        if wants_fragment(request):
            return _editor(request, by, policy, refused)
        return _whole(request, by, {policy.setting: request.POST}, refused)
    messages.success(request, "In force from now on. What was decided before stands.")
    here = reverse("review:policies", args=[by.workspace.slug])
    return HttpResponse(headers={"HX-Redirect": here}) if wants_fragment(request) else redirect(here)


def _editor(request: HttpRequest, by: Principal, policy: Policy, refused: DomainError | None = None) -> HttpResponse:
    """The form of rules alone, or what they say in words."""
    shown = _policy(by, policy, request.POST, refused)
    part = "words" if request.POST.get("do") == "words" else "editor"
    context = {"by": by, "one": shown, "may_change": by.may("manage_settings")}
    return page(request, "review/rules.html", context, partial=part, status=422 if shown["error"] else 200)


def _whole(
    request: HttpRequest, by: Principal, given: Mapping[str, QueryDict], refused: DomainError | None = None
) -> HttpResponse:
    shown = [_policy(by, policy, given.get(policy.setting), refused) for policy in known.policies()]
    context = {
        "by": by,
        "policies": shown,
        "sample": _decisions(by, queries.sample(by)),
        "share": queries.share_of(by.workspace),
        "figures": _figures(by, queries.figures(by)),
        "may_change": by.may("manage_settings"),
        "may_decide": by.may("decide_cases"),
    }
    return page(request, "review/policies.html", context, status=422 if any(one["error"] for one in shown) else 200)


@require_POST
@member_page("decide_cases")
def agree(request: HttpRequest, by: Principal, decision_id: uuid.UUID) -> HttpResponse:
    """Say that one would have decided the same."""
    record(by, "agree", lambda write: policing.agree(write, decision_id))
    messages.success(request, "Noted: you would have decided the same.")
    return redirect(reverse("review:policies", args=[by.workspace.slug]) + "#sample")


def _policy(
    by: Principal, policy: Policy, given: QueryDict | None, refused: DomainError | None = None
) -> dict[str, Any]:
    """A policy as it is in force, and its rules as a form: those in force, or those that were typed.

    Whoever was overtaken is told, and means it by putting them in force again.
    """
    own, parts = by.workspace.settings.get(policy.setting, []), known.parts_of(policy, by)
    sheet = rules.typed(parts, given) if given else rules.written(parts, own or policy.beginning)
    document, wrong = rules.document_of(policy, parts, sheet)
    does = given.get("do", "try") if given else ""
    stale = given is not None and isinstance(refused, Stale)
    trial, error, in_words = None, refused if given is not None else None, []
    try:
        if wrong:
            raise Invalid.all(wrong)
        policy.read(document)
        asked = policy.in_force({policy.setting: document})
        in_words = policy.words(asked)
        if does == "try" and not stale:
            trial = _trial(by, queries.tried(by, policy, asked))
    except DomainError as unreadable:
        wrong = list(unreadable.violations)
        error = unreadable if does == "try" else error
    return {
        "policy": policy,
        "rules": policy.words(policy.in_force(by.workspace.settings)),
        "is_default": not own,
        "rows": rules.drawn(parts, sheet, policy.setting, wrong if does == "try" else []),
        "in_words": in_words,
        "incomplete": bool(wrong),
        "opened": bool(given),
        "seen": given.get("seen", "") if given and not stale else policing.mark_of(own),
        "error_words": OVERTAKEN if stale else MISTAKEN,
        "trial": trial,
        "error": error,
    }


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
