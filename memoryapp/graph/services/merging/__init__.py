"""Who is who: two nodes become one, one becomes two, and each can be taken back.

Rows that point to a node follow it, and every move is kept; tables of which nothing may change are read through the
redirect. A merge and a split are decisions, listed and undone like any other.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence

from memoryapp.doors import etags
from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.graph import changes
from memoryapp.graph.identity import by_id
from memoryapp.graph.models import Node
from memoryapp.graph.services.confirmed import bound_by_people
from memoryapp.graph.services.merging import asking, moving
from memoryapp.graph.services.merging.asking import MERGE_SUGGESTION, pair_key
from memoryapp.graph.services.merging.folding import fold
from memoryapp.graph.services.merging.planning import refuse_unfit
from memoryapp.graph.services.merging.splitting import Part, divide
from memoryapp.graph.services.merging.undoing import put_back
from memoryapp.ledger.models import Actor, Write
from memoryapp.ontology.queries import current_ontology
from memoryapp.review.models import Decision
from memoryapp.review.services import Subject, open_case, settle_by_right, undo_by_right

SPLIT = "split"
KINDS = (asking.MERGE_SUGGESTION, asking.AMBIGUOUS_IDENTITY, SPLIT)
LONGEST_REASON = 2000


def merge(write: Write, *, kept: uuid.UUID, folded: uuid.UUID, lock: int | None = None) -> Decision:
    """Fold one node into another: edges, beliefs, owners, names, keys and everything of other rooms follow.

    What then says the same stays once, on all the evidence; other values of what has one value become conflicts that
    wait for a person; edges between the two vanish; the folded id leads to the kept node for ever. Needs `merge_nodes`.
    Raises NotFound; Stale for an old `lock` of the kept one; Conflict `same_node`, `not_in_use`, `class_differs`,
    `told_apart` when a person said that they are two, `confirmed_by_person`.
    """
    write.by.require("merge_nodes")
    stays, goes = by_id(write, kept), by_id(write, folded)
    if lock is not None:
        etags.check(stays.lock, lock, {"id": str(stays.pk), "label": stays.label, "state": stays.state})
    refuse_unfit(current_ontology(write.workspace), stays, goes)
    _refuse_told_apart(write, stays, goes)
    older, newer = sorted((stays, goes), key=lambda node: node.pk)
    case = asking.open_question(write.workspace, stays, goes) or open_case(
        write,
        kind=MERGE_SUGGESTION,
        key=pair_key([older.pk, newer.pk]),
        reason="Somebody says that they are one.",
        subjects=[Subject("older", "node", older.pk), Subject("newer", "node", newer.pk)],
    )
    if case is None:
        raise Conflict("A person told them apart.", code="told_apart")
    return settle_by_right(write, case, verdict="merge", edits={"keep": str(stays.pk)})


def merge_all(write: Write, *, keep: Node, others: Sequence[Node], reason: str) -> None:
    """What the verdict of a case does: fold every other one into the one to keep."""
    for other in others:
        fold(write, Node.objects.get(pk=keep.pk), Node.objects.get(pk=other.pk), reason=reason)
    asking.void_answered(write, others)


def split(
    write: Write,
    *,
    node: uuid.UUID,
    beliefs: Sequence[uuid.UUID],
    others: Mapping[str, Sequence[uuid.UUID]] | None = None,
    lock: int | None = None,
) -> tuple[Node, Decision]:
    """Move a part of what is known of a node to a new node of the same class. Returns it, and the decision.

    `beliefs` are about the node, lead to it or are owned by it; what superseded them, or they superseded, goes along.
    `others` are things of other rooms, by the room's word for them. Keys and names follow the properties that go. Needs
    `merge_nodes`. Raises NotFound, Stale, Invalid `nothing_to_split`, `not_of_this_node`, `cannot_be_split`, Conflict
    `not_in_use`, `confirmed_by_person`.
    """
    write.by.require("merge_nodes")
    found = by_id(write, node)
    if lock is not None:
        etags.check(found.lock, lock)
    if found.state != Node.State.ACTIVE:
        raise Conflict(f"It is {found.state}; put it back into use first.", code="not_in_use")
    part = Part(frozenset(beliefs), {name: frozenset(ids) for name, ids in (others or {}).items() if ids})
    new = divide(write, found, part, reason=write.rationale)
    case = open_case(
        write,
        kind=SPLIT,
        key=pair_key([found.pk, new.pk]),
        reason="A part of a node belongs to another.",
        subjects=[Subject("node", "node", found.pk), Subject("split off", "node", new.pk)],
    )
    assert case is not None
    return new, settle_by_right(write, case, verdict="carry_out")


def take_back(write: Write, *, decision: uuid.UUID) -> Decision:
    """Take a merge or a split back: every row refers again to the node it referred to, every head is as it was.

    What was recorded of the kept node since stays with it. Needs `merge_nodes`; an agent takes back only what no person
    decided (Conflict `confirmed_by_person`). Raises NotFound, Conflict `already_undone`, and `later_write` with the
    write that stands in the way.
    """
    write.by.require("merge_nodes")
    found = Decision.objects.filter(
        workspace=write.workspace, pk=decision, verdict__in=["merge", "carry_out"], case__kind__in=KINDS
    ).first()
    if found is None:
        raise NotFound("There is no such merge or split.", code="no_such_decision")
    if bound_by_people(write) and found.decided_by.kind == Actor.Kind.PERSON:
        raise Conflict("A person decided it, and only a person takes it back.", code="confirmed_by_person")
    return undo_by_right(write, found.pk)


def retire_node(write: Write, *, node: uuid.UUID, reason: str, lock: int | None = None) -> Node:
    """It is not used any more: left out of lists and of what is offered, and still there for who asks for it.

    Nothing that is said of it changes. Reversible by `use_again`. Needs `merge_nodes`. Raises Conflict `not_in_use`.
    """
    return _change(write, node, lock, reason, Node.State.ACTIVE, Node.State.RETIRED)


def use_again(write: Write, *, node: uuid.UUID, reason: str, lock: int | None = None) -> Node:
    """Put a retired node back into use. Raises Conflict `not_retired`."""
    return _change(write, node, lock, reason, Node.State.RETIRED, Node.State.ACTIVE)


def _change(write: Write, node_id: uuid.UUID, lock: int | None, reason: str, before: str, after: str) -> Node:
    write.by.require("merge_nodes")
    node = by_id(write, node_id)
    if lock is not None:
        etags.check(node.lock, lock)
    if not reason.strip() or len(reason) > LONGEST_REASON:
        accepted = f"a sentence of at most {LONGEST_REASON} characters"
        raise Invalid.at("/reason", "reason_missing", "A node does not change without a reason.", accepted)
    if node.state != before:
        code = "not_in_use" if before == Node.State.ACTIVE else "not_retired"
        raise Conflict(f"It is {node.state}.", code=code, extra={"state": node.state})
    moving.become(write, node, state=after, reason=reason, projected=False)
    changes.announce(write, [node])
    return node


def _refuse_told_apart(write: Write, one: Node, other: Node) -> None:
    if said := asking.told_apart(write.workspace, one, other):
        raise Conflict(
            f"{said.decided_by.name} said that they are not the same. Take that decision back first.",
            code="told_apart",
            extra={"decision": str(said.pk)},
        )


__all__ = ["SPLIT", "merge", "merge_all", "put_back", "retire_node", "split", "take_back", "use_again"]
