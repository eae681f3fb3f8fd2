"""The forms of a workspace, their versions and responses; a form imported; everything taken out as a file."""

from __future__ import annotations

import uuid
from pathlib import PurePath
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from formsengine import queries, services
from formsengine.inputs import Opening
from formsengine.models import OPEN, ResponseState
from formsengine.pages.responses import line
from formsengine.pages.sending import opened, page_key
from formsengine.queries import defined
from formsengine.queries.sheets import EXPORTS
from memoryapp.doors import paging
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, here, member_page, page
from memoryapp.doors.streaming import Streamed
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

SIZE = 50
MINE = 20
LARGEST = 5_000_000
STATES = [(value, label) for value, label in ResponseState.choices if value != ResponseState.ERASED]


@member_page("read_forms")
def forms(request: HttpRequest, by: Principal) -> HttpResponse:
    """What can be asked, and what is waiting to be filled or looked at."""
    text = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    found = list(defined.forms(by, text)[:200])
    live, newest, counts = defined.lives(found), defined.latest(found), defined.open_counts(by, found)
    rows = [
        defined.told(one, live.get(one.pk), newest.get(one.pk), counts.get(one.pk, {}))
        | {"url": address(by, "forms:form", one.pk), "open_url": address(by, "forms:open", one.pk)}
        for one in found
    ]
    mine = list(queries.responses(by, states=OPEN, mine=True).order_by("-changed_at", "-pk")[:MINE])
    waiting = list(queries.responses(by, states=("submitted",)).order_by("changed_at", "pk")[:MINE])
    return page(
        request,
        "forms/forms.html",
        {
            "by": by,
            "rows": rows,
            "mine": [line(by, one) for one in mine],
            "waiting": [line(by, one) for one in waiting],
            "search": text,
            "responses_url": address(by, "forms:responses"),
            "filters_set": [{"words": f"“{text}”", "clear_url": here(request, q="")}] if text else [],
            "may_fill": by.may("fill_forms"),
            "page_key": page_key(),
            "new_url": address(by, "forms:new") if by.may("write_forms") else "",
            "import_url": address(by, "forms:import") if by.may("write_forms") else "",
        },
    )


@member_page("read_forms")
def form(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """One form: its responses by state and words, its versions, and how to take everything out."""
    found = queries.form(by, form_id)
    state = _state(request)
    text = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    rows = queries.responses(by, form=found.pk, states=(state,) if state else (), text=text)
    shown: paging.Page[Any] = paging.page(
        rows,
        order=("-changed_at", "-pk"),
        size=SIZE,
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), str(found.pk), state, text],
    )
    live = queries.live(found)
    return page(
        request,
        "forms/form.html",
        {
            "by": by,
            "form": found,
            "title": live.title if live else queries.title_of(found),
            "live": live,
            "asked": bool(shown.items or state or text or request.GET.get("after")),
            "versions_url": address(by, "forms:versions", found.pk),
            "publish_url": address(by, "forms:versions", found.pk) if by.may("write_forms") else "",
            "edit_url": address(by, "forms:edit", found.pk) if by.may("write_forms") else "",
            "rows": [line(by, one) for one in shown.items],
            "search": text,
            "choices": [{"label": "Any state", "name": "state", "chosen": state, "options": STATES}],
            "filters_set": _filters(request, state, text),
            "next_url": here(request, after=shown.next) if shown.next else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": request.path,
            "page_key": page_key(),
            "hand_out_url": address(by, "forms:hand-out", found.pk) if live and by.may("fill_forms") else "",
            "open_url": address(by, "forms:open", found.pk)
            if live and live.state == "live" and by.may("fill_forms")
            else "",
            "csv_url": address(by, "forms:export", found.pk, "csv"),
            "json_url": address(by, "forms:export", found.pk, "json"),
            "xlsx_url": address(by, "forms:export", found.pk, "xlsx"),
            "charts_url": address(by, "forms:charts", found.pk),
            "responses_url": f"{address(by, 'forms:responses')}?form={found.pk}",
            "forms_url": address(by, "forms:forms"),
        },
    )


@member_page("fill_forms")
def open_form(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """Begin a response and go to its first step."""
    found = queries.form(by, form_id)
    if request.method != "POST":
        return redirect(address(by, "forms:form", found.pk))
    subject = request.POST.get("subject", "").strip()
    try:
        about = uuid.UUID(subject) if subject else None
    except ValueError as error:
        raise Invalid.at("subject", "not_an_id", "This is not a node.", "the id of a node") from error
    return redirect(address(by, "forms:fill", opened(request, by, Opening(str(found.pk), about))))


@member_page("write_forms")
def import_form(request: HttpRequest, by: Principal) -> HttpResponse:
    """A form from a spreadsheet: what was taken, what is written otherwise, and what was not understood."""
    error: DomainError | None = None
    if request.method == "POST":
        given = request.FILES.get("sheet")
        try:
            if given is None:
                raise Invalid.at("sheet", "missing", "There is no file.", "an .xlsx, .xls, CSV or XForm file")
            if (given.size or 0) > LARGEST:
                raise Invalid.at("sheet", "too_large", "This file is too large.", f"at most {LARGEST} bytes")
            content, name = given.read(), request.POST.get("name", "").strip()[:120]
            stem = PurePath(given.name or "").stem[:120]
            read = services.read_sheet(content, name=name, otherwise=stem)
            version = record(by, "import_form", lambda write: services.import_sheet(write, read))
        except DomainError as refused:
            error = refused
        else:
            messages.success(request, f"Imported as version {version.number}, a draft.")
            return redirect(f"{address(by, 'forms:versions', version.form_id)}#version-{version.number}")
    context = {"by": by, "error": error, "forms_url": address(by, "forms:forms")}
    return page(request, "forms/import.html", context, status=error.status if error else 200)


@member_page("read_forms")
def export(request: HttpRequest, by: Principal, form_id: uuid.UUID, verb: str) -> HttpResponseBase:
    """Every response in sight, over all versions, a piece at a time; of one state when `state` names it."""
    found = queries.form(by, form_id)
    if verb not in EXPORTS:
        raise Invalid.at("verb", "unknown_format", "There is no such format.", ", ".join(EXPORTS))
    state = _state(request)
    write_out, kind, ending = EXPORTS[verb]
    answer = Streamed(write_out(by, found, states=(state,) if state else ()), content_type=kind)
    answer["Content-Disposition"] = f'attachment; filename="{found.name}.{ending}"'
    return answer


def _state(request: HttpRequest) -> str:
    state = request.GET.get("state", "")
    if state and state not in dict(STATES):
        raise Invalid.at("state", "unknown_state", f"There is no state “{state[:40]}”.", ", ".join(dict(STATES)))
    return state


def _filters(request: HttpRequest, state: str, text: str) -> list[dict[str, str]]:
    words = {"q": f"“{text}”" if text else "", "state": dict(STATES).get(state, "")}
    return [
        {"words": said, "clear_url": here(request, **{name: "", "after": ""})} for name, said in words.items() if said
    ]
