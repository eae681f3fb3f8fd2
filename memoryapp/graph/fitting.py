"""Which rows of the graph would not fit another edition of the declared types.

Only what is held now, or waits to be, has to fit: what has ended stays as it was said, under the edition of its time.
"""

from __future__ import annotations

import json
import uuid
from collections import defaultdict
from collections.abc import Iterator
from functools import singledispatch
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.utils import timezone

from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Audience, Status
from memoryapp.ledger.principal import Principal
from memoryapp.ontology import rules
from memoryapp.ontology.normalise import PART, key_text
from memoryapp.ontology.rules import (
    EdgeRule,
    IdentityRule,
    KeyRule,
    OnceRule,
    RequiredRule,
    RoleRule,
    Row,
    Rule,
    SingleRule,
    ValueRule,
)

SHORT = 200


def register() -> None:
    rules.register(breaks)


def breaks(by: Principal, rule: Rule) -> Iterator[Row]:
    """Rows of the graph that break a rule."""
    return _breaks(rule, by)


@singledispatch
def _breaks(rule: Rule, by: Principal) -> Iterator[Row]:
    return iter(())


def held(by: Principal) -> QuerySet[Belief]:
    """What is held now or waits for a verdict."""
    ended = Q(valid_to__isnull=False, valid_to__lte=timezone.now())
    rows = Belief.objects.filter(workspace=by.workspace, status__in=[Status.ACTIVATED, Status.RESOLVING])
    return rows.exclude(ended).order_by("pk")


def _belief(belief: Belief, why: str = "") -> Row:
    open_to_all = belief.audience == Audience.WORKSPACE
    return Row("belief", belief.pk, belief.content[:SHORT] if open_to_all else "", why if open_to_all else "")


def _node(node: Node, why: str = "") -> Row:
    return Row("node", node.pk, node.label, why)


@_breaks.register
def _values(rule: ValueRule, by: Principal) -> Iterator[Row]:
    wrong: dict[str, str] = {}
    for row, value in _values_held(rule, by):
        known = json.dumps(value, sort_keys=True)
        if known not in wrong:
            found = rule.check.violations(value, "")
            wrong[known] = found[0].message if found else ""
        if wrong[known]:
            yield _belief(row, wrong[known]) if isinstance(row, Belief) else Row("relation", row.pk, row.kind, "")


def _values_held(rule: ValueRule, by: Principal) -> Iterator[tuple[Belief | Relation, Any]]:
    rows = held(by)
    if rule.family == "node_classes":
        shape = Belief.Shape.PROPERTY
        for belief in rows.filter(shape=shape, predicate=rule.name, subject__node_class__in=rule.types).iterator():
            yield belief, belief.value
    elif rule.family == "relationships":
        edges = rows.filter(shape=Belief.Shape.EDGE, predicate__in=rule.types, qualifiers__has_key=rule.name)
        for belief in edges.iterator():
            yield belief, belief.qualifiers[rule.name]
    elif rule.family == "belief_kinds":
        for belief in rows.filter(kind__in=rule.types, attributes__has_key=rule.name).iterator():
            yield belief, belief.attributes[rule.name]
    elif rule.family == "relation_kinds":
        relations = _relations(by, rule).filter(attributes__has_key=rule.name)
        for relation in relations.iterator():
            yield relation, relation.attributes[rule.name]


def _relations(by: Principal, rule: Rule) -> QuerySet[Relation]:
    activated = Relation.State.ACTIVATED
    rows = Relation.objects.filter(workspace=by.workspace, kind__in=rule.types, state=activated)
    return rows.order_by("pk")


@_breaks.register
def _single(rule: SingleRule, by: Principal) -> Iterator[Row]:
    several = (
        held(by)
        .filter(shape=Belief.Shape.PROPERTY, predicate=rule.name, subject__node_class__in=rule.types)
        .order_by()
        .values("subject")
        .annotate(n=Count("pk"))
        .filter(n__gt=1)
    )
    for node in Node.objects.filter(pk__in=several.values("subject")).order_by("pk").iterator():
        yield _node(node, "It holds several.")


@_breaks.register
def _required(rule: RequiredRule, by: Principal) -> Iterator[Row]:
    if rule.family == "belief_kinds":
        for belief in held(by).filter(kind__in=rule.types).exclude(attributes__has_key=rule.name).iterator():
            yield _belief(belief, "It holds none.")
    elif rule.family == "relation_kinds":
        for relation in _relations(by, rule).exclude(attributes__has_key=rule.name).iterator():
            yield Row("relation", relation.pk, relation.kind, "It holds none.")


