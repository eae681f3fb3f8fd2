"""From names in a proposal to nodes, without ever guessing.

A name identifies a node by itself only where the class declares the name as a key. Otherwise it is a mention: bound to
the one node that is called exactly so in the owner's circle, or left for a person. What cannot be bound is kept as a
free statement in the speaker's words, so that nothing is lost while a person decides who was meant.
"""

from __future__ import annotations

import contextlib
import dataclasses
import uuid
from typing import Any

from memoryapp.doors.errors import DomainError
from memoryapp.extraction.candidates import Proposed, names_in, normal
from memoryapp.extraction.models import Candidate
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services.mentions import mention
from memoryapp.graph.services.nodes import NodeInput, store
from memoryapp.graph.statements import NodeReference, NodeStored, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import FACT, Ontology
from memoryapp.ontology.queries import current_ontology

UNBOUND_KIND = "long_term"
"""What a property or edge becomes while it is not known of whom or what it is."""


def resolve_names(write: Write, proposed: Proposed) -> Proposed:
    """The proposal with every name turned into a node reference, or as a free statement where one could not be."""
    named = names_in(proposed.details)
    ontology = current_ontology(write.workspace)
    found: dict[str, Any] = {}
    for place, reference in named:
        ontology.concrete_class(reference["class"], f"/{place}/class")
        if _is_keyed_by_name(ontology, reference["class"]):
            found[place] = {"node": str(_named_node(write, proposed, reference).pk)}
            continue
        start, end = _span_of(proposed, reference["name"])
        noted = mention(
            write,
            reference["name"],
            reference["class"],
            source=proposed.source,
            start=start,
            end=end,
            circle=_circle(write, proposed),
        )
        if noted.node_id is None:
            return _as_free_statement(write, proposed)
        found[place] = {"node": str(noted.node_id)}
    resolved = dataclasses.replace(proposed, details=proposed.details | found)
    if "object" in resolved.details and not resolved.details.get("predicate"):
        return _as_move(write, resolved)
    return resolved


def as_its_proposer_saw(write: Write, candidate: Candidate, statement: Statement, *, edited: bool) -> Statement:
    """The statement with its nodes as who proposed the candidate saw them, who may see more than a job does.

    Ids were looked at when it was proposed. Owners that a person `edited` are named by this person.
    """
    proposer = dataclasses.replace(write.by, actor=candidate.write.actor)

    def seen(reference: NodeReference) -> NodeReference:
        if isinstance(reference, uuid.UUID):
            return NodeStored(reference)
        with contextlib.suppress(DomainError):
            return NodeStored(resolve(proposer, reference).pk)
        return reference

    owners = statement.owners if edited else tuple(seen(owner) for owner in statement.owners)
    subject = seen(statement.subject) if statement.subject is not None else None
    object_ = seen(statement.object) if statement.object is not None else None
    return dataclasses.replace(statement, owners=owners, subject=subject, object=object_)


def _named_node(write: Write, proposed: Proposed, reference: dict[str, Any]) -> Node:
    """The node that this name identifies in its class, made on first mention."""
    given = NodeInput(
        reference["class"], {"name": reference["name"]}, (Quoted(proposed.source, proposed.start, proposed.end),)
    )
    return store(write, [given], numbered=False)[0].node


def _as_move(write: Write, proposed: Proposed) -> Proposed:
    """Somebody moved from one thing to another without saying in what way they were at the first: as it is believed."""
    left = normal(proposed.details.get("replaces", ""))
    edges = Belief.objects.visible_to(write.by).filter(
        status=Status.ACTIVATED, shape=Belief.Shape.EDGE, subject=proposed.details["subject"]["node"]
    )
    for edge in edges.select_related("object").order_by("-recorded_at", "-pk"):
        if edge.object is not None and normal(edge.object.label) == left:
            return dataclasses.replace(proposed, details=proposed.details | {"predicate": edge.predicate})
    return _as_free_statement(write, proposed)


def _is_keyed_by_name(ontology: Ontology, node_class: str) -> bool:
    return any(key_set.properties == ("name",) for key_set in ontology.key_sets(node_class))


def _circle(write: Write, proposed: Proposed) -> Node | None:
    owners = proposed.details.get("owners") or [{}]
    return Node.objects.filter(workspace=write.workspace, pk=owners[0].get("node")).first()


def _span_of(proposed: Proposed, name: str) -> tuple[int, int]:
    """Where the name stands within the quoted words, or the whole quote when it is not said literally."""
    at = proposed.source.content.find(name, proposed.start, proposed.end)
    return (at, at + len(name)) if at >= 0 else (proposed.start, proposed.end)


def _as_free_statement(write: Write, proposed: Proposed) -> Proposed:
    details = dict(proposed.details)
    subject = (details.pop("subject", None) or {}).get("name", "")
    predicate = details.pop("predicate", "")
    for place in ("object", "value"):
        details.pop(place, None)
    if not details.get("topic") and subject:
        details["topic"] = _topic_of_move(write, subject, details) or normal(f"{subject} {predicate}")
    kind = UNBOUND_KIND if proposed.kind == FACT else proposed.kind
    return dataclasses.replace(proposed, kind=kind, details=details)


def _topic_of_move(write: Write, subject: str, details: dict[str, Any]) -> str:
    """The topic of the free statement that a move away from `replaces` speaks of, if there is one."""
    if not details.get("replaces"):
        return ""
    told = Belief.objects.visible_to(write.by).filter(
        status=Status.ACTIVATED, topic__startswith=f"{normal(subject)} ", content__icontains=details["replaces"]
    )
    return told.order_by("-recorded_at", "-pk").values_list("topic", flat=True).first() or ""
