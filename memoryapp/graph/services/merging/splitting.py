"""One node was two: what is said of the other is moved to a node of its own, by the same moves as a merge."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.graph import changes, referring
from memoryapp.graph.likeness import kept_forms
from memoryapp.graph.models import Belief, Mention, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services import conflict
from memoryapp.graph.services.confirmed import refuse_confirmed
from memoryapp.graph.services.mentions import names_of
from memoryapp.graph.services.merging import moving
from memoryapp.graph.services.merging.planning import mine_of
from memoryapp.graph.services.merging.pointers import MENTION, OBJECT, PLAYER, SUBJECT
from memoryapp.graph.services.projection import project
from memoryapp.graph.services.withdrawing import announce
from memoryapp.ledger.models import Write
from memoryapp.ontology.queries import current_ontology

MOST = 2000
"""Beliefs, or episodes, that one split moves."""
APART = "The node that both were of was split in two."
FOLLOWS = "It is of the node that was split off."


@dataclass(frozen=True)
class Part:
    """What belongs to the other: beliefs about the node, to it or owned by it, and things of rooms above by name."""

    beliefs: frozenset[uuid.UUID]
    others: dict[str, frozenset[uuid.UUID]]


def divide(write: Write, node: Node, part: Part, *, reason: str) -> Node:
    """Move a part of what refers to a node to a new node of its class, within the caller's right. See `split`."""
    chosen = _chosen(write, node, part)
    ontology = current_ontology(write.workspace)
    new = _new(write, node)
    mine = mine_of(write.workspace, ontology, node, new, only=chosen)
    moving.become(write, node, state=Node.State.ACTIVE, reason=f"A part of it was split off. {reason}".strip())
    moving.become(write, new, state=Node.State.ACTIVE, reason=f"Split off another node. {reason}".strip())
    for name, rows in _rows(node, chosen).items():
        moving.move(write, referring.pointer(name), rows, node.pk, new.pk)
    moving.follow(write, mine.values(), {}, lambda belief: FOLLOWS)
    for room, ids in part.others.items():
        referring.taker(room)(write, sorted(ids), node, new)
    beliefs = [one.belief for one in mine.values()]
    touched = [*beliefs, *_part(write, beliefs)]
    project(write, [node, new])
    _follow_names(write, node, new)
    changes.announce(write, [*touched, *Node.objects.filter(pk__in=[node.pk, new.pk])])
    return Node.objects.get(pk=new.pk)


def _chosen(write: Write, node: Node, part: Part) -> set[uuid.UUID]:
    """The beliefs to move, with those that superseded or were superseded by one of them."""
    if not part.beliefs and not any(part.others.values()):
        raise Invalid.at("/beliefs", "nothing_to_split", "Say what belongs to the other.", "ids of beliefs about it")
    if len(part.beliefs) > MOST:
        raise Invalid.at("/beliefs", "too_many", f"{len(part.beliefs)} are too many at once.", f"at most {MOST}")
    for room in part.others:
        referring.taker(room)
    seen = Belief.objects.visible_to(write.by).filter(pk__in=part.beliefs).exclude(status=Status.DELETED)
    refers = {one.pk for one in seen if node.pk in (one.subject_id, one.object_id)}
    refers |= {one for one in _owned(node, part.beliefs)} & {one.pk for one in seen}
    if wrong := sorted(part.beliefs - refers):
        message = "This is no belief about the node, to it or owned by it."
        raise Invalid.all(Violation("/beliefs", "not_of_this_node", f"{message} {one}", "its ids") for one in wrong)
    refuse_confirmed(write, *seen)
    return _with_successions(part.beliefs)


def _owned(node: Node, beliefs: Collection[uuid.UUID]) -> list[uuid.UUID]:
    owning = RelationPlayer.objects.filter(node=node, kind="ownership", role="owner")
    owned = RelationPlayer.objects.filter(
        kind="ownership",
        role="owned",
        belief__in=beliefs,
        relation__in=owning.values("relation"),
        relation__state=Relation.State.ACTIVATED,
    )
    return [one for one in owned.values_list("belief", flat=True) if one]


def _with_successions(beliefs: Collection[uuid.UUID]) -> set[uuid.UUID]:
    found, fresh = set(beliefs), set(beliefs)
    while fresh:
        among = RelationPlayer.objects.filter(
            kind="supersession", belief__in=fresh, relation__state=Relation.State.ACTIVATED
        ).values("relation")
        beside = RelationPlayer.objects.filter(relation__in=among, belief__isnull=False)
        fresh = {one for one in beside.values_list("belief", flat=True) if one} - found
        found |= fresh
    return found


def _new(write: Write, node: Node) -> Node:
    forms = kept_forms(node.label)
    return Node.objects.create(
        workspace=write.workspace,
        node_class=node.node_class,
        label=node.label,
        bare_label=forms.bare_label,
        initials=forms.initials,
        initialled=forms.initialled,
        ontology_version=node.ontology_version,
        write=write,
        recorded_at=write.recorded_at,
        projected_at=write.recorded_at,
    )


def _rows(node: Node, chosen: Collection[uuid.UUID]) -> dict[str, list[uuid.UUID]]:
    """The rows that follow these beliefs."""
    owned = RelationPlayer.objects.filter(kind="ownership", role="owned", belief__in=chosen)
    owning = RelationPlayer.objects.filter(
        node=node, kind="ownership", role="owner", relation__in=owned.values("relation")
    )
    subjects = Belief.objects.filter(pk__in=chosen, subject=node)
    objects = Belief.objects.filter(pk__in=chosen, object=node)
    rows = {SUBJECT: subjects, OBJECT: objects, PLAYER: owning}
    return {name: sorted(found.values_list("pk", flat=True)) for name, found in rows.items()}


def _part(write: Write, moved: Sequence[Belief]) -> list[Belief]:
    """What went and what stayed no longer contradict each other: they are of two nodes."""
    touched: list[Belief] = []
    ids = {one.pk for one in moved}
    for one in conflict.open_conflicts(write, moved):
        apart = (one.older.pk in ids) != (one.newcomer.pk in ids)
        if not apart or one.older.slot == one.newcomer.slot:
            continue
        conflict.close(write, one.relation, reason=APART)
        conflict.void(write, one.relation, APART)
        announce(write, one.newcomer)
        touched.append(one.newcomer)
    return touched


def _follow_names(write: Write, node: Node, new: Node) -> None:
    """Names that only the new node goes by now mean it where they were said."""
    node, new = (Node.objects.get(pk=one.pk) for one in (node, new))
    names = names_of(new) - names_of(node)
    rows = Mention.objects.filter(node=node, normal_name__in=names).order_by("pk")
    moving.move(write, referring.pointer(MENTION), list(rows.values_list("pk", flat=True)), node.pk, new.pk)
