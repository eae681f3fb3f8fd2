"""Two nodes are one: everything that refers to the one refers to the other, and its id leads there for ever."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

from memoryapp.doors.errors import Conflict
from memoryapp.graph import changes
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Standing, Status
from memoryapp.graph.referring import pointers
from memoryapp.graph.services import conflict
from memoryapp.graph.services.assembling import Assembly, Playing, change_relation
from memoryapp.graph.services.beliefs import change_state
from memoryapp.graph.services.confirmed import INSTEAD, bound_by_people, confirmed
from memoryapp.graph.services.merging import moving
from memoryapp.graph.services.merging.planning import Plan, plan
from memoryapp.graph.services.projection import project
from memoryapp.graph.services.withdrawing import concerned
from memoryapp.ledger.models import Write

SAME = "Two nodes became one, and another statement says the same of it."
LOOP = "The two nodes it led between became one."
TWICE = "Two nodes in it became one."
WAITS = "Two nodes became one. It contradicts what is held of it and waits for a verdict."
FOLLOWS = "Its node was folded into another."


def fold(write: Write, kept: Node, folded: Node, *, reason: str) -> Plan:
    """Fold one node into another, within the caller's right. See `merge`."""
    planned = plan(write.workspace, kept, folded)
    _refuse_confirmed(write, planned)
    for relation in planned.ended:
        change_relation(write, relation, reason=TWICE, state=Relation.State.RETRACTED)
    for pointer in pointers():
        moving.move(write, pointer, pointer.able(write.workspace, folded.pk, kept.pk), folded, kept)
    moving.follow(write, planned.mine.values(), _heads(planned), _reasons(planned))
    _redirect(write, planned, reason)
    touched = _join(write, planned)
    for rivalry in planned.rivalries:
        version = rivalry.newcomer.ontology_version
        conflict.open_all(write, rivalry.newcomer, rivalry.rivals, version)
    touched += [one.belief for one in planned.mine.values()]
    if waiting := concerned(write, touched):
        touched += conflict.reconsider(write, waiting)
    project(write, [folded, kept])
    moving.outnumber(kept, folded)
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


def _join(write: Write, planned: Plan) -> list[Belief]:
    """What says the same stays once, on everything that either stood on, over the time of both."""
    touched: dict[uuid.UUID, Belief] = {}
    assembly = Assembly(write, planned.kept.ontology_version)
    for gone, stays in planned.duplicates:
        if gone.pk not in planned.mine:
            change_state(write, gone, reason=SAME, status=Status.ARCHIVED)
        _give_support(assembly, gone, stays)
        _widen(write, stays, gone)
        touched |= {gone.pk: gone, stays.pk: stays}
    assembly.finish()
    return list(touched.values())


def _give_support(assembly: Assembly, gone: Belief, stays: Belief) -> None:
    """Let what stays stand on the sources and premises of what goes, and what was concluded from it on what stays."""
    linked = _sources(stays)
    for sourcing in _relations(gone, "sourcing", "sourced"):
        quoted = [
            Playing("evidence", source=one.source, start=one.span_start, end=one.span_end)
            for one in sourcing.players.filter(role="evidence").select_related("source").order_by("position")
            if (one.source_id, one.span_start) not in linked
        ]
        if quoted:
            assembly.add("sourcing", [*quoted, Playing("sourced", belief=stays)], reason=SAME)
    for role in ("conclusion", "premise"):
        for derivation in _relations(gone, "derivation", role):
            players = list(derivation.players.select_related("belief").order_by("position"))
            if all(one.belief_id != stays.pk for one in players):
                assembly.add(
                    "derivation",
                    [Playing(one.role, belief=stays if one.belief_id == gone.pk else one.belief) for one in players],
                    reason=SAME,
                )


def _relations(belief: Belief, kind: str, role: str) -> list[Relation]:
    plays = RelationPlayer.objects.filter(kind=kind, role=role, belief=belief)
    return list(Relation.objects.filter(pk__in=plays.values("relation"), state=Relation.State.ACTIVATED).order_by("pk"))


def _sources(belief: Belief) -> set[tuple[uuid.UUID | None, int | None]]:
    sourcing = RelationPlayer.objects.filter(
        kind="sourcing", role="sourced", belief=belief, relation__state=Relation.State.ACTIVATED
    )
    rows = RelationPlayer.objects.filter(role="evidence", relation__in=sourcing.values("relation"))
    return set(rows.values_list("source", "span_start"))


def _widen(write: Write, stays: Belief, gone: Belief) -> None:
    """It holds as long as either did."""
    change: dict[str, Any] = {}
    if stays.valid_from and (gone.valid_from is None or gone.valid_from < stays.valid_from):
        change |= {"valid_from": gone.valid_from, "valid_from_precision": gone.valid_from_precision}
    if stays.valid_to and (gone.valid_to is None or gone.valid_to > stays.valid_to):
        change |= {"valid_to": gone.valid_to, "valid_to_precision": gone.valid_to_precision}
    if change:
        change_state(write, stays, reason=SAME, **change)
