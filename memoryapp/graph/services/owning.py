"""Whose memory a belief is: another owner is added by a link of its own, and the slot it fills follows its owners."""

from __future__ import annotations

import uuid

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services import conflict, digests
from memoryapp.graph.services.assembling import Assembly, Playing
from memoryapp.graph.services.beliefs import change_state, check_lock, owners_of
from memoryapp.graph.services.confirmed import refuse_confirmed
from memoryapp.graph.statements import NodeReference
from memoryapp.ledger.models import Write
from memoryapp.ontology.queries import current_ontology


def give_owner(write: Write, belief: Belief, *, owner: NodeReference, reason: str, lock: int | None = None) -> Belief:
    """Make the belief the memory of one more node. Nothing happens when it is that already.

    Raises Conflict: `confirmed_by_person`, `already_held` (the new owners hold the same already), `slot_taken` (they
    hold another), `supersedes` (a supersession is among beliefs of the same owners), `erased`; Stale for an old `lock`.
    """
    write.by.require("remember")
    check_lock(belief, lock)
    if belief.status == Status.DELETED:
        raise Conflict("Its content was erased; nothing can bring it back.", code="erased")
    node = resolve(write, owner)
    if str(node.pk) in owners_of(belief):
        return belief
    assembly = Assembly(write, belief.ontology_version)
    take_owner(write, belief, node, reason=reason)
    assembly.add("ownership", [Playing("owner", node=node), Playing("owned", belief=belief)], reason=reason)
    assembly.finish()
    changes.announce(write, [belief, *conflict.reconsider(write, [belief])])
    return belief


def take_owner(write: Write, belief: Belief, owner: Node, *, reason: str) -> None:
    """Count one more owner in the belief's head, its slot and what it says; the link is put together by the caller."""
    refuse_confirmed(write, belief)
    owners = sorted({uuid.UUID(one) for one in owners_of(belief)} | {owner.pk})
    if belief.shape == Belief.Shape.STATEMENT:
        _refuse_in_supersession(belief)
        _follow(write, belief, owners)
    change_state(write, belief, reason=reason, owners=owners)
    conflict.refuse_taken_slot(belief)


def _follow(write: Write, belief: Belief, owners: list[uuid.UUID]) -> None:
    """The slot and the digest of a free statement are of its owners."""
    slot, digest = digests.work_out(current_ontology(write.workspace), belief, "", owners)
    live = Belief.objects.filter(
        workspace=write.workspace, statement=digest, status__in=[Status.ACTIVATED, Status.RESOLVING]
    )
    same = live.exclude(pk=belief.pk).filter(audience=belief.audience).first()
    if same is not None and belief.status != Status.ARCHIVED:
        raise Conflict("These owners hold the same already.", code="already_held", extra={"belief": str(same.pk)})
    Belief.objects.filter(pk=belief.pk).update(slot=slot, statement=digest)
    belief.slot, belief.statement = slot, digest


def _refuse_in_supersession(belief: Belief) -> None:
    among = RelationPlayer.objects.filter(
        belief=belief, kind="supersession", relation__state=Relation.State.ACTIVATED
    ).values_list("relation", flat=True)
    if relation := among.first():
        message = "It superseded a belief or was superseded, and the two belong to the same owners."
        raise Conflict(message, code="supersedes", extra={"relation": str(relation)})
