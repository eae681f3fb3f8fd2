"""Beliefs for people to look through: found and filtered, with whose they are, what changed lately, and what came of a
source. Everything is in the caller's sight, and costs the same number of queries however much there is."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import Belief, BeliefState, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.queries.views import Scope, beliefs, named, told
from memoryapp.ledger import prepared
from memoryapp.ledger.among import whose
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case
from memoryapp.review.queries import about

SHOWN = {
    "current": "Current",
    "resolving": "Waiting for a verdict",
    "ended": "Ended",
    "retracted": "Never was right",
    "withdrawn": "Taken back with its source",
    "everything": "Everything, with the past",
}
"""What of the beliefs is listed, by the word in the address."""


@dataclass(frozen=True)
class Wanted:
    """Which beliefs a person looks for. `text` is a part of the statement; `kind` includes what is below it; `view` is
    one that the ontology declares, as it answers everywhere."""

    text: str = ""
    kind: str = ""
    shown: str = "current"
    owner: uuid.UUID | None = None
    view: str = ""


def listed(by: Principal, wanted: Wanted) -> QuerySet[Belief]:
    """The beliefs that match. Raises Invalid for a filter that cannot be."""
    by.require("look_up")
    if wanted.shown not in SHOWN:
        raise Invalid.at("show", "unknown_choice", f"“{wanted.shown[:40]}” is not a choice.", ", ".join(SHOWN))
    scope = Scope(owner=wanted.owner, kinds=(wanted.kind,) if wanted.kind else ())
    found = told(by, scope) if wanted.shown == "current" else beliefs(by, scope)
    if wanted.view:
        seen = named(by, wanted.view)
        plain = wanted.shown == "current"
        found = (beliefs(by, scope) if plain else found).filter(pk__in=seen.order_by().values("pk"))
    if wanted.shown == "resolving":
        found = found.filter(status=Status.RESOLVING)
    elif wanted.shown == "ended":
        found = found.filter(status=Status.ARCHIVED, standing=Standing.ENDED)
    elif wanted.shown in ("retracted", "withdrawn"):
        found = found.filter(standing=wanted.shown)
    for word in wanted.text.replace("\x00", "").split():
        found = found.filter(content__icontains=word)
    return found.select_related("write__actor")


def owners(belief_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[Node]]:
    """Whose memory each of these beliefs is. Two queries."""
    of_relation = dict(prepared.rows(_owned, ids=list(belief_ids)))
    found: dict[uuid.UUID, list[Node]] = defaultdict(list)
    for player in prepared.rows(_owners, relations=list(of_relation)):
        belief_id = of_relation[player.relation_id]
        if player.node is not None and belief_id is not None:
            found[belief_id].append(player.node)
    return found


def owner_names(belief_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[str]]:
    """What those are called whose memory each of these beliefs is, in order. Two queries."""
    of_relation = dict(prepared.rows(_owned, ids=list(belief_ids)))
    found: dict[uuid.UUID, list[str]] = defaultdict(list)
    for relation, name in prepared.rows(_owners_called, relations=list(of_relation)):
        if (belief_id := of_relation[relation]) is not None:
            found[belief_id].append(name)
    return {belief_id: sorted(names) for belief_id, names in found.items()}


def _owned(ids: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer, Any]:
    standing = whose("relation", Relation, state=Relation.State.ACTIVATED)
    owned = RelationPlayer.objects.filter(standing, kind="ownership", role="owned", belief__in=ids)
    return owned.values_list("relation", "belief")


def _owners(relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    players = RelationPlayer.objects.filter(kind="ownership", role="owner", relation__in=relations)
    return players.select_related("node").order_by("relation", "position")


def _owners_called(relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer, Any]:
    players = RelationPlayer.objects.filter(kind="ownership", role="owner", relation__in=relations)
    return players.filter(node__isnull=False).values_list("relation", "node__label")


def owning_nodes(by: Principal, most: int = 50) -> list[Node]:
    """Nodes that beliefs in sight are about, for a choice of whose are shown, by name."""
    owned = RelationPlayer.objects.filter(Belief.objects.sighted(by), relation=OuterRef("relation"), role="owned")
    owning = RelationPlayer.objects.filter(
        Exists(owned),
        node=OuterRef("pk"),
        kind="ownership",
        role="owner",
        relation__state=Relation.State.ACTIVATED,
    )
    return list(Node.objects.visible_to(by).filter(Exists(owning)).order_by("label", "pk")[:most])


def latest_changes(by: Principal, most: int) -> list[BeliefState]:
    """What happened to beliefs in sight, the latest first, each with its belief and who did it."""
    states = BeliefState.objects.filter(Belief.objects.sighted(by), workspace=by.workspace)
    return list(states.select_related("belief", "write__actor").order_by("-recorded_at", "-pk")[:most])


@dataclass(frozen=True)
class Cited:
    """A belief and where in the source the words are that it stands on."""

    belief: Belief
    start: int


def standing_on(by: Principal, source_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Cited]]:
    """The beliefs in sight that stand on each of these sources, whatever their status. Two queries."""
    places = {player.relation_id: player for player in prepared.rows(_citing, ids=list(source_ids))}
    sourced = prepared.rows(_learned_from, by=by, relations=list(places))
    found: dict[uuid.UUID, list[Cited]] = {}
    for player in sourced:
        place = places[player.relation_id]
        if player.belief is not None and place.source_id is not None:
            found.setdefault(place.source_id, []).append(Cited(player.belief, place.span_start or 0))
    return found


def _citing(ids: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    cited = RelationPlayer.objects.filter(
        kind="sourcing", role="evidence", source__in=ids, relation__state=Relation.State.ACTIVATED
    )
    return cited.order_by("source", "span_start")


def _learned_from(by: Principal, relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    sourced = RelationPlayer.objects.filter(
        Belief.objects.sighted(by), kind="sourcing", role="sourced", relation__in=relations
    )
    return sourced.select_related("belief").order_by("pk")


def open_cases(by: Principal, belief_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, Case]:
    """The open case about each of these beliefs that has one."""
    if not belief_ids or not by.may("read_cases"):
        return {}
    found: dict[uuid.UUID, Case] = {}
    for belief_id, cases in about(by, list(belief_ids)).items():
        waiting = [case for case in cases if case.state == Case.State.OPEN]
        if waiting:
            found[belief_id] = waiting[0]
    return found
