"""What identifies a node: exact, normalised identity keys, each owned by the class that declares it."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from django.db.models import Q, QuerySet

from memoryapp.doors.errors import Invalid, NotFound, Violation
from memoryapp.graph import todays
from memoryapp.graph.models import IdentityKey, Node
from memoryapp.graph.refusals import ambiguous
from memoryapp.graph.statements import NodeKeys, NodeReference, NodeStored
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import PART, key_text
from memoryapp.ontology.queries import current_ontology

LONGEST_KEY = 400
"""Characters of a key kept as they are; a longer one is kept as its digest."""

MOST_KEYS = 200
"""Combinations of multi-valued properties taken from one key set."""

CHUNK = 150
MOST_IDS = 500


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
    several = {
        name: values_of(value, known[name].multi_valued)
        for name, value in properties.items()
        if name in known and not is_empty(value)
    }
    return keys_of_values(ontology, node_class, several)


def keys_of_values(ontology: Ontology, node_class: str, values: Mapping[str, Sequence[Any]]) -> list[Key]:
    """The same for properties of which all values are given, whether or not they may be held at once."""
    known = ontology.properties_of(node_class)
    found: list[Key] = []
    for key_set in ontology.key_sets(node_class):
        choices = [
            list(dict.fromkeys(key_text(value, known[name].normaliser) for value in values.get(name, ())))
            for name in key_set.properties
        ]
        for combination in islice(product(*choices), MOST_KEYS):
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


def resolve(of: Write | Principal, reference: NodeReference) -> Node:
    """The node that is meant: by id, redirects followed, or by identity keys.

    A node out of sight is not there. Raises NotFound `no_such_node`, Invalid `identity_missing` or for what is not
    declared, and Conflict `identity_ambiguous` with the ids when the keys lead to more than one node.
    """
    if isinstance(reference, NodeKeys):
        return _by_keys(of, reference)
    if isinstance(reference, NodeStored):
        return _stored(of.workspace, reference.id)
    return by_id(of, reference)


def stored_nodes(workspace: Workspace, references: Iterable[NodeReference | None]) -> dict[uuid.UUID, Node]:
    """The nodes that are named by their ids, as they are stored. One query for up to 500 of them, none for none."""
    ids = sorted({one.id if isinstance(one, NodeStored) else one for one in references if _names_id(one)})  # type: ignore[type-var]
    found: dict[uuid.UUID, Node] = {}
    for start in range(0, len(ids), MOST_IDS):
        for node in prepared.rows(_with_ids, workspace=workspace, ids=ids[start : start + MOST_IDS]):
            found[node.pk] = node
    return found


def _names_id(reference: NodeReference | None) -> bool:
    return isinstance(reference, uuid.UUID | NodeStored)


def named(of: Write | Principal, reference: uuid.UUID | NodeStored, stored: Mapping[uuid.UUID, Node]) -> Node:
    """The node that is meant, when it is among these; see `resolve`."""
    if isinstance(reference, NodeStored):
        node = stored.get(reference.id)
        if node is None:
            raise _not_there(reference.id)
        return unfolded(node)
    return _in_sight(of, reference, stored.get(reference))


def by_id(of: Write | Principal, node_id: uuid.UUID) -> Node:
    """The node with this id, or the one it was folded into, when it is in sight. Raises NotFound `no_such_node`."""
    return _in_sight(of, node_id, prepared.first(_with_id, workspace=of.workspace, id=node_id))


def _in_sight(of: Write | Principal, node_id: uuid.UUID, node: Node | None) -> Node:
    if node is None or not is_seen(of, node):
        raise _not_there(node_id)
    return unfolded(node)


def is_seen(of: Write | Principal, node: Node) -> bool:
    """Whether a node, or the one it was folded into, exists for somebody. What a write makes is seen by this write."""
    both = [node, unfolded(node)]
    if any(one.known_to_all for one in both):
        return True
    if isinstance(of, Write) and any(one.write_id == of.pk for one in both):
        return True
    by = of.by if isinstance(of, Write) else of
    return Node.objects.visible_to(by).filter(pk__in=[one.pk for one in both]).exists()


def _stored(workspace: Workspace, node_id: uuid.UUID) -> Node:
    node = prepared.first(_with_id, workspace=workspace, id=node_id)
    if node is None:
        raise _not_there(node_id)
    return unfolded(node)


def _not_there(node_id: uuid.UUID) -> NotFound:
    return NotFound("There is no such node.", code="no_such_node", extra={"id": str(node_id)})


def _with_id(workspace: Workspace, id: uuid.UUID) -> QuerySet[Node]:
    return Node.objects.filter(workspace=workspace, pk=id).select_related("folded_into")


def _with_ids(workspace: Workspace, ids: Sequence[uuid.UUID]) -> QuerySet[Node]:
    return Node.objects.filter(workspace=workspace, pk__in=ids).select_related("folded_into")


def _by_keys(of: Write | Principal, reference: NodeKeys) -> Node:
    ontology = current_ontology(of.workspace)
    reference = todays.keys(ontology, reference)
    ontology.node_class(reference.node_class)
    if wrong := ontology.property_violations(reference.node_class, reference.keys, "/keys"):
        raise Invalid.all(wrong)
    keys = keys_of(ontology, reference.node_class, canonical(ontology, reference.node_class, reference.keys))
    if not keys:
        raise Invalid.all([missing(ontology, reference.node_class, "/keys")])
    found = [node for node in distinct(list(nodes_by_key(of.workspace, keys).values())) if is_seen(of, node)]
    if len(found) > 1:
        raise ambiguous(found)
    if not found or not ontology.is_class(found[0].node_class, reference.node_class):
        raise NotFound(f"No {reference.node_class} is known by these keys.", code="no_such_node")
    return found[0]


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
