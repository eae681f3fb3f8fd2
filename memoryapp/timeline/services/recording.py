"""Recording that something happened: once, whole, with who took part and what it is known from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memoryapp.doors.errors import Conflict, DomainError, Invalid, NotFound, Violation
from memoryapp.graph import todays
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import Thread
from memoryapp.timeline import feeding
from memoryapp.timeline.inputs import EpisodeInput
from memoryapp.timeline.models import Episode, EpisodeRevision
from memoryapp.timeline.services import drafts
from memoryapp.timeline.services.conversations import CONVERSATION, as_told
from memoryapp.timeline.services.drafts import Draft
from memoryapp.timeline.services.learning import link
from memoryapp.timeline.services.storing import name_readers, new_head, store_revisions

MOST = 500
"""Episodes in one batch."""


@dataclass(frozen=True)
class Recorded:
    """An episode that was told. `repeated` when it was there under its external id: then nothing was stored."""

    episode: Episode
    repeated: bool = False


@dataclass
class _Row:
    """One episode of a batch on its way."""

    told: EpisodeInput
    draft: Draft
    thread: Thread | None = None
    readers: Sequence[Actor] = ()
    known: Episode | None = None
    episode: Episode | None = None


def record_episode(write: Write, told: EpisodeInput) -> Recorded:
    """Record one episode; see `record_episodes`. Violations name no row."""
    try:
        return record_episodes(write, [told])[0]
    except DomainError as error:
        error.violations = tuple(replace(violation, row=None) for violation in error.violations)
        raise


def record_episodes(write: Write, told: Sequence[EpisodeInput]) -> list[Recorded]:
    """Record a batch: all or nothing, in order, every violation with its row.

    What is told again under a known `external_id` is a repeat and stores nothing. Raises Invalid, and Conflict
    `episode_changed` when an external id is known with another body, `thread_recorded` when the conversation has its
    episode already: that one is amended.
    """
    write.by.require("record_episodes")
    if not 0 < len(told) <= MOST:
        raise Invalid.at("", "too_many", f"{len(told)} episodes at once cannot be.", f"1 to {MOST}")
    ontology = current_ontology(write.workspace)
    known = _known(write, told)
    told = [one if one.external_id in known else todays_names(ontology, one) for one in told]
    rows = [_read(write, ontology, one, known.get(one.external_id)) for one in told]
    if wrong := [one for number, row in enumerate(rows) for one in drafts.in_row(row.draft.wrong, number)]:
        raise Invalid.all(wrong)
    _refuse_changed(rows)
    done = [_recorded(write, ontology, row, rows) for row in rows]
    new = [row for row, one in zip(rows, done, strict=True) if not one.repeated]
    _store(write, new)
    return done


def todays_names(ontology: Ontology, told: EpisodeInput) -> EpisodeInput:
    """What is told by names that were in use before, by those of today."""
    if not ontology.has_former_names:
        return told
    kind = ontology.today("episode_kinds", told.kind)
    if kind not in ontology.document.episode_kinds:
        return told
    line = ontology.episode_line(kind)
    taking = tuple(
        replace(one, role=ontology.todays_part("episode_kinds", line, one.role)) for one in told.participants
    )
    properties = todays.renamed(ontology, "episode_kinds", line, told.properties)
    return replace(told, kind=kind, participants=taking, properties=properties)


def _known(write: Write, told: Sequence[EpisodeInput]) -> dict[str, Episode]:
    wanted = {one.external_id for one in told if one.external_id and "\x00" not in one.external_id}
    found = Episode.objects.filter(workspace=write.workspace, external_id__in=wanted) if wanted else []
    return {episode.external_id: episode for episode in found}


def _read(write: Write, ontology: Ontology, told: EpisodeInput, known: Episode | None) -> _Row:
    draft = Draft(told.kind)
    row = _Row(told, draft, known=known)
    if known is not None:
        return row
    try:
        ontology.concrete_episode_kind(told.kind)
    except DomainError as error:
        draft.wrong += error.violations
        return row
    if told.thread is not None:
        row.thread = _thread(draft, write, ontology, told)
    if row.thread is not None:
        told = as_told(row.thread, told)
    drafts.read_content(draft, told.content, needed=row.thread is None)
    drafts.read_properties(draft, ontology, told.properties)
    drafts.read_happened(draft, told.happened)
    drafts.read_participants(draft, write, ontology, told.participants)
    drafts.read_evidence(draft, told.evidence)
    row.readers = drafts.read_audience(draft, write, told.audience, told.readers)
    row.readers = drafts.keep_within(draft, write, row.readers, row.thread)
    if len(told.external_id) > 200 or "\x00" in told.external_id:
        draft.add("/external_id", "not_an_id", "This cannot be an external id.", "at most 200 characters")
    return row


def _thread(draft: Draft, write: Write, ontology: Ontology, told: EpisodeInput) -> Thread | None:
    if CONVERSATION not in ontology.episode_line(told.kind):
        draft.add("/thread", "not_a_conversation", f"A {told.kind} has no thread.", f"kind {CONVERSATION}")
        return None
    assert told.thread is not None
    found = Thread.objects.visible_to(write.by).filter(pk=told.thread).first()
    if found is None:
        draft.add("/thread", "no_such_thread", "There is no such thread.", "a conversation of this workspace")
        return None
    if there := Episode.objects.filter(thread=found).values_list("pk", flat=True).first():
        message = "This conversation has its episode already: amend that one."
        raise Conflict(
            message,
            code="thread_recorded",
            violations=(Violation("/thread", "thread_recorded", message, "an amendment of it"),),
            extra={"episode": str(there)},
        )
    return found


def _refuse_changed(rows: Sequence[_Row]) -> None:
    wrong = []
    first: dict[str, str] = {}
    for number, row in enumerate(rows):
        name, digest = row.told.external_id, row.told.digest()
        before = row.known.digest if row.known else first.setdefault(name, digest) if name else digest
        if before != digest:
            message = f"“{name[:60]}” was recorded with another body. Amend that episode, or tell this under a new id."
            wrong.append(Violation("/external_id", "episode_changed", message, "the same body, or a new id", number))
    if wrong:
        raise Conflict(wrong[0].message, code="episode_changed", violations=tuple(wrong))


def _recorded(write: Write, ontology: Ontology, row: _Row, rows: Sequence[_Row]) -> Recorded:
    if row.known is not None:
        if not Episode.objects.visible_to(write.by).filter(pk=row.known.pk).exists():
            raise NotFound("There is no such episode.", code="no_such_episode")
        return Recorded(row.known, repeated=True)
    name = row.told.external_id
    for earlier in rows:
        if name and earlier is not row and earlier.told.external_id == name and earlier.episode is not None:
            return Recorded(earlier.episode, repeated=True)
    digest = row.told.digest() if name else ""
    row.episode = new_head(write, row.draft, ontology.number, thread=row.thread, external_id=name, digest=digest)
    return Recorded(row.episode)


def _store(write: Write, rows: Sequence[_Row]) -> list[EpisodeRevision]:
    made = [(row.episode, row.draft) for row in rows if row.episode is not None]
    Episode.objects.bulk_create(episode for episode, _ in made)
    revisions = store_revisions(write, made)
    for row in rows:
        if row.episode is not None:
            name_readers(write, row.episode, row.readers)
            link(write, row.episode, row.told.beliefs)
    feeding.put(write, [episode.pk for episode, _ in made])
    return revisions
