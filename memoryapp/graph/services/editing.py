"""A person's edit of what was said: a new belief of theirs, derived from the one they edited."""

from __future__ import annotations

import uuid
from typing import Any

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.doors.moments import Precision
from memoryapp.graph import changes
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services import conflict
from memoryapp.graph.services.audiences import named_readers
from memoryapp.graph.services.beliefs import check_lock, owners_of, supersede
from memoryapp.graph.services.confirmed import refuse_confirmed
from memoryapp.graph.services.remembering import store
from memoryapp.graph.statements import Moment, NodeStored, Statement
from memoryapp.ledger.models import Write

KEEP: Any = object()
"""Leave this as it is."""


def edit(
    write: Write,
    belief: Belief,
    *,
    reason: str,
    content: str = "",
    value: Any = KEEP,
    valid_from: Moment | None = KEEP,
    valid_to: Moment | None = KEEP,
    lock: int | None = None,
) -> Belief:
    """Put right what a belief says: the edited one takes its place and the old one never was right.

    `content` for a free statement, `value` for a property. Raises Conflict `archived`, `already_held` or `slot_taken`.
    """
    write.by.require("remember")
    check_lock(belief, lock)
    if belief.status not in (Status.ACTIVATED, Status.RESOLVING):
        raise Conflict("Only what is held or waits for a verdict is edited.", code="archived")
    refuse_confirmed(write, belief)
    return put_right(
        write, belief, reason=reason, content=content, value=value, valid_from=valid_from, valid_to=valid_to
    )


def put_right(
    write: Write,
    belief: Belief,
    *,
    reason: str,
    content: str = "",
    value: Any = KEEP,
    valid_from: Moment | None = KEEP,
    valid_to: Moment | None = KEEP,
) -> Belief:
    """What `edit` does, for whoever decides a case about the belief: who may decide it may put it right."""
    edited = replace(
        write,
        belief,
        content=content,
        value=value,
        premises=(belief.pk,),
        valid_from=_kept(valid_from, belief.valid_from, belief.valid_from_precision),
        valid_to=_kept(valid_to, belief.valid_to, belief.valid_to_precision),
        status=Status.ACTIVATED,
        reason=reason,
    )
    supersede(write, belief, edited, reason=reason, never_right=True)
    touched = [belief, edited, *conflict.reconsider(write, [belief, edited], reason=reason)]
    edited.refresh_from_db()
    conflict.refuse_taken_slot(edited)
    changes.announce(write, touched)
    return edited


def replace(
    write: Write,
    belief: Belief,
    *,
    premises: tuple[uuid.UUID, ...],
    valid_from: Moment | None,
    status: Status,
    reason: str,
    valid_to: Moment | None = KEEP,
    content: str = "",
    value: Any = KEEP,
) -> Belief:
    """A new belief that says otherwise what `belief` says, concluded from `premises`. It supersedes nothing yet."""
    if belief.shape == Belief.Shape.EDGE:
        raise Invalid.at("/text", "edge_not_edited", "An edge is replaced by connecting anew.", "another edge")
    is_property = belief.shape == Belief.Shape.PROPERTY
    said = value if value is not KEEP else (content or belief.value)
    statement = Statement(
        kind=belief.kind,
        content="" if is_property else (content or belief.content),
        owners=tuple(NodeStored(uuid.UUID(owner)) for owner in owners_of(belief)),
        subject=NodeStored(belief.subject_id) if belief.subject_id else None,
        predicate=belief.predicate,
        value=said if is_property else None,
        topic=belief.topic,
        attributes=belief.attributes,
        confidence=belief.confidence,
        valid_from=Moment(valid_from.instant, Precision(valid_from.precision)) if valid_from else None,
        valid_to=_kept(valid_to, belief.valid_to, belief.valid_to_precision),
        audience=belief.audience,
        readers=tuple(named_readers(belief)),
        premises=premises,
    )
    return store(write, statement, status=status, reason=reason, apart_from=belief)


def _kept(given: Any, instant: Any, precision: str) -> Moment | None:
    if given is not KEEP:
        return Moment(given.instant, Precision(given.precision)) if given else None
    return Moment(instant, Precision(precision)) if instant else None
