"""Reading nodes: found by class, key, name or property; with their neighbourhood; as they were at any time."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet

from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.graph import todays, typed
from memoryapp.graph.identity import canonical, is_empty, is_seen, keys_of, missing, nodes_by_key, unfolded
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.models.places import out_of_place
from memoryapp.graph.queries import merges
from memoryapp.graph.queries.views import Scope, as_of, current
from memoryapp.ledger.among import among
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import normal_text, normal_value
from memoryapp.ontology.queries import current_ontology

MOST_EDGES = 200
"""Edges of one neighbourhood. A longer one is cut, and says so."""


@dataclass(frozen=True)
class Neighbour:
    """One edge as seen from a node: `outgoing` when the node is its subject."""

    edge: Belief
    relationship: str
    outgoing: bool
    node: Node

    @property
    def qualifiers(self) -> dict[str, Any]:
        found: dict[str, Any] = self.edge.qualifiers
        return found


@dataclass(frozen=True)
class Neighbourhood:
    """A node with what leads to and from it now. `asked` is the id that led here when the node was folded."""

    node: Node
    properties: dict[str, Any]
    neighbours: list[Neighbour] = field(default_factory=list)
    cut: bool = False
    asked: uuid.UUID | None = None


def find(
    by: Principal,
    node_class: str = "",
    *,
    exact: bool = False,
    name: str = "",
    where: Mapping[str, Any] | None = None,
    retired: bool = False,
) -> QuerySet[Node]:
    """Nodes of a class and everything below it (or `exact`ly it), by id.

    `name` is a part of the label in any case. `where` gives properties and the value each must have now; values are
    compared as they are stored, and a multi-valued property must hold the value. Raises Invalid for what is not
    declared.
    """
    ontology = current_ontology(by)
    node_class, where = todays.node_class(ontology, node_class), dict(where or {})
    where = todays.properties(ontology, node_class, where)
    found: QuerySet[Node] = Node.objects.visible_to(by)
    found = found.exclude(state=Node.State.FOLDED) if retired else found.filter(state=Node.State.ACTIVE)
    if node_class:
        found = found.filter(node_class__in=ontology.subclasses(node_class, exact=exact))
    elif where:
        raise Invalid.at("/class", "class_missing", "Properties are those of a class.", "a class")
    if name:
        found = found.filter(label__icontains=" ".join(name.split()))
    for property_name, value in (where or {}).items():
        declared = ontology.property(node_class, property_name, f"/where/{property_name}")
        if wrong := declared.check.violations(value, f"/where/{property_name}"):
            raise Invalid.all(wrong)
        key = typed.key_of(value, typed.sort_of(declared.schema))
        found = found.filter(_having(by, property_name, key))
    return found.order_by("pk")


def _having(by: Principal, name: str, key: bytes) -> Q:
    """Nodes of which it is currently held, by the index of values."""
    held = current(by).filter(shape=Belief.Shape.PROPERTY, predicate=name, value_key=key)
    return Q(pk__in=held.order_by().values("subject"))


def node(by: Principal, node_id: uuid.UUID, *, known_at: dt.datetime | None = None) -> Node:
    """The node with this id, or the one it was folded into; as known then, what it was folded into by then.

    Raises NotFound.
    """
    found = Node.objects.filter(workspace=by.workspace, pk=node_id).select_related("folded_into").first()
    if found is None or not is_seen(by, found):
        raise NotFound("There is no such node.", code="no_such_node", extra={"id": str(node_id)})
    return unfolded(found) if known_at is None else merges.known_as(found, known_at)


def neighbourhood(
    by: Principal,
    node_id: uuid.UUID,
    *,
    valid_at: dt.datetime | None = None,
    known_at: dt.datetime | None = None,
    most: int = MOST_EDGES,
) -> Neighbourhood:
    """A node, its properties, and the edges that lead to and from it, each with the node at its other end.

    Now, or as it was at `valid_at`, as that was known at `known_at`.
    """
    found = node(by, node_id, known_at=known_at)
    going, arriving = (
        _edges(by, scope, valid_at, known_at) for scope in (Scope(subject=found.pk), Scope(object=found.pk))
    )
    leaving = list(going.select_related("object")[: most + 1])
    coming = list(arriving.select_related("subject")[: most + 1])
    if known_at is not None:
        merges.as_known(leaving, "object", known_at)
        merges.as_known(coming, "subject", known_at)
    neighbours = [
        *(Neighbour(edge, edge.predicate, True, edge.object) for edge in leaving if edge.object),
        *(Neighbour(edge, edge.predicate, False, edge.subject) for edge in coming if edge.subject),
    ]
    return Neighbourhood(
        node=found,
        properties=properties_at(by, found, valid_at=valid_at, known_at=known_at),
        neighbours=neighbours[:most],
        cut=len(neighbours) > most,
        asked=node_id if node_id != found.pk else None,
    )


def properties_at(
    by: Principal, of: Node, *, valid_at: dt.datetime | None = None, known_at: dt.datetime | None = None
) -> dict[str, Any]:
    """What was true of a node at `valid_at`, as it was known at `known_at`; either is now when left out.

    Only what `by` may see; so somebody in a narrower audience may see more than the node's projection.
    """
    held = _held(by, Scope(subject=of.pk), valid_at, known_at).filter(shape=Belief.Shape.PROPERTY)
    return gathered(current_ontology(by), of.node_class, held.order_by("predicate", "recorded_at", "pk"))


def known_properties(by: Principal, nodes: Collection[Node]) -> dict[uuid.UUID, dict[str, Any]]:
    """Of those of these nodes of which something was learned from files out of somebody's sight: the properties that
    they may know of. No query for whoever may read every path."""
    hidden = out_of_place(by)
    if not hidden or not nodes:
        return {}
    said = Belief.objects.filter(shape=Belief.Shape.PROPERTY, subject__in=[node.pk for node in nodes])
    touched = set(said.filter(among("pk", hidden)).values_list("subject", flat=True))
    held: dict[Any, list[Belief]] = {pk: [] for pk in touched}
    rows = current(by).filter(shape=Belief.Shape.PROPERTY, subject__in=touched, audience=Audience.WORKSPACE)
    for belief in rows.order_by("predicate", "recorded_at", "pk") if touched else ():
        held[belief.subject_id].append(belief)
    ontology = current_ontology(by)
    return {node.pk: gathered(ontology, node.node_class, held[node.pk]) for node in nodes if node.pk in touched}


def gathered(ontology: Ontology, node_class: str, held: Iterable[Belief]) -> dict[str, Any]:
    """The values of a node's properties, by what is held of them in the order recorded."""
    known = ontology.properties_of(node_class)
    found: dict[str, Any] = {}
    for belief in held:
        declared = known.get(belief.predicate)
        if declared is None or is_empty(belief.value):
            continue
        if not declared.multi_valued:
            found[belief.predicate] = belief.value
            continue
        values = found.setdefault(belief.predicate, [])
        said = normal_value(belief.value, declared.normaliser)
        if all(normal_value(value, declared.normaliser) != said for value in values):
            values.append(belief.value)
    return found


