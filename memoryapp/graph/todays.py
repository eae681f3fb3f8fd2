"""What is told by names that were in use before, by the names of today. Old names stay readable for ever."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memoryapp.graph.models import Node
from memoryapp.graph.statements import NodeKeys, Player, Statement
from memoryapp.ontology.compiled import Ontology


def renamed(ontology: Ontology, family: str, types: Sequence[str], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by the names that a type (with all above it) gives them today. Who gives both names means two things,
    and the former one is refused as it is."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        now = ontology.todays_part(family, types, name)
        found[now if now == name or now not in values else name] = value
    return found


def node_class(ontology: Ontology, name: str) -> str:
    return ontology.today("node_classes", name)


def properties(ontology: Ontology, of_class: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """A node's properties, when its class is declared."""
    if not ontology.has_former_names or of_class not in ontology.document.node_classes:
        return dict(values)
    return renamed(ontology, "node_classes", ontology.class_line(of_class), values)


def keys(ontology: Ontology, reference: NodeKeys) -> NodeKeys:
    """A node named by its identity."""
    of_class = node_class(ontology, reference.node_class)
    return NodeKeys(of_class, properties(ontology, of_class, reference.keys))


def statement(ontology: Ontology, said: Statement, subject: Node | None) -> Statement:
    """A statement: its kind with attributes, and its predicate with qualifiers."""
    if not ontology.has_former_names:
        return said
    kind = ontology.today("belief_kinds", said.kind)
    attributes, qualifiers, predicate = said.attributes, said.qualifiers, said.predicate
    if kind in ontology.document.belief_kinds:
        attributes = renamed(ontology, "belief_kinds", ontology.kind_line(kind), attributes)
    if said.object is not None:
        predicate = ontology.today("relationships", predicate)
        qualifiers = renamed(ontology, "relationships", (predicate,), qualifiers)
    elif subject is not None and subject.node_class in ontology.document.node_classes:
        predicate = ontology.todays_part("node_classes", ontology.class_line(subject.node_class), predicate)
    return replace(said, kind=kind, attributes=attributes, qualifiers=qualifiers, predicate=predicate)


def relation(
    ontology: Ontology, kind: str, players: Sequence[Player], attributes: Mapping[str, Any]
) -> tuple[str, list[Player], dict[str, Any]]:
    """A relation: its kind, roles and attributes."""
    kind = ontology.today("relation_kinds", kind)
    now = [replace(one, role=ontology.todays_part("relation_kinds", (kind,), one.role)) for one in players]
    return kind, now, renamed(ontology, "relation_kinds", (kind,), attributes)


def predicates(ontology: Ontology, names: Iterable[str]) -> set[str]:
    """Everything that these names of properties and relationships mean today, in any class."""
    found: set[str] = set()
    for name in names:
        meant = {ontology.today("relationships", name)}
        meant |= {now for one in ontology.document.node_classes.values() if (now := one.renamed.get(name))}
        found |= meant | {name}
    return found
