"""Vectors beside the text index. An entry without one is pending, and is found by text alone."""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, QuerySet

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.index.models import Embedding, IndexEntry, VectorModel
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.triggers import Rule


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
    if len(vector) != model.dimensions:
        says = f"The vector has {len(vector)} numbers."
        raise Invalid.at("/vector", "wrong_length", says, f"{model.dimensions} numbers")
    if not all(math.isfinite(number) for number in vector):
        says = "The vector holds a number that is not finite."
        raise Invalid.at("/vector", "not_a_number", says, "finite numbers")
    Embedding.objects.filter(entry=entry, model=model).delete()
    packed = struct.pack(f"<{model.dimensions}f", *vector)
    return Embedding.objects.create(workspace=write.workspace, entry=entry, model=model, vector=packed)


def pending(workspace: Workspace, model: VectorModel) -> QuerySet[IndexEntry]:
    """Entries that the model has not embedded yet."""
    made = Embedding.objects.filter(model=model, entry=OuterRef("pk"))
    return IndexEntry.objects.filter(~Exists(made), workspace=workspace, built_sequence__isnull=False)


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
