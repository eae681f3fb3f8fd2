"""Two nodes are one: everything that refers to the one refers to the other, and its id leads there for ever."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, Node, Relation
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.referring import pointers
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import change_relations
from memoryapp.graph.services.confirmed import INSTEAD, bound_by_people, confirmed
from memoryapp.graph.services.merging import moving
from memoryapp.graph.services.merging.joining import SAME, join_beliefs, join_relations
from memoryapp.graph.services.merging.planning import Plan, plan
from memoryapp.graph.services.projection import project
from memoryapp.graph.services.withdrawing import concerned
from memoryapp.ledger.models import Write

LOOP = "The two nodes it led between became one."
TWICE = "Two nodes in it became one."
WAITS = "Two nodes became one. It contradicts what is held of it and waits for a verdict."
FOLLOWS = "Its node was folded into another."


def fold(write: Write, kept: Node, folded: Node, *, reason: str) -> Plan:
    """Fold one node into another, within the caller's right. See `merge`."""
    planned = plan(write.workspace, kept, folded)
    _refuse_confirmed(write, planned)
    ends = {one.pk: (Relation.State.RETRACTED.value, one.valid_to) for one in planned.ended}
    change_relations(write, ends, reason=TWICE)
    for pointer in pointers():
        moving.move(write, pointer, pointer.able(write.workspace, folded.pk, kept.pk), folded.pk, kept.pk)
    heads = _heads(planned)
    moving.follow(write, planned.mine.values(), heads, _reasons(planned))
    _redirect(write, planned, reason)
    touched = join_beliefs(write, planned)
    join_relations(write, planned)
    for rivalry in planned.rivalries:
        version = rivalry.newcomer.ontology_version
        conflict.open_all(write, rivalry.newcomer, rivalry.rivals, version)
    mine = [one.belief for one in planned.mine.values()]
    if waiting := concerned(write, [*touched, *mine]):
        touched += conflict.reconsider(write, waiting)
    project(write, [folded, kept])
    moving.outnumber(kept, folded)
    touched += moving.told_otherwise(planned.mine.values(), heads)
    changes.announce(write, [*touched, *Node.objects.filter(pk__in=[kept.pk, folded.pk])])
    return planned


def _refuse_confirmed(write: Write, planned: Plan) -> None:
    """An agent's merge may let follow what a person confirmed, and neither archive it nor make it wait."""
    if not bound_by_people(write):
        return
    changed = [dup.pk for dup, _ in planned.duplicates] + [one.newcomer.pk for one in planned.rivalries]
    if ids := confirmed([*changed, *(loop.pk for loop in planned.loops)]):
        raise Conflict(INSTEAD, code="confirmed_by_person", extra={"beliefs": sorted(map(str, ids))})


def _heads(planned: Plan) -> dict[uuid.UUID, dict[str, Any]]:
    """What changes in the heads of the beliefs that follow."""
    found: dict[uuid.UUID, dict[str, Any]] = {}
    for gone, _ in planned.duplicates:
        if gone.pk in planned.mine:
            found[gone.pk] = {"status": Status.ARCHIVED}
    for loop in planned.loops:
        found[loop.pk] = {"status": Status.ARCHIVED, "standing": Standing.RETRACTED}
    for rivalry in planned.rivalries:
        found[rivalry.newcomer.pk] = {"status": Status.RESOLVING}
    return found


def _reasons(planned: Plan) -> Callable[[Belief], str]:
    same = {gone.pk for gone, _ in planned.duplicates}
    loops = {loop.pk for loop in planned.loops}
    waiting = {one.newcomer.pk for one in planned.rivalries}

    def reason(belief: Belief) -> str:
        if belief.pk in same:
            return SAME
        if belief.pk in loops:
            return LOOP
        return WAITS if belief.pk in waiting else FOLLOWS

    return reason


def _redirect(write: Write, planned: Plan, reason: str) -> None:
    """The folded id leads to the kept one, and so do those that led to it: one step is always enough."""
    kept, folded = planned.kept, planned.folded
    moving.become(write, kept, state=Node.State.ACTIVE, reason=f"Another node was folded into it. {reason}".strip())
    earlier = list(Node.objects.filter(workspace=write.workspace, folded_into=folded).order_by("pk"))
    moving.become(write, folded, state=Node.State.FOLDED, into=kept, reason=reason or "It is the same as the other.")
    for node in earlier:
        moving.become(write, node, state=Node.State.FOLDED, into=kept, reason="What it had been folded into was.")
