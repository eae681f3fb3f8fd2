"""How the graph follows a change of the declared types: rows take the other name, and what is derived is made anew.

What a belief says is never written anew: only by which declared names it is held.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.db.models import Count, Q, QuerySet

from memoryapp.graph import slots
from memoryapp.graph.models import Belief, BeliefState, IdentityKey, Mention, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services import conflict, keying, projection
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology import following
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.following import Follower, Touched
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import Participant

CHUNK = 400


def register() -> None:
    following.register("graph", Follower(count, move, settle))


def count(workspace: Workspace, move: Move) -> dict[str, int]:
    """How many rows would follow."""
    if move.part == "split":
        return {"nodes": sum(len(ids) for ids in _split(workspace, move).values())}
    return {name: rows.count() for name, rows, _ in _rows(workspace, move)}


def move(write: Write, move: Move) -> dict[str, int]:
    """Let every row follow one move."""
    if move.part == "split":
        return {"nodes": _move_split(write, move)}
    done: dict[str, int] = {}
    for name, rows, change in _rows(write.workspace, move):
        done[name] = _rename_keys(rows, change, move) if isinstance(change, str) else rows.update(**change)
    return done


def _rows(workspace: Workspace, move: Move) -> Iterator[tuple[str, QuerySet[Any], dict[str, Any] | str]]:
    """The rows of each table that follow, with the columns to set or the column of JSON whose key is renamed."""
    here = {"workspace": workspace}
    if not move.part:
        yield from _of_type(here, move)
    elif move.part == "role" and move.family == "relation_kinds":
        yield "players", RelationPlayer.objects.filter(**here, kind=move.type, role=move.name), {"role": move.to}
    elif move.part == "property" and move.family == "node_classes":
        held = Belief.objects.filter(
            **here, shape=Belief.Shape.PROPERTY, predicate=move.name, subject__node_class__in=move.types
        )
        yield "beliefs", held, {"predicate": move.to}
    elif move.part == "property" and move.family == "relationships":
        edges = Belief.objects.filter(**here, shape=Belief.Shape.EDGE, predicate__in=move.types)
        yield "beliefs", edges.filter(qualifiers__has_key=move.name), "qualifiers"
    elif move.part == "property" and move.family == "belief_kinds":
        yield "beliefs", Belief.objects.filter(**here, kind__in=move.types, attributes__has_key=move.name), "attributes"
    elif move.part == "property" and move.family == "relation_kinds":
        rows = Relation.objects.filter(**here, kind__in=move.types, attributes__has_key=move.name)
        yield "relations", rows, "attributes"


def _of_type(here: dict[str, Any], move: Move) -> Iterator[tuple[str, QuerySet[Any], dict[str, Any]]]:
    if move.family == "node_classes":
        for name, table in (("nodes", Node), ("mentions", Mention), ("participants", Participant)):
            yield name, table.objects.filter(**here, node_class=move.type), {"node_class": move.to}
    elif move.family == "belief_kinds":
        yield "beliefs", Belief.objects.filter(**here, kind=move.type), {"kind": move.to}
    elif move.family == "relationships":
        edges = Belief.objects.filter(**here, shape=Belief.Shape.EDGE, predicate=move.type)
        yield "beliefs", edges, {"predicate": move.to}
    elif move.family == "relation_kinds":
        yield "relations", Relation.objects.filter(**here, kind=move.type), {"kind": move.to}
        yield "players", RelationPlayer.objects.filter(**here, kind=move.type), {"kind": move.to}


def _rename_keys(rows: QuerySet[Any], column: str, move: Move) -> int:
    done = 0
    for chunk in _chunks(list(rows.values_list("pk", flat=True))):
        several = list(rows.model.objects.filter(pk__in=chunk))
        for row in several:
            held = getattr(row, column)
            setattr(row, column, {move.to if name == move.name else name: value for name, value in held.items()})
        rows.model.objects.bulk_update(several, [column], batch_size=CHUNK)
        done += len(several)
    return done


def _split(workspace: Workspace, move: Move) -> dict[str, list[uuid.UUID]]:
    """The nodes that become nodes of each class, by the value they hold now."""
    by_value = {repr(normal_value(value)): to for value, to in move.by_value}
    found: dict[str, list[uuid.UUID]] = defaultdict(list)
    nodes = Node.objects.filter(workspace=workspace, node_class=move.type)
    for pk, properties in nodes.values_list("pk", "properties").iterator():
        held = properties.get(move.name)
        for value in held if isinstance(held, list) else [held]:
            if (to := by_value.get(repr(normal_value(value)))) is not None:
                found[to].append(pk)
                break
    return found


def _move_split(write: Write, move: Move) -> int:
    done = 0
    for to, ids in _split(write.workspace, move).items():
        for chunk in _chunks(ids):
            done += Node.objects.filter(pk__in=chunk).update(node_class=to)
    return done


def settle(write: Write, touched: Touched) -> None:
    """Slots, digests, properties, labels and identity keys of what was touched, under the edition in force."""
    ontology = current_ontology(write.workspace)
    classes, kinds, edges = (touched.of(one) for one in ("node_classes", "belief_kinds", "relationships"))
    here = {"workspace": write.workspace}
    if classes:
        ids = list(Node.objects.filter(**here, node_class__in=classes).values_list("pk", flat=True))
        for chunk in _chunks(ids):
            said = Belief.objects.filter(shape=Belief.Shape.PROPERTY, subject__in=chunk)
            _reslot(ontology, list(said.select_related("subject")))
            keying.rekey(write, said)
        _free_keys(write, ids)
        for chunk in _chunks(ids):
            projection.project(write, Node.objects.filter(pk__in=chunk))
    if kinds:
        free = Belief.objects.filter(**here, shape=Belief.Shape.STATEMENT, kind__in=kinds)
        for chunk in _chunks(list(free.values_list("pk", flat=True))):
            _reslot(ontology, list(Belief.objects.filter(pk__in=chunk).select_related("subject")))
    if edges:
        held = Belief.objects.filter(**here, shape=Belief.Shape.EDGE, predicate__in=edges)
        for chunk in _chunks(list(held.values_list("pk", flat=True))):
            _reslot(ontology, list(Belief.objects.filter(pk__in=chunk).select_related("subject")))


def _free_keys(write: Write, ids: Sequence[uuid.UUID]) -> None:
    """Give up keys of sets that are declared no more, so that what takes their place meets only keys of today."""
    ontology = current_ontology(write.workspace)
    declared = {(owner, one.name) for owner in ontology.document.node_classes for one in ontology.key_sets(owner)}
    keys = IdentityKey.objects.filter(workspace=write.workspace, active=True)
    old = [pair for pair in keys.values_list("owner_class", "key_set").distinct() if pair not in declared]
    gone = Q()
    for owner, name in old:
        gone |= Q(owner_class=owner, key_set=name)
    for chunk in _chunks(ids) if old else ():
        keys.filter(gone, node__in=chunk).update(active=False)


def _reslot(ontology: Ontology, beliefs: Sequence[Belief]) -> None:
    """What only one may fill and what says the same, by the names of today. Raises Conflict `slot_taken` when two that
    hold now come to fill one slot."""
    owners = dict(BeliefState.objects.filter(belief__in=beliefs).order_by("sequence").values_list("belief", "owners"))
    changed = []
    for belief in beliefs:
        slot, statement = _digests(ontology, belief, [uuid.UUID(one) for one in owners.get(belief.pk, ())])
        if (slot, statement) != (belief.slot, belief.statement):
            belief.slot, belief.statement = slot, statement
            changed.append(belief)
    Belief.objects.bulk_update(changed, ["slot", "statement"], batch_size=CHUNK)
    filled = {belief.slot for belief in changed if belief.slot and belief.status == Status.ACTIVATED}
    held = Belief.objects.filter(
        status=Status.ACTIVATED, slot__in=filled, workspace__in={b.workspace_id for b in changed}
    )
    twice = {one["slot"] for one in held.values("slot").annotate(n=Count("pk")).filter(n__gt=1)}
    for belief in changed:
        if belief.slot in twice:
            conflict.refuse_taken_slot(belief)


def _digests(ontology: Ontology, belief: Belief, owners: Sequence[uuid.UUID]) -> tuple[str, str]:
    subject = belief.subject_id
    if belief.shape == Belief.Shape.STATEMENT:
        topic, family = ontology.topic(belief.kind, belief.topic)
        slot = slots.topic_slot(owners, family, topic)
        said: Any = slots.normal_content(belief.content)
        kind, of = belief.kind, owners
    else:
        kind, of = "", ()
        slot, said = _edge(ontology, belief) if belief.object_id else _property(ontology, belief)
    digest = slots.statement_digest(
        kind=kind,
        owners=of,
        subject=subject,
        predicate=belief.predicate,
        object_=belief.object_id,
        slot=slot,
        said=said,
    )
    return slot, digest


def _property(ontology: Ontology, belief: Belief) -> tuple[str, Any]:
    assert belief.subject is not None
    declared = ontology.properties_of(belief.subject.node_class).get(belief.predicate)
    if declared is None:
        return belief.slot, normal_value(belief.value)
    slot = "" if declared.multi_valued else slots.subject_slot(belief.subject.pk, belief.predicate)
    return slot, normal_value(belief.value, declared.normaliser)


def _edge(ontology: Ontology, belief: Belief) -> tuple[str, Any]:
    assert belief.subject_id is not None
    assert belief.object_id is not None
    declared = ontology.document.relationships.get(belief.predicate)
    slot = ""
    if declared is not None and declared.cardinality == "one_per_subject":
        slot = slots.subject_slot(belief.subject_id, belief.predicate)
    elif declared is not None and declared.cardinality == "one_per_object":
        slot = slots.object_slot(belief.object_id, belief.predicate)
    return slot, normal_value(belief.qualifiers)


def _chunks(ids: Iterable[Any]) -> Iterator[list[Any]]:
    several = list(ids)
    for start in range(0, len(several), CHUNK):
        yield several[start : start + CHUNK]
