"""Beliefs to look through, and one belief with everything that stands behind it and was made of it since."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse

from memoryapp.access.viewing import offered
from memoryapp.doors import paging
from memoryapp.doors.errors import Invalid
from memoryapp.doors.pages import address, here, member_page, page
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.origins import origins
from memoryapp.graph.pages import presenting
from memoryapp.graph.pages.as_of import asked
from memoryapp.graph.queries import listing
from memoryapp.graph.queries.told import Told
from memoryapp.graph.queries.why import why
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.review import registry

HEADS = {"activated": "Held true", "resolving": "Waits for a verdict", "deleted": "Erased"}
FILTERS = ("kind", "owner", "show", "view", "q")
VIEWS = [
    ("Current", ""),
    ("Waiting for a verdict", "show=resolving"),
    ("Ended", "show=ended"),
    ("Never was right", "show=retracted"),
    ("Everything", "show=everything"),
]
"""Views every workspace has, as what of the address they are: names in the order of `FILTERS`."""
ARCHIVED = {"ended": "Ended", "retracted": "Never was right", "withdrawn": "Its source was taken back"}


@member_page("look_up")
def beliefs(request: HttpRequest, by: Principal) -> HttpResponse:
    """Beliefs, the newest first; current ones unless the filters say otherwise."""
    owner = _identifier(request.GET.get("owner", ""))
    wanted = listing.Wanted(
        text=request.GET.get("q", "").strip()[:200],
        kind=request.GET.get("kind", ""),
        shown=request.GET.get("show", "") or "current",
        owner=owner,
        view=request.GET.get("view", ""),
    )
    found = paging.page(
        listing.listed(by, wanted),
        order=("-recorded_at", "-pk"),
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), wanted.text, wanted.kind, wanted.shown, str(owner or ""), wanted.view],
    )
    owners = listing.owners([belief.pk for belief in found.items])
    labels = {str(node.pk): node.label for node in listing.owning_nodes(by)}
    ontology = current_ontology(by)
    declared = [(view.title or name, f"view={name}") for name, view in ontology.document.views.items()]
    return page(
        request,
        "graph/beliefs.html",
        {
            "by": by,
            "rows": [presenting.card(by, belief, owners[belief.pk]) for belief in found.items],
            "search": wanted.text,
            "views": offered(by, "beliefs", _query(request), [*VIEWS, *declared]),
            "choices": _choices(wanted, labels, ontology.instantiable_kinds),
            "filters_set": _filters_set(request, wanted, labels),
            "shown": wanted.shown,
            "next_url": here(request, after=found.next) if found.next else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": request.path,
            "state_url": address(by, "sources:state") if by.may("tell") else "",
        },
    )


def _choices(wanted: listing.Wanted, labels: dict[str, str], kinds: Sequence[str]) -> list[dict[str, Any]]:
    """What the list can be narrowed by."""
    return [
        {
            "label": "Any kind",
            "name": "kind",
            "chosen": wanted.kind,
            "options": [(kind, kind.replace("_", " ").capitalize()) for kind in kinds],
        },
        {
            "label": "About anybody",
            "name": "owner",
            "chosen": str(wanted.owner or ""),
            "options": list(labels.items()),
        },
        {
            "label": "Current",
            "name": "show",
            "chosen": wanted.shown,
            "options": [(value, words) for value, words in listing.SHOWN.items() if value != "current"],
        },
    ]


@member_page("look_up")
def belief(request: HttpRequest, by: Principal, belief_id: uuid.UUID) -> HttpResponse:
    """One belief: what it says, why it is held, what it took the place of, and everything that happened to it."""
    told = why(by, belief_id)
    if "belief" not in told:
        raise Invalid.at("", "not_a_belief", "That is a relation, not a belief.", "the id of a belief")
    context = {"by": by, "as_of": asked(request, by, belief_id), **_presented(by, belief_id, told)}
    return page(request, "graph/belief.html", context)


def _query(request: HttpRequest) -> str:
    """What is looked for, wherever in it one is."""
    return urlencode({name: request.GET[name][:200] for name in FILTERS if request.GET.get(name)})


def _presented(by: Principal, belief_id: uuid.UUID, told: Told) -> dict[str, Any]:
    head = told["belief"]
    statement = presenting.told_card(by, head) | {"url": ""}
    waiting = [one for one in told["conflicts"] if one["state"] == "open"]
    return {
        "belief_id": belief_id,
        "head": head,
        "statement": statement,
        "owners": [owner | {"address": _node_url(by, owner["id"])} for owner in head["owners"]],
        "recorded": presenting.recorded(told["recorded"]),
        "sources": [presenting.source(by, one) for one in told["sources"]],
        "tree": _tree(by, told) if told["derivations"] else None,
        "walk": {"cut": told["cut"], "circular": told["circular"], "withheld": told["withheld"]},
        "superseded_by": _standing_first(by, told["superseded_by"]),
        "supersedes": _standing_first(by, told["supersedes"]),
        "conflicts": [_conflict(by, one) for one in told["conflicts"]],
        "conclusions": [_conclusion(by, one) for one in told["relations"] if one["kind"] == "derivation"],
        "relations": [_relation(by, one) for one in told["relations"] if one["kind"] != "derivation"],
        "origins": origins(by, belief_id) if by.may("read_candidates") else [],
        "history": [_event(one) for one in reversed(told["history"])],
        "served": told["served"],
        "case_url": _case_url(by, waiting[0]["case"]) if waiting else "",
        "standing": _standing(head, told["superseded_by"]),
        "actions": _actions(by, head),
    }


def _standing(head: Told, superseded_by: list[Told]) -> str:
    """Which notice stands above the statement: nothing for what is plainly current."""
    if head["status"] == Status.RESOLVING:
        return "resolving"
    if head["status"] == Status.DELETED:
        return "erased"
    if head["standing"] in (Standing.RETRACTED, Standing.WITHDRAWN):
        return str(head["standing"])
    if any(one["state"] == "activated" for one in superseded_by):
        return "superseded"
    return "ended" if head["standing"] == Standing.ENDED or head["status"] == Status.ARCHIVED else ""


def _actions(by: Principal, head: Told) -> dict[str, bool]:
    live = head["status"] in (Status.ACTIVATED, Status.RESOLVING)
    withdraws = by.may("withdraw")
    return {
        "edit": live and by.may("remember") and head["shape"] != Belief.Shape.EDGE,
        "retire": live and withdraws,
        "retract": withdraws and head["standing"] != Standing.RETRACTED and head["status"] != Status.DELETED,
        "reinstate": withdraws and head["status"] == Status.ARCHIVED,
    }


def _tree(by: Principal, told: Told) -> dict[str, Any]:
    """What it rests on, as the nested list and the drawing take it. Each belief's own premises are shown once."""
    by_id = {one["id"]: one for one in [told["belief"] | {"sources": told["sources"]}, *told["ancestors"]]}
    premises: dict[str, list[str]] = {}
    for one in told["derivations"]:
        premises.setdefault(one["conclusion"], []).extend(one["premises"])
    opened: set[str] = set()

    def item(belief_id: str) -> dict[str, Any]:
        shown = by_id[belief_id]
        described = presenting.told_card(by, shown)
        rests_on: list[dict[str, Any]] = []
        if belief_id not in opened:
            opened.add(belief_id)
            rests_on = [item(one) for one in premises.get(belief_id, []) if one in by_id]
            rests_on += [_leaf(by, quoted) for quoted in shown["sources"]]
        again = not rests_on and belief_id in premises
        return {
            "content": shown["content"],
            "label": described["kind"].replace("_", " ") + (", shown above" if again else ""),
            "status": described["status"],
            "url": "" if belief_id == told["belief"]["id"] else described["url"],
            "rests_on": rests_on,
        }

    return item(str(told["belief"]["id"]))


