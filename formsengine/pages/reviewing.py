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
from formsengine.bindings.things import spoken
from formsengine.definition.plan import Planned
from formsengine.evaluation.states import Key
from formsengine.inputs import Answers
from formsengine.log.commits import Clock
from formsengine.log.response import WRITABLE, Response
from formsengine.log.snapshot import blockers
from formsengine.models import OPEN, FormResponse
from formsengine.pages.saving import base_of
from formsengine.pages.step import field_url, shared
from formsengine.problems import Problem
from formsengine.queries import filled
from formsengine.services.settling import planned
from formsengine.view.gates import gates
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, number, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

MOST_COMMITS = 200
VERBS = ("return", "accept", "reopen", "void", "revive", "gate")


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
            "in_the_way": [{"words": each.message, "url": _way(by, row, response, each)} for each in in_the_way],
            "gates": _gates(by, row, response) if open_ else [],
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


def _way(by: Principal, row: FormResponse, response: Response, problem: Problem) -> str:
    """To what is in the way: a field in its step, a gate on this page."""
    if problem.code == "gate":
        return f"#gate-{problem.path}"
    blamed = [name for name in problem.accepted if problem.code == "check"]
    ways = [problem.path, *(f"{problem.path}/{name}".strip("/") for name in blamed), *blamed]
    urls = [field_url(by, row, response, path) for path in ways]
    return next((url for url in urls if "#" in url), urls[0])


def _gates(by: Principal, row: FormResponse, response: Response) -> list[dict[str, Any]]:
    """What waits for somebody to look, since when and until when."""
    found = []
    for one in filled.named(by, list(gates(response, row.language))):
        times = {name: dt.datetime.fromisoformat(one[name]) for name in ("since", "due") if name in one}
        found.append(one | times | {"late": one["holds"] and "due" in times and times["due"] < timezone.now()})
    return found


def _leads_to(by: Principal, outcome: dict[str, Any]) -> str:
    """Where what was written into memory is looked at."""
    for what, view in (("belief", "graph:belief"), ("episode", "timeline:episode"), ("node", "graph:node")):
        if outcome[what]:
            return address(by, view, outcome[what])
    return ""


@member_page("read_forms")
def settle(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """What a reviewer makes of a submission: returned with notes, accepted, reopened, ended, brought back; and what was
    found where a gate holds it."""
    row = queries.response(by, response_id)
    if request.method != "POST":
        return redirect(address(by, "forms:submit", row.pk))
    by.require("review_forms")
    verb, reason = request.POST.get("verb", ""), request.POST.get("reason", "").strip()
    base = number(request.POST.get("base", ""))
    if verb not in VERBS:
        raise Invalid.at("verb", "unknown_verb", "There is no such act.", ", ".join(VERBS))

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
            case "gate":
                gate, outcome = request.POST.get("gate", "")[:120], request.POST.get("outcome", "")[:20]
                services.find(write, row.pk, gate=gate, outcome=outcome, reason=reason, base=base)

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
    may_restore = by.may("fill_forms") and row.state in OPEN
    back = number(request.GET.get("back", ""))
    return page(
        request,
        "forms/history.html",
        shared(by, row, response)
        | {
            "field": field,
            "because": why,
            "may_restore": may_restore,
            "back": _going_back(by, row, response, back) if may_restore and back is not None and not field else None,
            "revisions": [_dated(one) for one in reversed(told.get("revisions", []))],
            "commits": commits(response, told.get("commits", []), row.language),
        },
    )


def _going_back(by: Principal, row: FormResponse, response: Response, to: int) -> dict[str, Any]:
    """What would stand otherwise if everything were as that commit left it. Raises Conflict for one before which
    nothing is undone."""
    op = {"op": "revert", "to": to}
    done = services.foreseen(by, row, Answers([op], base=row.lock), at=Clock(timezone.now(), row.zone))
    after = done.response
    changes = []
    for one in response.plan.fields:
        for place in response.rows.under(one.rows_of, ""):
            key = (one.uid, place)
            if response.heads.get(key) != after.heads.get(key):
                was, then = (_answer_at(each, one, key) for each in (response, after))
                changes.append({"of": response.plan.label(one, row.language), "was": was, "then": then})
    rows = len(done.verdicts) - len(changes)
    return {"to": to, "changes": changes, "rows": max(0, rows)}


def _answer_at(response: Response, planned: Planned, key: Key) -> str:
    revision = response.revision(key)
    if revision is None or revision.status != "answer":
        return ""
    return spoken(response.plan, planned, revision.kept)


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
