"""What meets when two nodes are one: relations that join the same then, and likings that contradict."""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import F

from memoryapp.graph import slots
from memoryapp.graph.assessing import assess, polar
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries.joined import BY_THEMSELVES
from memoryapp.graph.referring import chunks
from memoryapp.graph.services import conflict
from memoryapp.ledger.models import Workspace


def equal_relations(
    workspace: Workspace, kept: uuid.UUID, folded: uuid.UUID, ended: Collection[uuid.UUID]
) -> list[tuple[Relation, Relation]]:
    """Pairs of relations that join the same once the nodes are one, over times that touch: what goes, what stays.

    When a relation began is never changed, so the one that begins first stays; of two that begin at once, the kept
    node's.
    """
    goes, was = (_played(workspace, node) for node in (folded, kept))
    mine = {pk for pk in goes if pk not in ended}
    theirs = {pk for pk in was if pk not in ended}
    if not mine or not theirs:
        return []
    relations: dict[uuid.UUID, Relation] = {}
    for some in chunks(sorted(mine | theirs)):
        relations |= Relation.objects.in_bulk(some)
    signed: dict[str, list[Relation]] = defaultdict(list)
    for pk, players in _signatures(mine | theirs, folded, kept).items():
        one = relations[pk]
        signed[json.dumps([one.kind, players, one.attributes], sort_keys=True)].append(one)
    return [pair for same in signed.values() if len(same) > 1 for pair in _pairs(same, mine)]


def _pairs(same: list[Relation], mine: Collection[uuid.UUID]) -> list[tuple[Relation, Relation]]:
    same.sort(key=lambda one: (one.valid_from or slots.EARLIEST, one.pk in mine, one.recorded_at, one.pk))
    stay: list[Relation] = []
    found: list[tuple[Relation, Relation]] = []
    for relation in same:
        twin = next((one for one in stay if _is_twin(one, relation, mine)), None)
        if twin is None:
            stay.append(relation)
        else:
            found.append((relation, twin))
    return found


def _is_twin(one: Relation, other: Relation, mine: Collection[uuid.UUID]) -> bool:
    """Whether they are of both nodes, and their times touch. What was said twice of one node stays as it was said."""
    if (one.pk in mine) == (other.pk in mine):
        return False
    return slots.touch((one.valid_from, one.valid_to), (other.valid_from, other.valid_to))


def _played(workspace: Workspace, node: uuid.UUID) -> set[uuid.UUID]:
    plays = RelationPlayer.objects.filter(workspace=workspace, node=node, relation__state=Relation.State.ACTIVATED)
    return set(plays.exclude(kind__in=BY_THEMSELVES).values_list("relation", flat=True))


def _signatures(relations: Collection[uuid.UUID], folded: uuid.UUID, kept: uuid.UUID) -> dict[uuid.UUID, list[Any]]:
    """Who plays what in each of these, once the folded node is the kept one."""
    found: dict[uuid.UUID, list[Any]] = defaultdict(list)
    columns = ("relation", "role", "belief", "node", "source", "played_by", "span_start", "span_end")
    for some in chunks(sorted(relations)):
        for relation, role, *things in RelationPlayer.objects.filter(relation__in=some).values_list(*columns):
            found[relation].append([role, *(str(kept if one == folded else one) for one in things)])
    return {relation: sorted(players) for relation, players in found.items()}


def opposed(
    workspace: Workspace, likings: Sequence[tuple[Belief, Sequence[uuid.UUID]]], mine: Collection[uuid.UUID]
) -> list[tuple[Belief, list[conflict.Rival]]]:
    """Likings that follow, each with its owners then, beside the opposite ones held of the same owners already."""
    new = [(one, tuple(sorted(owners)), said) for one, owners in likings if owners and (said := _plain(one))]
    if not new:
        return []
    held: dict[tuple[Any, ...], list[Belief]] = defaultdict(list)
    for belief, owned_by in _held({owner for _, owners, _ in new for owner in owners}, workspace, mine):
        if said := _plain(belief):
            held[owned_by, said.likes, said.words].append(belief)
    found = []
    for belief, owners, said in sorted(new, key=lambda one: (one[0].recorded_at, one[0].pk)):
        rivals = [
            conflict.Rival(older, assess(older.content, belief.content).reason)
            for older in held[owners, not said.likes, said.words]
            if conflict.may_be_doubted(older, belief)
        ]
        if rivals:
            found.append((belief, rivals))
    return found


def _plain(belief: Belief) -> Any:
    """What a free statement that is held says somebody likes or dislikes."""
    if belief.shape != Belief.Shape.STATEMENT or belief.slot or belief.status != Status.ACTIVATED:
        return None
    return polar(belief.content)


def _held(
    owners: Collection[uuid.UUID], workspace: Workspace, mine: Collection[uuid.UUID]
) -> list[tuple[Belief, tuple[uuid.UUID, ...]]]:
    """What is held of these owners, beside what follows, with the owners of each."""
    owning = RelationPlayer.objects.filter(
        kind="ownership", role="owner", node__in=owners, relation__state=Relation.State.ACTIVATED
    )
    owned = RelationPlayer.objects.filter(kind="ownership", role="owned", relation__in=owning.values("relation"))
    rows = Belief.objects.filter(
        workspace=workspace,
        status=Status.ACTIVATED,
        shape=Belief.Shape.STATEMENT,
        slot="",
        pk__in=owned.values("belief"),
    )
    held = {one.pk: one for one in rows if one.pk not in mine}
    found: list[tuple[Belief, tuple[uuid.UUID, ...]]] = []
    for some in chunks(sorted(held)):
        states = BeliefState.objects.filter(belief__in=some, sequence=F("belief__lock"))
        for pk, of in states.values_list("belief", "owners"):
            found.append((held[pk], tuple(sorted(uuid.UUID(one) for one in of))))
    return found
