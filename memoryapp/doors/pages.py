"""What every page of the console shares: page or fragment, who is looking, and refusals put into words.

A page is drawn by `page`: the whole of it for a browser that navigates, the named part of the same template for a swap.
`member_page` wraps a view of a workspace: it finds the member, hands the view a principal, and turns what a service
refuses into a page or a fragment. Which account may enter which workspace is known by a higher room, which says so
with `admit_members_with`.
"""

from __future__ import annotations

import functools
import json
import zoneinfo
from collections.abc import Callable
from typing import Any, Protocol

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import NoReverseMatch, reverse
from django.utils import timezone
from django.utils.cache import patch_vary_headers

from memoryapp.doors.errors import DomainError, Invalid, NotFound


class _Workspace(Protocol):
    @property
    def slug(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def time_zone(self) -> str: ...


class Looker(Protocol):
    """Whoever looks at a page: in practice a `ledger.principal.Principal` of the console's channel."""

    @property
    def workspace(self) -> Any: ...
    def may(self, capability: str) -> bool: ...
    def require(self, capability: str) -> None: ...


Admission = Callable[[HttpRequest, str], Looker]
_admission: list[Admission] = []


def admit_members_with(admission: Admission) -> None:
    """Register the one function that turns a signed-in request and a workspace's slug into a principal.

    It raises `NotFound` where the account is no member there, so that a stranger cannot tell that it exists."""
    _admission[:] = [admission]


def wants_fragment(request: HttpRequest) -> bool:
    """True when htmx asks for a part: not for a boosted link, nor for a page it restores from history."""
    headers = request.headers
    return (
        headers.get("HX-Request") == "true"
        and headers.get("HX-Boosted") != "true"
        and headers.get("HX-History-Restore-Request") != "true"
    )


def page(
    request: HttpRequest,
    template: str,
    context: dict[str, Any] | None = None,
    *,
    partial: str = "",
    status: int = 200,
    triggers: dict[str, Any] | None = None,
) -> HttpResponse:
    """The whole page, or for a swap only its part named `partial` (`{% partialdef name %}` in the same template).

    `triggers` are events the browser raises after the swap, such as `announce` and `toast`. One address serves both
    forms, so the answer varies by `HX-Request`.
    """
    name = f"{template}#{partial}" if partial and wants_fragment(request) else template
    response = render(request, name, context or {}, status=status)
    patch_vary_headers(response, ["HX-Request"])
    return with_triggers(response, triggers)


def address(by: Looker, view: str, *parts: Any) -> str:
    """The address of a page in this workspace; empty while no room has such a page."""
    try:
        return reverse(view, args=[by.workspace.slug, *parts])
    except NoReverseMatch:
        return ""


def here(request: HttpRequest, **changes: str) -> str:
    """The address of this page with some parameters changed; an empty one is left out. Filters live in the address."""
    query = request.GET.copy()
    for name, value in changes.items():
        query.pop(name, None)
        if value:
            query[name] = value
    return f"{request.path}?{query.urlencode()}" if query else request.path


def number(text: str) -> int | None:
    """The whole number that an address or a form wrote: at most nine plain digits, so that any database can be asked
    for it; None for anything else."""
    return int(text) if len(text) < 10 and text.isascii() and text.isdigit() else None


def drawn_lock(request: HttpRequest) -> int:
    """The lock that a posted form was drawn against. Raises Invalid `lock_missing` when it names none."""
    lock = number(request.POST.get("lock", ""))
    if lock is None:
        raise Invalid.at("/lock", "lock_missing", "The form did not say which state it was drawn against.")
    return lock


def with_triggers(response: HttpResponse, triggers: dict[str, Any] | None) -> HttpResponse:
    """Add events for the browser to an answer."""
    if triggers:
        response["HX-Trigger"] = json.dumps(triggers)
    return response


BROWSED = ("GET", "HEAD", "POST")
"""How a browser asks for a page and sends a form."""


def member_page(capability: str = "") -> Callable[[Callable[..., HttpResponseBase]], Callable[..., HttpResponseBase]]:
    """A view under `/w/<workspace>/`, called as `view(request, by, ...)`.

    Somebody signed out is sent to sign in and brought back; a swap is told so instead, and nothing typed is lost. A
    workspace the account is no member of is not found. `capability` is required before the view runs, and is written on
    it as `needs` for whoever walks the addresses. Times are shown in the workspace's zone. What neither asks for a page
    nor sends a form is refused (405).
    """

    def decorate(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
        @functools.wraps(view)
        def wrapped(request: HttpRequest, workspace: str, **kwargs: Any) -> HttpResponseBase:
            if not request.user.is_authenticated:
                return _ask_to_sign_in(request)
            try:
                by = _admission[0](request, workspace)
            except NotFound as error:
                return refusal_page(request, error)
            request.principal = by  # type: ignore[attr-defined]
            if request.method not in BROWSED:
                return HttpResponseNotAllowed(BROWSED)
            with timezone.override(_zone(by.workspace)):
                try:
                    if capability:
                        by.require(capability)
                    return view(request, by, **kwargs)
                except DomainError as error:
                    return refusal_page(request, error)

        wrapped.needs = capability  # type: ignore[attr-defined]
        return wrapped

    return decorate


def refusal_page(request: HttpRequest, error: DomainError) -> HttpResponse:
    """A refusal as a page of its own; for a swap, a message that leaves what was typed where it is."""
    if wants_fragment(request):
        words = render_to_string("console/partials/refusal.html", {"error": error}, request=request)
        response = HttpResponse(words, status=error.status)
        response["HX-Reswap"] = "none"
        return with_triggers(response, {"toast": {"message": error.detail, "tone": "bad"}})
    templates = {403: "403.html", 404: "404.html"}
    return page(request, templates.get(error.status, "refused.html"), {"error": error}, status=error.status)


class SayWhatIsNotTaken:
    """Puts words where a page is asked for in a way that it does not take: an address that forms send to is no page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if not isinstance(response, HttpResponseNotAllowed) or not request.path.startswith("/w/"):
            return response
        taken = {one.strip() for one in response.headers["Allow"].split(",")}
        words = NOT_TAKEN["GET" in taken, "POST" in taken]
        made = refusal_page(request, NotTaken(words, code="method_not_allowed"))
        made.headers["Allow"] = response.headers["Allow"]
        return made


NOT_TAKEN = {
    (True, True): "There is a page at this address, and a form can be sent to it; nothing else is taken.",
    (True, False): "There is a page at this address; nothing can be sent to it.",
    (False, True): "What a form sends is taken here; there is no page at this address.",
    (False, False): "Neither is there a page at this address, nor can a form be sent to it.",
}
"""By whether a page is shown there, and whether a form can be sent there."""


class NotTaken(DomainError):
    """An address asked in a way that it does not take."""

    status = 405
    title = "Not taken here"


def _ask_to_sign_in(request: HttpRequest) -> HttpResponse:
    if wants_fragment(request):
        response = HttpResponse(status=401)
        response["HX-Reswap"] = "none"
        return with_triggers(response, {"signed-out": True})
    back_to = request.get_full_path() if request.method in {"GET", "HEAD"} else request.headers.get("Referer", "/")
    return redirect_to_login(back_to, login_url=settings.LOGIN_URL)


def _zone(workspace: _Workspace) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(workspace.time_zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return zoneinfo.ZoneInfo("UTC")
