"""Nodes: found or made by exact identity keys, completed by what is said of them."""

from __future__ import annotations

import uuid

from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.graph.identity import canonical, distinct, keys_of, missing, nodes_by_key, unfolded
from memoryapp.graph.models import Node
from memoryapp.graph.statements import NodeKeys, NodeReference
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology


def resolve(of: Write | Principal, reference: NodeReference) -> Node:
    """The node that is meant: by id, redirects followed, or by identity keys.

    Raises NotFound `no_such_node`, Invalid `identity_missing` or for what is not declared, and Conflict
    `identity_ambiguous` with the ids when the keys lead to more than one node.
    """
    if isinstance(reference, NodeKeys):
        return _by_keys(of, reference)
    return by_id(of, reference)


def by_id(of: Write | Principal, node_id: uuid.UUID) -> Node:
    """The node with this id, or the one it was folded into."""
    node = Node.objects.filter(workspace=of.workspace, pk=node_id).select_related("folded_into").first()
    if node is None:
        raise NotFound("There is no such node.", code="no_such_node", extra={"id": str(node_id)})
    return unfolded(node)


def _by_keys(of: Write | Principal, reference: NodeKeys) -> Node:
    ontology = current_ontology(of.workspace)
    ontology.node_class(reference.node_class)
    if wrong := ontology.property_violations(reference.node_class, reference.keys, "/keys"):
        raise Invalid.all(wrong)
    keys = keys_of(ontology, reference.node_class, canonical(ontology, reference.node_class, reference.keys))
    if not keys:
        raise Invalid.all([missing(ontology, reference.node_class, "/keys")])
    found = distinct(list(nodes_by_key(of.workspace, keys).values()))
    if len(found) > 1:
        raise ambiguous(found)
    if not found or not ontology.is_class(found[0].node_class, reference.node_class):
        raise NotFound(f"No {reference.node_class} is known by these keys.", code="no_such_node")
    return found[0]


def ambiguous(nodes: list[Node]) -> Conflict:
    """The refusal when identity keys lead to different nodes: nothing is merged by itself."""
    ids = sorted(str(node.pk) for node in nodes)
    return Conflict(
        f"These identity keys belong to {len(ids)} different nodes.", code="identity_ambiguous", extra={"nodes": ids}
    )
