"""What of the timeline is searched: every recorded episode by what it says, who took part and when.

The turns of a conversation are searched where they are; the episode that refers to them adds no words of its own.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence

from django.db.models import F, Q, QuerySet

from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import Belief, Node
from memoryapp.index import services as index
from memoryapp.index.models import IndexEntry
from memoryapp.index.said import passages, zone
from memoryapp.index.texts import Text, who_and_when
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline.models import Episode, EpisodeParticipant, EpisodeRevision, State

EPISODE = "episode"


def put(write: Write, ids: Sequence[uuid.UUID]) -> None:
    """Bring the index up to date with these episodes, within the write that changed them."""
    texts = list(load(write.workspace, ids))
    index.put(write, texts)
    found = {text.target_id for text in texts}
    if gone := [(EPISODE, one) for one in ids if one not in found]:
        index.remove(write, gone)


def changed(write: Write, touched: Sequence[Belief | Node]) -> None:
    """Who took part may be called otherwise now."""
    nodes = [thing.pk for thing in touched if isinstance(thing, Node)]
    if not nodes:
        return
    taking = EpisodeParticipant.objects.filter(node__in=nodes, revision__sequence=F("episode__lock"))
    if ids := sorted(set(taking.values_list("episode", flat=True))):
        put(write, ids)


def ids(workspace: Workspace) -> Iterator[uuid.UUID]:
    """Every episode of the workspace that says something, in the order recorded."""
    said = _said(workspace).order_by("episode")
    yield from said.values_list("episode", flat=True).iterator()


def load(workspace: Workspace, wanted: Sequence[uuid.UUID]) -> Iterator[Text]:
    """These episodes as they are searched; of one that says nothing, or was taken away, none."""
    revisions = list(_said(workspace).filter(episode__in=wanted).select_related("episode").order_by("episode"))
    if not revisions:
        return
    ontology = current_ontology(workspace)
    names = _names(revisions)
    for revision in revisions:
        kind = revision.episode.kind
        declared = ontology.document.episode_kinds.get(kind)
        line = "/".join(reversed(ontology.episode_line(kind))) if declared else kind
        said_at = revision.ordered_at.astimezone(zone(revision.zone))
        who = " ".join([declared.title or kind if declared else kind, *names.get(revision.pk, ())])
        for part, passage in enumerate(passages(revision.content)):
            yield Text(
                EPISODE,
                revision.episode_id,
                passage,
                part=part,
                label=who_and_when(who, said_at),
                kind=line,
                said_at=said_at,
                audience=revision.audience,
            )


def _said(workspace: Workspace) -> QuerySet[EpisodeRevision]:
    rows = EpisodeRevision.objects.filter(workspace=workspace, sequence=F("episode__lock"), state=State.RECORDED)
    return rows.exclude(Q(content="")).order_by("episode")


def _names(revisions: Sequence[EpisodeRevision]) -> dict[uuid.UUID, list[str]]:
    found: dict[uuid.UUID, list[str]] = {}
    taking = EpisodeParticipant.objects.filter(revision__in=revisions).select_related("node__folded_into")
    for one in taking.order_by("revision", "position"):
        found.setdefault(one.revision_id, []).append(unfolded(one.node).label)
    return {revision: list(dict.fromkeys(names)) for revision, names in found.items()}


def traces(workspace: Workspace, sources: Sequence[uuid.UUID]) -> int:
    """How many entries hold words of episodes that are known from nothing but what is taken back."""
    fallen = Episode.objects.filter(workspace=workspace, state=State.WITHDRAWN, sources__source__in=sources)
    return IndexEntry.objects.filter(
        workspace=workspace, target_type=EPISODE, target_id__in=fallen.values("pk")
    ).count()
