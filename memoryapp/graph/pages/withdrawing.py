"""Taking a source or a conversation back: what would become of what rests on it, in words; why; and doing it."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address, member_page, page
from memoryapp.graph.pages import presenting
from memoryapp.graph.queries import withdrawals
from memoryapp.graph.services import withdrawing
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources import queries as sources


@member_page("withdraw")
def source(request: HttpRequest, by: Principal, source_id: uuid.UUID) -> HttpResponse:
    """Take one source back."""
    found = sources.source(by, source_id)
    return _take_back(request, by, found.title or found.get_kind_display(), "source", source_id)


@member_page("withdraw")
def thread(request: HttpRequest, by: Principal, thread_id: uuid.UUID) -> HttpResponse:
    """Take a whole conversation back."""
    return _take_back(request, by, str(sources.thread(by, thread_id)), "thread", thread_id)


def _take_back(request: HttpRequest, by: Principal, title: str, what: str, thing: uuid.UUID) -> HttpResponse:
    typed = {"rationale": request.POST.get("rationale", "")}
    error: DomainError | None = None
    back = address(by, f"sources:{what}", thing)
    if request.method == "POST":
        try:
            withdrawal, _ = record(
                by,
                "take_back",
                lambda write: withdrawing.take_back(write, **{what: thing}),
                rationale=typed["rationale"].strip(),
            )
        except DomainError as refused:
            error = refused
        else:
            left = len(withdrawals.open_questions(by, withdrawal))
            asks = f" {left} question{'s' if left != 1 else ''} about it in the queue." if left else ""
            messages.success(request, f"Taken back. Nothing stands on it any more.{asks}")
            return redirect(back)
    return page(
        request,
        "graph/withdraw.html",
        {
            "by": by,
            "title": title,
            "what": what,
            "typed": typed,
            "error": error,
            "wrong": {violation.path.lstrip("/"): violation for violation in error.violations} if error else {},
            "back_url": back,
            "preview": _shown(by, withdrawals.preview(by, **{what: thing})),
        },
        status=error.status if error else 200,
    )


def _shown(by: Principal, preview: dict[str, Any]) -> dict[str, Any]:
    parts = {
        name: {
            "count": preview[name]["count"],
            "rows": [presenting.told_card(by, one) for one in preview[name]["items"]],
        }
        for name in ("falls", "stands", "comes_back")
    }
    asked = preview["needs_a_person"]
    rows = [presenting.told_card(by, one["belief"]) | {"because": one["because"]} for one in asked["items"]]
    return parts | {"asks": {"count": asked["count"], "rows": rows}, "sources": preview["sources"]}
