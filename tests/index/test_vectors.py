"""Vectors are an addition: of the right length or refused, and nobody waits for them."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import IntegrityError, transaction

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.index.models import Embedding, IndexEntry
from memoryapp.index.vectors import declare_model, embed, pending
from tests.index.conftest import Shelf

pytestmark = pytest.mark.sql


def test_a_vector_of_another_length_is_refused_T9(shelf: Shelf) -> None:
    """T9."""
    shelf.notes("The quay is closed")
    entry = IndexEntry.objects.get()
    model = shelf.write(partial(declare_model, name="small", dimensions=3))
    for vector in ([0.1, 0.2], [0.1, 0.2, 0.3, 0.4], []):
        with pytest.raises(Invalid) as refused:
            shelf.write(partial(embed, entry=entry, model=model, vector=vector))
        assert refused.value.violations[0].accepted == "3 numbers"
    with pytest.raises(Invalid):
        shelf.write(partial(embed, entry=entry, model=model, vector=[0.1, float("nan"), 0.3]))
    with pytest.raises(IntegrityError, match="not as long"), transaction.atomic():
        Embedding.objects.create(workspace=shelf.workspace, entry=entry, model=model, vector=b"1234")
    shelf.write(partial(embed, entry=entry, model=model, vector=[0.1, 0.2, 0.3]))
    assert Embedding.objects.count() == 1


def test_what_is_not_embedded_yet_is_pending_and_found_by_text_T9(shelf: Shelf) -> None:
    """T9."""
    (id,) = shelf.notes("The quay is closed")
    model = shelf.write(partial(declare_model, name="small", dimensions=2))
    assert [entry.target_id for entry in pending(shelf.workspace, model)] == [id]
    assert shelf.found("quay") == [id]
    shelf.write(partial(embed, entry=IndexEntry.objects.get(), model=model, vector=[0.5, 0.5]))
    assert not pending(shelf.workspace, model).exists()
    shelf.notes("The quay is closed", kind="memory")
    assert pending(shelf.workspace, model).count() == 1


def test_vectors_of_another_model_stand_apart_and_all_texts_are_pending_for_it(shelf: Shelf) -> None:
    """Case 41: nothing of the former model is taken for the new one's, and nothing is cut to another length."""
    shelf.notes("The quay is closed", "The quay is open")
    old = shelf.write(partial(declare_model, name="small", dimensions=3))
    for entry in pending(shelf.workspace, old):
        shelf.write(partial(embed, entry=entry, model=old, vector=[0.1, 0.2, 0.3]))
    new = shelf.write(partial(declare_model, name="large", dimensions=2))
    assert (pending(shelf.workspace, old).count(), pending(shelf.workspace, new).count()) == (0, 2)
    entry = IndexEntry.objects.order_by("pk")[0]
    with pytest.raises(Invalid):
        shelf.write(partial(embed, entry=entry, model=new, vector=[0.1, 0.2, 0.3]))
    shelf.write(partial(embed, entry=entry, model=new, vector=[0.1, 0.2]))
    assert sorted(Embedding.objects.values_list("model__name", flat=True)) == ["large", "small", "small"]
    assert pending(shelf.workspace, new).count() == 1


def test_a_vector_goes_with_its_text(shelf: Shelf) -> None:
    shelf.notes("The quay is closed")
    model = shelf.write(partial(declare_model, name="small", dimensions=1))
    shelf.write(partial(embed, entry=IndexEntry.objects.get(), model=model, vector=[1.0]))
    from memoryapp.index.services import remove

    shelf.write(lambda write: remove(write, [(e.target_type, e.target_id) for e in IndexEntry.objects.all()]))
    assert Embedding.objects.count() == 0


def test_the_length_of_a_model_does_not_change(shelf: Shelf) -> None:
    shelf.write(partial(declare_model, name="small", dimensions=3))
    with pytest.raises(Conflict):
        shelf.write(partial(declare_model, name="small", dimensions=4))
