"""A case talked about and given to somebody, and what concerns the one who looks."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from memoryapp.access import capabilities
from memoryapp.access import queries as access
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import member_page, page
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case, CaseRemark
from memoryapp.review.pages.shown import actor, headlines

WHAT = {"assigned": "Given to you", "remarked": "Said on a case of yours", "undone": "Your decision was taken back"}


@require_safe
@member_page("read_cases")
def talk(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponse:
    """What was said about a case, whom it was given to, and a place to say more."""
    return _talk(request, by, queries.case(by, case_id))


@require_POST
@member_page("decide_cases")
def remark(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Say something about it. What is refused comes back as it was typed."""
    text = request.POST.get("text", "")
    try:
        record(by, "remark", lambda write: services.remark(write, case_id, text))
    except Invalid as error:
        return _talk(request, by, queries.case(by, case_id), typed=text, error=error)
    return redirect(reverse("review:talk", args=[by.workspace.slug, case_id]))


@require_POST
@member_page("decide_cases")
def assign(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Give it to a member, or to nobody."""
    chosen = request.POST.get("assignee", "")
    try:
        to = _member(by, chosen) if chosen else None
        case = record(by, "assign", lambda write: services.assign(write, case_id, to))
    except Invalid as error:
        return _talk(request, by, queries.case(by, case_id), error=error)
    messages.success(request, f"Given to {case.assignee.name}." if case.assignee else "Given to nobody.")
    return redirect(reverse("review:talk", args=[by.workspace.slug, case_id]))


@require_safe
@member_page("read_cases")
def for_you(request: HttpRequest, by: Principal) -> HttpResponse:
    """What concerns the one who looks, the latest first; what is new is marked."""
    found = queries.notices(by)
    lines = headlines(by, [notice.case for notice in found])
    rows = [
        {
            "what": WHAT[notice.what],
            "about": lines[notice.case.pk],
            "url": reverse("review:case", args=[by.workspace.slug, notice.case.pk])
            if notice.what != "remarked"
            else reverse("review:talk", args=[by.workspace.slug, notice.case.pk]),
            "actor": actor(notice.by),
            "at": notice.at,
            "words": notice.words,
            "new": notice.new,
        }
        for notice in found
    ]
    context = {"by": by, "rows": rows, "until": timezone.now().isoformat(), "new": any(row["new"] for row in rows)}
    return page(request, "review/for_you.html", context)


@require_POST
@member_page("read_cases")
def read(request: HttpRequest, by: Principal) -> HttpResponseBase:
    """Note that what the page showed was seen; what came since stays new."""
    until = min(_shown_at(request.POST.get("until", "")), timezone.now())
    record(by, "read_notices", lambda write: services.read_notices(write, until))
    return redirect(reverse("review:for-you", args=[by.workspace.slug]))


def _shown_at(given: str) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(given).astimezone(dt.UTC)
    except (ValueError, OverflowError):
        message = "The form does not say when its page was drawn."
        raise Invalid.at("/until", "not_a_time", message, "the page as it is now: reload it") from None


def _talk(
    request: HttpRequest, by: Principal, case: Case, *, typed: str = "", error: Invalid | None = None
) -> HttpResponse:
    rows = list(queries.talk(by, case))
    context = {
        "by": by,
        "case": case,
        "headline": headlines(by, [case])[case.pk],
        "events": [_event(row) for row in rows],
        "draft": f"talk-{case.pk}-{sum(row.write.actor_id == by.actor.pk for row in rows)}",
        "may": by.may("decide_cases"),
        "members": _members(by) if by.may("decide_cases") and case.state == Case.State.OPEN else [],
        "typed": typed,
        "error": error,
    }
    return page(request, "review/talk.html", context, status=error.status if error else 200)


def _event(row: Any) -> dict[str, Any]:
    if isinstance(row, CaseRemark):
        what, why = "Said", row.text
    else:
        what, why = f"Given to {row.assignee.name}" if row.assignee else "Given to nobody", ""
    return {"what": what, "why": why, "actor": actor(row.write.actor), "at": row.recorded_at}


def _members(by: Principal) -> list[Actor]:
    present = access.members(by).filter(ended_at__isnull=True)
    return [one.actor for one in present if "decide_cases" in capabilities.of_role(one.role)]


def _member(by: Principal, chosen: str) -> Actor:
    for one in _members(by):
        if str(one.pk) == chosen:
            return one
    raise Invalid.at("/assignee", "not_a_reviewer", "That is no member who decides cases.", "one of those listed")
