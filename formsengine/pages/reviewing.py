"""What becomes of a response: checked and submitted, returned, accepted; and its history."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from formsengine import queries, services
from formsengine.log.commits import Clock
from formsengine.log.response import WRITABLE, Response
from formsengine.log.snapshot import blockers
from formsengine.models import OPEN
from formsengine.pages.saving import base_of
from formsengine.pages.step import field_url, shared
from formsengine.services.settling import planned
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, number, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

MOST_COMMITS = 200


@member_page("read_forms")
def submit(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """What is in the way, and what would be written into memory; then the submission of exactly that."""
    row = queries.response(by, response_id)
    error: DomainError | None = None
    if request.method == "POST":
        by.require("fill_forms")
        try:
            base = base_of(request.POST)
            done, outcomes = record(by, "submit_response", lambda w: services.submit(w, row.pk, base=base))
        except DomainError as refused:
            error = refused
        else:
            words = f"Submitted. {len(outcomes)} things were written into memory." if outcomes else "Submitted."
            messages.success(request, words)
            return redirect(address(by, "forms:submit", done.row.pk))
    response = queries.loaded(row)
    open_ = response.state in WRITABLE
    in_the_way = blockers(response) if open_ else []
    lines = []
    if open_ and not in_the_way:
        lines = planned(by, row, base=row.lock, at=Clock(timezone.now(), row.zone))
    return page(
        request,
        "forms/submit.html",
        shared(by, row, response)
        | {
            "error": error,
            "in_the_way": [
                {"words": each.message, "url": field_url(by, row, response, each.path)} for each in in_the_way
            ],
            "lines": lines,
            "open": open_,
            "outcomes": [one | {"url": _leads_to(by, one)} for one in queries.outcomes(by, row)],
            "may_fill": by.may("fill_forms"),
            "may_review": by.may("review_forms"),
            "fields": [
                {"path": one.name, "label": response.plan.label(one, row.language)}
                for one in response.plan.fields
                if one.question.writable and not one.rows_of
            ],
        },
        status=error.status if error else 200,
    )


def _leads_to(by: Principal, outcome: dict[str, Any]) -> str:
    """Where what was written into memory is looked at."""
    for what, view in (("belief", "graph:belief"), ("episode", "timeline:episode"), ("node", "graph:node")):
        if outcome[what]:
            return address(by, view, outcome[what])
    return ""


@member_page("read_forms")
def settle(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """What a reviewer makes of a submission: returned with notes, accepted, reopened, ended, brought back."""
    row = queries.response(by, response_id)
    if request.method != "POST":
        return redirect(address(by, "forms:submit", row.pk))
    by.require("review_forms")
    verb, reason = request.POST.get("verb", ""), request.POST.get("reason", "").strip()
    base = number(request.POST.get("base", ""))
    if verb not in ("return", "accept", "reopen", "void", "revive"):
        raise Invalid.at("verb", "unknown_verb", "There is no such act.", "return, accept, reopen, void, revive")

    def act(write: Any) -> None:
        match verb:
            case "return":
                field, note = request.POST.get("field", ""), request.POST.get("note", "").strip()
                notes = [{"field": field, "note": note}] if field and note else []
                services.send_back(write, row.pk, reason=reason, notes=notes)
            case "accept":
                services.accept(write, row.pk, amendments=request.POST.getlist("amendment"), base=base)
            case "reopen":
                services.reopen(write, row.pk, reason=reason)
            case "void":
                services.void(write, row.pk, reason=reason)
            case "revive":
                services.revive(write, row.pk, reason=reason)

    try:
        record(by, f"{verb}_response", act)
    except DomainError as refused:
        messages.error(request, refused.detail)
    return redirect(address(by, "forms:submit", row.pk))


@member_page("read_forms")
def history(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """Every answer of a field, or every commit of the response, the latest first."""
    row = queries.response(by, response_id)
    field = request.GET.get("field", "")[:300]
    told = queries.history(by, row, field)
    why = queries.viewed(by, row, scope="field", id=field)["because"] if field else None
    response = queries.loaded(row)
    return page(
        request,
        "forms/history.html",
        shared(by, row, response)
        | {
            "field": field,
            "because": why,
            "may_restore": by.may("fill_forms") and row.state in OPEN,
            "revisions": [_dated(one) for one in reversed(told.get("revisions", []))],
            "commits": commits(response, told.get("commits", []), row.language),
        },
    )


def _dated(told: dict[str, Any]) -> dict[str, Any]:
    return told | {"at": dt.datetime.fromisoformat(told["at"])} if told.get("at") else told


def commits(response: Response, told: Sequence[dict[str, Any]], language: str) -> list[dict[str, Any]]:
    """Commits for a person, the latest first: what happened, each kind once, with the questions as they are asked."""
    asked_as = {one.name: response.plan.label(one, language) for one in response.plan.items.values()}
    found = []
    for one in list(reversed(told))[:MOST_COMMITS]:
        kinds: dict[str, list[str]] = {}
        for change in one["changes"]:
            event = "answered" if change["event"] == "revised" else change["event"].replace("-", " ")
            field = str(change.get("field") or change.get("gate") or "")
            words = " ".join(
                filter(None, [asked_as.get(field, field), "to " * ("to" in change) + str(change.get("to", ""))])
            )
            kinds.setdefault(event, []).extend([words] if words else [])
        found.append(_dated(one) | {"told": list(kinds.items())})
    return found
