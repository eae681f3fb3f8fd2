"""One node: what is known of it, what it is connected with, and what is held of it, now or at an earlier date."""

from __future__ import annotations

import uuid
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors.pages import address, member_page, page
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.pages import joining, presenting, sections
from memoryapp.graph.pages.as_of import Then, asked_times
from memoryapp.graph.queries import merging
from memoryapp.graph.queries.joined import joined
from memoryapp.graph.queries.merges import as_known
from memoryapp.graph.queries.nodes import node as node_named
from memoryapp.graph.queries.views import Scope, as_of, told
from memoryapp.ledger.principal import Principal

MOST = 100
"""Edges and statements on one page; the list of beliefs has the rest."""

MOST_JOINED = 50
"""Relations with others on one page."""


@member_page("look_up")
def node(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
    """A node as it is; `?at=2026-04-01` as it was on that day, `&known=2026-05-01` by what was known on that one."""
    found = node_named(by, node_id)
    if found.pk != node_id:
        return redirect(address(by, "graph:node", found.pk))
    asked, then = asked_times(request, by)
    at, past = then.valid_at, bool(then)
    about = list(_held(by, Scope(subject=found.pk), then).select_related("object")[: MOST + 1])
    coming = list(_held(by, Scope(object=found.pk), then).select_related("subject")[: MOST + 1])
    owned = list(_held(by, Scope(owner=found.pk), then)[: MOST + 1])
    if then.known_at:
        as_known(about, "object", then.known_at)
        as_known(coming, "subject", then.known_at)
    statements = {one.pk: one for one in [*owned, *about] if one.shape == Belief.Shape.STATEMENT}
    edges = [one for one in about if one.shape == Belief.Shape.EDGE]
    return page(
        request,
        "graph/node.html",
        {
            "by": by,
            "node": found,
            "erase_url": address(by, "graph:erase-node", found.pk) if by.may("erase") else "",
            **_changes(by, found, past),
            "properties": [
                {"name": one.predicate, "value": _words(one.value), "card": presenting.card(by, one)}
                for one in sorted(about, key=lambda one: one.predicate)
                if one.shape == Belief.Shape.PROPERTY
            ],
            "edges": [
                *(_edge(by, one, one.object) for one in edges if one.object),
                *(_edge(by, one, one.subject) for one in coming if one.subject),
            ],
            "joined": joining.lines(
                by, joined(by, [found.pk], MOST_JOINED, valid_at=then.valid_at, known_at=then.known_at)
            ),
            "statements": [presenting.card(by, one) for one in list(statements.values())[:MOST]],
            "cut": max(len(about), len(coming), len(owned)) > MOST,
            "sections": [] if past else sections.of(by, found),
            "asked": asked,
            "at": at,
            "known_at": then.known_at,
            "past": past,
            "beliefs_url": f"{address(by, 'graph:beliefs')}?owner={found.pk}&show=everything",
        },
    )


def _changes(by: Principal, node: Node, past: bool) -> dict[str, Any]:
    """What may be done with the node, and what was done: merged, split, out of use."""
    may, active = by.may("merge_nodes") and not past, node.state == Node.State.ACTIVE
    urls = {
        "merge_url": address(by, "graph:merge-node", node.pk) if may and active else "",
        "split_url": address(by, "graph:split-node", node.pk) if may and active else "",
        "retire_url": address(by, "graph:retire-node", node.pk) if may and active else "",
        "use_url": address(by, "graph:use-node", node.pk) if may and node.state == Node.State.RETIRED else "",
        "undo_url": address(by, "graph:take-back-merge", node.pk) if may else "",
        "explore_url": f"{address(by, 'graph:explorer')}?open={node.pk}",
    }
    became = [] if past else merging.history(by, node)
    return urls | {"became": became}


def _held(by: Principal, scope: Scope, then: Then) -> Any:
    found = as_of(by, scope, valid_at=then.valid_at, known_at=then.known_at) if then else told(by, scope)
    return found.order_by("-recorded_at", "-pk")


def _edge(by: Principal, edge: Belief, other: Node) -> dict[str, Any]:
    return {
        "other": other,
        "other_url": address(by, "graph:node", other.pk),
        "card": presenting.card(by, edge),
    }


def _words(value: Any) -> str:
    return value if isinstance(value, str) else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
