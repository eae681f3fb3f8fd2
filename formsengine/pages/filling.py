"""Filling a response in the browser: a step a page, in the reader's language, with the files that were sent."""

from __future__ import annotations

import uuid
from urllib.parse import quote

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from formsengine import queries
from formsengine.pages.saving import save
from formsengine.pages.step import changed, drawn, step_named
from formsengine.queries import attached
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import member_page, number, wants_fragment
from memoryapp.ledger.principal import Principal


@member_page("read_forms")
def fill(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """A step of a response. What is typed is saved as it is typed, or with any button of the page.

    With `since`, a page that is open already is told what is otherwise now; nothing when nothing is.
    """
    row = queries.response(by, response_id)
    if request.method == "POST":
        by.require("fill_forms")
        return save(request, by, row, queries.loaded(row))
    since = request.GET.get("since")
    if since is not None and wants_fragment(request):
        seen = number(since)
        if seen is None or seen > row.lock:
            raise Invalid.at("since", "since", f"There is no commit {since[:20]}.", f"0 to {row.lock}")
        if seen == row.lock:
            return HttpResponse(status=204)
        response = queries.loaded(row)
        return changed(request, by, row, response, step_named(response, request.GET.get("step", "")), seen)
    response = queries.loaded(row)
    return drawn(request, by, row, response, step_named(response, request.GET.get("step", "")))


@require_safe
@member_page("read_forms")
def file(request: HttpRequest, by: Principal, response_id: uuid.UUID, attachment_id: uuid.UUID) -> HttpResponse:
    """The bytes of a file that answers, to be saved and never shown as a page of ours."""
    row = queries.response(by, response_id)
    found = attached.attachment(by, row, attachment_id)
    answer = HttpResponse(attached.bytes_of(found), content_type="application/octet-stream")
    answer["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(found.name or 'file', safe='')}"
    answer["X-Content-Type-Options"] = "nosniff"
    answer["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return answer
