"""Who is which node: what is kept for the owners of a belief is served to the members and agents that they are."""

from __future__ import annotations

from memoryapp.access.models import Agent, Membership
from memoryapp.access.services import note_change
from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.graph.identity import by_id
from memoryapp.graph.models import ActorNode, Node
from memoryapp.ledger.models import Actor, Write

RIGHTS = {Actor.Kind.AGENT: "manage_agents", Actor.Kind.PERSON: "manage_members"}


def bind_actor(write: Write, *, actor: Actor, node: Node) -> ActorNode:
    """Say that a member or agent is this node, so that what is for its owners only is served to them.

    From the next request on; saying it again changes nothing. An agent may be several nodes, as one that works for two
    people. Raises Denied without the right to manage members or agents, Invalid `not_a_reader` for a job, a policy or
    the system, and Conflict `not_present` for who has left or is retired, and for a node that is no longer in use.
    """
    write.by.require(_right_over(actor))
    node = by_id(write, node.pk)
    if not _is_present(actor) or node.state != Node.State.ACTIVE:
        gone = node.label if _is_present(actor) else actor.name
        raise Conflict(f"{gone} is no longer in use.", code="not_present")
    bound, new = ActorNode.objects.get_or_create(
        workspace=write.workspace, actor=actor, node=node, defaults={"write": write}
    )
    if new:
        note_change(write, actor=actor, after={"node": str(node.pk)})
    return bound


def release_actor(write: Write, *, actor: Actor, node: Node) -> None:
    """Say that they are not this node: what is for its owners only is served to them no more.

    Raises NotFound `not_bound` when they were not.
    """
    write.by.require(_right_over(actor))
    gone, _ = ActorNode.objects.filter(workspace=write.workspace, actor=actor, node=node).delete()
    if not gone:
        raise NotFound(f"{actor.name} is not {node.label}.", code="not_bound")
    note_change(write, actor=actor, before={"node": str(node.pk)}, after={"node": None})


def _right_over(actor: Actor) -> str:
    right = RIGHTS.get(Actor.Kind(actor.kind))
    if right is None:
        raise Invalid.at("/actor", "not_a_reader", f"{actor.name} reads nothing.", "a member or an agent")
    return right


def _is_present(actor: Actor) -> bool:
    if actor.kind == Actor.Kind.AGENT:
        return Agent.objects.filter(actor=actor, retired_at__isnull=True).exists()
    return Membership.objects.filter(actor=actor, ended_at__isnull=True).exists()
