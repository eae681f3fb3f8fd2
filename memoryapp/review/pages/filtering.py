"""What the queue can be narrowed to: the selects of the filter bar, and the views one comes back to."""

from __future__ import annotations

import uuid
from typing import Any

from memoryapp.access.viewing import kept, offered
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.together import Rows, read
from memoryapp.review import registry
from memoryapp.review.pages.address import AGES, ASSIGNEES, ORDERS, WEIGHTS, Address
from memoryapp.review.queries import Waiting

MOST_AGENTS = 50
VIEWS = (
    ("Everything", ""),
    ("Mine", "assignee=me"),
    ("Unclaimed", "assignee=nobody"),
    ("High reach", "weight=reach&order=reach"),
    ("Old", "older=7&order=age"),
    ("Snoozed as well", "snoozed=yes"),
)
"""Views every workspace has, as what of the address they are: names in the order of the address."""


def filters_of(by: Principal, address: Address, waiting: Waiting) -> dict[str, Any]:
    """The filter bar of the queue: what is chosen, what may be chosen, and what is in force."""
    actors = _actors(by, address, waiting)
    return {
        "choices": _choices(by, address, waiting, actors),
        "chips": address.chips(actors),
        "views": offered(by, "queue", address.filters_query, _given(waiting), waiting.also.get("views")),
    }


def asked_with(by: Principal) -> dict[str, Any]:
    """What the filter bar needs to know, as values that the counts of the queue are asked for together with."""
    agents = Actor.objects.filter(workspace=by.workspace, kind=Actor.Kind.AGENT).order_by("name")[:MOST_AGENTS]
    return {"agents": Rows(agents, "pk", "name"), "views": kept(by, "queue")}


def _given(waiting: Waiting) -> list[tuple[str, str]]:
    """The views every workspace has: these, and one for each kind of which something waits."""
    titles = {kind.name: kind.title for kind in registry.kinds()}
    return [
        *VIEWS,
        *((f"{titles[kind]} ({count})", f"kind={kind}") for kind, count in waiting.by_kind.items()),
    ]


def _choices(by: Principal, address: Address, waiting: Waiting, actors: dict[str, str]) -> list[dict[str, Any]]:
    kinds = [
        (kind.name, f"{kind.title} ({waiting.by_kind[kind.name]})" if kind.name in waiting.by_kind else kind.title)
        for kind in registry.kinds()
    ]
    offered = [
        ("Kind", "kind", kinds),
        ("Who", "assignee", list(ASSIGNEES.items())),
        ("Age", "older", list(AGES.items())),
        ("Weight", "weight", list(WEIGHTS.items())),
        ("From", "agent", list(actors.items()) if len(actors) > 1 or address.beside("agent") else []),
    ]
    return [
        {"label": label, "name": name, "chosen": address.parameters.get(name), "options": options}
        for label, name, options in offered
        if options
    ] + [{"label": ORDERS[""], "name": "order", "chosen": address.parameters.get("order"), "options": _orders()}]


def _orders() -> list[tuple[str, str]]:
    return [(name, words) for name, words in ORDERS.items() if name]


def _actors(by: Principal, address: Address, waiting: Waiting) -> dict[str, str]:
    """Who may have told what waits, by id: agents, and whoever a filter names."""
    named = [address.parameters[name] for name in ("agent", "assignee") if address.beside(name)]
    found = {str(uuid.UUID(pk)): name for pk, name in read(waiting.also.get("agents"))}
    missing = [one for one in named if one not in found]
    for actor in Actor.objects.filter(workspace=by.workspace, pk__in=missing) if missing else ():
        found[str(actor.pk)] = actor.name
    return found
