"""Nodes to look through: by class, name and state."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from memoryapp.access.viewing import offered
from memoryapp.doors import paging
from memoryapp.doors.pages import address, here, member_page, page
from memoryapp.graph.looking import ask_to_look
from memoryapp.graph.models import Node
from memoryapp.graph.queries import merging, nodes
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology.queries import current_ontology

FILTERS = ("class", "show", "q")
SHOWN = {"retired": "No longer used", "everything": "Used or not"}
VIEWS = [("In use", ""), ("No longer used", "show=retired"), ("Everything", "show=everything")]
"""Views every workspace has, as what of the address they are: names in the order of `FILTERS`."""
WORDS = 3
"""Properties told of each node in the list, besides its name."""


@member_page("look_up")
def listed(request: HttpRequest, by: Principal) -> HttpResponse:
    """Nodes by name; those in use unless the filters say otherwise."""
    typed = {name: request.GET.get(name, "").strip()[:200] for name in FILTERS}
    found = paging.page(
        _found(by, typed),
        order=("label", "pk"),
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), *typed.values()],
    )
    known = nodes.known_properties(by, found.items)
    classes = [name for name, one in sorted(current_ontology(by).document.node_classes.items()) if not one.abstract]
    choices = [
        {
            "label": "Any class",
            "name": "class",
            "chosen": typed["class"],
            "options": [(name, name.replace("_", " ").capitalize()) for name in classes],
        },
        {"label": "In use", "name": "show", "chosen": typed["show"], "options": list(SHOWN.items())},
    ]
    return page(
        request,
        "graph/nodes.html",
        {
            "by": by,
            "rows": [_row(by, node, known.get(node.pk, node.properties)) for node in found.items],
            "search": typed["q"],
            "views": offered(by, "nodes", urlencode({name: one for name, one in typed.items() if one}), VIEWS),
            "choices": choices,
            "filters_set": _filters_set(request, typed),
            "next_url": here(request, after=found.next) if found.next else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": request.path,
            "look_url": address(by, "graph:look-for-doubles") if by.may("merge_nodes") else "",
            "doubles": merging.suggestions(by).count() if by.may("read_cases") else 0,
            "doubles_url": f"{address(by, 'review:queue')}?kind=merge_suggestion",
            "explorer_url": address(by, "graph:explorer"),
        },
    )


@require_POST
@member_page("merge_nodes")
def look_for_doubles(request: HttpRequest, by: Principal) -> HttpResponse:
    """Let the job look for nodes that may be one."""
    record(by, "look_for_doubles", ask_to_look)
    messages.success(request, "A job looks for doubles. What it finds comes into the queue.")
    return redirect(address(by, "graph:nodes"))


def _found(by: Principal, typed: dict[str, str]) -> QuerySet[Node]:
    rows = nodes.find(by, typed["class"], name=typed["q"], retired=typed["show"] in SHOWN)
    return rows.filter(state=Node.State.RETIRED) if typed["show"] == "retired" else rows


def _row(by: Principal, node: Node, properties: dict[str, Any]) -> dict[str, Any]:
    said = [
        f"{name.replace('_', ' ')} {value if not isinstance(value, list) else ', '.join(map(str, value))}"
        for name, value in sorted(properties.items())
        if name not in ("name", "description")
    ]
    return {
        "label": node.label,
        "class": node.node_class,
        "state": node.state,
        "said": said[:WORDS],
        "url": address(by, "graph:node", node.pk),
    }


def _filters_set(request: HttpRequest, typed: dict[str, str]) -> list[dict[str, str]]:
    words = {
        "class": typed["class"].replace("_", " ").capitalize(),
        "show": SHOWN.get(typed["show"], ""),
        "q": f"“{typed['q']}”" if typed["q"] else "",
    }
    return [{"words": said, "clear_url": here(request, **{name: ""})} for name, said in words.items() if said]
