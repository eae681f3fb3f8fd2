"""Saying something else of an episode: a revision beside the others, a tombstone, and taking the tombstone away."""

from __future__ import annotations

import uuid

from memoryapp.doors import etags
from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.doors.moments import Moment, Precision
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline import feeding, queries
from memoryapp.timeline.inputs import Amendment, Happened
from memoryapp.timeline.models import TOLD, Episode, EpisodeRevision, Span, State
from memoryapp.timeline.services import drafts
from memoryapp.timeline.services.drafts import Draft
from memoryapp.timeline.services.storing import name_readers, revise_head

LONGEST_REASON = 2000


def amend(write: Write, episode_id: uuid.UUID, amendment: Amendment, *, reason: str, lock: int) -> EpisodeRevision:
    """Say anew what is given; the revision before stays readable. Kind, thread and external id never change.

    Raises NotFound, Stale when the lock is not the latest, Conflict `not_recorded` of a tombstone and
    `confirmed_by_person` for an agent when a person said it last, Invalid with every violation.
    """
    write.by.require("record_episodes")
    episode = _mine(write, episode_id, lock)
    if episode.state != State.RECORDED:
        raise Conflict("It was taken away. Reinstate it first.", code="not_recorded")
    ontology = current_ontology(write.workspace)
    latest = queries.latest(episode)
    draft = said(latest)
    _amend(draft, write, ontology, episode, amendment)
    readers = drafts.read_audience(draft, write, amendment.audience or episode.audience, amendment.readers)
    readers = drafts.keep_within(draft, write, readers)
    _read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    if _same(draft, latest) and not readers:
        raise Invalid.at("", "nothing_changed", "This is what it says already.", "something that differs")
    revision = revise_head(write, episode, draft)
    name_readers(write, episode, readers)
    feeding.put(write, [episode.pk])
    return revision


def retract(write: Write, episode_id: uuid.UUID, *, reason: str, lock: int) -> EpisodeRevision:
    """Take an episode away that never was so: a tombstone with its reason. What was said stays in its revisions."""
    write.by.require("withdraw")
    episode = _mine(write, episode_id, lock)
    if episode.state == State.RETRACTED:
        raise Conflict("It is taken away already.", code="already_retracted")
    return _tombstone(write, episode, State.RETRACTED, reason)


def reinstate(write: Write, episode_id: uuid.UUID, *, reason: str, lock: int) -> EpisodeRevision:
    """Let an episode stand again as it was said last. Raises Conflict `not_retracted`."""
    write.by.require("withdraw")
    episode = _mine(write, episode_id, lock)
    if episode.state != State.RETRACTED:
        raise Conflict("It was not taken away.", code="not_retracted")
    return stand_again(write, episode, reason)


def stand_again(write: Write, episode: Episode, reason: str) -> EpisodeRevision:
    """A revision that says what the last one before the tombstone said."""
    draft = said(queries.last_recorded(episode))
    draft.told |= {"state": State.RECORDED, "audience": episode.audience}
    _read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    revision = revise_head(write, episode, draft)
    feeding.put(write, [episode.pk])
    return revision


def _tombstone(write: Write, episode: Episode, state: str, reason: str) -> EpisodeRevision:
    draft = Draft(episode.kind, told={name: getattr(episode, name) for name in TOLD} | {"state": state})
    draft.participants = said(queries.latest(episode)).participants
    _read_reason(draft, reason)
    if draft.wrong:
        raise Invalid.all(draft.wrong)
    revision = revise_head(write, episode, draft)
    feeding.put(write, [episode.pk])
    return revision


def withdraw(write: Write, episode: Episode, reason: str) -> EpisodeRevision:
    """Take an episode out of sight because what it stood on was taken back."""
    return _tombstone(write, episode, State.WITHDRAWN, reason)


def bury(write: Write, episode: Episode, reason: str) -> EpisodeRevision:
    """The tombstone of an episode whose words are destroyed by the erasure of this write."""
    return _tombstone(write, episode, State.RETRACTED, reason)


def said(revision: EpisodeRevision) -> Draft:
    """What a revision says, as the beginning of the next."""
    return Draft(
        revision.episode.kind,
        content=revision.content,
        properties=dict(revision.properties),
        told={name: getattr(revision, name) for name in TOLD},
        participants=[
            (one.node, one.role) for one in revision.participants.select_related("node").order_by("position")
        ],
        evidence=[
            Quoted(one.source, one.span_start, one.span_end)
            for one in revision.sources.select_related("source").order_by("pk")
        ],
    )


def _amend(draft: Draft, write: Write, ontology: Ontology, episode: Episode, amendment: Amendment) -> None:
    if amendment.content is not None:
        drafts.read_content(draft, amendment.content, needed=episode.thread_id is None)
    if amendment.properties is not None:
        drafts.read_properties(draft, ontology, amendment.properties)
    if amendment.happened:
        drafts.read_happened(draft, _within(draft, amendment.happened))
    if amendment.participants is not None:
        drafts.read_participants(draft, write, ontology, amendment.participants)
    if amendment.evidence is not None:
        drafts.read_evidence(draft, amendment.evidence)


def _within(draft: Draft, given: Happened) -> Happened:
    """An end that is told alone ends the interval that was told before."""
    told = draft.told
    if given.at or told["span"] != Span.INTERVAL:
        return given
    zone = told["zone"]
    since, until = (
        Moment(told[name], Precision(told[f"{name}_precision"]), zone) if told[name] else None
        for name in ("occurred_from", "occurred_to")
    )
    return Happened(since=given.since or since, until=given.until or until)


def _same(draft: Draft, latest: EpisodeRevision) -> bool:
    before = said(latest)
    return (draft.content, draft.properties, draft.told) == (before.content, before.properties, before.told) and (
        [(node.pk, role) for node, role in draft.participants]
        == [(node.pk, role) for node, role in before.participants]
        and [(one.source.pk, one.start) for one in draft.evidence]
        == [(one.source.pk, one.start) for one in before.evidence]
    )


def _mine(write: Write, episode_id: uuid.UUID, lock: int) -> Episode:
    """The episode, if the writer may change it and saw its latest revision."""
    episode = queries.episode(write.by, episode_id)
    etags.check(episode.lock, lock)
    by_agent = write.by.actor.kind in (Actor.Kind.AGENT, Actor.Kind.JOB)
    if by_agent and episode.revisions.filter(write__actor__kind=Actor.Kind.PERSON).exists():
        message = "A person said this of it, and only a person changes it. Record what you know as another episode."
        raise Conflict(message, code="confirmed_by_person")
    return episode


def _read_reason(draft: Draft, reason: str) -> None:
    if not reason.strip() or len(reason) > LONGEST_REASON or "\x00" in reason:
        draft.add("/rationale", "required", "Say in a sentence why.", f"1 to {LONGEST_REASON} characters")
    draft.reason = reason
