"""How the graph follows a change of the declared types: rows take the other name.

What a belief says is never written anew: only by which declared names it is held. What is derived from rows is made
anew in `resettling`.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from memoryapp.graph import resettling
from memoryapp.graph.models import Belief, Mention, Node, Relation, RelationPlayer
from memoryapp.ledger.changing import rename_key
from memoryapp.ledger.models import Workspace, Write
from memoryapp.ontology import following
from memoryapp.ontology.changeset.moves import Move
from memoryapp.ontology.following import Follower, Only
from memoryapp.ontology.normalise import normal_value
from memoryapp.sources.models import Participant

CHUNK = 400


def register() -> None:
    following.register(
        "graph",
        Follower(
            count,
            move,
            clear=resettling.clear,
            settle=resettling.settle,
            marks=resettling.marks,
            rehearse=resettling.rehearse,
            install=resettling.install,
        ),
        rows={
            "node_classes": lambda workspace, types: Node.objects.filter(workspace=workspace, node_class__in=types),
            "belief_kinds": lambda workspace, types: Belief.objects.filter(
                workspace=workspace, shape=Belief.Shape.STATEMENT, kind__in=types
            ),
            "relationships": lambda workspace, types: Belief.objects.filter(
                workspace=workspace, shape=Belief.Shape.EDGE, predicate__in=types
            ),
        },
    )


def count(workspace: Workspace, move: Move) -> dict[str, int]:
    """How many rows would follow."""
    if move.part == "split":
        return {"nodes": sum(len(ids) for ids in _split(Node.objects.filter(workspace=workspace), move).values())}
    return {name: rows.count() for name, rows, _ in _rows(workspace, move)}


def move(write: Write, move: Move, only: Only | None = None) -> dict[str, int]:
    """Let every row follow one move, or only some of the family that moves."""
    if only is not None and only.family != move.family:
        return {}
    if move.part == "split":
        nodes = Node.objects.filter(workspace=write.workspace)
        return {"nodes": _move_split(_only(nodes, only), move)}
    done: dict[str, int] = {}
    for name, rows, change in _rows(write.workspace, move):
        if only is not None and rows.model not in (Node, Belief):
            continue
        some = _only(rows, only)
        if isinstance(change, str):
            done[name] = rename_key(some, change, move.name, move.to)
        else:
            done[name] = some.update(**change)
    return done


def _only(rows: QuerySet[Any], only: Only | None) -> QuerySet[Any]:
    if only is None:
        return rows
    of_nodes = only.family == "node_classes" and rows.model is Belief
    return rows.filter(subject__in=only.ids) if of_nodes else rows.filter(pk__in=only.ids)


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


def _split(nodes: QuerySet[Node], move: Move) -> dict[str, list[uuid.UUID]]:
    """The nodes that become nodes of each class, by the value they hold now."""
    by_value = {repr(normal_value(value)): to for value, to in move.by_value}
    found: dict[str, list[uuid.UUID]] = defaultdict(list)
    for pk, properties in nodes.filter(node_class=move.type).values_list("pk", "properties").iterator():
        held = properties.get(move.name)
        for value in held if isinstance(held, list) else [held]:
            if (to := by_value.get(repr(normal_value(value)))) is not None:
                found[to].append(pk)
                break
    return found


def _move_split(nodes: QuerySet[Node], move: Move) -> int:
    done = 0
    for to, ids in _split(nodes, move).items():
        for chunk in _chunks(ids):
            done += Node.objects.filter(pk__in=chunk).update(node_class=to)
    return done


def _chunks(ids: Iterable[Any]) -> Iterator[list[Any]]:
    several = list(ids)
    for start in range(0, len(several), CHUNK):
        yield several[start : start + CHUNK]
