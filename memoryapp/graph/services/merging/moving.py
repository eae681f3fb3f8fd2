"""Letting rows refer to another node, and keeping each move; the states and digests of beliefs that follow."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

from django.db.models import F

from memoryapp.graph.models import Belief, BeliefState, Node, NodeMove, NodeState
from memoryapp.graph.referring import Pointer, chunks
from memoryapp.graph.services.beliefs import state_of
from memoryapp.graph.services.heads import store_heads
from memoryapp.graph.services.merging.planning import Mine
from memoryapp.ledger import prepared
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Write


def move(write: Write, pointer: Pointer, rows: Sequence[uuid.UUID], origin: uuid.UUID, destination: uuid.UUID) -> None:
    """Let these rows refer to the destination, and remember that they did not before."""
    alike = {
        "workspace_id": write.workspace_id,
        "pointer": pointer.name,
        "origin_id": origin,
        "destination_id": destination,
        "write_id": write.pk,
        "recorded_at": write.recorded_at,
    }
    prepared.fill(NodeMove, alike, ("id", "row"), [(new_id(), row) for row in rows])
    pointer.turn(rows, destination)


def become(
    write: Write, node: Node, *, state: str, into: Node | None = None, reason: str, projected: bool = True
) -> NodeState:
    """The one way a node's state changes: a new NodeState, and the head with its lock one higher."""
    last = NodeState.objects.filter(node=node).order_by("-sequence").first()
    kept = NodeState(
        workspace=write.workspace,
        node=node,
        sequence=last.sequence + 1 if last else 1,
        state=state,
        folded_into=into,
        projected_at=node.projected_at if projected else None,
        reason=reason,
        write=write,
        recorded_at=write.recorded_at,
    )
    kept.save(force_insert=True)
    node.state, node.folded_into = state, into
    node.lock += 1
    Node.objects.filter(pk=node.pk).update(state=state, folded_into=into, lock=node.lock)
    return kept


def outnumber(node: Node, *others: Node) -> None:
    """Give a node a lock that none of the others had: an id that led to one of them never names an old state of it."""
    node.lock = max(node.lock, *(other.lock for other in others)) + 1
    Node.objects.filter(pk=node.pk).update(lock=node.lock)


def follow(
    write: Write, several: Iterable[Mine], changes: dict[uuid.UUID, dict[str, Any]], reasons: Callable[[Belief], str]
) -> None:
    """Store the new digests of beliefs, and a state for each of which the owners or the status change.

    `changes` holds what of the head changes by belief; `reasons(belief)` why. A few statements, however many they are.
    """
    beliefs = [one for one in several]
    _digest(beliefs)
    concerned = [one for one in beliefs if one.owners != one.before or one.belief.pk in changes]
    recorded = _recorded_at([one.belief.pk for one in concerned])
    states: list[BeliefState] = []
    alike: dict[tuple[str, ...], list[Belief]] = defaultdict(list)
    for one in concerned:
        belief, change = one.belief, changes.get(one.belief.pk, {})
        for name, value in change.items():
            setattr(belief, name, value)
        belief.lock += 1
        state = state_of(write, belief, sorted(map(str, one.owners)), reasons(belief))
        state.recorded_at = max(write.recorded_at, recorded[belief.pk])
        states.append(state)
        alike[tuple(sorted(change))].append(belief)
    prepared.insert(states)
    for names, several_alike in alike.items():
        store_heads(several_alike, names)


def told_otherwise(several: Iterable[Mine], changes: Mapping[uuid.UUID, Any]) -> list[Belief]:
    """Those of the beliefs that followed of which more changed than the node they refer to: whoever searches or shows
    a belief by its words, owners and dates has nothing new to learn of the others."""
    return [one.belief for one in several if one.owners != one.before or one.belief.pk in changes]


def _digest(several: Sequence[Mine]) -> None:
    """Write the digests that differ from what is stored."""
    stored: dict[uuid.UUID, tuple[str, str]] = {}
    for some in chunks(sorted(one.belief.pk for one in several)):
        rows = Belief.objects.filter(pk__in=some).values_list("pk", "slot", "statement")
        stored |= {pk: (slot, statement) for pk, slot, statement in rows}
    changed = [one.belief for one in several if stored[one.belief.pk] != (one.belief.slot, one.belief.statement)]
    prepared.store(changed, ["slot", "statement"])


def _recorded_at(ids: Collection[uuid.UUID]) -> dict[uuid.UUID, Any]:
    found: dict[uuid.UUID, Any] = {}
    for some in chunks(sorted(ids)):
        latest = BeliefState.objects.filter(belief__in=some, sequence=F("belief__lock"))
        found |= dict(latest.values_list("belief", "recorded_at"))
    return found
