"""One node: what is known of it, what it is connected with, and what is held of it, now or at an earlier date."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors import moments
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, member_page, page
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.pages import presenting, sections
from memoryapp.graph.queries import merging
from memoryapp.graph.queries.nodes import node as node_named
from memoryapp.graph.queries.views import Scope, as_of, current
from memoryapp.ledger.principal import Principal

MOST = 100
"""Edges and statements on one page; the list of beliefs has the rest."""


@member_page("look_up")
def node(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
    """A node as it is, or `?at=2026-04-01` as it was on that day by what is known today."""
    found = node_named(by, node_id)
    if found.pk != node_id:
        return redirect(address(by, "graph:node", found.pk))
    asked = request.GET.get("at", "").strip()
    at = _at(by, asked)
    about = list(_held(by, Scope(subject=found.pk), at).select_related("object")[: MOST + 1])
    coming = list(_held(by, Scope(object=found.pk), at).select_related("subject")[: MOST + 1])
    owned = list(_held(by, Scope(owner=found.pk), at)[: MOST + 1])
    statements = {one.pk: one for one in [*owned, *about] if one.shape == Belief.Shape.STATEMENT}
    edges = [one for one in about if one.shape == Belief.Shape.EDGE]
    return page(
        request,
        "graph/node.html",
        {
            "by": by,
            "node": found,
            "erase_url": address(by, "graph:erase-node", found.pk) if by.may("erase") else "",
            **_changes(by, found, at),
            "properties": [
                {"name": one.predicate, "value": _words(one.value), "card": presenting.card(by, one)}
                for one in sorted(about, key=lambda one: one.predicate)
                if one.shape == Belief.Shape.PROPERTY
            ],
            "edges": [
                *(_edge(by, one, one.object) for one in edges if one.object),
                *(_edge(by, one, one.subject) for one in coming if one.subject),
            ],
            "statements": [presenting.card(by, one) for one in list(statements.values())[:MOST]],
            "cut": max(len(about), len(coming), len(owned)) > MOST,
            "sections": [] if at else sections.of(by, found),
            "asked": asked,
            "at": at,
            "beliefs_url": f"{address(by, 'graph:beliefs')}?owner={found.pk}&show=everything",
        },
    )


def _changes(by: Principal, node: Node, at: dt.datetime | None) -> dict[str, Any]:
    """What may be done with the node, and what was done: merged, split, out of use."""
    may, active = by.may("merge_nodes") and not at, node.state == Node.State.ACTIVE
    urls = {
        "merge_url": address(by, "graph:merge-node", node.pk) if may and active else "",
        "split_url": address(by, "graph:split-node", node.pk) if may and active else "",
        "retire_url": address(by, "graph:retire-node", node.pk) if may and active else "",
        "use_url": address(by, "graph:use-node", node.pk) if may and node.state == Node.State.RETIRED else "",
        "undo_url": address(by, "graph:take-back-merge", node.pk) if may else "",
        "explore_url": f"{address(by, 'graph:explorer')}?open={node.pk}",
    }
    became = [] if at else merging.history(by, node)
    return urls | {"became": became}


def _held(by: Principal, scope: Scope, at: dt.datetime | None) -> Any:
    found = as_of(by, scope, valid_at=at) if at else current(by, scope)
    return found.order_by("-recorded_at", "-pk")


def _edge(by: Principal, edge: Belief, other: Node) -> dict[str, Any]:
    return {
        "other": other,
        "other_url": address(by, "graph:node", other.pk),
        "card": presenting.card(by, edge),
    }


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _at(by: Principal, text: str) -> dt.datetime | None:
    if not text:
        return None
    try:
        return moments.parse(text, time_zone=by.workspace.time_zone).instant
    except moments.NotAMoment as error:
        raise Invalid.at("at", error.code, str(error), error.accepted) from error