@_breaks.register
def _role(rule: RoleRule, by: Principal) -> Iterator[Row]:
    counted = _relations(by, rule).annotate(n=Count("players", filter=Q(players__role=rule.role)))
    wrong = counted.filter(n__lt=rule.minimum)
    if rule.maximum is not None:
        wrong = counted.filter(Q(n__lt=rule.minimum) | Q(n__gt=rule.maximum))
    seen: set[uuid.UUID] = set()
    for relation in wrong.iterator():
        seen.add(relation.pk)
        yield Row("relation", relation.pk, relation.kind, f"It has {relation.n}.")
    players = RelationPlayer.objects.filter(
        workspace=by.workspace, kind__in=rule.types, role=rule.role, relation__state=Relation.State.ACTIVATED
    ).select_related("belief", "node", "source", "played_by")
    for player in players.order_by("pk").iterator():
        sort, of = _player(player)
        if player.relation_id not in seen and not rule.accepts(sort, of):
            seen.add(player.relation_id)
            yield Row("relation", player.relation_id, player.kind, f"A {of} plays it.")


def _player(player: RelationPlayer) -> tuple[str, str]:
    if player.belief:
        return "beliefs", player.belief.kind
    if player.node:
        return "nodes", player.node.node_class
    if player.source:
        return "sources", player.source.kind
    return "relations", player.played_by.kind if player.played_by else ""


@_breaks.register
def _edges(rule: EdgeRule, by: Principal) -> Iterator[Row]:
    edges = held(by).filter(shape=Belief.Shape.EDGE, predicate__in=rule.types)
    pairs = edges.order_by().values_list("subject__node_class", "object__node_class").distinct()
    for one, other in [pair for pair in pairs if not rule.fits(*pair)]:
        for belief in edges.filter(subject__node_class=one, object__node_class=other).iterator():
            yield _belief(belief, f"It leads from {one} to {other}.")


@_breaks.register
def _once(rule: OnceRule, by: Principal) -> Iterator[Row]:
    edges = held(by).filter(shape=Belief.Shape.EDGE, predicate__in=rule.types, status=Status.ACTIVATED)
    several = edges.order_by().values(rule.side).annotate(n=Count("pk")).filter(n__gt=1)
    for node in Node.objects.filter(pk__in=several.values(rule.side)).order_by("pk").iterator():
        yield _node(node, "It has several.")


@_breaks.register
def _keys(rule: KeyRule, by: Principal) -> Iterator[Row]:
    holders: dict[str, set[uuid.UUID]] = defaultdict(set)
    for pk, values in _held_by_node(by, rule.types, rule.names):
        if all(values):
            for key in _combined(values, rule.normalisers):
                holders[key].add(pk)
    doubled = sorted({pk for several in holders.values() if len(several) > 1 for pk in several})
    for start in range(0, len(doubled), 300):
        for node in Node.objects.filter(pk__in=doubled[start : start + 300]).order_by("pk"):
            yield _node(node, "Another node holds the same.")


@_breaks.register
def _identity(rule: IdentityRule, by: Principal) -> Iterator[Row]:
    nodes = Node.objects.filter(workspace=by.workspace, node_class__in=rule.types, state=Node.State.ACTIVE)
    for node in nodes.filter(identity_keys__active=True).distinct().order_by("pk").iterator():
        if not any(all(node.properties.get(name) not in (None, "", []) for name in one) for one in rule.sets):
            yield _node(node, "Nothing would identify it.")


def _held_by_node(
    by: Principal, types: frozenset[str], names: tuple[str, ...]
) -> Iterator[tuple[uuid.UUID, list[list[Any]]]]:
    nodes = Node.objects.filter(workspace=by.workspace, node_class__in=types).filter(~Q(state=Node.State.FOLDED))
    for pk, properties in nodes.annotate(held=F("properties")).values_list("pk", "held").iterator():
        values = [properties.get(name) for name in names]
        yield pk, [one if isinstance(one, list) else [] if one in (None, "") else [one] for one in values]


def _combined(values: list[list[Any]], normalisers: tuple[str, ...]) -> list[str]:
    keys = [""]
    for several, normaliser in zip(values, normalisers, strict=True):
        texts = [key_text(one, normaliser) for one in several]
        keys = [key + PART + text for key in keys for text in texts if text][:200]
    return keys
