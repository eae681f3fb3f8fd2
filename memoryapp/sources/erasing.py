"""What is erased of what was said or read: a source, a conversation, and everything that an erased person said."""

from __future__ import annotations

import uuid
from typing import Any

from memoryapp.ledger import erasing
from memoryapp.ledger.erasing import Blanks, Eraser, Marked
from memoryapp.ledger.models import Actor, Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources import queries, withdrawing
from memoryapp.sources.models import Participant, Source, Thread

SHOWN = 200


def register() -> None:
    """Take part in erasures."""
    erasing.register_target("source", _begin_source)
    erasing.register_target("thread", _begin_thread)
    says = ((Source, "content"), (Source, "title"), (Thread, "title"))
    erasing.register("sources", Eraser(_mark, _prepare, says=says, blanks=BLANKS, examples=_examples))


def name_of(source: Source) -> str:
    """What a source is called, to be typed before it is erased."""
    return source.title or source.path or source.url or f"{source.get_kind_display()} {source.said_at:%Y-%m-%d %H:%M}"


def _begin_source(by: Principal, source_id: uuid.UUID, marked: Marked) -> None:
    everything = by.actor.kind == Actor.Kind.SYSTEM
    source = Source.objects.filter(workspace=by.workspace, pk=source_id).first() if everything else None
    source = source or queries.source(by, source_id)
    marked.name = name_of(source)
    marked.add(Source, [source.pk])


def _begin_thread(by: Principal, thread_id: uuid.UUID, marked: Marked) -> None:
    everything = by.actor.kind == Actor.Kind.SYSTEM
    thread = Thread.objects.filter(workspace=by.workspace, pk=thread_id).first() if everything else None
    thread = thread or queries.thread(by, thread_id)
    marked.name = str(thread)
    marked.add(Thread, [thread.pk])


def _mark(marked: Marked) -> None:
    threads, people, actors = marked.of(Thread), marked.of(Participant), marked.of(Actor)
    if threads:
        marked.add(Participant, Participant.objects.filter(thread__in=threads).values_list("pk", flat=True))
        marked.add(Source, Source.objects.filter(thread__in=threads).values_list("pk", flat=True))
    if people:
        marked.add(Source, Source.objects.filter(participant__in=people).values_list("pk", flat=True))
    if actors:
        marked.add(Source, Source.objects.filter(member__in=actors).values_list("pk", flat=True))
    marked.add(Write, Source.objects.filter(pk__in=marked.of(Source), thread=None).values_list("write", flat=True))


def _prepare(write: Write, marked: Marked) -> None:
    """Nothing stands on what is about to go."""
    if marked.of(Source):
        withdrawing.withdraw_erased(write, sorted(marked.of(Source)))


def _examples(marked: Marked) -> list[str]:
    found = Source.objects.filter(pk__in=marked.of(Source)).exclude(content="").order_by("-said_at", "pk")
    return [text[:SHOWN] for text in found.values_list("content", flat=True)[: erasing.EXAMPLES]]


def _placeless(row: Any) -> str:
    return f"erased:{row.pk}"


BLANKS: Blanks = {
    (Source, "digest"): _placeless,
    (Source, "path"): lambda row: f"/erased/{row.pk}" if row.path else "",
    (Source, "url"): lambda row: f"https://erased.invalid/{row.pk}" if row.url else "",
    (Participant, "key"): _placeless,
}
"""The database wants a path, an address, and a key for each participant."""
