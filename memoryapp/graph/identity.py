"""What identifies a node: exact, normalised identity keys, each owned by the class that declares it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from django.db.models import Q

from memoryapp.doors.errors import Violation
from memoryapp.graph.models import IdentityKey, Node
from memoryapp.ledger.models import Workspace
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import PART, key_text

LONGEST_KEY = 400
"""Characters of a key kept as they are; a longer one is kept as its digest."""

MOST_KEYS = 200
"""Combinations of multi-valued properties taken from one key set."""

CHUNK = 150


@dataclass(frozen=True)
class Key:
    """One value of one identity key set."""

    owner_class: str
    key_set: str
    value: str


def canonical(ontology: Ontology, node_class: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    """The properties with a vocabulary's preferred name and IRI in place of an exact alias."""
    name = properties.get("name")
    if isinstance(name, str) and "iri" not in properties and (term := ontology.term(node_class, name)):
        return {**properties, "name": term.name, "iri": term.iri}
    return dict(properties)


def keys_of(ontology: Ontology, node_class: str, properties: Mapping[str, Any]) -> list[Key]:
    """Every identity key these properties make up; a multi-valued property makes one for each value."""
    known = ontology.properties_of(node_class)
    found: list[Key] = []
    for key_set in ontology.key_sets(node_class):
        if any(is_empty(properties.get(name)) for name in key_set.properties):
            continue
        choices = [
            [key_text(value, known[name].normaliser) for value in values_of(properties[name], known[name].multi_valued)]
            for name in key_set.properties
        ]
        for combination in list(product(*choices))[:MOST_KEYS]:
            if all(combination):
                found.append(Key(key_set.owner_class, key_set.name, _fitting(PART.join(combination))))
    return list(dict.fromkeys(found))


def values_of(value: Any, multi_valued: bool) -> list[Any]:
    """The values given for a property, one or several."""
    return list(value) if multi_valued and isinstance(value, list) else [value]


def is_empty(value: Any) -> bool:
    return value is None or value == "" or value == []


def key_sets_in_words(ontology: Ontology, node_class: str) -> str:
    """What would identify a node of this class."""
    sets = [" with ".join(key_set.properties) for key_set in ontology.key_sets(node_class)]
    return ", or ".join(sets) or "nothing: this class has no identity key"


def missing(ontology: Ontology, node_class: str, path: str) -> Violation:
    """The violation of whoever named a node without a key."""
    message = f"Nothing here identifies a {node_class}."
    return Violation(path, "identity_missing", message, key_sets_in_words(ontology, node_class))


def nodes_by_key(workspace: Workspace, keys: Iterable[Key]) -> dict[Key, Node]:
    """The node that holds each key, redirects followed. One query for up to 150 keys."""
    wanted = list(dict.fromkeys(keys))
    found: dict[Key, Node] = {}
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        by_set: dict[tuple[str, str], list[str]] = {}
        for key in chunk:
            by_set.setdefault((key.owner_class, key.key_set), []).append(key.value)
        condition = Q()
        for (owner, key_set), values in by_set.items():
            condition |= Q(owner_class=owner, key_set=key_set, value__in=values)
        rows = IdentityKey.objects.filter(condition, workspace=workspace, active=True).select_related(
            "node__folded_into"
        )
        for row in rows:
            found[Key(row.owner_class, row.key_set, row.value)] = unfolded(row.node)
    return found


def unfolded(node: Node) -> Node:
    """The node itself, or the one it was folded into."""
    seen = {node.pk}
    while node.folded_into is not None and node.folded_into.pk not in seen:
        node = node.folded_into
        seen.add(node.pk)
    return node


def distinct(nodes: Sequence[Node]) -> list[Node]:
    return list({node.pk: node for node in nodes}.values())


def _fitting(value: str) -> str:
    if len(value) <= LONGEST_KEY:
        return value
    return "sha256:" + hashlib.sha256(value.encode()).hexdigest()
