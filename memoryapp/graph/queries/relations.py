"""Reading relations with who plays in them, what they stand on and how they changed."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.graph.models import Belief, Relation, RelationPlayer, RelationState
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import readable_by


@dataclass(frozen=True)
class RelationView:
    """A relation, its players in their order, the quoted sources it stands on, and every state it was in."""

    relation: Relation
    players: list[RelationPlayer]
    evidence: list[RelationPlayer]
    states: list[RelationState]


def relations(
    by: Principal, kind: str = "", *, retracted: bool = False, player: uuid.UUID | None = None
) -> QuerySet[Relation]:
    """Relations in sight, by id; of one `player` when its id is given, be it a belief, node, source or relation.

    One with a belief or source outside somebody's audience does not exist for them, nor does what is said of it.
    """
    unseen = out_of_sight(by)
    of_unseen = RelationPlayer.objects.filter(
        relation=OuterRef("pk"), played_by__in=unseen.filter(workspace=by.workspace).values("relation")
    )
    hidden = unseen.filter(relation=OuterRef("pk"))
    states = [Relation.State.ACTIVATED, *([Relation.State.RETRACTED] if retracted else [])]
    found = Relation.objects.filter(workspace=by.workspace, state__in=states)
    found = found.exclude(Exists(hidden)).exclude(Exists(of_unseen))
    if kind:
        ontology = current_ontology(by)
        kind = ontology.today("relation_kinds", kind)
        ontology.relation_kind(kind)
        found = found.filter(kind=kind)
    if player:
        plays = RelationPlayer.objects.filter(
            Q(belief=player) | Q(node=player) | Q(source=player) | Q(played_by=player), relation=OuterRef("pk")
        )
        found = found.filter(Exists(plays))
    return found.order_by("pk")


def out_of_sight(by: Principal) -> QuerySet[RelationPlayer]:
    """Beliefs and sources that play somewhere and are outside the principal's audience."""
    unseen_belief = Q(belief__isnull=False) & ~Q(Belief.objects.sighted(by))
    unseen_source = Q(source__isnull=False) & ~readable_by(by, "source__")
    return RelationPlayer.objects.filter(unseen_belief | unseen_source)


def relation(by: Principal, relation_id: uuid.UUID) -> RelationView:
    """One relation in full, activated or retracted. Raises NotFound."""
    found = relations(by, retracted=True).filter(pk=relation_id).select_related("write__actor").first()
    if found is None:
        raise NotFound("There is no such relation.", code="no_such_relation", extra={"id": str(relation_id)})
    players = RelationPlayer.objects.select_related("belief", "node", "source", "played_by").order_by("position", "pk")
    sourcing = RelationPlayer.objects.filter(
        kind="sourcing", role="sourced", played_by=found, relation__state=Relation.State.ACTIVATED
    ).values("relation")
    return RelationView(
        relation=found,
        players=list(players.filter(relation=found)),
        evidence=list(players.filter(relation__in=sourcing, role="evidence")),
        states=list(found.states.order_by("sequence")),
    )
