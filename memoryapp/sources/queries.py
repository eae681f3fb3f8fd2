"""Every read of the room: threads and their turns, sources, and the words around a quote.

Everything is within the caller's workspace; what lies outside does not exist for the caller (NotFound).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Max, Min, QuerySet

from memoryapp.doors.errors import NotFound
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Participant, Source, Thread


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
    found = Thread.objects.filter(workspace=by.workspace)
    if text:
        named = Participant.objects.filter(workspace=by.workspace, name__icontains=text).values("thread")
        found = (
            found.filter(title__icontains=text) | found.filter(external_id__icontains=text) | found.filter(pk__in=named)
        )
    counted = found.annotate(
        turn_count=Count("turns"), first_said=Min("turns__said_at"), last_said=Max("turns__said_at")
    )
    return counted.order_by("-last_said", "-pk")


def thread(by: Principal, thread_id: uuid.UUID) -> Thread:
    """One conversation, with its participants at hand."""
    by.require("read_sources")
    found = Thread.objects.filter(workspace=by.workspace, pk=thread_id).prefetch_related("participants").first()
    if found is None:
        raise NotFound("There is no such thread.", code="no_such_thread")
    return found


def turns(by: Principal, thread_id: uuid.UUID) -> QuerySet[Source]:
    """The turns of a conversation in the order told, each with who said it."""
    by.require("read_sources")
    return (
        Source.objects.filter(workspace=by.workspace, thread_id=thread_id)
        .select_related("participant", "write__actor")
        .order_by("position")
    )


def sources(by: Principal, kind: str = "") -> QuerySet[Source]:
    """Everything said or read, the latest first; of one kind when it is named."""
    by.require("read_sources")
    found = Source.objects.filter(workspace=by.workspace)
    if kind:
        found = found.filter(kind=kind)
    return found.select_related("participant", "thread", "write__actor").order_by("-said_at", "-pk")


def source(by: Principal, source_id: uuid.UUID) -> Source:
    """One source with its thread, participant and provenance."""
    found = sources(by).filter(pk=source_id).first()
    if found is None:
        raise NotFound("There is no such source.", code="no_such_source")
    return found


def in_place(by: Principal, source_ids: list[uuid.UUID]) -> dict[uuid.UUID, InPlace]:
    """Each source where it stands, in two queries however many there are. Ids out of sight are left out."""
    found = list(sources(by).filter(pk__in=source_ids))
    wanted = {(turn.thread_id, turn.position + step) for turn in found if turn.position is not None for step in (-1, 1)}
    around = (
        Source.objects.filter(
            workspace=by.workspace,
            thread_id__in={thread_id for thread_id, _ in wanted},
            position__in={position for _, position in wanted},
        ).select_related("participant")
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
    found = sources(by)
    by_id = {source.pk: source for source in found.filter(pk__in=ids)} if ids else {}
    turns = (
        found.filter(thread__in={thread for thread, _ in messages}, message_id__in={name for _, name in messages})
        if messages
        else []
    )
    return by_id, {(turn.thread_id, turn.message_id): turn for turn in turns if turn.thread_id}
