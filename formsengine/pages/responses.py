"""Responses to look through, of one form or of all; several submissions accepted at once, each shown first."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from formsengine import accepting, queries
from formsengine.accepting import Decided
from formsengine.models import FormResponse, ResponseState
from formsengine.queries import defined, filled
from formsengine.services.settling import seen_together
from memoryapp.access.viewing import offered
from memoryapp.doors import paging
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, here, member_page, number, page
from memoryapp.ledger.principal import Principal

SIZE = 50
STATES = {value: label for value, label in ResponseState.choices if value != ResponseState.ERASED}
WHOSE = {"mine": "Mine", "given": "Given to somebody", "free": "Given to nobody"}
WHICH = {"late": "Late", "disputed": "Disputed", "held": "Held by a gate"}
VIEWS = [
    ("All responses", ""),
    ("To be looked at", "state=submitted"),
    ("Mine to fill", "state=draft&whose=mine"),
    ("Late", "which=late"),
    ("Disputed", "which=disputed"),
    ("Held by a gate", "which=held"),
]


@member_page("read_forms")
def responses(request: HttpRequest, by: Principal) -> HttpResponse:
    """Responses by form, state, person and words, the last changed first; those to be looked at, the oldest first."""
    typed = _typed(request)
    found = _found(by, typed)
    waiting = typed["state"] == ResponseState.SUBMITTED
    order = ("changed_at", "pk") if waiting else ("-changed_at", "-pk")
    shown: paging.Page[FormResponse] = paging.page(
        found,
        order=order,
        size=SIZE,
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), *typed.values()],
    )
    forms = [(str(one.pk), defined.title_of(one)) for one in defined.forms(by)[:200]]
    return page(
        request,
        "forms/responses.html",
        {
            "by": by,
            "rows": [line(by, one) for one in shown.items],
            "search": typed["q"],
            "choices": _choices(typed, forms),
            "filters_set": _filters_set(request, typed, dict(forms)),
            "views": offered(by, "responses", urlencode({name: one for name, one in typed.items() if one}), VIEWS),
            "next_url": here(request, after=shown.next) if shown.next else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": request.path,
            "forms_url": address(by, "forms:forms"),
            "accept_url": address(by, "forms:accept") if waiting and by.may("review_forms") else "",
        },
    )


@require_POST
@member_page("review_forms")
def accept(request: HttpRequest, by: Principal) -> HttpResponse:
    """Several submissions accepted: what would become of each is shown first, and each is then decided by itself."""
    ids = _ids(request.POST.getlist("response"))
    if not ids:
        messages.error(request, "No response was chosen.")
        return redirect(f"{address(by, 'forms:responses')}?state=submitted")
    rows = seen_together(by, ids)
    really = request.POST.get("act") == "accept"
    told = [_line_of(by, one) for one in (_accepted(request, by, rows) if really else _foreseen(by, rows))]
    return page(
        request,
        "forms/accept.html",
        {
            "by": by,
            "rows": told,
            "done": really,
            "able": [one for one in told if not one["problem"]],
            "missing": len(ids) - len(rows),
            "back_url": f"{address(by, 'forms:responses')}?state=submitted",
            "accept_url": address(by, "forms:accept"),
        },
    )


def _foreseen(by: Principal, rows: Sequence[FormResponse]) -> list[Decided]:
    return accepting.foreseen(by, [(row.pk, row.lock) for row in rows])


def _accepted(request: HttpRequest, by: Principal, rows: Sequence[FormResponse]) -> list[Decided]:
    """Each as it was shown, or not at all."""
    return accepting.accepted(by, [(row.pk, number(request.POST.get(f"base:{row.pk}", ""))) for row in rows])


def _line_of(by: Principal, one: Decided) -> dict[str, Any]:
    problem = one.refusal.detail if one.refusal is not None else ""
    return (line(by, one.row) if one.row is not None else {}) | {"problem": problem}


def _ids(given: Sequence[str]) -> list[uuid.UUID]:
    if len(given) > accepting.MOST:
        raise Invalid.at(
            "response", "too_many", f"At most {accepting.MOST} are accepted at once.", f"1 to {accepting.MOST}"
        )
    try:
        return [uuid.UUID(one) for one in given]
    except ValueError as error:
        raise Invalid.at("response", "not_an_id", "This is not a response.", "the id of a response") from error


def _typed(request: HttpRequest) -> dict[str, str]:
    """The filters as they stand in the address. Raises Invalid for one that is none."""
    typed = {name: request.GET.get(name, "").replace("\x00", "").strip()[:200] for name in ("form", "state", "whose")}
    typed |= {name: request.GET.get(name, "").replace("\x00", "").strip()[:200] for name in ("which", "q")}
    for name, known in (("state", STATES), ("whose", WHOSE), ("which", WHICH)):
        if typed[name] and typed[name] not in known:
            message = f"There is no {name} “{typed[name][:40]}”."
            raise Invalid.at(name, f"unknown_{name}", message, ", ".join(known))
    if typed["form"]:
        _ids([typed["form"]])
    return typed


def _found(by: Principal, typed: dict[str, str]) -> QuerySet[FormResponse]:
    return queries.responses(
        by,
        form=uuid.UUID(typed["form"]) if typed["form"] else None,
        states=(typed["state"],) if typed["state"] else (),
        mine=typed["whose"] == "mine",
        given={"given": True, "free": False}.get(typed["whose"]),
        late_at=timezone.now() if typed["which"] == "late" else None,
        disputed=typed["which"] == "disputed",
        held=typed["which"] == "held",
        text=typed["q"],
    )


def _choices(typed: dict[str, str], forms: list[tuple[str, str]]) -> list[dict[str, Any]]:
    return [
        {"label": "Any form", "name": "form", "chosen": typed["form"], "options": forms},
        {"label": "Any state", "name": "state", "chosen": typed["state"], "options": list(STATES.items())},
        {"label": "Anybody's", "name": "whose", "chosen": typed["whose"], "options": list(WHOSE.items())},
        {"label": "All", "name": "which", "chosen": typed["which"], "options": list(WHICH.items())},
    ]


def _filters_set(request: HttpRequest, typed: dict[str, str], forms: dict[str, str]) -> list[dict[str, str]]:
    words = {
        "q": f"“{typed['q']}”" if typed["q"] else "",
        "form": forms.get(typed["form"], typed["form"]),
        "state": STATES.get(typed["state"], ""),
        "whose": WHOSE.get(typed["whose"], ""),
        "which": WHICH.get(typed["which"], ""),
    }
    return [
        {"words": said, "clear_url": here(request, **{name: "", "after": ""})} for name, said in words.items() if said
    ]


def line(by: Principal, row: FormResponse) -> dict[str, Any]:
    """A response as tables show it."""
    told = filled.told(row)
    review = row.state in ("submitted", "accepted", "void")
    return told | {
        "url": address(by, "forms:submit" if review else "forms:fill", row.pk),
        "changed": row.changed_at,
        "due": row.due_at,
        "late": bool(row.due_at and row.due_at < timezone.now() and row.state in ("draft", "returned", "reopened")),
        "assigned": row.assigned_to.name if row.assigned_to else "",
    }
