"""What one button does: pin, move, unset, restore, undo. Each is a form that works without a script."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memoryapp.context import queries, services
from memoryapp.context.inputs import Change
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, drawn_lock, member_page, number
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

Thing = TypeVar("Thing")


@require_POST
@member_page("write_context")
def pin(request: HttpRequest, by: Principal, entry_id: uuid.UUID) -> HttpResponse:
    """Pin an entry, or take it out of the block."""
    pinned = not queries.shown(by, entry_id).revision.pinned

    def act(write: Write) -> object:
        return services.update(write, entry_id, Change(pinned=pinned), lock=drawn_lock(request))

    return _done(request, by, "update_context", act, "Pinned." if pinned else "No longer in the block.")


@require_POST
@member_page("write_context")
def move(request: HttpRequest, by: Principal, entry_id: uuid.UUID) -> HttpResponse:
    """Move an entry up or down within its section."""
    section = queries.shown(by, entry_id).revision.section_key
    there = next((one for one in queries.sections(by) if one.key == section), None)
    ids = [row.entry_id for row in there.entries] if there else [entry_id]
    ordered = _moved(request, ids, entry_id)
    return _done(request, by, "arrange_context", lambda write: services.arrange(write, section, ordered), "Moved.")


@require_POST
@member_page("write_context")
def move_section(request: HttpRequest, by: Principal) -> HttpResponse:
    """Move a section up or down."""
    section = _section(request)
    names = [one.name for one in queries.sections(by)]
    ordered = _moved(request, names, section)
    return _done(request, by, "arrange_context", lambda write: services.arrange_sections(write, ordered), "Moved.")


@require_POST
@member_page("write_context")
def unset(request: HttpRequest, by: Principal, entry_id: uuid.UUID) -> HttpResponse:
    """Take an entry away."""
    queries.entry(by, entry_id)
    reason = request.POST.get("reason", "")

    def act(write: Write) -> object:
        return services.unset(write, entry_id, reason=reason, lock=drawn_lock(request))

    return _done(request, by, "unset_context", act, "Unset. It can be restored.")


@require_POST
@member_page("write_context")
def unset_section(request: HttpRequest, by: Principal) -> HttpResponse:
    """Take a whole section away."""
    section = _section(request)

    def act(write: Write) -> object:
        return services.unset_section(write, section, lock=drawn_lock(request))

    return _done(request, by, "unset_context_section", act, "The section is unset. One undo brings it back.")


@require_POST
@member_page("write_context")
def restore(request: HttpRequest, by: Principal, entry_id: uuid.UUID) -> HttpResponse:
    """Let an entry say again what it said."""
    queries.entry(by, entry_id)
    sequence = number(request.POST.get("sequence", ""))
    if sequence is None:
        raise Invalid.at("/sequence", "missing", "The form did not say which revision.", "the number of a revision")

    def act(write: Write) -> object:
        return services.restore(write, entry_id, sequence=sequence, lock=drawn_lock(request))

    record(by, "restore_context", act)
    messages.success(request, "It says that again.")
    return redirect(address(by, "context:entry", entry_id))


@require_POST
@member_page("write_context")
def undo(request: HttpRequest, by: Principal, act_id: uuid.UUID) -> HttpResponse:
    """Undo an act as a whole."""
    return _done(request, by, "undo_context", lambda write: services.undo(write, act_id), "Undone.")


def _done(request: HttpRequest, by: Principal, action: str, act: Callable[[Write], object], words: str) -> HttpResponse:
    record(by, action, act)
    messages.success(request, words)
    return redirect(address(by, "context:context"))


def _section(request: HttpRequest) -> str:
    section = request.POST.get("section", "")[:300]
    if not section.strip() or "\x00" in section:
        raise Invalid.at("/section", "missing", "The form did not say which section.", "the name of a section")
    return section


def _moved(request: HttpRequest, things: Sequence[Thing], thing: Any) -> list[Thing]:
    """The same things with one of them a place up or down."""
    ordered = list(things)
    if thing not in ordered:
        return [thing]
    place = ordered.index(thing)
    other = place - 1 if request.POST.get("where") == "up" else place + 1
    if 0 <= other < len(ordered):
        ordered[place], ordered[other] = ordered[other], ordered[place]
    return ordered
