"""The job that makes vectors, a batch a write: it may be killed at any point, and goes on behind the last it stored.

When the model's name was changed the vectors of the new one are made beside the old ones, by which questions are
answered meanwhile; with the last of them the old ones go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Q

from memoryapp.index import vectors
from memoryapp.index.embedding import client
from memoryapp.index.embedding.client import Embedded, Vector
from memoryapp.index.language import asking
from memoryapp.index.language.asking import Asked
from memoryapp.index.language.client import Reply, Trouble
from memoryapp.index.models import Embedding, IndexEntry, ModelCall, VectorModel
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Actor, Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import actor_named, record

FORM = "embed-1"
"""How an entry is put to the embedder. A change here is a new model's name as well: vectors would not compare."""
BATCH = 32
LONGEST = 8000
"""Characters of a text that are sent."""
NO_WORDS = "."
OF_THE_TEXT = frozenset({400, 413, 422})
"""Statuses by which a server may mean one text and not the whole request."""


@dataclass
class _Making:
    """One run of the job: by which model, what is done, and what was left without a vector."""

    run: jobs.Run
    name: str
    total: int
    part: int
    done: int = 0
    refused: int = 0
    calls: list[ModelCall] = field(default_factory=list)

    @property
    def asked(self) -> Asked:
        return Asked(asking.EMBEDDING, FORM, self.part, model=self.name, keeps_raw=False)


def make(run: jobs.Run) -> Mapping[str, Any] | None:
    """Embed what is waiting, until nothing is; the last write ends the job and takes other models' vectors away."""
    workspace = run.job.workspace
    if not client.available(workspace):
        return {"embedded": 0}
    name = settings.EMBEDDING_NAME[:200]
    earlier = ModelCall.objects.filter(workspace=workspace, job=run.job).count()
    making = _Making(run, name, vectors.waiting(workspace, name).count(), earlier)
    run.progress(0, max(making.total, 1))
    while client.available(workspace):
        entries = list(vectors.waiting(workspace, name)[:BATCH])
        if entries:
            _embed(making, entries)
        elif record(run.by, "embed", lambda write: _end(write, making)):
            return None
    return {"embedded": making.done}


def _embed(making: _Making, entries: Sequence[IndexEntry]) -> None:
    """Embed one batch and store it with its calls."""
    making.calls = []
    made = _ask(making, entries)
    length = len(next(iter(made.values()))) if made else _length_of_another_text(making)
    by = asking.by_model(making.run, making.asked)
    record(by, "embed", lambda write: _store(write, making, entries, made, length))
    making.done += len(entries)
    making.refused += len(entries) - len(made)


def text_of(entry: IndexEntry) -> str:
    """An entry as it is put to the embedder: who and when, then the words."""
    return f"{entry.label}\n{entry.text}".strip()[:LONGEST] or NO_WORDS


def _ask(making: _Making, entries: Sequence[IndexEntry]) -> dict[int, Vector]:
    """Vectors by the entry's number. Where the server refuses several texts together they are sent by halves, until it
    is known which one it refuses."""
    texts = [text_of(entry) for entry in entries]
    asking.within_budget(making.run.job.workspace, client.tokens_of(texts), budget_of, Q(purpose=asking.EMBEDDING))
    try:
        embedded = client.embed(texts, making.name, settings.EMBEDDING_SECONDS)
    except Trouble as trouble:
        if trouble.status not in OF_THE_TEXT:
            raise asking.noted(making.run, making.asked, trouble) from trouble
        if len(entries) == 1:
            return {}
        half = len(entries) // 2
        making.run.progress(making.done, max(making.total, 1))
        return _ask(making, entries[:half]) | _ask(making, entries[half:])
    _check_length(making, embedded)
    reply = Reply("", True, embedded.tokens, 0, embedded.milliseconds)
    making.calls.append(asking.call_of(making.run, making.asked, ModelCall.Outcome.USED, reply))
    making.part += 1
    return {entry.pk: vector for entry, vector in zip(entries, embedded.vectors, strict=True)}


def budget_of(workspace: Workspace) -> int:
    return int(settings.EMBEDDING_TOKENS_PER_DAY)


def _check_length(making: _Making, embedded: Embedded) -> None:
    known = VectorModel.objects.filter(workspace=making.run.job.workspace, name=making.name).first()
    length = len(embedded.vectors[0])
    if known is not None and known.dimensions != length:
        says = f"The embedder's vectors have {length} numbers, those made before by this name {known.dimensions}."
        raise jobs.Failed(f"{says} Another model needs another EMBEDDING_NAME.")


def _length_of_another_text(making: _Making) -> int:
    """Whether it is the texts that are refused, and not every request: raise Failed, or say how long vectors are."""
    try:
        embedded = client.embed([NO_WORDS], making.name, settings.EMBEDDING_SECONDS)
    except Trouble as trouble:
        raise jobs.Failed("The embedder refuses every text.") from trouble
    _check_length(making, embedded)
    return len(embedded.vectors[0])


def _store(
    write: Write, making: _Making, entries: Sequence[IndexEntry], made: Mapping[int, Vector], length: int
) -> None:
    """Store the vectors of those entries that are still there. A text that the embedder refuses gets one of zeros,
    which is near to nothing: it is not asked for again."""
    model = vectors.declare_model(write, making.name, length)
    held = IndexEntry.objects.filter(workspace=write.workspace, pk__in=[entry.pk for entry in entries])
    there = list(held.order_by("pk").values_list("pk", flat=True))
    nothing = [0.0] * length
    Embedding.objects.bulk_create(
        Embedding(
            workspace=write.workspace, entry_id=pk, model=model, vector=vectors.pack(model, made.get(pk, nothing))
        )
        for pk in there
    )
    for call in making.calls:
        asking.store(write, call)
    done = making.done + len(entries)
    jobs.keep(making.run, done=done, total=max(making.total, done))


def _end(write: Write, making: _Making) -> bool:
    """End the job unless something came meanwhile: then not."""
    if vectors.waiting(write.workspace, making.name).exists():
        return False
    others = VectorModel.objects.filter(workspace=write.workspace).exclude(name=making.name)
    Embedding.objects.filter(model__in=others).delete()
    others.delete()
    making.run.finish({"embedded": making.done - making.refused, "refused": making.refused})
    return True


def catch_up() -> int:
    """Ask for vectors wherever some are missing and nobody asked: after a restore, or under another model's name. Says
    in how many workspaces."""
    asked = 0
    for workspace in Workspace.objects.order_by("pk") if client.configured() else ():
        if vectors.neglected(workspace):
            actor = actor_named(workspace, Actor.Kind.SYSTEM, "commonplace", "Commonplace")
            record(Principal(workspace, actor, "command"), "embed", vectors.ask_for_vectors)
            asked += 1
    return asked
