"""How a body says what is held true, and how a belief is answered."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from memoryapp.access.endpoints import described
from memoryapp.doors.batches import OneOrMany
from memoryapp.doors.fields import Anything, Fields, Identifier, Mapped, Number, OneOf, Several, Text, When
from memoryapp.graph.api.evidence import MOST, EvidenceFields
from memoryapp.graph.api.references import NodeNamed
from memoryapp.graph.api.shapes import BELIEF, NEIGHBOUR, Described
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.queries.told import told
from memoryapp.graph.statements import Quoted, Statement

NodeInBelief = type(described("NodeInBelief", NEIGHBOUR))

FULL_BELIEF: Described = BELIEF | {
    "owners": serializers.ListField(child=serializers.UUIDField(), help_text="Nodes whose memory it is."),
    "subject": NodeInBelief(allow_null=True),
    "predicate": serializers.CharField(),
    "value": serializers.JSONField(help_text="Of a property; null of everything else."),
    "object": NodeInBelief(allow_null=True),
    "qualifiers": serializers.DictField(),
    "topic": serializers.CharField(),
    "attributes": serializers.DictField(),
    "audience": serializers.ChoiceField(choices=Audience.choices),
}


class BeliefFields(Fields):
    """One statement: free (kind, content, owners), a property (subject, predicate, value) or an edge (with object).

    It stands on `evidence`, or is concluded from `premises`.
    """

    kind = Text(required=False, max_length=100, help_text="A declared kind; a property or edge is a fact by itself.")
    content = Text(required=False, max_length=20_000, help_text="Of a free statement; of others it is written for you.")
    owners = Several(child=NodeNamed(), required=False, max_length=50, help_text="Whose memory it is.")
    subject = NodeNamed(required=False)
    predicate = Text(required=False, max_length=100, help_text="A declared property or relationship of the subject.")
    value = Anything(required=False)
    object = NodeNamed(required=False)
    qualifiers = Mapped(required=False)
    topic = Text(required=False, max_length=200, help_text="What the statement is about, such as report frequency.")
    attributes = Mapped(required=False)
    confidence = Number(required=False, min_value=0, max_value=100)
    valid_from = When(required=False, help_text="From when it holds; else from when its evidence was said.")
    valid_to = When(required=False)
    audience = OneOf(required=False, choices=Audience.values)
    readers = Several(child=Identifier(), required=False, max_length=100, help_text="Actors, for the audience named.")
    evidence = Several(child=EvidenceFields(), required=False, max_length=MOST)
    premises = Several(child=Identifier(), required=False, max_length=100, help_text="Beliefs it is concluded from.")


class NewBeliefs(OneOrMany):
    """What an agent holds true."""

    item = BeliefFields


def statement(item: dict[str, Any], evidence: tuple[Quoted, ...]) -> Statement:
    """What services remember, from what was told of it."""
    given = item | {"evidence": evidence}
    for name in ("owners", "readers", "evidence", "premises"):
        given[name] = tuple(given.get(name, ()))
    return Statement(**given)


def shape(belief: Belief) -> dict[str, Any]:
    """A belief as it is answered. It was read with `queries.beliefs.with_owners`."""
    return told(belief) | {
        "owners": belief.owner_ids or [],  # type: ignore[attr-defined]
        "subject": _node(belief.subject),
        "predicate": belief.predicate,
        "value": belief.value,
        "object": _node(belief.object),
        "qualifiers": belief.qualifiers,
        "topic": belief.topic,
        "attributes": belief.attributes,
        "audience": belief.audience,
    }


def _node(node: Node | None) -> dict[str, Any] | None:
    return {"id": str(node.pk), "class": node.node_class, "label": node.label} if node else None
