"""Taking a merge or a split back: every row refers again to the node it referred to, and every head is as it was."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import F, Q

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, BeliefState, Node, NodeMove, NodeState, Relation, RelationPlayer
from memoryapp.graph.referring import chunks, pointer, readers
from memoryapp.graph.services import conflict, digests, undoing
from memoryapp.graph.services.beliefs import HEAD
from memoryapp.graph.services.merging import moving
from memoryapp.graph.services.merging.planning import Mine
from memoryapp.graph.services.merging.pointers import OBJECT, SUBJECT
from memoryapp.graph.services.projection import project, projections_at
from memoryapp.graph.services.withdrawing import concerned
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Write
from memoryapp.ontology.queries import current_ontology

RIVALS = ("supersession", "conflict")
"""Relations whose beliefs are of the same nodes: one of them cannot stay behind."""


def put_back(write: Write, undone: Write, *, reason: str) -> list[Belief]:
    """Put back everything that a merge or a split changed. Returns the beliefs touched.

    What was recorded of the kept node since stays with it. Raises Conflict `later_write` with the write that stands in
    the way: when a row was moved on, a node changed its state, what was archived or made to wait was changed since, or
    something later rests on both what would go and what would stay.
    """
    moves = list(NodeMove.objects.filter(write=undone))
    states = list(NodeState.objects.filter(write=undone).select_related("node").order_by("node_id", "sequence"))
    _refuse_later_nodes(states)
    _refuse_later_moves(undone, moves)
    beliefs, relations = undoing.changed_beliefs(undone), undoing.changed_relations(undone)
    changed = {pk: pair for pk, pair in beliefs.items() if pair[0] is None or _head(pair[0]) != _head(pair[1])}
    undoing.refuse_later_states(changed, relations)
    _refuse_later_relations(undone, {one.row for one in moves if one.pointer in (SUBJECT, OBJECT)} | set(beliefs))
    undoing.refuse_later_relations(undone, set(changed), set())
    _move_back(write, moves)
    undoing.put_back_relations(write, relations, set(), reason)
    followed, touched = _beliefs_back(write, moves, beliefs, changed, reason)
    for reader in readers():
        if reader.give_back is not None:
            reader.give_back(write, undone)
    _refuse_rested_on(undone, states)
    _nodes_back(write, undone, states, reason)
    if waiting := concerned(write, followed):
        touched += conflict.reconsider(write, waiting)
    nodes = _project(write, moves, states)
    for one in followed:
        if one.pk in changed:
            undoing.refuse_taken(one)
    changes.announce(write, [*touched, *nodes])
    return touched


def _head(state: BeliefState) -> tuple[object, ...]:
    return tuple(getattr(state, name) for name in HEAD)


def _refuse_later_nodes(states: Sequence[NodeState]) -> None:
    """A node that was folded again, or retired, since is not as the merge left it."""
    left = {one.node_id: one for one in states}
    newest = (
        NodeState.objects.filter(node__in=list(left)).order_by("node_id", "sequence").select_related("write__actor")
    )
    for latest in {one.node_id: one for one in newest}.values():
        mine = left[latest.node_id]
        if (latest.state, latest.folded_into_id) != (mine.state, mine.folded_into_id):
            raise undoing.in_the_way(latest.write)


def _refuse_later_moves(undone: Write, moves: Sequence[NodeMove]) -> None:
    by_pointer: dict[str, dict[uuid.UUID, NodeMove]] = defaultdict(dict)
    for one in moves:
        by_pointer[one.pointer][one.row] = one
    for name, rows in by_pointer.items():
        held = pointer(name).held(list(rows))
        for row, one in rows.items():
            if row not in held or held[row] == one.destination_id:
                continue
            later = NodeMove.objects.filter(row=row, pointer=name, write__sequence__gt=undone.sequence)
            latest = later.select_related("write__actor").order_by("-write__sequence").first()
            if latest is None:
                raise Conflict("What it moved was changed since.", code="later_write", extra={"row": str(row)})
            raise undoing.in_the_way(latest.write)


def _refuse_later_relations(undone: Write, going: Collection[uuid.UUID]) -> None:
    """A later supersession or conflict of what goes with what stays would be between two nodes."""
    for some in chunks(sorted(going)):
        later = RelationPlayer.objects.filter(
            kind__in=RIVALS,
            belief__in=some,
            relation__state=Relation.State.ACTIVATED,
            relation__write__sequence__gt=undone.sequence,
        ).values("relation")
        other = RelationPlayer.objects.filter(relation__in=later).exclude(belief__in=going)
        first = other.select_related("relation__write__actor").order_by("relation__write__sequence").first()
        if first is not None:
            raise undoing.in_the_way(first.relation.write)


def _move_back(write: Write, moves: Sequence[NodeMove]) -> None:
    groups: dict[tuple[str, uuid.UUID, uuid.UUID], list[NodeMove]] = defaultdict(list)
    for one in moves:
        groups[one.pointer, one.origin_id, one.destination_id].append(one)
    for (name, _, _), several in groups.items():
        rows = sorted(one.row for one in several)
        moving.move(write, pointer(name), rows, several[0].destination_id, several[0].origin_id)


def _beliefs_back(
    write: Write,
    moves: Sequence[NodeMove],
    beliefs: dict[uuid.UUID, tuple[BeliefState | None, BeliefState]],
    changed: Collection[uuid.UUID],
    reason: str,
) -> tuple[list[Belief], list[Belief]]:
    """Owners, digests and heads as they were; what only followed keeps the head it was given since. Returns all of
    them, and those that say something else of themselves now."""
    ids = sorted({one.row for one in moves if one.pointer in (SUBJECT, OBJECT)} | set(beliefs))
    ontology = current_ontology(write.workspace)
    several: list[Mine] = []
    heads: dict[uuid.UUID, dict[str, Any]] = {}
    for some in chunks(ids):
        states = BeliefState.objects.filter(belief__in=some, sequence=F("belief__lock"))
        now = dict(states.values_list("belief", "owners"))
        for belief in Belief.objects.filter(pk__in=some).select_related("subject").order_by("pk"):
            before = beliefs[belief.pk][0] if belief.pk in beliefs else None
            owned = [uuid.UUID(one) for one in now[belief.pk]]
            owners = [uuid.UUID(one) for one in before.owners] if before else owned
            if before is not None and belief.pk in changed:
                heads[belief.pk] = {name: getattr(before, name) for name in HEAD}
            node_class = belief.subject.node_class if belief.subject else ""
            belief.slot, belief.statement = digests.work_out(ontology, belief, node_class, owners)
            several.append(Mine(belief, owners, owned))
    moving.follow(write, several, heads, lambda belief: reason)
    return [one.belief for one in several], moving.told_otherwise(several, heads)


def _refuse_rested_on(undone: Write, states: Sequence[NodeState]) -> None:
    """A node that the write made goes out of use with it, unless something was recorded of it since."""
    for node in [one.node for one in states if one.node.write_id == undone.pk]:
        said = Belief.objects.filter(Q(subject=node) | Q(object=node)).select_related("write__actor")
        if later := said.order_by("recorded_at").first():
            raise undoing.in_the_way(later.write)
        playing = RelationPlayer.objects.filter(node=node).exclude(relation__write=undone)
        if owned := playing.select_related("relation__write__actor").order_by("relation__recorded_at").first():
            raise undoing.in_the_way(owned.relation.write)


def _nodes_back(write: Write, undone: Write, states: Sequence[NodeState], reason: str) -> None:
    """Each node is what it was before: what its state before the write says, or in use; one that the write made is
    out of use."""
    for one in {state.node_id: state for state in reversed(states)}.values():
        before = NodeState.objects.filter(node=one.node_id, sequence=one.sequence - 1).first()
        node = Node.objects.get(pk=one.node_id)
        was = before.state if before else Node.State.ACTIVE
        was = Node.State.RETIRED if node.write_id == undone.pk else was
        into = before.folded_into if before else None
        if (node.state, node.folded_into_id) != (was, into.pk if into else None):
            moving.become(write, node, state=was, into=into, reason=reason)


def _project(write: Write, moves: Sequence[NodeMove], states: Sequence[NodeState]) -> list[Node]:
    """Read the nodes off their beliefs anew; those that are as they were say so of the same instant as before."""
    ids = {node for one in moves for node in (one.origin_id, one.destination_id)} | {one.node_id for one in states}
    nodes = list(Node.objects.filter(pk__in=ids).order_by("pk"))
    project(write, nodes)
    top = max((node.lock for node in nodes), default=0)
    instants = {one.node_id: one.projected_at for one in reversed(states) if one.projected_at is not None}
    ontology = current_ontology(write.workspace)
    then = projections_at(ontology, [node for node in nodes if node.pk in instants], instants)
    for node in nodes:
        node.lock = top + 1
        if node.pk in then and then[node.pk].properties == node.properties:
            node.projected_at = instants[node.pk]
    prepared.store(nodes, ["lock", "projected_at"])
    return nodes
