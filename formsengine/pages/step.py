"""A step of a response as a page: drawn whole, or only what is otherwise since the page was drawn."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils import timezone

from formsengine.definition.texts import text_in
from formsengine.log.addresses import NotFound as NotInForm
from formsengine.log.addresses import address as path_of
from formsengine.log.addresses import find_field
from formsengine.log.lifecycle import stands_ready
from formsengine.log.response import WRITABLE, Response
from formsengine.models import FormResponse
from formsengine.pages import asked, notation
from formsengine.queries import filled, moving
from formsengine.view.shown import counts, current_step, pending
from memoryapp.doors.pages import address, page
from memoryapp.ledger.principal import Principal

DIRECTIONS = {"next": 1, "previous": -1}
LANGUAGE = "forms-language"
"""Where a session keeps the language that its person reads forms in."""
SILENT = frozenset({"filled", "empty"})
"""States of a field that was just saved in which the page has nothing to add to it."""


def language_of(request: HttpRequest, row: FormResponse, response: Response) -> str:
    """The language that this reader chose, else that of the response, else the form's own."""
    form = response.plan.form
    wanted = request.GET.get("language") or request.session.get(LANGUAGE, "") or row.language
    if request.GET.get("language") in form.languages:
        request.session[LANGUAGE] = wanted
    return wanted if wanted in form.languages else row.language or form.default_language


def changed(
    request: HttpRequest,
    by: Principal,
    row: FormResponse,
    response: Response,
    step: str,
    base: int,
    mine: frozenset[str] = frozenset(),
    typed: Mapping[str, str] | None = None,
    troubles: Mapping[str, Any] | None = None,
    key: str = "",
    troubled: frozenset[str] = frozenset(),
) -> HttpResponse:
    """The parts of the page that are otherwise since `base`: never a field that stands as it was typed.

    A field of `troubled`, where the page shows something wrong, comes in any case: it may be right by now.
    """
    language = language_of(request, row, response)
    parts = []
    for block in asked.Step(response, step, language, typed).blocks():
        told = block["trouble_told"] = (troubles or {}).get(block.get("path", ""))
        again = told or block.get("path") in troubled
        settled = block.get("path") in mine and block["state"] in SILENT and block["widget"] != "file" and not again
        if block["kind"] == "section" or (
            block["kind"] == "field"
            and not settled
            and (again or block["filtered"] or block.get("worked_out") or _touched(response, block, base))
        ):
            parts.append(block)
    context = shared(by, row, response) | {
        "parts": filled.named(by, parts),
        "step": step,
        "steps": _steps(by, row, response, step, language),
        "key": key if key in response.keys else "",
        "may_fill": may_fill(by, response),
        "saved_at": timezone.now(),
    }
    return HttpResponse(render_to_string("forms/changed.html", context, request=request))


def _touched(response: Response, slot: Mapping[str, Any], base: int) -> bool:
    try:
        found = find_field(response.plan, response.rows, slot["path"])
    except NotInForm:
        return False
    return response.touched_in.get(found.key, 0) > base or response.head_since.get(found.key, 0) > base


def drawn(
    request: HttpRequest,
    by: Principal,
    row: FormResponse,
    response: Response,
    step: str,
    typed: Mapping[str, str] | None = None,
    troubles: Mapping[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    """The whole page of a step."""
    language = language_of(request, row, response)
    blocks = []
    for block in asked.Step(response, step, language, typed).blocks():
        block["trouble_told"] = (troubles or {}).get(block.get("path", ""))
        blocks.append(block)
    names = list(response.plan.steps)
    here = f"{address(by, 'forms:fill', row.pk)}?step={step}"
    languages = response.plan.form.languages
    context = shared(by, row, response) | {
        "blocks": filled.named(by, blocks),
        "step": step,
        "title": title(response, step, language),
        "steps": _steps(by, row, response, step, language),
        "number": names.index(step) + 1,
        "first": step == names[0],
        "last": step == names[-1],
        "may_fill": may_fill(by, response),
        "sends_files": any(block.get("widget") == "file" for block in blocks),
        "offered": moving.offered(row, response) if may_fill(by, response) else None,
        "spoken": language,
        "languages": [
            {"code": one, "url": f"{here}&language={one}", "here": one == language}
            for one in (languages if len(languages) > 1 else ())
        ],
        "notations": notation.offered(request, here, language) if may_fill(by, response) else (),
    }
    return page(request, "forms/fill.html", context, status=status)


def may_fill(by: Principal, response: Response) -> bool:
    return by.may("fill_forms") and response.state in (*WRITABLE, "submitted", "accepted")


def shared(by: Principal, row: FormResponse, response: Response) -> dict[str, Any]:
    """What every page of a response says of it."""
    return {
        "by": by,
        "row": row,
        "form_title": row.version.title,
        "count": counts(response),
        "stands": stands_ready(response),
        "late": bool(row.due_at and row.due_at < timezone.now() and response.state in WRITABLE),
        "fill_url": address(by, "forms:fill", row.pk),
        "submit_url": address(by, "forms:submit", row.pk),
        "move_url": address(by, "forms:move", row.pk),
        "settle_url": address(by, "forms:settle", row.pk),
        "history_url": address(by, "forms:history", row.pk),
        "beside_url": address(by, "forms:beside", row.pk),
        "files_url": f"{address(by, 'forms:fill', row.pk)}files/",
        "form_url": address(by, "forms:form", row.form_id),
        "forms_url": address(by, "forms:forms"),
        "subject_url": address(by, "graph:node", row.subject_id) if row.subject_id else "",
    }


def _steps(by: Principal, row: FormResponse, response: Response, here: str, language: str) -> list[dict[str, Any]]:
    waiting = current_step(response, filled.writer(by).roles)
    return [
        {
            "title": title(response, name, language),
            "url": f"{address(by, 'forms:fill', row.pk)}?step={name}",
            "here": name == here,
            "next": name == waiting,
            "left": sum(1 for _ in pending(response, name)),
        }
        for name in response.plan.steps
    ]


def title(response: Response, step: str, language: str) -> str:
    form = response.plan.form
    return text_in(form.steps[response.plan.steps[step].order].title, language, form.default_language, step)


def step_named(response: Response, named: str) -> str:
    """The step that is asked for, else the one that is next."""
    if named in response.plan.steps:
        return named
    return current_step(response, frozenset()) or next(iter(response.plan.steps))


def onwards(by: Principal, row: FormResponse, response: Response, step: str, go: str) -> str:
    """Where a button of the page leads."""
    names = list(response.plan.steps)
    if go == "submit":
        return address(by, "forms:submit", row.pk)
    if go in DIRECTIONS:
        step = names[max(0, min(len(names) - 1, names.index(step) + DIRECTIONS[go]))]
    return f"{address(by, 'forms:fill', row.pk)}?step={step}"


def field_url(by: Principal, row: FormResponse, response: Response, path: str) -> str:
    """Where a field stands, from the path of what is wrong with it."""
    name = path.rstrip("/").rpartition("/")[2]
    found = response.plan.by_name.get(name)
    if found is not None and found.is_field:
        places = response.rows.under(found.rows_of, "")
        row_of = next((one for one in places if path_of(response.plan, response.rows, (found.uid, one)) == path), "")
        anchor = asked.anchor(name, row_of)
        return f"{address(by, 'forms:fill', row.pk)}?step={found.step}#{anchor}"
    return address(by, "forms:fill", row.pk)
