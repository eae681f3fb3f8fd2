"""The views of a list that a member keeps: how a page offers them, and the forms that keep and forget one."""

from __future__ import annotations

import uuid
from typing import Any, NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memoryapp.access import queries, services
from memoryapp.access.services import PLACES
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address, member_page
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ledger.together import Rows, read

MOST = 50


class _Kept(NamedTuple):
    pk: uuid.UUID
    name: str
    query: str
    is_mine: bool
    whose: str


def kept(by: Principal, place: str) -> Rows:
    """The views of a list that were kept, as a value that a page asks for together with others: see `offered`."""
    return Rows(queries.views(by, place)[:MOST], "pk", "name", "query", "owner", "owner__name")


def offered(
    by: Principal, place: str, query: str, given: list[tuple[str, str]], gathered: str | None = None
) -> dict[str, Any]:
    """What the menu of views shows: those `given` with every workspace as (name, query), and those that were kept.

    `gathered` is what `kept` found, where the page asked for it already."""
    url = address(by, PLACES[place])
    if gathered is None:
        gathered = Workspace.objects.values_list(kept(by, place), flat=True).get(pk=by.workspace.pk)
    found = [
        _Kept(uuid.UUID(pk), name, asked, uuid.UUID(owner) == by.actor.pk, whose)
        for pk, name, asked, owner, whose in read(gathered)
    ]
    named = [*given, *((one.name, one.query) for one in found)]
    return {
        "place": place,
        "query": query,
        "name": next((name for name, asked in named if asked == query), "As filtered"),
        "given": [_item(url, name, asked, query) for name, asked in given],
        "kept": [
            _item(url, one.name, one.query, query)
            | {
                "whose": "" if one.is_mine else one.whose,
                "forget_url": address(by, "access:forget-view", one.pk) if one.is_mine else "",
            }
            for one in found
        ],
        "keep_url": address(by, "access:keep-view"),
        "is_new": all(asked != query for _, asked in named),
    }


@require_POST
@member_page()
def keep(request: HttpRequest, by: Principal) -> HttpResponse:
    """Keep the list as it is looked at, and show it."""
    place, query = request.POST.get("place", ""), request.POST.get("query", "")
    name, shared = request.POST.get("name", ""), request.POST.get("shared") == "yes"
    try:
        record(
            by, "keep_view", lambda write: services.keep_view(write, place=place, name=name, query=query, shared=shared)
        )
        messages.success(request, "View kept.")
    except DomainError as error:
        if place not in PLACES:
            raise
        messages.error(request, error.detail)
    return redirect(_back(by, place, query))


@require_POST
@member_page()
def forget(request: HttpRequest, by: Principal, view_id: uuid.UUID) -> HttpResponse:
    """Forget a view of one's own; the list stays as it was looked at."""
    found = record(by, "forget_view", lambda write: services.forget_view(write, view_id))
    messages.success(request, f"Forgot the view “{found.name}”.")
    return redirect(_back(by, found.place, found.query))


def _item(url: str, name: str, asked: str, query: str) -> dict[str, Any]:
    return {"name": name, "url": f"{url}?{asked}" if asked else url, "here": asked == query}


def _back(by: Principal, place: str, query: str) -> str:
    url = address(by, PLACES[place])
    return f"{url}?{query}" if query else url
