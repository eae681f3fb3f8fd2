"""Which nodes a member or agent is: a section of their page, and the forms that bind and release one."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memoryapp.access import queries as access
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address, member_page
from memoryapp.graph import services
from memoryapp.graph.models import Node
from memoryapp.graph.queries import binding
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


def section(by: Principal, actor: Actor) -> dict[str, Any]:
    """The nodes that they are, with a form for one more."""
    return {
        "template": "graph/binding.html",
        "by": by,
        "actor": actor,
        "nodes": [
            {"id": one.node_id, "label": one.node.label, "url": address(by, "graph:node", one.node_id)}
            for one in binding.nodes_of(by, actor)
        ],
    }


@require_POST
@member_page("manage_members")
def bind(request: HttpRequest, by: Principal, actor_id: uuid.UUID) -> HttpResponse:
    """Say that they are the node that is meant by what was typed."""
    actor = binding.reader(by, actor_id)
    return _change(
        request,
        by,
        actor,
        "bind_actor",
        lambda write, node: services.bind_actor(write, actor=actor, node=node),
        "{actor} is {node} now: what is for its owners only is served to them from the next request on.",
    )


@require_POST
@member_page("manage_members")
def release(request: HttpRequest, by: Principal, actor_id: uuid.UUID) -> HttpResponse:
    """Say that they are not that node."""
    actor = binding.reader(by, actor_id)
    return _change(
        request,
        by,
        actor,
        "release_actor",
        lambda write, node: services.release_actor(write, actor=actor, node=node),
        "{actor} is no longer {node}: what is for its owners only is served to them no more.",
    )


def _change(
    request: HttpRequest, by: Principal, actor: Actor, action: str, act: Callable[[Write, Node], object], said: str
) -> HttpResponse:
    try:
        node = binding.meant(by, request.POST.get("node", ""))
        record(by, action, lambda write: act(write, node))
    except DomainError as error:
        accepted = "; ".join(one.accepted for one in error.violations if one.accepted)
        messages.error(request, f"{error.detail} {accepted}".strip())
    else:
        messages.success(request, said.format(actor=actor.name, node=node.label))
    return redirect(_page_of(by, actor))


def _page_of(by: Principal, actor: Actor) -> str:
    if actor.kind == Actor.Kind.AGENT:
        return address(by, "access:agent", access.agents(by).get(actor=actor).pk)
    return address(by, "access:member", access.members(by).get(actor=actor).pk)
