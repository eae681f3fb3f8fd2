"""Putting a revision down: its row, who takes part, what it is known from, and the head that repeats it."""

from __future__ import annotations

from collections.abc import Sequence

from memoryapp.ledger.models import Actor, Write
from memoryapp.timeline.models import (
    TOLD,
    Episode,
    EpisodeParticipant,
    EpisodeReader,
    EpisodeRevision,
    EpisodeSource,
)
from memoryapp.timeline.services import valuing
from memoryapp.timeline.services.drafts import Draft


def new_head(write: Write, draft: Draft, ontology_version: int, **fields: object) -> Episode:
    """The head of a new episode, not stored yet."""
    episode = Episode(
        workspace=write.workspace,
        kind=draft.kind,
        ontology_version=ontology_version,
        write=write,
        recorded_at=write.recorded_at,
        **draft.told,
        **fields,
    )
    episode.lasting = episode.lasts
    return episode


def store_revisions(write: Write, drafted: Sequence[tuple[Episode, Draft]]) -> list[EpisodeRevision]:
    """One revision for each of these episodes, numbered by its head's lock. Four statements however many."""
    revisions = [_revision(write, episode, draft) for episode, draft in drafted]
    EpisodeRevision.objects.bulk_create(revisions)
    pairs = list(zip(revisions, drafted, strict=True))
    EpisodeParticipant.objects.bulk_create(
        EpisodeParticipant(
            workspace=write.workspace, episode=episode, revision=revision, node=node, role=role, position=position
        )
        for revision, (episode, draft) in pairs
        for position, (node, role) in enumerate(draft.participants)
    )
    EpisodeSource.objects.bulk_create(
        EpisodeSource(
            workspace=write.workspace,
            episode=episode,
            revision=revision,
            source=one.source,
            quote=one.source.content[one.start : one.end] if one.start is not None else "",
            span_start=one.start,
            span_end=one.end,
        )
        for revision, (episode, draft) in pairs
        for one in draft.evidence
    )
    valuing.store(write, revisions)
    return revisions


def revise_head(write: Write, episode: Episode, draft: Draft) -> EpisodeRevision:
    """The next revision of an episode, and the head that repeats it."""
    episode.lock += 1
    for name, value in draft.told.items():
        setattr(episode, name, value)
    episode.lasting = episode.lasts
    revision = store_revisions(write, [(episode, draft)])[0]
    episode.save(update_fields=[*TOLD, "lock"])
    return revision


def name_readers(write: Write, episode: Episode, readers: Sequence[Actor]) -> None:
    """Add to those who may be served it."""
    known = set(episode.readers.values_list("actor", flat=True)) if readers else set()
    EpisodeReader.objects.bulk_create(
        EpisodeReader(workspace=write.workspace, episode=episode, actor=actor, write=write)
        for actor in readers
        if actor.pk not in known
    )


def _revision(write: Write, episode: Episode, draft: Draft) -> EpisodeRevision:
    return EpisodeRevision(
        workspace=write.workspace,
        episode=episode,
        sequence=episode.lock,
        content=draft.content,
        properties=draft.properties,
        reason=draft.reason,
        participant_count=len(draft.participants),
        source_count=len(draft.evidence),
        write=write,
        recorded_at=write.recorded_at,
        **{name: getattr(episode, name) for name in TOLD},
    )
