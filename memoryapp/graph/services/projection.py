"""What a node is, read off what is believed of it. `project` is the one function that writes the projection."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.graph.identity import Key, is_empty, keys_of_values, nodes_by_key
from memoryapp.graph.likeness import KEPT, kept_forms
from memoryapp.graph.models import Belief, BeliefState, IdentityKey, Node, NodeMove
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.refusals import ambiguous
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology

CHUNK = 300
LONGEST_LABEL = 300


class ValueRow(NamedTuple):
    """What of a belief about a node is read for its projection."""

    predicate: str
    value: Any
    audience: str
    standing: str
    status: str
    valid_from: dt.datetime | None
    valid_to: dt.datetime | None


@dataclass
class Projection:
    """What the beliefs about a node say it is at an instant. `kept` are keys that only beliefs for few tell of: a node
    that few know is identified by them, and goes on to be when all know it; one that all know takes on none of them.
    """

    properties: dict[str, Any] = field(default_factory=dict)
    label: str = ""
    keys: list[Key] = field(default_factory=list)
    kept: list[Key] = field(default_factory=list)


def project(write: Write, nodes: Iterable[Node]) -> None:
    """Write properties, label and identity keys of these nodes anew from what is believed of them.

    A value that ended, or whose source was taken back, still identifies its node; one that never was right does not.
    Raises Conflict `identity_ambiguous` when a key belongs to another node already.
    """
    several = list({node.pk: node for node in nodes}.values())
    if not several:
        return
    ontology = current_ontology(write.workspace)
    projections = projections_at(ontology, several, {node.pk: write.recorded_at for node in several})
    changed = [node for node in several if _take(node, projections[node.pk], write)]
    prepared.store(changed, ["properties", "label", *KEPT, "lock", "projected_at"])
    _keep_keys(write, several, projections)


def follow(write: Write, touched: Sequence[Belief | Node]) -> None:
    """Project the nodes whose properties are among the touched beliefs."""
    subjects = {
        thing.subject_id
        for thing in touched
        if isinstance(thing, Belief) and thing.shape == Belief.Shape.PROPERTY and thing.subject_id
    }
    if subjects:
        project(write, Node.objects.filter(workspace=write.workspace, pk__in=subjects))


def projections_at(
    ontology: Ontology, nodes: Sequence[Node], at: Mapping[uuid.UUID, dt.datetime]
) -> dict[uuid.UUID, Projection]:
    """What the beliefs that the whole workspace may see say these nodes are, each at its instant."""
    beliefs: dict[uuid.UUID, list[ValueRow]] = defaultdict(list)
    for start in range(0, len(nodes), CHUNK):
        rows = Belief.objects.filter(
            Q(status__in=[Status.ACTIVATED, Status.ARCHIVED]) | Q(Exists(_held_before()), status=Status.RESOLVING),
            subject__in=[node.pk for node in nodes[start : start + CHUNK]],
            shape=Belief.Shape.PROPERTY,
            standing__in=[Standing.HOLDS, Standing.ENDED, Standing.WITHDRAWN],
        ).order_by("recorded_at", "id")
        for subject, *said in rows.values_list("subject", *ValueRow._fields):
            beliefs[subject].append(ValueRow(*said))
    return {node.pk: _projection(ontology, node, beliefs[node.pk], at[node.pk]) for node in nodes}


def _held_before() -> QuerySet[BeliefState]:
    """What waits since two nodes became one was held of one of them, and identifies it still."""
    before = BeliefState.objects.filter(
        belief=OuterRef("belief"), sequence=OuterRef("sequence") - 1, status=Status.ACTIVATED
    )
    moved = NodeMove.objects.filter(
        write=OuterRef("write"),
        row=OuterRef("belief"),
        pointer="belief.subject",
        destination=OuterRef("belief__subject"),
    )
    made_to_wait = BeliefState.objects.filter(belief=OuterRef("pk"), status=Status.RESOLVING)
    return made_to_wait.filter(Exists(before), Exists(moved))


def _projection(ontology: Ontology, node: Node, beliefs: list[ValueRow], at: dt.datetime) -> Projection:
    known = ontology.properties_of(node.node_class)
    held: dict[str, list[Any]] = defaultdict(list)
    named: dict[str, list[Any]] = defaultdict(list)
    ever: dict[str, list[Any]] = defaultdict(list)
    told: dict[str, list[Any]] = defaultdict(list)
    for belief in beliefs:
        if belief.predicate not in known or is_empty(belief.value):
            continue
        told[belief.predicate].append(belief.value)
        if belief.audience != Audience.WORKSPACE:
            continue
        ever[belief.predicate].append(belief.value)
        if belief.standing == Standing.WITHDRAWN:
            continue
        if belief.status == Status.ACTIVATED:
            named[belief.predicate].append(belief.value)
            if _holds(belief, at):
                held[belief.predicate].append(belief.value)
    properties: dict[str, Any] = {}
    for name in sorted(held):
        normaliser = known[name].normaliser
        values = list({repr(normal_value(value, normaliser)): value for value in held[name]}.values())
        properties[name] = values if known[name].multi_valued else values[-1]
    label = ontology.label(node.node_class, {name: values[-1] for name, values in named.items()} | properties)
    every = keys_of_values(ontology, node.node_class, told)
    keys = keys_of_values(ontology, node.node_class, ever) if node.known_to_all else every
    return Projection(properties, label[:LONGEST_LABEL], keys, every)


def _holds(belief: ValueRow, at: dt.datetime) -> bool:
    return (belief.valid_from is None or belief.valid_from <= at) and (belief.valid_to is None or at < belief.valid_to)


def _take(node: Node, projection: Projection, write: Write) -> bool:
    label = projection.label or node.label
    if (node.properties, node.label) == (projection.properties, label):
        return False
    node.properties, node.label = projection.properties, label
    node.bare_label, node.initials, node.initialled = kept_forms(label)
    node.lock += 1
    node.projected_at = write.recorded_at
    return True


def _keep_keys(write: Write, nodes: Sequence[Node], projections: dict[uuid.UUID, Projection]) -> None:
    rows: dict[tuple[uuid.UUID, Key], IdentityKey] = {}
    for start in range(0, len(nodes), CHUNK):
        for row in IdentityKey.objects.filter(node__in=nodes[start : start + CHUNK]).order_by("active", "id"):
            rows[row.node_id, Key(row.owner_class, row.key_set, row.value)] = row
    wanted = {(node.pk, key): node for node in nodes for key in projections[node.pk].keys}
    new = [(node, key) for (pk, key), node in wanted.items() if (pk, key) not in rows]
    again = [row for place, row in rows.items() if place in wanted and not row.active]
    kept = wanted.keys() | {(node.pk, key) for node in nodes for key in projections[node.pk].kept}
    gone = [row for place, row in rows.items() if place not in kept and row.active]
    _refuse_taken(write.workspace, [*new, *((row.node, _key(row)) for row in again)], gone)
    for row in [*again, *gone]:
        row.active = not row.active
    IdentityKey.objects.bulk_update(gone, ["active"], batch_size=CHUNK)
    IdentityKey.objects.bulk_update(again, ["active"], batch_size=CHUNK)
    prepared.insert(
        [
            IdentityKey(
                workspace_id=write.workspace_id,
                node_id=node.pk,
                owner_class=key.owner_class,
                key_set=key.key_set,
                value=key.value,
                write_id=write.pk,
            )
            for node, key in new
        ]
    )


def _key(row: IdentityKey) -> Key:
    return Key(row.owner_class, row.key_set, row.value)


def _refuse_taken(workspace: Workspace, claims: list[tuple[Node, Key]], gone: list[IdentityKey]) -> None:
    """Two nodes cannot be identified by one key; a key that is given up in the same breath is free."""
    if not claims:
        return
    free = {(row.node_id, _key(row)) for row in gone}
    holders = nodes_by_key(workspace, [key for _, key in claims])
    claimed: dict[Key, Node] = {}
    for node, key in claims:
        first = claimed.setdefault(key, node)
        holder = holders.get(key)
        for other in (first, holder):
            if other is not None and other.pk != node.pk and (other.pk, key) not in free:
                raise ambiguous([node, other])
