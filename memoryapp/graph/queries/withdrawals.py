"""What taking a source back would do, and how far one that was taken back is done with."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from memoryapp.graph.models import Belief
from memoryapp.graph.queries.falling import foresee
from memoryapp.graph.queries.told import Told, told
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, CaseSubject, Decision
from memoryapp.sources import queries as sources
from memoryapp.sources import withdrawing
from memoryapp.sources.models import Withdrawal

SHOWN = 50
"""Beliefs of one sort that are listed; all are counted."""


def preview(by: Principal, *, source: uuid.UUID | None = None, thread: uuid.UUID | None = None) -> Told:
    """What would become of what rests on it, as far as the caller sees: counted, and the first of each listed."""
    ids = sources.sources_of(by, source=source, thread=thread)
    standing = [one for one in ids if one not in sources.taken_back(ids)]
    fall = foresee(sources=standing).seen_by(by)
    asked = [{"belief": told(one), "because": KEPT} for one in fall.kept]
    asked += [{"belief": told(one), "because": CONCLUDED} for one in fall.fallen if one.pk in fall.conclusions]
    asked += [{"belief": told(one.older), "because": one.because} for one in fall.asked]
    return {
        "sources": len(standing),
        "falls": _some(fall.fallen),
        "stands": _some(fall.standing),
        "comes_back": _some([one.older for one in fall.restored]),
        "needs_a_person": {"count": len(asked), "items": asked[:SHOWN]},
    }


KEPT = "A person confirmed it, and nothing else holds it up: it stays until somebody decides."
CONCLUDED = "It was concluded from what falls: it leaves recall at once, and somebody says whether it still holds."


def _some(beliefs: Sequence[Belief]) -> Told:
    return {"count": len(beliefs), "items": [told(one) for one in beliefs[:SHOWN]]}


def withdrawal(by: Principal, *, source: uuid.UUID | None = None, thread: uuid.UUID | None = None) -> Told | None:
    """How the taking back of this source or thread stands; None while it stands itself. Raises NotFound."""
    thing = sources.source(by, source).pk if source else sources.thread(by, thread).pk if thread else None
    found = sources.withdrawal_of(by, thing) if thing else None
    return described(by, found) if found else None


def of_quotes(by: Principal, quoted: Sequence[Told]) -> list[Told]:
    """The withdrawals that took back sources among these quotes. Asks nothing while none is."""
    gone = [one["source"] for one in quoted if one["withdrawn"]]
    if not gone:
        return []
    found = Withdrawal.objects.filter(sources__source__in=gone, sources__in_force=True).select_related("write__actor")
    return [described(by, one) for one in found.distinct().order_by("recorded_at")]


def described(by: Principal, found: Withdrawal) -> Told:
    """A withdrawal as every answer gives it."""
    decision = Decision.objects.filter(workspace=by.workspace, write=found.write_id, undoes=None).first()
    questions = open_questions(by, found)
    return {
        "id": str(found.pk),
        "source": str(found.source_id) if found.source_id else None,
        "thread": str(found.thread_id) if found.thread_id else None,
        "at": found.recorded_at,
        "by": found.write.actor.name,
        "rationale": found.write.rationale,
        "decision": str(decision.pk) if decision else None,
        "complete": not open_questions(None, found) and not traces(found),
        "open_cases": [str(one) for one in questions],
    }


def open_questions(by: Principal | None, found: Withdrawal) -> list[uuid.UUID]:
    """The open cases that a withdrawal left, those in the caller's sight when there is one."""
    about = CaseSubject.objects.filter(workspace=found.workspace_id, subject_id=found.pk).values("case")
    cases = Case.objects.visible_to(by) if by else Case.objects.filter(workspace=found.workspace_id)
    return list(cases.filter(pk__in=about, state=Case.State.OPEN).order_by("pk").values_list("pk", flat=True))


def traces(found: Withdrawal) -> int:
    """How much of the words taken back is still served anywhere."""
    ids: list[Any] = list(found.sources.filter(in_force=True).values_list("source", flat=True))
    return withdrawing.traces(found.workspace, ids)
