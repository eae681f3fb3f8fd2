"""A conversation is an episode too: who took part, from its first turn to its last. Its turns stay where they are.

The episode is recorded with the first turn that is told. Its end is kept to the day, so that a conversation that goes
on is amended once a day and not with every turn.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Max, Min

from memoryapp.doors.errors import DomainError
from memoryapp.doors.moments import Moment, Precision, end_of
from memoryapp.graph.identity import unfolded
from memoryapp.graph.models import ParticipantNode
from memoryapp.graph.statements import NodeStored
from memoryapp.index.said import zone
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.audiences import audience_of
from memoryapp.sources.models import Source, Thread
from memoryapp.timeline.inputs import EpisodeInput, Happened, Taking
from memoryapp.timeline.models import Audience, Episode, EpisodeRevision, Span, State
from memoryapp.timeline.services import drafts
from memoryapp.timeline.services.drafts import Draft
from memoryapp.timeline.services.revising import said, stand_again
from memoryapp.timeline.services.storing import name_readers, new_head, revise_head, store_revisions

CONVERSATION = "conversation"
"""The kind of episode that a thread is of, where the workspace declares it."""

WENT_ON = "The conversation went on."


@dataclass(frozen=True)
class _Turns:
    """The first and the last turn of a thread."""

    first: Moment
    last: Moment


def as_told(thread: Thread, told: EpisodeInput) -> EpisodeInput:
    """The input with when the conversation was and who took part in it, as far as it does not say so itself."""
    if not told.happened and (turns := _turns([thread.pk]).get(thread.pk)):
        told = replace(told, happened=Happened(since=turns.first, until=turns.last))
    if not told.participants:
        told = replace(
            told, participants=tuple(Taking(NodeStored(one)) for one in _people([thread.pk]).get(thread.pk, ()))
        )
    return told


def arrived(write: Write, sources: Sequence[Source]) -> None:
    """Record the conversations that these turns begin, and amend those that they make longer."""
    threads = {source.thread_id for source in sources if source.thread_id is not None}
    if not threads or not _declared(write):
        return
    known = {one.thread_id: one for one in Episode.objects.filter(thread__in=threads).select_related(None)}
    first, last = _ends(sources)
    for taken_back in [one for one in known.values() if one.state == State.WITHDRAWN]:
        stand_again(write, taken_back, WENT_ON)
    going_on = [
        episode
        for thread_id, episode in known.items()
        if thread_id and episode.state == State.RECORDED and _longer(episode, first[thread_id], last[thread_id])
    ]
    for episode in going_on:
        _amend(write, episode, first[episode.thread_id], last[episode.thread_id])  # type: ignore[index]
    _begin(write, [thread_id for thread_id in threads if thread_id and thread_id not in known], first, last)


def _declared(write: Write) -> bool:
    try:
        current_ontology(write.workspace).concrete_episode_kind(CONVERSATION)
    except DomainError:
        return False
    return True


def _begin(
    write: Write, threads: Sequence[uuid.UUID], first: dict[uuid.UUID, Source], last: dict[uuid.UUID, Source]
) -> None:
    if not threads:
        return
    ontology = current_ontology(write.workspace)
    people = _people(threads)
    readers = audience_of(list(Thread.objects.filter(pk__in=threads)))
    drafted = []
    for thread_id in threads:
        draft = Draft(CONVERSATION)
        draft.told = _when(first[thread_id], last[thread_id]) | {
            "state": State.RECORDED,
            "audience": Audience.WORKSPACE,
        }
        if readers[thread_id] is not None:
            draft.told["audience"] = Audience.NAMED
        takings = [Taking(NodeStored(node)) for node in people.get(thread_id, ())]
        drafts.read_participants(draft, write, ontology, takings)
        drafted.append((new_head(write, draft, ontology.number, thread_id=thread_id), draft))
    Episode.objects.bulk_create(episode for episode, _ in drafted)
    store_revisions(write, drafted)
    for episode, _ in drafted:
        if named := readers[episode.thread_id]:  # type: ignore[index]
            name_readers(write, episode, list(Actor.objects.filter(pk__in=named)))


def _amend(write: Write, episode: Episode, first: Source, last: Source) -> None:
    """One more revision, among all who take part by now."""
    latest = EpisodeRevision.objects.select_related("episode").get(episode=episode, sequence=episode.lock)
    draft = said(latest)
    if episode.begins_at and first.said_at < episode.begins_at:
        draft.told |= dict.fromkeys(("occurred_from", "begins_at", "ordered_at"), first.said_at)
        draft.told["occurred_from_precision"] = Precision.INSTANT
    if episode.ends_at and last.said_at >= episode.ends_at:
        draft.told |= {"span": Span.INTERVAL} | _until(last)
    known = {node.pk for node, _ in draft.participants}
    people = ParticipantNode.objects.filter(participant__thread=episode.thread_id).select_related("node__folded_into")
    for person in people.order_by("pk"):
        if (node := unfolded(person.node)).pk not in known:
            known.add(node.pk)
            draft.participants.append((node, "participant"))
    draft.reason = WENT_ON
    revise_head(write, episode, draft)


def _longer(episode: Episode, first: Source, last: Source) -> bool:
    begins, ends = episode.begins_at, episode.ends_at
    return (begins is not None and first.said_at < begins) or (ends is not None and last.said_at >= ends)


def _ends(sources: Sequence[Source]) -> tuple[dict[uuid.UUID, Source], dict[uuid.UUID, Source]]:
    """Of each thread the earliest and the latest of these turns."""
    first: dict[uuid.UUID, Source] = {}
    last: dict[uuid.UUID, Source] = {}
    for source in sources:
        if source.thread_id is None:
            continue
        if source.thread_id not in first or source.said_at < first[source.thread_id].said_at:
            first[source.thread_id] = source
        if source.thread_id not in last or source.said_at > last[source.thread_id].said_at:
            last[source.thread_id] = source
    return first, last


def _when(first: Source, last: Source) -> dict[str, Any]:
    opening = Moment(first.said_at, Precision.INSTANT, first.said_zone or "UTC")
    return drafts.bounds(opening, None, moment=False) | _until(last)


def _until(last: Source) -> dict[str, Any]:
    """The columns that end it with the day of its last turn, where that was said."""
    local = last.said_at.astimezone(zone(last.said_zone)).replace(hour=0, minute=0, second=0, microsecond=0)
    return {
        "occurred_to": dt.datetime(local.year, local.month, local.day, tzinfo=dt.UTC),
        "occurred_to_precision": Precision.DAY,
        "ends_at": end_of(Moment(local.astimezone(dt.UTC), Precision.DAY, last.said_zone or "UTC")),
    }


def _turns(threads: Sequence[uuid.UUID]) -> dict[uuid.UUID, _Turns]:
    rows = Source.objects.filter(thread__in=threads).values("thread")
    found = rows.annotate(first=Min("said_at"), last=Max("said_at"))
    return {one["thread"]: _Turns(Moment(one["first"]), Moment(one["last"])) for one in found}


def _people(threads: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[uuid.UUID]]:
    """The nodes of those who take part in each thread."""
    found: dict[uuid.UUID, list[uuid.UUID]] = {}
    bound = ParticipantNode.objects.filter(participant__thread__in=threads).order_by("participant")
    for thread_id, node in bound.values_list("participant__thread", "node"):
        found.setdefault(thread_id, []).append(node)
    return found
