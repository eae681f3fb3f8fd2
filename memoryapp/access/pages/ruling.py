"""Which files an agent or a member may see and write: rules of paths, one a line, on their page."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memoryapp.access import queries, services
from memoryapp.access.models import Agent, Membership
from memoryapp.access.paths import LEVELS
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, member_page
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

LONGEST = 20_000
WORDS = {"write": "may be read and written", "read": "may be read", "none": "does not exist for them"}


def section(by: Principal, actor: Actor) -> dict[str, Any] | None:
    """The rules of paths of an agent or member, to be read and changed."""
    of = queries.under_paths(by, actor.pk)
    if of is None:
        return None
    return {
        "template": "access/paths.html",
        "by": by,
        "url": address(by, "access:paths", actor.pk),
        "words": of.paths.in_words(),
        "typed": "\n".join(f"{level} {path}" for path, level in of.paths.rules),
        "levels": [{"name": one, "words": WORDS[one], "chosen": one == of.path_default} for one in reversed(LEVELS)],
    }


@require_POST
@member_page("manage_members")
def rule(request: HttpRequest, by: Principal, actor_id: uuid.UUID) -> HttpResponse:
    """Put other rules in force, from the next request on."""
    of = queries.ruled(by, actor_id)
    lines = request.POST.get("rules", "")[:LONGEST].splitlines()
    rules = [(path.strip(), level) for level, _, path in (one.strip().partition(" ") for one in lines) if level]
    try:
        record(
            by,
            "rule_paths",
            lambda write: services.rule_paths(write, of=of, rules=rules, default=request.POST.get("default", "")),
        )
    except Invalid as error:
        said = " ".join(f"{one.message} Accepted: {one.accepted}." for one in error.violations)
        messages.error(request, said or error.detail)
    else:
        messages.success(request, "Saved. In force from the next request.")
    return redirect(_page(by, of))


def _page(by: Principal, of: Agent | Membership) -> str:
    return address(by, "access:agent" if isinstance(of, Agent) else "access:member", of.pk)