def called(by: Principal, name: str, node_class: str = "") -> QuerySet[Node]:
    """Active nodes whose label is this name, in any case."""
    found = find(by, node_class).filter(label__iexact=" ".join(name.split()))
    return found if normal_text(name) else found.none()


def with_keys(by: Principal, node_class: str, keys: Mapping[str, Any]) -> QuerySet[Node]:
    """The nodes that these property values identify, exactly and normalised: those that hold any key set they make up.

    Raises Invalid when they make up none, and for what is not declared.
    """
    ontology = current_ontology(by)
    node_class = todays.node_class(ontology, node_class)
    keys = todays.properties(ontology, node_class, keys)
    ontology.node_class(node_class)
    if wrong := ontology.property_violations(node_class, keys, "/key"):
        raise Invalid.all(wrong)
    wanted = keys_of(ontology, node_class, canonical(ontology, node_class, keys))
    if not wanted:
        raise Invalid.all([missing(ontology, node_class, "/key")])
    held = nodes_by_key(by.workspace, wanted).values()
    return Node.objects.visible_to(by).filter(pk__in={node.pk for node in held}).order_by("pk")


def _edges(by: Principal, scope: Scope, valid_at: dt.datetime | None, known_at: dt.datetime | None) -> QuerySet[Belief]:
    return _held(by, scope, valid_at, known_at).filter(shape=Belief.Shape.EDGE).order_by("predicate", "pk")


def _held(by: Principal, scope: Scope, valid_at: dt.datetime | None, known_at: dt.datetime | None) -> QuerySet[Belief]:
    if valid_at is None and known_at is None:
        return current(by, scope)
    return as_of(by, scope, valid_at=valid_at, known_at=known_at)
