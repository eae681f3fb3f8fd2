"""The keys by which values are compared, read off the values: a projection of each belief of a property."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.db.models import QuerySet

from memoryapp.graph import typed
from memoryapp.graph.models import Belief
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

CHUNK = 500


def misread(workspace: Workspace, rows: QuerySet[Belief] | None = None) -> Iterator[tuple[Belief, bytes]]:
    """The beliefs of properties whose key is not that of their value, with the key that it is."""
    ontology = current_ontology(workspace)
    found = Belief.objects.filter(workspace=workspace) if rows is None else rows
    held = found.filter(shape=Belief.Shape.PROPERTY).select_related("subject").order_by("pk")
    return _misread(ontology, held.iterator(chunk_size=CHUNK))


def _misread(ontology: Ontology, held: Iterable[Belief]) -> Iterator[tuple[Belief, bytes]]:
    for belief in held:
        key = _key(ontology, belief)
        if bytes(belief.value_key) != key:
            yield belief, key


def rekey(write: Write, rows: QuerySet[Belief]) -> int:
    """Write the keys of these beliefs anew where they are not those of their values. Says how many were not."""
    return _store(list(misread(write.workspace, rows)))


def rekey_these(ontology: Ontology, held: Iterable[Belief]) -> int:
    """The same of beliefs of properties that are read already, with their subjects."""
    return _store(list(_misread(ontology, held)))


def _store(wrong: list[tuple[Belief, bytes]]) -> int:
    for belief, key in wrong:
        belief.value_key = key
    prepared.store([belief for belief, _ in wrong], ["value_key"])
    return len(wrong)


def _key(ontology: Ontology, belief: Belief) -> bytes:
    if belief.status == "deleted" or belief.subject is None:
        return b""
    known = ontology.document.node_classes.get(belief.subject.node_class)
    declared = ontology.properties_of(belief.subject.node_class).get(belief.predicate) if known else None
    return typed.key_of(belief.value, typed.sort_of(declared.schema) if declared else typed.TEXT)