def _leaf(by: Principal, quoted: Told) -> dict[str, Any]:
    shown = presenting.source(by, quoted)
    return {
        "content": quoted["quote"] or shown["turn"]["content"],
        "label": f"{shown['turn']['speaker_name']}, {quoted['said_at'][:10]}",
        "is_source": True,
        "url": shown["url"],
    }


def _standing_first(by: Principal, told: list[Told]) -> list[dict[str, Any]]:
    """What stands, then what was taken back."""
    return sorted((_supersession(by, one) for one in told), key=lambda one: not one["stands"])


def _supersession(by: Principal, told: Told) -> dict[str, Any]:
    return {
        "statement": presenting.told_card(by, told["belief"]),
        "stands": told["state"] == "activated",
        "from": told["valid_from"],
        "recorded": presenting.recorded(told["recorded"]),
        "sources": [presenting.source(by, one) for one in told["sources"]],
    }


def _conflict(by: Principal, told: Told) -> dict[str, Any]:
    verdicts = {verdict.key: verdict.label for kind in registry.kinds() for verdict in kind.verdicts}
    return {
        "with": [presenting.told_card(by, one) for one in told["with"]],
        "state": told["state"],
        "reason": told["reason"],
        "opened_at": told["opened_at"],
        "case_url": _case_url(by, told["case"]),
        "events": [
            {
                "what": "Undone" if one["undoes"] else verdicts.get(one["verdict"], one["verdict"].replace("_", " ")),
                "actor": presenting.actor(one["policy"] or one["by"], "policy" if one["policy"] else one["by_kind"]),
                "at": one["at"],
                "why": one["rationale"],
            }
            for one in reversed(told["decisions"])
        ],
    }


