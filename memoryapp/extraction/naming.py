"""From names in a proposal to nodes, without ever guessing.

A name identifies a node by itself only where the class declares the name as a key. Otherwise it is a mention: bound to
the one node that is called exactly so in the owner's circle, or left for a person. What cannot be bound is kept as a
free statement in the speaker's words, so that nothing is lost while a person decides who was meant.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from memoryapp.extraction.candidates import Proposed, names_in, normal
from memoryapp.graph.models import Node
from memoryapp.graph.services.mentions import mention
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology

UNBOUND_KIND = "long_term"
"""What a property or edge becomes while it is not known of whom or what it is."""


def resolve_names(write: Write, proposed: Proposed) -> Proposed:
    """The proposal with every name turned into a node reference, or as a free statement where one could not be."""
    named = names_in(proposed.details)
    if not named:
        return proposed
    ontology = current_ontology(write.workspace)
    found: dict[str, Any] = {}
    for place, reference in named:
        if _is_keyed_by_name(ontology, reference["class"]):
            found[place] = {"class": reference["class"], "keys": {"name": reference["name"]}}
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
            return _as_free_statement(proposed)
        found[place] = {"node": str(noted.node_id)}
    return dataclasses.replace(proposed, details=proposed.details | found)


def _is_keyed_by_name(ontology: Ontology, node_class: str) -> bool:
    return any(key_set.properties == ("name",) for key_set in ontology.key_sets(node_class))


def _circle(write: Write, proposed: Proposed) -> Node | None:
    owners = proposed.details.get("owners") or [{}]
    return Node.objects.filter(workspace=write.workspace, pk=owners[0].get("node")).first()


def _span_of(proposed: Proposed, name: str) -> tuple[int, int]:
    """Where the name stands within the quoted words, or the whole quote when it is not said literally."""
    at = proposed.source.content.find(name, proposed.start, proposed.end)
    return (at, at + len(name)) if at >= 0 else (proposed.start, proposed.end)


def _as_free_statement(proposed: Proposed) -> Proposed:
    details = dict(proposed.details)
    subject = (details.pop("subject", None) or {}).get("name", "")
    predicate = details.pop("predicate", "")
    for place in ("object", "value"):
        details.pop(place, None)
    if not details.get("topic") and subject:
        details["topic"] = normal(f"{subject} {predicate}")
    kind = UNBOUND_KIND if proposed.kind == "fact" else proposed.kind
    return dataclasses.replace(proposed, kind=kind, details=details)
