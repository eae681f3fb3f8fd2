"""Edges between nodes. An edge is a belief; connecting and disconnecting is believing and no longer believing."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memoryapp.doors.errors import Conflict, DomainError, Invalid
from memoryapp.graph import changes, slots, todays
from memoryapp.graph.identity import resolve
from memoryapp.graph.models import Belief, Node
from memoryapp.graph.models.beliefs import Audience, Standing, Status
from memoryapp.graph.refusals import all_or_none
from memoryapp.graph.services import beliefs, conflict
from memoryapp.graph.services.confirmed import bound_by_people, may_change, refuse_confirmed
from memoryapp.graph.services.drafts import is_unvouched, nobody_vouched
from memoryapp.graph.services.remembering import Remembered, record_all
from memoryapp.graph.statements import Moment, NodeReference, Quoted, Statement
from memoryapp.ledger.models import Write
from memoryapp.ontology.normalise import normal_value
from memoryapp.ontology.queries import current_ontology

MOST = 500
"""Edges in one batch."""

CONFIRMED = "The edge was said anew with other qualifiers, and a person confirmed it as it is held."


def connect(
    write: Write,
    subject: NodeReference,
    relationship: str,
    object: NodeReference,
    qualifiers: dict[str, Any] | None = None,
    *,
    valid_from: Moment | None = None,
    valid_to: Moment | None = None,
    evidence: Sequence[Quoted] = (),
    premises: Sequence[uuid.UUID] = (),
    confidence: float | None = None,
) -> Remembered:
    """Believe that an edge leads from one node to another.

    The classes and the edge's own properties must be declared for the relationship. The same edge again is one more
    evidence. The same two nodes with other qualifiers supersede the edge that holds then; where edges are declared
    `multi`, they add another. Where one subject or object has one edge, a second is a conflict for a person to settle;
    so are other qualifiers that an agent says of an edge which a person confirmed.
    """
    write.by.require("connect_nodes")
    statement = Statement(
        subject=subject,
        predicate=relationship,
        object=object,
        qualifiers=qualifiers or {},
        valid_from=valid_from,
        valid_to=valid_to,
        evidence=tuple(evidence),
        premises=tuple(premises),
        confidence=confidence,
    )
    return _connect_vouched(write, statement)


def connect_all(write: Write, edges: Sequence[Statement]) -> list[Remembered]:
    """Connect a batch: all or nothing, in order, every violation with its row."""
    write.by.require("connect_nodes")
    if len(edges) > MOST:
        raise Invalid.at("", "too_many", f"{len(edges)} edges are too many at once.", f"at most {MOST}")
    return all_or_none(edges, lambda edge: _connect_vouched(write, edge))


def _connect_vouched(write: Write, statement: Statement) -> Remembered:
    """An edge that an agent draws from nothing but a machine's words is refused: it cannot wait as an edge."""
    if bound_by_people(write) and is_unvouched(statement):
        raise Invalid.all([nobody_vouched("/evidence")])
    return connect_as(write, statement)


def connect_as(write: Write, statement: Statement) -> Remembered:
    """What `connect` does, for whoever has a right of its own to it (extraction, a verdict)."""
    statement = todays.statement(current_ontology(write.workspace), statement, None)
    ends = _ends(write, statement)
    older = _requalified(write, statement, *ends)
    if older is None:
        return record_all(write, [statement], numbered=False)[0]
    begins = _begins(statement)
    if older.valid_from is not None and begins is not None and begins < older.valid_from:
        return record_all(write, [_before(statement, older)], numbered=False)[0]
    if not may_change(write, older):
        return record_all(write, [statement], numbered=False, against=[conflict.Rival(older, CONFIRMED)])[0]
    beliefs.end(write, older, begins or write.recorded_at, reason="The edge was said anew with other qualifiers.")
    remembered = record_all(write, [statement], numbered=False)[0]
    beliefs.supersede(write, older, remembered.belief, reason="The edge was said anew with other qualifiers.")
    changes.announce(write, [older])
    return remembered


def disconnect(
    write: Write,
    edge: Belief,
    *,
    reason: str,
    at: Moment | None = None,
    never: bool = False,
    lock: int | None = None,
) -> Belief:
    """The edge is over since `at` (now, when not said), or `never` was right. The belief and its history stay.

    Raises Invalid `not_an_edge` or `before_valid_from`, Conflict `archived`, Stale when `lock` is not the current one.
    """
    write.by.require("connect_nodes")
    beliefs.check_lock(edge, lock)
    if edge.shape != Belief.Shape.EDGE:
        raise Invalid.at("/edge", "not_an_edge", "This belief is not an edge.", "the id of an edge")
    if never and at is not None:
        raise Invalid.at("/at", "never_has_no_time", "What never was right has no time at which it ended.", "no time")
    if edge.status not in (Status.ACTIVATED, Status.RESOLVING):
        raise Conflict("The edge is over already.", code="archived", extra={"standing": edge.standing})
    refuse_confirmed(write, edge)
    moment = at.instant if at else write.recorded_at
    if edge.valid_from and moment < edge.valid_from:
        accepted = f"a time from {edge.valid_from.isoformat()} on"
        raise Invalid.at("/at", "before_valid_from", "It would end before it began.", accepted)
    if never:
        beliefs.change_state(write, edge, reason=reason, status=Status.ARCHIVED, standing=Standing.RETRACTED)
    else:
        beliefs.end(write, edge, moment, reason=reason, precision=at.precision if at else "instant")
    changes.announce(write, [edge, *conflict.reconsider(write, [edge])])
    return edge


def _ends(write: Write, statement: Statement) -> tuple[Node | None, Node | None]:
    """The two nodes, where they are found; whatever is wrong is said when the statement is read."""
    found: list[Node | None] = []
    for reference in (statement.subject, statement.object):
        try:
            found.append(resolve(write, reference) if reference is not None else None)
        except DomainError:
            found.append(None)
    return found[0], found[1]


def _requalified(write: Write, statement: Statement, subject: Node | None, object: Node | None) -> Belief | None:
    """The edge between the same nodes, with other qualifiers, that holds at the time the statement speaks of."""
    declared = current_ontology(write.workspace).document.relationships.get(statement.predicate)
    if declared is None or declared.cardinality == "multi" or subject is None or object is None:
        return None
    said = normal_value(statement.qualifiers)
    time = _begins(statement), statement.valid_to.instant if statement.valid_to else None
    held = Belief.objects.filter(
        workspace=write.workspace,
        shape=Belief.Shape.EDGE,
        subject=subject,
        predicate=statement.predicate,
        object=object,
        status=Status.ACTIVATED,
        audience=Audience.WORKSPACE,
    ).order_by("-valid_from", "-recorded_at", "-pk")
    others = [edge for edge in held if slots.overlap(conflict.interval(edge), time)]
    if any(normal_value(edge.qualifiers) == said for edge in others):
        return None
    return others[0] if others else None


def _begins(statement: Statement) -> dt.datetime | None:
    if statement.valid_from is not None:
        return statement.valid_from.instant
    return min((quoted.source.said_at for quoted in statement.evidence), default=None)


def _before(statement: Statement, older: Belief) -> Statement:
    """News of an earlier time ends where what is known of the later time begins."""
    if older.valid_from is None:
        return statement
    return replace(statement, valid_to=Moment(older.valid_from))
