"""The queue and the case in front of it. One address serves the page, and the part that a swap asks for."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from memoryapp.doors.pages import member_page, page, wants_fragment
from memoryapp.ledger.principal import Principal
from memoryapp.review import queries
from memoryapp.review.pages import address as addresses
from memoryapp.review.pages.shown import Toast, alone, beginning, beside, news_of, stage


@require_safe
@member_page("read_cases")
def queue(request: HttpRequest, by: Principal) -> HttpResponse:
    """What waits, with the first of it in front where the screen has room."""
    address, error = addresses.checked(by, request.GET)
    context = beginning(by, address) | {"refused": error}
    return draw(request, context, status=error.status if error else 200)


@require_safe
@member_page("read_cases")
def case(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponse:
    """One case, beside the list it was come from; for a swap the case alone, so that it is there at once."""
    address, _ = addresses.checked(by, request.GET)
    found = queries.case(by, case_id)
    if wants_fragment(request):
        return page(request, "review/case.html", alone(by, address, found) | {"opened": True, "moving": True})
    return draw(request, stage(by, address, found) | {"opened": True})


@require_safe
@member_page("read_cases")
def live(request: HttpRequest, by: Principal) -> HttpResponse:
    """What stands beside the case in front, when anything was written since `since`; else nothing (204).

    `here` and `lock` are the case in front as it was drawn: when somebody decided or changed it, that is said.
    """
    address, _ = addresses.checked(by, request.GET)
    if request.GET.get("since") == str(by.workspace.write_sequence):
        return HttpResponse(status=204)
    here = addresses.identifier(request.GET.get("here", ""))
    found = next(iter(queries.some(by, [here])), None) if here else None
    news = news_of(by, found, request.GET.get("lock", "")) if found else None
    context = beside(by, address, case=found) | {"live": True, "news": news}
    return page(request, "review/beside.html", context)


def draw(
    request: HttpRequest,
    context: dict[str, Any],
    *,
    status: int = 200,
    toast: Toast | None = None,
    triggers: dict[str, Any] | None = None,
    still: bool = False,
) -> HttpResponse:
    """The page; for a swap the case with the list and the message beside it. `still`: focus stays where it was."""
    template = "review/fragment.html" if wants_fragment(request) else "review/queue.html"
    moving = wants_fragment(request) and not still
    return page(request, template, context | {"toast": toast, "moving": moving}, status=status, triggers=triggers)
