"""Erasing a person, a source or a conversation: what would go, its name typed, and a receipt."""

from __future__ import annotations

import uuid

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, page
from memoryapp.ledger import erasing
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


@member_page("erase")
def node(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
    """Erase a person, or whatever else a node is."""
    return _erase(request, by, "node", node_id, address(by, "graph:node", node_id))


@member_page("erase")
def source(request: HttpRequest, by: Principal, source_id: uuid.UUID) -> HttpResponse:
    """Erase one source."""
    return _erase(request, by, "source", source_id, address(by, "sources:source", source_id))


@member_page("erase")
def thread(request: HttpRequest, by: Principal, thread_id: uuid.UUID) -> HttpResponse:
    """Erase a conversation."""
    return _erase(request, by, "thread", thread_id, address(by, "sources:thread", thread_id))


def _erase(request: HttpRequest, by: Principal, sort: str, target: uuid.UUID, back: str) -> HttpResponse:
    typed = {name: request.POST.get(name, "") for name in ("name", "rationale", "words", "seen_words")}
    words = typed["words"].splitlines()
    seen = typed["words"].split() == typed["seen_words"].split()
    error: DomainError | None = None
    if request.method == "POST" and seen and request.POST.get("act") != "look":
        try:
            erasure = record(
                by,
                "erase",
                lambda write: erasing.erase(write, sort, target, name=typed["name"], words=words),
                rationale=typed["rationale"].strip(),
            )
        except DomainError as refused:
            error = refused
        else:
            rows = sum(erasure.receipt["emptied"].values())
            messages.success(request, f"Erased for good: {rows} rows. manage.py prove_erased {erasure.pk} proves it.")
            return redirect(back)
    try:
        shown = erasing.preview(by, sort, target, words=words)
    except Invalid as refused:
        shown, error = erasing.preview(by, sort, target), error or refused
    return page(
        request,
        "graph/erase.html",
        {
            "by": by,
            "shown": shown,
            "typed": typed,
            "error": error,
            "wrong": {violation.path.split("/")[1]: violation for violation in error.violations} if error else {},
            "back_url": back,
        },
        status=error.status if error else 200,
    )
