"""Making two nodes one, one two, and taking a node out of use: what would become of it, in words; why; and doing it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, drawn_lock, member_page, page
from memoryapp.graph import services
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.pages import presenting
from memoryapp.graph.queries import merging
from memoryapp.graph.queries import nodes as queries
from memoryapp.graph.queries.views import Scope, beliefs
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

MOST = 20
"""Nodes of a name that are offered."""
MOST_BELIEFS = 200


@member_page("merge_nodes")
def merge(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
    """Fold another node into this one: look for it, see what would become of it, say why, do it."""
    found = queries.node(by, node_id)
    typed = {name: request.POST.get(name, request.GET.get(name, "")) for name in ("other", "q", "rationale", "lock")}
    error: DomainError | None = None
    if request.method == "POST":
        try:
            other, lock = _id(typed["other"]), drawn_lock(request)
            record(
                by,
                "merge_nodes",
                lambda write: services.merge(write, kept=found.pk, folded=other, lock=lock),
                rationale=typed["rationale"].strip(),
            )
        except DomainError as refused:
            error = refused
        else:
            messages.success(request, "They are one now. It can be taken back on this page, or in the decisions.")
            return redirect(address(by, "graph:node", found.pk))
    preview, refusal = _foreseen(by, found, typed["other"])
    error = error or refusal
    return page(
        request,
        "graph/merge.html",
        {
            "by": by,
            "node": found,
            "typed": typed,
            "error": error,
            "preview": preview,
            "offered": _offered(by, found, typed["q"] or ("" if preview else _last_word(found.label))),
            "back_url": address(by, "graph:node", found.pk),
            "here_url": request.path,
            "other_way_url": _other_way(by, found, preview),
        },
        status=error.status if error and request.method == "POST" else 200,
    )


@member_page("merge_nodes")
def split(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
    """Tick what belongs to another; it goes to a node of its own."""
    found = queries.node(by, node_id)
    error: DomainError | None = None
    chosen = request.POST.getlist("belief")
    if request.method == "POST":
        try:
            ids, lock = [_id(one) for one in chosen], drawn_lock(request)
            new, _ = record(
                by,
                "split_node",
                lambda write: services.split(write, node=found.pk, beliefs=ids, lock=lock),
                rationale=request.POST.get("rationale", "").strip(),
            )
        except DomainError as refused:
            error = refused
        else:
            messages.success(request, f"Split. This is the other one; “{found.label}” keeps the rest.")
            return redirect(address(by, "graph:node", new.pk))
    rows = _parts(by, found)
    return page(
        request,
        "graph/split.html",
        {
            "by": by,
            "node": found,
            "error": error,
            "rows": [row | {"chosen": str(row["id"]) in chosen} for row in rows[:MOST_BELIEFS]],
            "cut": len(rows) > MOST_BELIEFS,
            "typed": {"rationale": request.POST.get("rationale", "")},
            "back_url": address(by, "graph:node", found.pk),
        },
        status=error.status if error else 200,
    )


@require_POST
@member_page("merge_nodes")
def take_back(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
    """Take a merge or a split of this node back."""
    queries.node(by, node_id)
    try:
        decision = _id(request.POST.get("decision", ""))
        record(
            by,
            "take_back_merge",
            lambda write: services.take_back(write, decision=decision),
            rationale=request.POST.get("rationale", "").strip(),
        )
    except DomainError as refused:
        messages.error(request, refused.detail)
    else:
        messages.success(request, "Taken back. Everything is of the node it was of before.")
    return redirect(address(by, "graph:node", node_id))


def change(verb: str) -> Callable[..., Any]:
    """The act that takes a node out of use, or puts it back."""
    done, words = {
        "retire": (services.retire_node, "Out of use. What is said of it stays."),
        "use": (services.use_again, "In use again."),
    }[verb]

    @require_POST
    @member_page("merge_nodes")
    def act(request: HttpRequest, by: Principal, node_id: uuid.UUID) -> HttpResponse:
        queries.node(by, node_id)

        def carry_out(write: Write) -> Node:
            reason, lock = request.POST.get("reason", ""), drawn_lock(request)
            return done(write, node=node_id, reason=reason, lock=lock)

        try:
            record(by, f"{verb}_node", carry_out, rationale=request.POST.get("reason", "").strip())
        except DomainError as refused:
            messages.error(request, refused.detail)
        else:
            messages.success(request, words)
        return redirect(address(by, "graph:node", node_id))

    return act


def _foreseen(by: Principal, node: Node, other: str) -> tuple[dict[str, Any] | None, DomainError | None]:
    if not other:
        return None, None
    try:
        told = merging.preview(by, node.pk, _id(other))
    except DomainError as refused:
        return None, refused
    pairs = {
        name: {
            "count": told[name]["count"],
            "rows": [
                presenting.told_card(by, one[first]) | {"because": f"{words} “{one[second]['content']}”"}
                for one in told[name]["items"]
            ],
        }
        for name, first, second, words in (
            ("duplicates", "goes", "stays", "Stays as"),
            ("conflicts", "waits", "held", "Held meanwhile:"),
        )
    }
    vanishing = [presenting.told_card(by, one) for one in told["vanishes"]["items"]]
    shown = {"follows": told["follows"], "kept": told["kept"], "folded": told["folded"], **pairs}
    return shown | {"vanishes": {"count": told["vanishes"]["count"], "rows": vanishing}}, None


def _offered(by: Principal, node: Node, name: str) -> list[dict[str, Any]]:
    """Nodes of the name that may be the same."""
    if not name.strip():
        return []
    found = queries.find(by, name=name.strip()[:200]).exclude(pk=node.pk)[:MOST]
    return [
        {"id": one.pk, "label": one.label, "class": one.node_class, "url": address(by, "graph:node", one.pk)}
        for one in found
    ]


def _last_word(label: str) -> str:
    """What is most likely shared by another spelling of the name: the family name of a person."""
    return (label.split() or [""])[-1]


def _other_way(by: Principal, node: Node, preview: dict[str, Any] | None) -> str:
    """The same two, the other one kept."""
    if preview is None:
        return ""
    other = uuid.UUID(preview["folded"]["id"])
    return f"{address(by, 'graph:merge-node', other)}?other={node.pk}"


def _parts(by: Principal, node: Node) -> list[dict[str, Any]]:
    found: dict[uuid.UUID, Belief] = {}
    for scope in (Scope(subject=node.pk), Scope(object=node.pk), Scope(owner=node.pk)):
        found |= {one.pk: one for one in beliefs(by, scope).exclude(status="deleted")[: MOST_BELIEFS + 1]}
    return [presenting.card(by, one) for _, one in sorted(found.items())]


def _id(text: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise Invalid.at("/other", "not_an_id", "That is not the id of anything.", "the id of a node") from None
