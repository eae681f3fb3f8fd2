"""Who attends to a case: claimed, released, snoozed; given to somebody, and talked about."""

from __future__ import annotations

import datetime as dt
import uuid

from memoryapp.access import queries as access
from memoryapp.access.services import principal_of
from memoryapp.doors.errors import Invalid
from memoryapp.ledger.models import Actor, Write
from memoryapp.review.models import Case, CaseAssignment, CaseRemark, NoticesRead
from memoryapp.review.services.turning import seen, still_open

LEASE = dt.timedelta(minutes=15)
"""How long a claim lasts without activity. Others may take over at any time."""
LONGEST_REMARK = 4000
"""Characters of one remark."""


def claim(write: Write, case_id: uuid.UUID) -> Case:
    """Say that one is looking at a case, for the length of a lease; takes over from whoever did before."""
    write.by.require("decide_cases")
    case = still_open(write, case_id)
    case.claimed_by, case.claimed_until = write.by.actor, write.recorded_at + LEASE
    case.save(update_fields=["claimed_by", "claimed_until"])
    return case


def release(write: Write, case_id: uuid.UUID) -> Case:
    """Let go of a case one had claimed. Somebody else's claim stays."""
    write.by.require("decide_cases")
    case = still_open(write, case_id)
    if case.claimed_by_id == write.by.actor.pk:
        case.claimed_by, case.claimed_until = None, None
        case.save(update_fields=["claimed_by", "claimed_until"])
    return case


def snooze(write: Write, case_id: uuid.UUID, until: dt.datetime) -> Case:
    """Keep a case out of the queue until a time to come."""
    write.by.require("decide_cases")
    case = still_open(write, case_id)
    if until <= write.recorded_at:
        raise Invalid.at("/until", "already_over", "That time has passed.", "a time in the future")
    case.snoozed_until = until
    case.save(update_fields=["snoozed_until"])
    return case


def wake(write: Write, case_id: uuid.UUID) -> Case:
    """Bring a snoozed case back at once."""
    write.by.require("decide_cases")
    case = still_open(write, case_id)
    case.snoozed_until = None
    case.save(update_fields=["snoozed_until"])
    return case


def assign(write: Write, case_id: uuid.UUID, to: Actor | None) -> Case:
    """Give an open case to a member who may decide it, or to nobody. Anybody may still decide it.

    Raises Invalid `not_a_reviewer` for somebody who may not decide cases here or cannot see this one.
    """
    write.by.require("decide_cases")
    case = still_open(write, case_id)
    if to is not None and not _may_decide(write, case, to):
        message = "They may not decide this case."
        raise Invalid.at("/assignee", "not_a_reviewer", message, "a reviewer, curator or administrator who can see it")
    if case.assignee_id == (to.pk if to else None):
        return case
    case.assignee = to
    case.save(update_fields=["assignee"])
    CaseAssignment.objects.create(
        workspace=write.workspace, case=case, assignee=to, write=write, recorded_at=write.recorded_at
    )
    return case


def remark(write: Write, case_id: uuid.UUID, text: str) -> CaseRemark:
    """Say something about a case to the others who decide. Raises Invalid for nothing said, or far too much."""
    write.by.require("decide_cases")
    case = seen(write, case_id)
    words = text.replace("\x00", "").strip()
    if not words:
        raise Invalid.at("/text", "empty", "There is nothing in it.", "what the others should know")
    if len(words) > LONGEST_REMARK:
        message = f"It has {len(words)} characters."
        raise Invalid.at("/text", "too_long", message, f"at most {LONGEST_REMARK} characters")
    return _said(write, case, words)


def said_by_asker(write: Write, case: Case, text: str) -> None:
    """Keep with a case what whoever put it before people says of it; the same words by the same actor once."""
    words = text.replace("\x00", "").strip()[:LONGEST_REMARK]
    known = CaseRemark.objects.filter(case=case, text=words, write__actor=write.by.actor)
    if words and not known.exists():
        _said(write, case, words)


def _said(write: Write, case: Case, words: str) -> CaseRemark:
    said = CaseRemark.objects.create(
        workspace=write.workspace, case=case, text=words, write=write, recorded_at=write.recorded_at
    )
    case.remarks_count += 1
    case.save(update_fields=["remarks_count"])
    return said


def read_notices(write: Write, until: dt.datetime) -> None:
    """Note up to when somebody has seen what concerns them. It never goes back."""
    mark, created = NoticesRead.objects.get_or_create(
        workspace=write.workspace, actor=write.by.actor, defaults={"read_at": until}
    )
    if not created and mark.read_at < until:
        mark.read_at = until
        mark.save(update_fields=["read_at"])


def _may_decide(write: Write, case: Case, actor: Actor) -> bool:
    membership = access.members(write.by).filter(actor=actor, ended_at__isnull=True).first()
    if membership is None:
        return False
    member = principal_of(membership)
    return member.may("decide_cases") and Case.objects.visible_to(member).filter(pk=case.pk).exists()
