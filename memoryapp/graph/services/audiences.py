"""Who is within the audience of a belief, as actors: what is told about it is told to no more than these."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from memoryapp.graph.models import ActorNode, Belief, BeliefReader
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.services.beliefs import owners_of
from memoryapp.ledger.models import Workspace
from memoryapp.sources.audiences import Readers


def readers_of(belief: Belief) -> Readers:
    """The actors who may be served it now; None when that is the whole workspace."""
    if belief.audience == Audience.WORKSPACE:
        return None
    if belief.audience == Audience.OWNERS:
        return actors_of(belief.workspace_id, [uuid.UUID(owner) for owner in owners_of(belief)])
    return frozenset(BeliefReader.objects.filter(belief=belief).values_list("actor", flat=True))


def actors_of(workspace: Workspace | uuid.UUID, nodes: Iterable[uuid.UUID]) -> frozenset[uuid.UUID]:
    """The members and agents that are these nodes."""
    found = ActorNode.objects.filter(workspace=workspace, node__in=list(nodes))
    return frozenset(found.values_list("actor", flat=True))
