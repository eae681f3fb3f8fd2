"""Vectors beside the text index. An entry without one is pending, and is found by text alone.

Entries are embedded in the order of their numbers, and an entry whose text changes gets a new, higher number: what is
pending for a model lies behind the last that it embedded. What is only ever found by its words is never pending.
"""

from __future__ import annotations

import datetime as dt
import struct
from collections.abc import Iterator, Sequence

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.index import texts
from memoryapp.index.embedding import client
from memoryapp.index.models import Embedding, IndexEntry, VectorModel
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Workspace, Write
from memoryapp.ledger.triggers import Rule

KIND = "embed"
"""Kind of the job that makes vectors."""
DELAY = dt.timedelta(seconds=1)
"""What is written within it is embedded together."""
REST = dt.timedelta(minutes=10)
"""How long no new job is asked for after one has failed: a person sees one failure, and not one for each write."""


def declare_model(write: Write, name: str, dimensions: int) -> VectorModel:
    """Name a model and the length of its vectors. The length of a declared model does not change (Conflict)."""
    model, _ = VectorModel.objects.get_or_create(
        workspace=write.workspace, name=name, defaults={"dimensions": dimensions}
    )
    if model.dimensions != dimensions:
        raise Conflict(f"{name} makes vectors of {model.dimensions} numbers.", code="vector_model_changed")
    return model


def embed(write: Write, entry: IndexEntry, model: VectorModel, vector: Sequence[float]) -> Embedding:
    """Store the vector of an entry in place of an earlier one by the model.

    Raises Invalid `wrong_length` unless it has exactly the model's dimensions, and `not_a_number` unless each
    is finite.
    """
    packed = pack(model, vector)
    Embedding.objects.filter(entry=entry, model=model).delete()
    return Embedding.objects.create(workspace=write.workspace, entry=entry, model=model, vector=packed)


def pack(model: VectorModel, vector: Sequence[float]) -> bytes:
    """A vector of the model as it is stored. Raises Invalid; see `embed`."""
    if len(vector) != model.dimensions:
        says = f"The vector has {len(vector)} numbers."
        raise Invalid.at("/vector", "wrong_length", says, f"{model.dimensions} numbers")
    if not all(client.is_number(number) for number in vector):
        says = "The vector holds a number that is not finite."
        raise Invalid.at("/vector", "not_a_number", says, "finite numbers")
    return struct.pack(f"<{model.dimensions}f", *vector)


def pending(workspace: Workspace, model: VectorModel) -> QuerySet[IndexEntry]:
    """Entries that the model has not embedded yet."""
    made = Embedding.objects.filter(model=model, entry=OuterRef("pk"))
    return _meant(workspace).filter(~Exists(made))


def waiting(workspace: Workspace, name: str) -> QuerySet[IndexEntry]:
    """The entries behind the last that the model of this name embedded, in order."""
    made = Embedding.objects.filter(model__workspace=workspace, model__name=name)
    last = made.aggregate(last=Max("entry"))["last"] or 0
    return _meant(workspace).filter(pk__gt=last).order_by("pk")


def _meant(workspace: Workspace) -> QuerySet[IndexEntry]:
    """The entries that are searched by their meaning too."""
    built = IndexEntry.objects.filter(workspace=workspace, built_sequence__isnull=False)
    apart = texts.by_words_only()
    return built.exclude(target_type__in=apart) if apart else built


def neglected(workspace: Workspace) -> bool:
    """Whether vectors are missing, or those of another model still there, and nobody is about it."""
    mine = Job.objects.filter(workspace=workspace, kind=KIND, state__in=jobs.OPEN_STATES)
    return client.available(workspace) and _behind(workspace) and not mine.exists() and not _failed_lately(workspace)


def _behind(workspace: Workspace) -> bool:
    """Whether the newest entry has no vector by the configured model, or others' are still there."""
    name = settings.EMBEDDING_NAME[:200]
    if VectorModel.objects.filter(workspace=workspace).exclude(name=name).exists():
        return True
    newest = _meant(workspace).order_by("-pk").values_list("pk", flat=True).first()
    return newest is not None and not Embedding.objects.filter(model__name=name, entry=newest).exists()


def ask_for_vectors(write: Write) -> None:
    """Ask for the vectors of what a write put into the index, if there is an embedder that does its work.

    A restored index is built without a write of its own; the scheduler sees to it.
    """
    if not client.available(write.workspace) or not hasattr(write, "by") or _failed_lately(write.workspace):
        return
    jobs.enqueue(write, KIND, write.workspace.pk, dedupe=KIND, delay=DELAY)


def _failed_lately(workspace: Workspace) -> bool:
    since = timezone.now() - REST
    return Job.objects.filter(workspace=workspace, kind=KIND, state=Job.State.FAILED, finished_at__gt=since).exists()


def rules() -> Iterator[Rule]:
    """The database's own refusal of a vector that is not as long as its model's are."""
    for timing, suffix in (("INSERT", "in"), ('UPDATE OF "vector"', "up")):
        yield Rule(
            f"guard_index_embedding_length_{suffix}",
            "index_embedding",
            timing,
            'length(NEW."vector") <> 4 * (SELECT m.dimensions FROM index_vectormodel m WHERE m.id = NEW."model_id")',
            "index_embedding.vector is not as long as the vectors of its model",
        )
