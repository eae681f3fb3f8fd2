"""The slot and the statement of a stored belief, worked out anew when its nodes or its owners are others."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from memoryapp.graph import slots
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Status
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import normal_value

BLOTTED = "erased:"
"""How the statement of a belief begins of which words were erased: no digest tells what stood there."""


def work_out(ontology: Ontology, belief: Belief, node_class: str, owners: Sequence[uuid.UUID]) -> tuple[str, str]:
    """The belief's slot and statement for its subject, its object and these owners, as they are in memory.

    `node_class` is the class of its subject. What was erased, and what is no longer declared, keeps what it has.
    """
    if belief.status == Status.DELETED:
        return belief.slot, belief.statement
    slot = _slot(ontology, belief, node_class, owners)
    if slot is None or belief.statement.startswith(BLOTTED):
        return belief.slot if slot is None else slot, belief.statement
    free = belief.shape == Belief.Shape.STATEMENT
    statement = slots.statement_digest(
        kind=belief.kind if free else "",
        owners=owners if free else (),
        subject=belief.subject_id,
        predicate=belief.predicate,
        object_=belief.object_id,
        slot=slot,
        said=_said(ontology, belief, node_class),
    )
    return slot, statement


def _slot(ontology: Ontology, belief: Belief, node_class: str, owners: Sequence[uuid.UUID]) -> str | None:
    """None when the property or relationship is no longer declared."""
    if belief.shape == Belief.Shape.STATEMENT:
        topic, family = ontology.topic(belief.kind, belief.topic)
        return slots.topic_slot(owners, family, topic)
    if belief.subject_id is None:
        return None
    if belief.shape == Belief.Shape.PROPERTY:
        declared = ontology.properties_of(node_class).get(belief.predicate)
        if declared is None:
            return None
        return "" if declared.multi_valued else slots.subject_slot(belief.subject_id, belief.predicate)
    relationship = ontology.document.relationships.get(belief.predicate)
    if relationship is None or belief.object_id is None:
        return None
    if relationship.cardinality == "one_per_subject":
        return slots.subject_slot(belief.subject_id, belief.predicate)
    if relationship.cardinality == "one_per_object":
        return slots.object_slot(belief.object_id, belief.predicate)
    return ""


def _said(ontology: Ontology, belief: Belief, node_class: str) -> Any:
    if belief.shape == Belief.Shape.STATEMENT:
        return slots.normal_content(belief.content)
    if belief.shape == Belief.Shape.EDGE:
        return normal_value(belief.qualifiers)
    return normal_value(belief.value, ontology.properties_of(node_class)[belief.predicate].normaliser)