def _conclusion(by: Principal, told: Told) -> dict[str, Any]:
    concluded = next(one["belief"] for one in told["players"] if one["role"] == "conclusion")
    return presenting.told_card(by, concluded) | {"stands": told["state"] == "activated"}


def _relation(by: Principal, told: Told) -> dict[str, Any]:
    players = [
        {"role": one["role"], "statement": presenting.told_card(by, one["belief"])}
        if "belief" in one
        else {"role": one["role"], "words": one["node"]["label"], "url": _node_url(by, one["node"]["id"])}
        if "node" in one
        else {"role": one["role"], "words": "a source" if "source" in one else "another relation"}
        for one in told["players"]
    ]
    return {"kind": told["kind"], "role": told["role"], "state": told["state"], "players": players}


def _event(told: Told) -> dict[str, Any]:
    before, after = told["from"], told["to"]
    if not before:
        what = "Recorded"
    elif "status" in after or "standing" in after:
        standing = after.get("standing", "")
        status = after.get("status", "")
        what = ARCHIVED.get(standing) or HEADS.get(status) or "Archived"
    elif "audience" in after:
        what = "Audience changed"
    elif "owners" in after:
        what = "Owners changed"
    else:
        what = "Dates changed"
    return {
        "what": what,
        "from_state": before.get("status", ""),
        "to_state": after.get("status", ""),
        "actor": presenting.actor(told["by"], told["by_kind"]),
        "at": told["at"],
        "why": "" if told["reason"] == f"{what}." else told["reason"],
    }


def _node_url(by: Principal, node_id: str) -> str:
    return address(by, "graph:node", uuid.UUID(node_id))


def _case_url(by: Principal, case_id: str | None) -> str:
    return address(by, "review:case", uuid.UUID(case_id)) if case_id and by.may("read_cases") else ""


def _identifier(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if text else None
    except ValueError:
        raise Invalid.at("owner", "not_an_id", "That is not the id of anything.", "the id of a node") from None


def _filters_set(request: HttpRequest, wanted: listing.Wanted, names: dict[str, str]) -> list[dict[str, str]]:
    shown = [
        ("q", wanted.text, f"“{wanted.text}”"),
        ("kind", wanted.kind, wanted.kind.replace("_", " ").capitalize()),
        ("view", wanted.view, f"In the view {wanted.view.replace('_', ' ')}"),
        ("owner", str(wanted.owner or ""), "About " + names.get(str(wanted.owner), "somebody")),
        ("show", wanted.shown if wanted.shown != "current" else "", listing.SHOWN.get(wanted.shown, "")),
    ]
    return [
        {"words": words, "clear_url": here(request, after="", **{name: ""})} for name, value, words in shown if value
    ]
