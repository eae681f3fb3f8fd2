"""Members: who is in the workspace with which role, let in, given another role, and taken out again."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from memoryapp.access import capabilities, queries, sections, services
from memoryapp.access.models import AccessChange, Membership
from memoryapp.access.services import Admitted
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address, member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

TYPED = ("username", "name", "role")


@never_cache
@member_page("manage_members")
def members(request: HttpRequest, by: Principal) -> HttpResponse:
    """Who is and who was a member. A POST lets somebody in; the password of a new account is in that answer alone."""
    if request.method != "POST":
        return _members(request, by)
    typed = {name: request.POST.get(name, "").strip() for name in TYPED}
    try:
        admitted = record(by, "create_member", lambda write: services.admit(write, **typed))
    except DomainError as error:
        return _members(request, by, error=error, typed=typed)
    return _members(request, by, admitted=admitted)


@member_page("manage_members")
def member(request: HttpRequest, by: Principal, membership_id: uuid.UUID) -> HttpResponse:
    """One member: the role, what it grants, and what was changed. A POST gives another role."""
    found = queries.membership(by, membership_id)
    if request.method != "POST":
        return _member(request, by, found)
    role = request.POST.get("role", "")
    try:
        record(by, "change_role", lambda write: services.change_role(write, membership=found, role=role))
    except DomainError as error:
        return _member(request, by, found, error=error)
    messages.success(request, f"{found.actor.name} is {role} now, from the next page on.")
    return redirect(_after(by, found, address(by, "access:member", found.pk)))


@require_POST
@member_page("manage_members")
def end(request: HttpRequest, by: Principal, membership_id: uuid.UUID) -> HttpResponse:
    """Take somebody out at once. What they did stays theirs."""
    found = queries.membership(by, membership_id)
    try:
        record(by, "end_membership", lambda write: services.end_membership(write, membership=found))
    except DomainError as error:
        return _member(request, by, found, error=error)
    messages.success(request, f"{found.actor.name} is no longer a member.")
    return redirect(_after(by, found, address(by, "access:members")))


def _after(by: Principal, changed: Membership, usual: str) -> str:
    """Whoever changed their own place may not see these pages any more."""
    return "/" if changed.actor_id == by.actor.pk else usual


def _members(
    request: HttpRequest,
    by: Principal,
    *,
    admitted: Admitted | None = None,
    error: DomainError | None = None,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    values = typed or {"role": "reviewer"}
    return page(
        request,
        "access/members.html",
        {
            "by": by,
            "rows": [_row(by, found) for found in queries.members(by)],
            "admitted": admitted,
            "error": error,
            "typed": values,
            "roles": _roles(values.get("role", "")),
        },
        status=error.status if error else 200,
    )


def _member(
    request: HttpRequest, by: Principal, found: Membership, *, error: DomainError | None = None
) -> HttpResponse:
    granted = capabilities.of_role(found.role) if found.ended_at is None else frozenset()
    return page(
        request,
        "access/member.html",
        {
            "by": by,
            "row": _row(by, found),
            "member": found,
            "roles": _roles(found.role),
            "allowed": [one.title for one in capabilities.CAPABILITIES if one.name in granted],
            "error": error,
            "sections": sections.of(by, found.actor),
            "events": [_event(change) for change in queries.changes(by).filter(membership=found)[:30]],
        },
        status=error.status if error else 200,
    )


def _row(by: Principal, found: Membership) -> dict[str, Any]:
    return {
        "url": address(by, "access:member", found.pk),
        "name": found.actor.name,
        "username": found.user.username,
        "role": found.role,
        "state": "left" if found.ended_at else "present" if found.user.is_active else "locked",
        "joined_at": found.joined_at,
        "ended_at": found.ended_at,
        "is_me": found.actor_id == by.actor.pk,
    }


def _roles(chosen: str) -> list[dict[str, Any]]:
    return [
        {"name": name, "explains": words, "chosen": name == chosen} for name, words in capabilities.ROLE_WORDS.items()
    ]


def _event(change: AccessChange) -> dict[str, Any]:
    before, after = change.before, change.after
    if words := sections.changed(change):
        what, why = words, ""
    elif after.get("ended_at"):
        what, why = "Left", ""
    elif "ended_at" in after:
        what, why = "Came back", f"As {after['role']}"
    elif before:
        what, why = "Role changed", f"From {before['role']} to {after['role']}"
    else:
        what, why = "Joined", f"As {after['role']}"
    return {
        "what": what,
        "why": why,
        "actor": {"name": change.write.actor.name, "kind": change.write.actor.kind},
        "at": change.write.recorded_at,
    }
