"""Every read of the room: threads and their turns, sources, and the words around a quote.

Everything is within the caller's workspace; what lies outside does not exist for the caller (NotFound).
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Min, OuterRef, Q, QuerySet, Subquery

from memoryapp.access import paths
from memoryapp.doors.errors import NotFound
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Participant, Source, TellingReader, Thread, Withdrawal, WithdrawnSource

LATEST_TURNS = 500
"""Turns among which the conversations told to last are looked for."""


@dataclass(frozen=True)
class InPlace:
    """A source where it stands: a turn with the turn before and the one after it; anything else alone."""

    source: Source
    before: Source | None = None
    after: Source | None = None


@dataclass(frozen=True)
class Span:
    """The quoted words and the text on both sides of them."""

    before: str
    quote: str
    after: str


def threads(by: Principal, text: str = "") -> QuerySet[Thread]:
    """Conversations, the one told to last first, with `turn_count`, `first_said` and `last_said`.

    `text` keeps those whose title, external id or a participant's name holds it.
    """
    by.require("read_sources")
    found = Thread.objects.visible_to(by)
    if text:
        named = Participant.objects.filter(workspace=by.workspace, name__icontains=text).values("thread")
        found = (
            found.filter(title__icontains=text) | found.filter(external_id__icontains=text) | found.filter(pk__in=named)
        )
    counted = found.annotate(
        turn_count=Count("turns"), first_said=Min("turns__said_at"), last_said=Max("turns__said_at")
    )
    return counted.order_by("-last_said", "-pk")


def latest_threads(by: Principal, most: int) -> list[Thread]:
    """The conversations told to last, as `threads` gives them: found from their latest turns, not from all of them."""
    by.require("read_sources")
    turns = Source.objects.visible_to(by).filter(kind=Source.Kind.CHAT_TURN).order_by("-said_at")
    latest = list(turns.values_list("thread", flat=True)[:LATEST_TURNS])
    several = list(dict.fromkeys(latest))[:most]
    if len(several) < most and len(latest) == LATEST_TURNS:
        return list(threads(by)[:most])
    return list(threads(by).filter(pk__in=several))


def thread(by: Principal, thread_id: uuid.UUID) -> Thread:
    """One conversation, with its participants at hand."""
    by.require("read_sources")
    found = Thread.objects.visible_to(by).filter(pk=thread_id).prefetch_related("participants").first()
    if found is None:
        raise NotFound("There is no such thread.", code="no_such_thread")
    return found


def turns(by: Principal, thread_id: uuid.UUID) -> QuerySet[Source]:
    """The turns of a conversation in the order told, each with who said it."""
    by.require("read_sources")
    return (
        Source.objects.visible_to(by)
        .filter(thread_id=thread_id)
        .annotate(withdrawn_at=_withdrawn_at())
        .select_related("participant", "write__actor")
        .order_by("position")
    )


def hidden(by: Principal) -> QuerySet[Source, Any]:
    """Ids of the sources of the workspace that somebody may not be served: told to others, or from a file out of their
    sight. A subquery, for what is about sources."""
    return Source.objects.hidden_from(by).values("pk")


def seen(by: Principal, found: Source | None) -> bool:
    """Whether this source is there for somebody: one that was read from a file that they may not read is not."""
    return found is not None and (not found.path or paths.of(by).may_read(found.path))


def sources(by: Principal, kind: str = "") -> QuerySet[Source]:
    """Everything said or read, the latest first; of one kind when it is named."""
    by.require("read_sources")
    found = _sources_of(by)
    return found.filter(kind=kind) if kind else found


def _sources_of(by: Principal) -> QuerySet[Source]:
    found = Source.objects.visible_to(by).annotate(withdrawn_at=_withdrawn_at())
    return found.select_related("participant", "thread", "write__actor").order_by("-said_at", "-pk")


def source(by: Principal, source_id: uuid.UUID) -> Source:
    """One source with its thread, participant and provenance."""
    found = sources(by).filter(pk=source_id).first()
    if found is None:
        raise NotFound("There is no such source.", code="no_such_source")
    return found


def in_place(by: Principal, source_ids: list[uuid.UUID]) -> dict[uuid.UUID, InPlace]:
    """Each source where it stands, in two queries however many there are. Ids out of sight are left out."""
    by.require("read_sources")
    return placed(by, prepared.rows(_with_ids, by=by, ids=source_ids))


def placed(by: Principal, within_sight: Iterable[Source]) -> dict[uuid.UUID, InPlace]:
    """These sources, which the caller may be served, where they stand, in one query. What was read from a file that
    they may not read is left out."""
    by.require("read_sources")
    found = [one for one in within_sight if seen(by, one)]
    wanted = {(turn.thread_id, turn.position + step) for turn in found if turn.position is not None for step in (-1, 1)}
    around = (
        Source.objects.visible_to(by)
        .filter(
            thread_id__in={thread_id for thread_id, _ in wanted},
            position__in={position for _, position in wanted},
        )
        .select_related("participant")
        if wanted
        else []
    )
    at = {(turn.thread_id, turn.position): turn for turn in around}
    return {
        turn.pk: InPlace(turn, at.get((turn.thread_id, turn.position - 1)), at.get((turn.thread_id, turn.position + 1)))
        if turn.position is not None
        else InPlace(turn)
        for turn in found
    }


def span(source: Source, start: int | None, end: int | None, margin: int | None = None) -> Span:
    """The words `content[start:end]` with what stands around them, at most `margin` characters on each side.

    Without a span the whole source is quoted. A span that lies outside the text quotes nothing.
    """
    text = source.content
    if start is None or end is None:
        return Span("", text, "")
    if not 0 <= start < end <= len(text):
        return Span(text if margin is None else text[:margin], "", "")
    first = 0 if margin is None else max(0, start - margin)
    last = len(text) if margin is None else min(len(text), end + margin)
    return Span(text[first:start], text[start:end], text[end:last])


def sources_named(
    by: Principal, ids: Sequence[uuid.UUID], messages: Sequence[tuple[uuid.UUID, str]]
) -> tuple[dict[uuid.UUID, Source], dict[tuple[uuid.UUID, str], Source]]:
    """Sources by id, and turns by thread and message id. What is out of sight is left out."""
    by.require("read_sources")
    there = prepared.rows(_with_ids, by=by, ids=ids)
    by_id = {source.pk: source for source in there if seen(by, source)}
    turns = (
        sources(by).filter(thread__in={thread for thread, _ in messages}, message_id__in={name for _, name in messages})
        if messages
        else []
    )
    return by_id, {(turn.thread_id, turn.message_id): turn for turn in turns if turn.thread_id}


def _with_ids(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Source]:
    return _sources_of(by).filter(pk__in=ids)


def withdrawn(workspace: Workspace | uuid.UUID) -> QuerySet[WithdrawnSource, Any]:
    """Ids of the sources of a workspace that are taken back, as a subquery: nothing stands on them."""
    return WithdrawnSource.objects.filter(workspace=workspace, in_force=True).values("source")


def taken_back(source_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    """Those of these sources that are taken back."""
    if not source_ids:
        return set()
    return set(prepared.rows(_taken_back, ids=source_ids))


def _taken_back(ids: Collection[uuid.UUID]) -> QuerySet[WithdrawnSource, uuid.UUID]:
    return WithdrawnSource.objects.filter(source__in=ids, in_force=True).values_list("source", flat=True)


def withdrawal_of(by: Principal, thing_id: uuid.UUID) -> Withdrawal | None:
    """The withdrawal in force of this source or thread, if there is one; of a turn also that of its conversation."""
    by.require("read_sources")
    found = Withdrawal.objects.filter(
        Q(source__isnull=True) | Q(source__in=Source.objects.visible_to(by)),
        Q(thread__isnull=True) | Q(thread__in=Thread.objects.visible_to(by)),
        workspace=by.workspace,
        lifted_by__isnull=True,
    ).select_related("write__actor")
    mine = Q(thread=thing_id) | Q(source=thing_id) | Q(sources__source=thing_id, sources__in_force=True)
    return found.filter(mine).order_by("-recorded_at").first()


def sources_of(by: Principal, *, source: uuid.UUID | None = None, thread: uuid.UUID | None = None) -> list[uuid.UUID]:
    """What taking this back takes back: the source itself, or the turns of the thread not taken back before."""
    if source is not None:
        return [_the_source(by, source).pk]
    assert thread is not None
    _the_thread(by, thread)
    turns = Source.objects.visible_to(by).filter(thread=thread).exclude(pk__in=withdrawn(by.workspace))
    return list(turns.order_by("position").values_list("pk", flat=True))


_the_source, _the_thread = source, thread
"""The reads of one, where a parameter has their name."""


def readers_of(audiences: Collection[uuid.UUID]) -> dict[uuid.UUID, frozenset[uuid.UUID]]:
    """The readers of each of these audiences, by the ids of their actors."""
    if not audiences:
        return {}
    named: dict[uuid.UUID, set[uuid.UUID]] = {audience: set() for audience in audiences}
    rows = TellingReader.objects.filter(audience__in=audiences).values_list("audience", "actor")
    for audience, actor in rows:
        named[audience].add(actor)
    return {audience: frozenset(actors) for audience, actors in named.items()}


def _withdrawn_at() -> Subquery:
    taken = WithdrawnSource.objects.filter(source=OuterRef("pk"), in_force=True)
    return Subquery(taken.values("withdrawal__recorded_at")[:1])
