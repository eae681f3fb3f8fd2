"""Ending what is believed when somebody says that it is over."""

from __future__ import annotations

from memoryapp.doors.errors import Invalid
from memoryapp.graph import changes
from memoryapp.graph.models import Belief
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.services.beliefs import end
from memoryapp.graph.services.conflict import reconsider
from memoryapp.graph.services.drafts import Draft, Reading
from memoryapp.graph.statements import Statement
from memoryapp.ledger.models import Write


def end_like(write: Write, statement: Statement, *, reason: str) -> Belief | None:
    """End the activated belief that says the same as `statement`, or fills the slot of the free statement it is.

    It ends at the statement's valid_to, else at its valid_from, else when its evidence was said. None when nothing of
    the kind is believed. Raises Invalid as remembering the statement would.
    """
    draft = Reading(write, [statement]).draft(statement, 0)
    if not isinstance(draft, Draft):
        raise Invalid.all(draft)
    live = Belief.objects.visible_to(write.by).filter(status=Status.ACTIVATED)
    standing = live.filter(statement=draft.digest).first()
    if standing is None and draft.slot and draft.shape == Belief.Shape.STATEMENT:
        standing = live.filter(slot=draft.slot).first()
    if standing is None:
        return None
    over = draft.valid_to or draft.valid_from
    ended = end(
        write,
        standing,
        over.instant if over else draft.said_at or write.recorded_at,
        reason=reason,
        precision=over.precision if over else "instant",
    )
    changes.announce(write, [ended, *reconsider(write, [ended])])
    return ended
