"""Agents and their keys: made, granted surfaces, replaced, revoked and retired."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from memoryapp.access import capabilities, queries, sections, services
from memoryapp.access.models import AccessChange, Agent, AgentKey
from memoryapp.access.services import IssuedKey
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, page
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

USUAL = ("lookup", "recall", "curate")
ENDS = {"": "never", "30": "in 30 days", "90": "in 90 days", "365": "in a year"}
"""When a new key ends, by the days that the form sends."""
OVERLAPS = {"24": "for a day", "1": "for an hour", "168": "for a week", "0": "no longer"}
"""How long a replaced key goes on working, by the hours that the form sends."""


@never_cache
@member_page("manage_agents")
def agents(request: HttpRequest, by: Principal) -> HttpResponse:
    """Agents with their surfaces and keys. A POST makes one, with its first key, which is in that answer alone."""
    if request.method != "POST":
        return _agents(request, by, surfaces=list(USUAL))
    name, surfaces = request.POST.get("name", ""), request.POST.getlist("surfaces")

    def act(write: Write) -> IssuedKey:
        return services.issue_key(write, agent=services.create_agent(write, name=name, surfaces=surfaces))

    try:
        issued = record(by, "create_agent", act)
    except DomainError as error:
        return _agents(request, by, error=error, name=name, surfaces=surfaces)
    return _agents(request, by, issued=issued, surfaces=list(USUAL))


@never_cache
@member_page("manage_agents")
def agent(request: HttpRequest, by: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """One agent: what it may do, its keys, and what was changed about it. A POST replaces its surfaces."""
    found = queries.agent(by, agent_id)
    if request.method != "POST":
        return _agent(request, by, found)
    surfaces = request.POST.getlist("surfaces")
    try:
        record(by, "grant_surfaces", lambda write: services.grant_surfaces(write, agent=found, surfaces=surfaces))
    except DomainError as error:
        return _agent(request, by, found, error=error)
    messages.success(request, "Saved. In force from its next request.")
    return redirect(address(by, "access:agent", found.pk))


@require_POST
@never_cache
@member_page("manage_agents")
def issue(request: HttpRequest, by: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """Another key for an agent, shown in this answer alone."""
    found = queries.agent(by, agent_id)
    days = _chosen(request, "days", ENDS)

    def act(write: Write) -> IssuedKey:
        ends = write.recorded_at + dt.timedelta(days=days) if days else None
        return services.issue_key(write, agent=found, expires_at=ends)

    issued = record(by, "issue_key", act)
    return _agent(request, by, queries.agent(by, agent_id), issued=issued)


@require_POST
@never_cache
@member_page("manage_agents")
def rotate(request: HttpRequest, by: Principal, key_id: uuid.UUID) -> HttpResponse:
    """A successor of a key, shown in this answer alone. The old one goes on working for as long as was chosen."""
    key = queries.key(by, key_id)
    overlap = dt.timedelta(hours=_chosen(request, "overlap", OVERLAPS))
    issued = record(by, "rotate_key", lambda write: services.rotate_key(write, key=key, overlap=overlap))
    return _agent(request, by, queries.agent(by, key.agent_id), issued=issued)


@require_POST
@member_page("manage_agents")
def revoke(request: HttpRequest, by: Principal, key_id: uuid.UUID) -> HttpResponse:
    """End a key at once."""
    key = queries.key(by, key_id)
    record(by, "revoke_key", lambda write: services.revoke_key(write, key=key))
    messages.success(request, f"The key {key.prefix} no longer works.")
    return redirect(address(by, "access:agent", key.agent_id))


@require_POST
@member_page("manage_agents")
def retire(request: HttpRequest, by: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """End an agent with all its keys. What it wrote stays its own."""
    found = queries.agent(by, agent_id)
    record(by, "retire_agent", lambda write: services.retire_agent(write, agent=found))
    messages.success(request, f"{found.name} is retired: none of its keys works any more.")
    return redirect(address(by, "access:agents"))


def _chosen(request: HttpRequest, name: str, choices: dict[str, str]) -> int:
    """The number that a form chose; the first choice when it chose nothing."""
    value = request.POST.get(name, next(iter(choices)))
    if value not in choices:
        raise Invalid.at(
            f"/{name}", "not_a_choice", "That is not one of the choices.", ", ".join(filter(None, choices))
        )
    return int(value or 0)


def _agents(
    request: HttpRequest,
    by: Principal,
    *,
    surfaces: list[str],
    issued: IssuedKey | None = None,
    error: DomainError | None = None,
    name: str = "",
) -> HttpResponse:
    return page(
        request,
        "access/agents.html",
        {
            "by": by,
            "rows": [_row(by, found) for found in queries.agents(by)],
            "issued": issued,
            "error": error,
            "name": name,
            "surfaces": _surfaces(surfaces),
        },
        status=error.status if error else 200,
    )


def _agent(
    request: HttpRequest,
    by: Principal,
    found: Agent,
    *,
    issued: IssuedKey | None = None,
    error: DomainError | None = None,
) -> HttpResponse:
    changes = queries.changes(by).filter(agent=found) | queries.changes(by).filter(key__agent=found)
    return page(
        request,
        "access/agent.html",
        {
            "by": by,
            "agent": found,
            "row": _row(by, found),
            "keys": [_key(key) for key in sorted(found.keys.all(), key=lambda key: key.created_at, reverse=True)],
            "surfaces": _surfaces(found.surfaces),
            "allowed": _allowed(found.surfaces),
            "issued": issued,
            "ends": ENDS,
            "overlaps": OVERLAPS,
            "error": error,
            "sections": sections.of(by, found.actor),
            "events": [_event(change) for change in changes[:30]],
        },
        status=error.status if error else 200,
    )


def _row(by: Principal, found: Agent) -> dict[str, Any]:
    keys = list(found.keys.all())
    live = [key for key in keys if _state(key) == "in_use"]
    used = [key.last_used_at for key in keys if key.last_used_at]
    return {
        "url": address(by, "access:agent", found.pk),
        "name": found.name,
        "surfaces": found.surfaces,
        "state": "retired" if found.retired_at else "in_use" if live else "no_key",
        "keys": len(live),
        "last_used_at": max(used, default=None),
    }


def _key(key: AgentKey) -> dict[str, Any]:
    return {
        "id": key.pk,
        "prefix": key.prefix,
        "state": _state(key),
        "created_at": key.created_at,
        "expires_at": key.expires_at,
        "last_used_at": key.last_used_at,
    }


def _state(key: AgentKey) -> str:
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and key.expires_at <= timezone.now() else "in_use"


def _surfaces(chosen: list[str]) -> list[dict[str, Any]]:
    return [
        {"name": name, "explains": words, "chosen": name in chosen} for name, words in capabilities.SURFACES.items()
    ]


def _allowed(surfaces: list[str]) -> list[str]:
    granted = capabilities.of_surfaces(surfaces)
    return [capability.title for capability in capabilities.CAPABILITIES if capability.name in granted]


def _event(change: AccessChange) -> dict[str, Any]:
    after = change.after
    if change.key is not None:
        what = "Key issued" if "prefix" in after else "Key revoked" if "revoked_at" in after else "Key's end changed"
        why = f"Begins with {change.key.prefix}"
    else:
        what = "Retired" if "retired_at" in after else "Surfaces changed" if change.before else "Created"
        what = sections.changed(change) or what
        why = ", ".join(after.get("surfaces", []))
    return {
        "what": what,
        "why": why,
        "actor": {"name": change.write.actor.name, "kind": change.write.actor.kind},
        "at": change.write.recorded_at,
    }
