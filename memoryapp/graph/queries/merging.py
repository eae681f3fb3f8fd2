"""What making two nodes one would do, as far as somebody sees it."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from typing import Any

from django.db.models import Q, QuerySet

from memoryapp.doors.errors import Conflict
from memoryapp.graph.identity import by_id
from memoryapp.graph.models import Belief, Node, NodeMove, NodeState
from memoryapp.graph.queries.relations import relations
from memoryapp.graph.queries.told import Told, told
from memoryapp.graph.referring import pointers, readers
from memoryapp.graph.services.merging import asking
from memoryapp.graph.services.merging.planning import Plan, plan
from memoryapp.graph.services.merging.pointers import OBJECT, PLAYER, SUBJECT
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, CaseChange, Decision

SHOWN = 50
"""Of each part of a preview as many are listed; all are counted."""


def preview(by: Principal, kept: uuid.UUID, folded: uuid.UUID) -> Told:
    """What follows, what says the same, what would contradict, and what vanishes. Changes nothing.

    Raises NotFound, and Conflict as the merge itself would.
    """
    stays, goes = by_id(by, kept), by_id(by, folded)
    found = plan(by.workspace, stays, goes)
    if said := asking.told_apart(by.workspace, stays, goes):
        message = f"{said.decided_by.name} said that they are not the same. Take that decision back first."
        raise Conflict(message, code="told_apart", extra={"decision": str(said.pk)})
    seen = _seen(by, found)
    return {
        "kept": _named(stays),
        "folded": _named(goes),
        "follows": _follows(by, goes, found, seen),
        "duplicates": _pairs(((gone, stay) for gone, stay in found.duplicates), ("goes", "stays"), seen),
        "conflicts": _pairs(
            ((rival.older, one.newcomer) for one in found.rivalries for rival in one.rivals), ("held", "waits"), seen
        ),
        "vanishes": _several([one for one in found.loops if one.pk in seen]),
    }


def history(by: Principal, node: Node) -> list[Told]:
    """When the node was merged, split, retired or put back into use, the latest first, each with who and why."""
    states = NodeState.objects.filter(workspace=by.workspace).filter(Q(node=node) | Q(folded_into=node))
    rows = list(states.select_related("write__actor", "node").order_by("-recorded_at", "-pk")[:SHOWN])
    writes = {row.write_id for row in rows}
    moved = set(NodeMove.objects.filter(write__in=writes).values_list("write", flat=True))
    decisions = {one.write_id: one for one in Decision.objects.filter(write__in=writes, undoes__isnull=True)}
    undone = set(Decision.objects.filter(undoes__in=list(decisions.values())).values_list("undoes", flat=True))
    found: dict[uuid.UUID, Told] = {}
    for row in rows:
        decision = decisions.get(row.write_id)
        told_now = {
            "at": row.recorded_at,
            "by": row.write.actor.name,
            "state": row.state,
            "reason": row.reason,
            "moved": row.write_id in moved,
            "node": _named(row.node) if row.node_id != node.pk else None,
            "decision": str(decision.pk) if decision else None,
            "undone": bool(decision and decision.pk in undone),
        }
        if row.write_id not in found or row.node_id != node.pk:
            found[row.write_id] = told_now
    return list(found.values())


def suggestions(by: Principal) -> QuerySet[Case]:
    """The open questions whether two nodes are one, the newest first."""
    found = Case.objects.visible_to(by).filter(kind=asking.MERGE_SUGGESTION, state=Case.State.OPEN)
    return found.prefetch_related("subjects").order_by("-opened_at", "-pk")


def suggested(case: Case) -> Told:
    """One of them, with both nodes."""
    nodes = Node.objects.filter(pk__in=[one.subject_id for one in case.subjects.all()]).order_by("recorded_at", "pk")
    return {
        "case": str(case.pk),
        "why": case.reason,
        "nodes": [_named(node) for node in nodes],
        "opened_at": case.opened_at,
    }


def asked_by(decision: Decision) -> list[uuid.UUID]:
    """The conflicts that a merge put before a person."""
    opened = CaseChange.objects.filter(write=decision.write_id, change=CaseChange.Change.OPENED)
    return sorted(opened.exclude(case=decision.case_id).values_list("case", flat=True))


def _seen(by: Principal, found: Plan) -> set[uuid.UUID]:
    ids = set(found.mine) | {one.pk for pair in found.duplicates for one in pair}
    ids |= {rival.older.pk for one in found.rivalries for rival in one.rivals}
    return _visible(by, ids)


def _visible(by: Principal, ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
    return set(Belief.objects.visible_to(by).filter(pk__in=list(ids)).values_list("pk", flat=True))


def _follows(by: Principal, folded: Node, found: Plan, seen: set[uuid.UUID]) -> list[Told]:
    """How many rows follow, by what they are called; beliefs as far as they are seen."""
    mine = [one.belief for one in found.mine.values() if one.belief.pk in seen]
    counted = {
        "properties": sum(one.shape == Belief.Shape.PROPERTY for one in mine),
        "edges": sum(one.shape == Belief.Shape.EDGE for one in mine),
        "statements": sum(one.shape == Belief.Shape.STATEMENT for one in mine),
        "relations": relations(by, player=folded.pk).exclude(kind="ownership").count(),
    }
    joined = relations(by).filter(pk__in=[gone.pk for gone, _ in found.equal])
    counted["relations that join the same already, and stay once"] = joined.count()
    for pointer in pointers():
        if pointer.name not in (SUBJECT, OBJECT, PLAYER):
            counted[pointer.words] = pointer.rows(by.workspace, folded.pk).count()
    for reader in readers():
        counted[reader.words] = reader.count(by, [folded.pk])
    return [{"what": what, "count": count} for what, count in counted.items() if count]


def _pairs(pairs: Any, names: tuple[str, str], seen: set[uuid.UUID]) -> Told:
    both = [pair for pair in pairs if {pair[0].pk, pair[1].pk} <= seen]
    items = [{name: told(one) for name, one in zip(names, pair, strict=True)} for pair in both[:SHOWN]]
    return {"count": len(both), "items": items}


def _several(beliefs: list[Belief]) -> Told:
    return {"count": len(beliefs), "items": [told(one) for one in beliefs[:SHOWN]]}


def _named(node: Node) -> Told:
    return {"id": str(node.pk), "class": node.node_class, "label": node.label, "lock": node.lock}
