"""Who took part, when a node is told apart: a revision that names the other, and one that names the first again."""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence

from memoryapp.doors.errors import Conflict, Invalid, Violation
from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import Node
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.timeline import feeding, queries
from memoryapp.timeline.models import Episode, EpisodeParticipant, EpisodeRevision
from memoryapp.timeline.services.revising import said
from memoryapp.timeline.services.storing import revise_head

SPLIT = "Who took part was two, and is told apart."
ONE = "Who took part is one after all."


def count(by: Principal, nodes: Collection[uuid.UUID]) -> int:
    """How many episodes in sight these nodes took part in."""
    taking = EpisodeParticipant.objects.filter(node__in=nodes).values("episode")
    return Episode.objects.visible_to(by).filter(pk__in=taking).count()


def take(write: Write, ids: Sequence[uuid.UUID], origin: Node, destination: Node) -> None:
    """Say of these episodes that the other node took part. Raises Invalid for one in which the first does not."""
    found = Episode.objects.visible_to(write.by).in_bulk(list(ids))
    wrong = [one for one in ids if one not in found]
    for episode in found.values():
        draft = said(queries.latest(episode))
        mine = [(unfolded(node).pk == origin.pk, node, role) for node, role in draft.participants]
        if not any(is_it for is_it, _, _ in mine):
            wrong.append(episode.pk)
            continue
        draft.participants = [(destination if is_it else node, role) for is_it, node, role in mine]
        draft.reason = SPLIT
        revise_head(write, episode, draft)
    if wrong:
        message = "The node took no part in this."
        raise Invalid.all(Violation("/episodes", "not_of_this_node", f"{message} {one}", "its ids") for one in wrong)
    feeding.put(write, sorted(found))


def give_back(write: Write, undone: Write) -> None:
    """Say of the episodes that a split changed what was said before. Raises Conflict `later_write`."""
    revisions = list(EpisodeRevision.objects.filter(write=undone).select_related("episode"))
    for revision in revisions:
        episode = revision.episode
        if episode.lock != revision.sequence:
            later = queries.latest(episode).write
            message = f"It cannot be taken back: {later.actor.name} amended what happened since."
            raise Conflict(message, code="later_write", extra={"write": str(later.pk)})
        before = EpisodeRevision.objects.select_related("episode").get(episode=episode, sequence=revision.sequence - 1)
        draft = said(before)
        draft.reason = ONE
        revise_head(write, episode, draft)
    if revisions:
        feeding.put(write, sorted({one.episode_id for one in revisions}))
