"""Why anything here is there: a belief, a relation, a node or a source, by its id."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Collection
from typing import Any

from django.db.models import Q, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import Belief, IdentityKey, Node, Relation, RelationPlayer
from memoryapp.graph.queries import walks
from memoryapp.graph.queries.relations import relations
from memoryapp.graph.queries.told import Told, cited, provenance, quotes, told
from memoryapp.graph.queries.why import DEPTH, MOST, served, why
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source
from memoryapp.sources.queries import seen

Teller = Callable[[Principal, uuid.UUID], Told | None]
Sight = Callable[[Principal], QuerySet[Any]]
_tellers: dict[str, Teller] = {}
_sights: dict[str, Sight] = {
    "node": lambda by: Node.objects.visible_to(by),
    "belief": lambda by: Belief.objects.visible_to(by),
    "source": lambda by: Source.objects.visible_to(by),
}


def register(what: str, teller: Teller, sight: Sight | None = None) -> None:
    """Let a room above answer for its own things: `teller(by, id)` tells all behind one, or None when it has none;
    `sight(by)` are those that somebody may see."""
    _tellers[what] = teller
    if sight is not None:
        _sights[what] = sight


def in_sight(by: Principal, what: str, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Those of these ids that are of a thing of this kind in somebody's sight. One query; of none, none."""
    return set(_sights[what](by).filter(pk__in=ids).values_list("pk", flat=True)) if ids else set()


def why_anything(by: Principal, thing_id: uuid.UUID, depth: int = DEPTH) -> Told:
    """Everything behind the thing with this id, in the form of its kind (`what`). Raises NotFound out of sight.

    A node stands on what is said of it, a source on who recorded it; both tell what rests on them.
    """
    node = prepared.first(_node, by=by, id=thing_id)
    if node is not None:
        return {"what": "node"} | _why_node(by, node)
    if by.may("read_sources"):
        found = prepared.first(_source, by=by, id=thing_id)
        if found is not None and seen(by, found):
            return {"what": "source"} | _why_source(by, found)
    for what, teller in _tellers.items():
        if (answer := teller(by, thing_id)) is not None:
            return {"what": what} | answer
    try:
        answer = why(by, thing_id, depth)
    except NotFound as error:
        raise NotFound("There is nothing of this id.", code="no_such_thing") from error
    return {"what": "belief" if "belief" in answer else "relation"} | answer


def _node(by: Principal, id: uuid.UUID) -> QuerySet[Node]:
    return Node.objects.visible_to(by).filter(pk=id).select_related("write__actor", "folded_into")


def _source(by: Principal, id: uuid.UUID) -> QuerySet[Source]:
    return Source.objects.visible_to(by).filter(pk=id).select_related("participant", "thread", "write__actor")


def _why_node(by: Principal, asked: Node) -> Told:
    node = unfolded(asked)
    about = Belief.objects.visible_to(by).filter(Q(subject=node) | Q(object=node)).order_by("recorded_at", "pk")
    beliefs = list(about[: MOST + 1])
    sourced = quotes(by, [one.pk for one in beliefs[:MOST]])
    playing = relations(by).filter(players__node=node).exclude(kind="ownership").order_by("recorded_at", "pk")
    played = list(playing[: MOST + 1])
    keys = IdentityKey.objects.filter(workspace=by.workspace, node=node, active=True).order_by("owner_class", "key_set")
    return {
        "node": {"id": str(node.pk), "class": node.node_class, "label": node.label, "state": node.state},
        "folded_from": str(asked.pk) if asked.pk != node.pk else None,
        "recorded": provenance(node.write),
        "identified_by": sorted({f"{key.owner_class}: {key.key_set.replace('+', ' with ')}" for key in keys}),
        "beliefs": [told(one) | {"sources": sourced[one.pk]} for one in beliefs[:MOST]],
        "relations": [_played(one) for one in played[:MOST]],
        "cut": len(beliefs) > MOST or len(played) > MOST,
        "served": served(by, node.pk),
    }


def _why_source(by: Principal, source: Source) -> Told:
    players = RelationPlayer.objects.filter(
        kind="sourcing", role="evidence", source=source, relation__state=Relation.State.ACTIVATED
    )
    quoted = {player.relation_id: player for player in players}
    sourced = RelationPlayer.objects.filter(kind="sourcing", role="sourced", relation__in=list(quoted))
    of_belief: dict[Any, Any] = {}
    of_relation: list[uuid.UUID] = []
    for relation, belief, played_by in sourced.values_list("relation", "belief", "played_by"):
        if belief:
            of_belief[belief] = quoted[relation]
        else:
            of_relation.append(played_by)
    seen = Belief.objects.visible_to(by).filter(pk__in=list(of_belief)).order_by("recorded_at", "pk")
    supported = relations(by, retracted=True).filter(pk__in=of_relation).order_by("recorded_at", "pk")
    beliefs, standing = list(seen[: MOST + 1]), list(supported[: MOST + 1])
    falling = [str(one) for one in walks.dependants(by, source=source.pk)]
    return {
        "source": cited(source) | {"content": source.content},
        "recorded": provenance(source.write),
        "beliefs": [told(one) | _quote(of_belief[one.pk]) for one in beliefs[:MOST]],
        "relations": [_played(one) for one in standing[:MOST]],
        "would_fall": falling[:MOST],
        "would_fall_count": len(falling),
        "cut": len(beliefs) > MOST or len(standing) > MOST or len(falling) > MOST,
        "served": served(by, source.pk),
    }


def _quote(player: RelationPlayer) -> Told:
    span = [player.span_start, player.span_end] if player.span_start is not None else None
    return {"quote": player.quote, "span": span}


def _played(relation: Relation) -> Told:
    return {"relation": str(relation.pk), "kind": relation.kind, "state": relation.state}
