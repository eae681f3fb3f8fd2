"""How many rows of the graph use a part of the declared types."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

from django.db.models import Count, Q, QuerySet

from memoryapp.graph.models import Belief, IdentityKey, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience
from memoryapp.graph.queries.relations import relations
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.counting import UNCOUNTED
from memoryapp.ontology.normalise import key_text
from memoryapp.ontology.usage import Part

TERMS = 400
"""Terms of a vocabulary that are looked for with one question to the database."""


def count(workspace: Workspace, part: Part) -> int:
    """How many stored rows use it."""
    counted = {
        "node_classes": _of_node_class,
        "relationships": _of_relationship,
        "belief_kinds": _of_belief_kind,
        "relation_kinds": _of_relation_kind,
        "vocabularies": _of_vocabulary,
    }
    counts = counted.get(part.family)
    return counts(workspace, part) if counts else 0


def _of_node_class(workspace: Workspace, part: Part) -> int:
    if part.part in ("", "keys"):
        return Node.objects.filter(workspace=workspace, node_class__in=part.types).count()
    beliefs = Belief.objects.filter(
        workspace=workspace,
        shape=Belief.Shape.PROPERTY,
        predicate=part.name,
        subject__node_class__in=part.types,
    )
    return beliefs.filter(value=part.value).count() if part.part == "value" else beliefs.count()


def _of_relationship(workspace: Workspace, part: Part) -> int:
    edges = Belief.objects.filter(workspace=workspace, shape=Belief.Shape.EDGE, predicate=part.type)
    return edges.count() if not part.part else _holding(edges, "qualifiers", part)


def _of_belief_kind(workspace: Workspace, part: Part) -> int:
    beliefs = Belief.objects.filter(workspace=workspace, kind__in=part.types)
    return beliefs.count() if not part.part else _holding(beliefs, "attributes", part)


def _of_relation_kind(workspace: Workspace, part: Part) -> int:
    if part.part == "role":
        players = RelationPlayer.objects.filter(workspace=workspace, kind=part.type, role=part.name)
        return players.values("relation").distinct().count()
    relations = Relation.objects.filter(workspace=workspace, kind=part.type)
    return relations.count() if not part.part else _holding(relations, "attributes", part)


def _of_vocabulary(workspace: Workspace, part: Part) -> int:
    """Nodes that are told by one of these terms."""
    told = {"workspace": workspace, "key_set": "iri", "active": True, "node__node_class__in": part.types}
    iris = [key_text(one, "iri") for one in part.value or ()]
    chunks = (iris[start : start + TERMS] for start in range(0, len(iris), TERMS))
    return sum(IdentityKey.objects.filter(**told, value__in=some).values("node").distinct().count() for some in chunks)


def _holding(rows: QuerySet[Belief] | QuerySet[Relation], column: str, part: Part) -> int:
    """Rows whose JSON column has the named entry, or that value of it."""
    if part.part == "value":
        return rows.filter(Q(**{f"{column}__{part.name}": part.value})).count()
    return rows.filter(Q(**{f"{column}__has_key": part.name})).count()


def by_type(by: Principal) -> Iterator[tuple[str, str, int]]:
    """How many nodes, and beliefs and relations in sight, are stored of each class and kind."""
    nodes = Node.objects.visible_to(by).order_by().values_list("node_class").annotate(n=Count("pk"))
    for name, count in nodes:
        yield "node_class", name, count
    beliefs = Belief.objects.visible_to(by).order_by().values_list("kind").annotate(n=Count("pk"))
    for name, count in beliefs:
        yield "belief_kind", name, count
    edges = Belief.objects.visible_to(by).filter(shape=Belief.Shape.EDGE).order_by()
    for name, count in edges.values_list("predicate").annotate(n=Count("pk")):
        yield "relationship", name, count
    uncounted = [name for family, name in UNCOUNTED if family == "relation_kind"]
    related = relations(by).exclude(kind__in=uncounted).order_by().values_list("kind").annotate(n=Count("pk"))
    for name, count in related:
        yield "relation_kind", name, count


def narrow(workspace: uuid.UUID, ids: frozenset[uuid.UUID]) -> bool:
    """Whether one of these is a belief, or a node, that only some may be served."""
    beliefs = Belief.objects.filter(workspace=workspace, pk__in=ids).exclude(audience=Audience.WORKSPACE)
    return beliefs.exists() or Node.objects.filter(workspace=workspace, pk__in=ids, known_to_all=False).exists()
