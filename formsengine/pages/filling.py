"""Filling a response in the browser: a step a page, saved field by field where scripts run, whole where they do not."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone

from formsengine import queries, services
from formsengine.definition.texts import text_in
from formsengine.inputs import Answers
from formsengine.log.addresses import NotFound as NotInForm
from formsengine.log.addresses import address as path_of
from formsengine.log.addresses import find_field
from formsengine.log.commits import Clock
from formsengine.log.lifecycle import stands_ready
from formsengine.log.response import WRITABLE, Response
from formsengine.log.snapshot import blockers
from formsengine.models import FormResponse
from formsengine.pages import asked
from formsengine.queries import filled
from formsengine.services.settling import planned
from formsengine.view.shown import counts, current_step, pending
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, number, page, wants_fragment
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

TROUBLED = {"rejected", "candidate"}
MOST_COMMITS = 200
DIRECTIONS = {"next": 1, "previous": -1}


@member_page("read_forms")
def fill(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """A step of a response. What is typed is saved as it is typed, or with any button of the page."""
    row = queries.response(by, response_id)
    response = queries.loaded(row)
    if request.method == "POST":
        by.require("fill_forms")
        return _save(request, by, row, response)
    return _drawn(request, by, row, response, _step(response, request.GET.get("step", "")))


@member_page("read_forms")
def submit(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """What is in the way, and what would be written into memory; then the submission of exactly that."""
    row = queries.response(by, response_id)
    error: DomainError | None = None
    if request.method == "POST":
        by.require("fill_forms")
        try:
            base = _number(request.POST.get("base", ""))
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
        _shared(by, row, response)
        | {
            "error": error,
            "in_the_way": [{"words": each.message, "url": _url(by, row, response, each.path)} for each in in_the_way],
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
    if verb not in ("return", "accept", "reopen", "void", "revive"):
        raise Invalid.at("verb", "unknown_verb", "There is no such act.", "return, accept, reopen, void, revive")

    def act(write: Any) -> None:
        match verb:
            case "return":
                field, note = request.POST.get("field", ""), request.POST.get("note", "").strip()
                notes = [{"field": field, "note": note}] if field and note else []
                services.send_back(write, row.pk, reason=reason, notes=notes)
            case "accept":
                services.accept(write, row.pk, amendments=request.POST.getlist("amendment"))
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
        _shared(by, row, response)
        | {
            "field": field,
            "because": why,
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


def _save(request: HttpRequest, by: Principal, row: FormResponse, before: Response) -> HttpResponse:
    """Save what differs from what the page showed, do what the button says, and go where it leads."""
    posted = request.POST
    base = _number(posted.get("base", ""))
    if base > row.lock:
        raise Invalid.at("base", "base", f"There is no commit {base}.", f"0 to {row.lock}")
    step = _step(before, posted.get("step", ""))
    ops = asked.operations(before, posted, base)
    extra = asked.act(posted.get("act", "")) if posted.get("act") else None
    verdicts: list[dict[str, Any]] = []
    for batch, seen in ((ops, base), ([extra] if extra else [], None)):
        if batch:
            done = record(by, "write_response", _writing(row, batch, seen))
            verdicts += done.verdicts
            row, before = done.row, done.response
    response = queries.loaded(queries.response(by, row.pk)) if not verdicts else before
    typed = {
        verdict["path"]: _typed(posted, verdict["path"]) for verdict in verdicts if verdict["verdict"] == "rejected"
    }
    troubles = {verdict["path"]: verdict for verdict in verdicts if verdict["verdict"] in TROUBLED}
    if wants_fragment(request):
        mine = {op["field"] for op in ops}
        return _changed(request, by, row, response, step, base, mine, typed, troubles)
    if any(each["verdict"] == "rejected" for each in troubles.values()):
        return _drawn(request, by, row, response, step, typed, troubles, status=422)
    return redirect(_onwards(by, row, response, step, posted.get("go", "")))


def _writing(row: FormResponse, ops: list[dict[str, Any]], base: int | None) -> Any:
    return lambda write: services.answer(
        write, row.pk, Answers(ops, base=row.lock if base is None else base, language=row.language)
    )


def _changed(
    request: HttpRequest,
    by: Principal,
    row: FormResponse,
    response: Response,
    step: str,
    base: int,
    mine: set[str],
    typed: dict[str, str],
    troubles: dict[str, Any],
) -> HttpResponse:
    """The parts of the page that are otherwise now: never a field that stands as it was typed."""
    shown = asked.Step(response, step, row.language, typed)
    parts = []
    for block in shown.blocks():
        told = block["trouble_told"] = troubles.get(block.get("path", ""))
        settled = block.get("path") in mine and block["state"] == "filled" and not told
        if block["kind"] == "section" or (
            block["kind"] == "field" and not settled and (told or _touched(response, block, base))
        ):
            parts.append(block)
    context = _shared(by, row, response) | {"parts": _named(by, parts), "step": step, "saved_at": timezone.now()}
    return HttpResponse(render_to_string("forms/changed.html", context, request=request))


def _touched(response: Response, slot: dict[str, Any], base: int) -> bool:
    try:
        found = find_field(response.plan, response.rows, slot["path"])
    except NotInForm:
        return False
    return response.touched_in.get(found.key, 0) > base or response.head_since.get(found.key, 0) > base


def _drawn(
    request: HttpRequest,
    by: Principal,
    row: FormResponse,
    response: Response,
    step: str,
    typed: dict[str, str] | None = None,
    troubles: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    blocks = []
    for block in asked.Step(response, step, row.language, typed).blocks():
        block["trouble_told"] = (troubles or {}).get(block.get("path", ""))
        blocks.append(block)
    names = list(response.plan.steps)
    context = _shared(by, row, response) | {
        "blocks": _named(by, blocks),
        "step": step,
        "title": _title(response, row, step),
        "steps": _steps(by, row, response, step),
        "number": names.index(step) + 1,
        "first": step == names[0],
        "last": step == names[-1],
        "may_fill": by.may("fill_forms") and response.state in (*WRITABLE, "submitted", "accepted"),
        "languages": response.plan.form.languages,
    }
    return page(request, "forms/fill.html", context, status=status)


def _shared(by: Principal, row: FormResponse, response: Response) -> dict[str, Any]:
    count = counts(response)
    return {
        "by": by,
        "row": row,
        "form_title": row.version.title,
        "count": count,
        "stands": stands_ready(response),
        "fill_url": address(by, "forms:fill", row.pk),
        "submit_url": address(by, "forms:submit", row.pk),
        "settle_url": address(by, "forms:settle", row.pk),
        "history_url": address(by, "forms:history", row.pk),
        "form_url": address(by, "forms:form", row.form_id),
        "forms_url": address(by, "forms:forms"),
        "subject_url": address(by, "graph:node", row.subject_id) if row.subject_id else "",
    }


def _steps(by: Principal, row: FormResponse, response: Response, here: str) -> list[dict[str, Any]]:
    waiting = current_step(response, filled.writer(by).roles)
    return [
        {
            "title": _title(response, row, name),
            "url": f"{address(by, 'forms:fill', row.pk)}?step={name}",
            "here": name == here,
            "next": name == waiting,
            "left": sum(1 for _ in pending(response, name)),
        }
        for name in response.plan.steps
    ]


def _title(response: Response, row: FormResponse, step: str) -> str:
    form = response.plan.form
    texts = form.steps[response.plan.steps[step].order].title
    return text_in(texts, row.language or form.default_language, form.default_language, step)


def _step(response: Response, named: str) -> str:
    if named in response.plan.steps:
        return named
    return current_step(response, frozenset()) or next(iter(response.plan.steps))


def _onwards(by: Principal, row: FormResponse, response: Response, step: str, go: str) -> str:
    names = list(response.plan.steps)
    if go == "submit":
        return address(by, "forms:submit", row.pk)
    if go in DIRECTIONS:
        step = names[max(0, min(len(names) - 1, names.index(step) + DIRECTIONS[go]))]
    return f"{address(by, 'forms:fill', row.pk)}?step={step}"


def _url(by: Principal, row: FormResponse, response: Response, path: str) -> str:
    """Where a field stands, from the path of what is wrong with it."""
    name = path.rstrip("/").rpartition("/")[2]
    found = response.plan.by_name.get(name)
    if found is not None and found.is_field:
        places = response.rows.under(found.rows_of, "")
        row_of = next((one for one in places if path_of(response.plan, response.rows, (found.uid, one)) == path), "")
        anchor = asked.anchor(name, row_of)
        return f"{address(by, 'forms:fill', row.pk)}?step={found.step}#{anchor}"
    return address(by, "forms:fill", row.pk)


def _named(by: Principal, blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Who gave the other answers, by name."""
    made: list[dict[str, Any]] = filled.named(by, blocks)
    return made


def _typed(posted: Any, path: str) -> str:
    return ", ".join(posted.getlist(f"f:{path}"))


def _number(text: str) -> int:
    found = number(text)
    if found is None:
        raise Invalid.at("base", "wrong_type", "The page does not say what it showed.", "reload it")
    return found
