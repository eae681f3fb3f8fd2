"""Why something is held: everything that stands behind a belief or relation, and what was made of it since.

The answer is plain data. It makes a fixed number of queries and two more for each level of derivation. What it
rests on out of the sight of the caller is counted as withheld, and nothing of it is told; whatever else is out of sight
does not exist.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db.models import Count, Q, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.graph.models import Belief, Relation, RelationPlayer, RelationState
from memoryapp.graph.queries import walks, withdrawals
from memoryapp.graph.queries.relations import out_of_sight, relations
from memoryapp.graph.queries.told import Told, history, provenance, quotes, told
from memoryapp.ledger import prepared
from memoryapp.ledger.models import ServedItem, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, Decision

DEPTH = 5
MOST = 200
"""Relations of a belief that are listed, conclusions among them; `relations_next` leads to all, page by page."""
SERVED = 50
"""How many of the latest answers that carried it are listed."""

APART = ("sourcing", "ownership", "derivation", "supersession", "conflict")
"""Kinds of relation that have a place of their own in the answer."""


def why(by: Principal, thing_id: uuid.UUID, depth: int = DEPTH) -> Told:
    """Everything behind the belief or relation with this id. Raises NotFound when there is none in sight."""
    belief = prepared.first(_beliefs, by=by, ids=[thing_id])
    if belief is not None:
        return _why_belief(by, belief, depth)
    relation = relations(by, retracted=True).filter(pk=thing_id).select_related("write__actor").first()
    if relation is None:
        raise NotFound("There is no such belief or relation.", code="no_such_thing")
    return _why_relation(by, relation)


def _why_belief(by: Principal, belief: Belief, depth: int) -> Told:
    walk = walks.evidence(by, belief.pk, depth)
    ancestors = {one.pk: one for one in prepared.rows(_beliefs, by=by, ids=walk.ids)}
    touching = prepared.rows(_relations_of, belief=belief.pk)
    others = list(_others_of(by, belief.pk)[: MOST + 1])
    cut = len(others) > MOST
    hidden = _hidden_players(by, [relation.pk for relation in touching])
    seen = [relation for relation in touching if relation.pk not in hidden]
    supersessions = [relation.pk for relation in seen if relation.kind == "supersession"]
    quoted = quotes(by, [belief.pk, *ancestors, *supersessions])
    players = _players([*seen, *others[:MOST]])
    return {
        "belief": told(belief) | {"owners": _owners(seen, players)},
        "recorded": provenance(belief.write),
        "sources": quoted[belief.pk],
        "derivations": [
            {
                "relation": str(one.relation),
                "conclusion": str(one.conclusion),
                "premises": [str(premise) for premise in one.premises if premise in ancestors or premise == belief.pk],
            }
            for one in walk.derivations
        ],
        "ancestors": [
            told(ancestors[one]) | {"distance": walk.distance[one], "sources": quoted[one]} for one in walk.ids
        ],
        "circular": walk.circular,
        "cut": walk.cut,
        "withheld": walk.withheld,
        **_supersessions(belief, seen, players, quoted),
        "conflicts": _conflicts(belief, seen, players),
        "relations": _others(belief, others[:MOST], players),
        "relations_count": _others_of(by, belief.pk).count() if cut else len(others),
        "relations_cut": cut,
        "relations_next": f"/api/v1/relations?player={belief.pk}" if cut else None,
        "history": history(belief),
        "withdrawals": withdrawals.of_quotes(by, quoted[belief.pk]),
        "served": served(by, belief.pk),
    }


def _why_relation(by: Principal, relation: Relation) -> Told:
    players = _players([relation])[relation.pk]
    states = RelationState.objects.filter(relation=relation).select_related("write__actor").order_by("sequence")
    return {
        "relation": {
            "id": str(relation.pk),
            "kind": relation.kind,
            "state": relation.state,
            "attributes": relation.attributes,
            "valid_from": relation.valid_from,
            "valid_to": relation.valid_to,
            "recorded_at": relation.recorded_at,
        },
        "players": [_player(player) for player in players],
        "recorded": provenance(relation.write),
        "sources": quotes(by, [relation.pk])[relation.pk],
        "history": [
            {"state": state.state, "valid_to": state.valid_to, "reason": state.reason, **provenance(state.write)}
            for state in states
        ],
        "served": served(by, relation.pk),
    }


def _beliefs(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Belief]:
    return Belief.objects.visible_to(by).filter(pk__in=ids).select_related("write__actor")


def _others_of(by: Principal, belief: uuid.UUID) -> QuerySet[Relation]:
    """Relations in sight without a place of their own, and derivations from this belief."""
    concluding = Q(kind="derivation", role="premise")
    played = RelationPlayer.objects.filter(concluding | ~Q(kind__in=APART), belief=belief)
    return relations(by, retracted=True).filter(pk__in=played.values("relation"))


def _relations_of(belief: uuid.UUID) -> QuerySet[Relation]:
    """Those with a place of their own that are few: what replaced what, what contradicts, whose it is."""
    played = RelationPlayer.objects.filter(belief=belief, kind__in=["supersession", "conflict", "ownership"])
    return (
        Relation.objects.filter(pk__in=played.values("relation"))
        .select_related("write__actor")
        .order_by("recorded_at", "pk")
    )


def _hidden_players(by: Principal, relations: list[uuid.UUID]) -> set[uuid.UUID]:
    """The relations in which a belief or source out of sight plays."""
    return set(prepared.rows(_hidden, by=by, relations=relations))


def _hidden(by: Principal, relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer, uuid.UUID]:
    return out_of_sight(by).filter(relation__in=relations).values_list("relation", flat=True)


def _players(relations: list[Relation]) -> dict[uuid.UUID, list[RelationPlayer]]:
    found: dict[uuid.UUID, list[RelationPlayer]] = defaultdict(list)
    for player in prepared.rows(_playing, relations=[relation.pk for relation in relations]):
        found[player.relation_id].append(player)
    return found


def _playing(relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    players = RelationPlayer.objects.filter(relation__in=relations).select_related("belief", "node", "source")
    return players.order_by("relation", "position")


def _owners(relations: list[Relation], players: dict[uuid.UUID, list[RelationPlayer]]) -> list[Told]:
    return [
        {"id": str(player.node.pk), "label": player.node.label, "class": player.node.node_class}
        for relation in relations
        if relation.kind == "ownership" and relation.state == Relation.State.ACTIVATED
        for player in players[relation.pk]
        if player.node is not None
    ]


def _supersessions(
    belief: Belief,
    relations: list[Relation],
    players: dict[uuid.UUID, list[RelationPlayer]],
    quoted: dict[uuid.UUID, list[Told]],
) -> Told:
    found: dict[str, list[Told]] = {"supersedes": [], "superseded_by": []}
    for relation in relations:
        if relation.kind != "supersession":
            continue
        for player in players[relation.pk]:
            if player.belief is None or player.belief.pk == belief.pk:
                continue
            direction = "supersedes" if player.role == "superseded" else "superseded_by"
            found[direction].append(
                {
                    "relation": str(relation.pk),
                    "state": relation.state,
                    "valid_from": relation.valid_from,
                    "belief": told(player.belief),
                    "sources": quoted[relation.pk],
                    "recorded": provenance(relation.write),
                }
            )
    return found


def _conflicts(belief: Belief, relations: list[Relation], players: dict[uuid.UUID, list[RelationPlayer]]) -> list[Told]:
    conflicts = [relation for relation in relations if relation.kind == "conflict"]
    cases = {
        case.key: case
        for case in Case.objects.filter(
            workspace=belief.workspace_id, key__in=[str(relation.pk) for relation in conflicts]
        ).order_by("opened_at")
    }
    decisions: dict[uuid.UUID, list[Decision]] = defaultdict(list)
    for decision in (
        Decision.objects.filter(case__in=list(cases.values())).select_related("decided_by").order_by("decided_at", "pk")
    ):
        decisions[decision.case_id].append(decision)
    found = []
    for relation in conflicts:
        case = cases.get(str(relation.pk))
        found.append(
            {
                "relation": str(relation.pk),
                "with": [told(one.belief) for one in players[relation.pk] if one.belief and one.belief.pk != belief.pk],
                "state": _conflict_state(relation),
                "opened_at": relation.recorded_at,
                "settled_at": relation.valid_to,
                "case": str(case.pk) if case else None,
                "reason": case.reason if case else "",
                "decisions": [_decision(one) for one in decisions[case.pk]] if case else [],
            }
        )
    return found


def _conflict_state(relation: Relation) -> str:
    if relation.state == Relation.State.RETRACTED:
        return "not_a_conflict"
    return "open" if relation.valid_to is None else "settled"


def _decision(decision: Decision) -> Told:
    return {
        "id": str(decision.pk),
        "verdict": decision.verdict,
        "by": decision.decided_by.name,
        "by_kind": decision.decided_by.kind,
        "policy": decision.policy,
        "at": decision.decided_at,
        "rationale": decision.rationale,
        "undoes": str(decision.undoes_id) if decision.undoes_id else None,
    }


def _others(belief: Belief, relations: list[Relation], players: dict[uuid.UUID, list[RelationPlayer]]) -> list[Told]:
    """Relations without a place of their own, and the conclusions drawn from this belief."""
    found = []
    for relation in relations:
        mine = next((one for one in players[relation.pk] if one.belief_id == belief.pk), None)
        found.append(
            {
                "relation": str(relation.pk),
                "kind": relation.kind,
                "state": relation.state,
                "role": mine.role if mine else "",
                "players": [_player(one) for one in players[relation.pk] if one.belief_id != belief.pk],
            }
        )
    return found


def _player(player: RelationPlayer) -> Told:
    shown: Told = {"role": player.role}
    if player.belief is not None:
        shown["belief"] = told(player.belief)
    elif player.node is not None:
        shown["node"] = {"id": str(player.node.pk), "label": player.node.label, "class": player.node.node_class}
    elif player.source is not None:
        shown["source"] = str(player.source.pk)
    else:
        shown["relation"] = str(player.played_by_id)
    return shown


def served(by: Principal, thing_id: uuid.UUID) -> list[Told]:
    """The latest answers that carried it."""
    items = prepared.rows(_served, workspace=by.workspace, thing=thing_id)
    return [
        {
            "at": item.served.served_at,
            "form": item.served.form,
            "to": item.served.actor.name,
            "channel": item.served.channel,
            "run": item.served.run,
            "rank": item.rank,
        }
        for item in items
    ]


def _served(workspace: Workspace, thing: uuid.UUID) -> QuerySet[ServedItem]:
    items = ServedItem.objects.filter(workspace=workspace, target_id=thing).select_related("served__actor")
    return items.order_by("-served__served_at", "pk")[:SERVED]


def times_served(by: Principal, things: Mapping[uuid.UUID, dt.datetime | None]) -> dict[uuid.UUID, int]:
    """How often each of these was served, since its time where it has one, in one query."""
    wanted = Q()
    for thing, since in things.items():
        wanted |= Q(target_id=thing, served__served_at__gte=since) if since else Q(target_id=thing)
    items = ServedItem.objects.filter(wanted, workspace=by.workspace).order_by()
    counts = dict(items.values_list("target_id").annotate(Count("pk")))
    return {thing: counts.get(thing, 0) for thing in things}
