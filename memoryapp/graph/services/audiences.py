"""Who may be served a belief: told anew, refused where it cannot be, and as the actors within it."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence

from memoryapp.doors.errors import Invalid
from memoryapp.graph.models import ActorNode, Belief, BeliefReader
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.services.beliefs import change_state, check_lock, owners_of, require_content, settled
from memoryapp.graph.services.confirmed import refuse_confirmed
from memoryapp.ledger.models import Actor, Workspace, Write
from memoryapp.sources.audiences import Readers


def readers_of(belief: Belief) -> Readers:
    """The actors who may be served it now; None when that is the whole workspace."""
    if belief.audience == Audience.WORKSPACE:
        return None
    if belief.audience == Audience.OWNERS:
        return actors_of(belief.workspace_id, [uuid.UUID(owner) for owner in owners_of(belief)])
    return named_readers(belief)


def named_readers(belief: Belief) -> frozenset[uuid.UUID]:
    """The actors that are named as its readers; whether these count is said by its audience."""
    return frozenset(BeliefReader.objects.filter(belief=belief).values_list("actor", flat=True))


def named_readers_of(beliefs: Iterable[Belief]) -> dict[uuid.UUID, frozenset[uuid.UUID]]:
    """Of each belief for named readers these, by its id. One query, none where no belief is."""
    named = [belief.pk for belief in beliefs if belief.audience == Audience.NAMED]
    found: defaultdict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    if named:
        for belief, actor in BeliefReader.objects.filter(belief__in=named).values_list("belief", "actor"):
            found[belief].add(actor)
    return {belief: frozenset(actors) for belief, actors in found.items()}


def actors_of(workspace: Workspace | uuid.UUID, nodes: Iterable[uuid.UUID]) -> frozenset[uuid.UUID]:
    """The members and agents that are these nodes."""
    found = ActorNode.objects.filter(workspace=workspace, node__in=list(nodes))
    return frozenset(found.values_list("actor", flat=True))


def change_audience(
    write: Write,
    belief: Belief,
    *,
    audience: str,
    readers: Sequence[uuid.UUID] = (),
    reason: str,
    lock: int | None = None,
) -> Belief:
    """Say anew who may be served it. Raises Invalid `unknown_audience`, `no_owner`, `no_readers`, `unknown_reader`."""
    write.by.require("remember")
    check_lock(belief, lock)
    require_content(belief)
    if wrong := audience_fault(write, audience, readers, bool(owners_of(belief))):
        raise Invalid.at(*wrong)
    refuse_confirmed(write, belief)
    BeliefReader.objects.filter(belief=belief).exclude(actor__in=readers).delete()
    BeliefReader.objects.bulk_create(
        [
            BeliefReader(workspace=write.workspace, belief=belief, actor_id=actor, write=write)
            for actor in set(readers) - set(belief.readers.values_list("actor", flat=True))
        ]
    )
    change_state(write, belief, reason=reason, audience=audience)
    return settled(write, belief)


def audience_fault(
    write: Write, audience: str, readers: Sequence[uuid.UUID], owned: bool
) -> tuple[str, str, str, str] | None:
    """What is wrong with an audience: path, code, message, accepted. None when nothing is."""
    if audience not in Audience.values:
        return "/audience", "unknown_audience", f"There is no audience “{audience}”.", ", ".join(Audience.values)
    if audience == Audience.OWNERS and not owned:
        return "/audience", "no_owner", "It has no owner who could read it.", "an owner, or the audience workspace"
    if audience != Audience.NAMED:
        if readers:
            return "/readers", "readers_not_asked", "Readers belong to the audience named.", "no readers"
        return None
    if not readers:
        return "/readers", "no_readers", "The audience named needs its readers.", "ids of members or agents"
    known = Actor.objects.filter(workspace=write.workspace, pk__in=readers).count()
    if known != len(set(readers)):
        return "/readers", "unknown_reader", "Not every reader is of this workspace.", "ids of its members or agents"
    return None
