"""What concerns one person: cases given to them, what others said on theirs, and decisions of theirs taken back."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Exists, OuterRef, Q, QuerySet

from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, CaseAssignment, CaseRemark, Decision, NoticesRead

LATEST = 50
"""Notices that are listed."""


@dataclass(frozen=True)
class Notice:
    """One thing that concerns somebody: what happened to a case, by whom, and in which words."""

    what: Literal["assigned", "remarked", "undone"]
    case: Case
    by: Actor
    at: dt.datetime
    words: str
    new: bool


def notices(by: Principal) -> list[Notice]:
    """The latest, newest first. A case out of the caller's sight is not among them."""
    by.require("read_cases")
    seen = read_until(by)
    found = [
        *_of("assigned", _assigned(by), seen),
        *_of("remarked", _remarked(by), seen),
        *_of("undone", _undone(by), seen),
    ]
    return sorted(found, key=lambda notice: notice.at, reverse=True)[:LATEST]


def unread(by: Principal) -> bool:
    """Whether anything concerns the caller that they have not seen."""
    seen = read_until(by) or dt.datetime.min.replace(tzinfo=dt.UTC)
    given, said = (rows.filter(recorded_at__gt=seen) for rows in (_assigned(by), _remarked(by)))
    concerned = Exists(given) | Exists(said) | Exists(_undone(by).filter(decided_at__gt=seen))
    return Actor.objects.filter(concerned, pk=by.actor.pk).exists()


def read_until(by: Principal) -> dt.datetime | None:
    """Up to when the caller has seen what concerns them; None when they never looked."""
    return NoticesRead.objects.filter(workspace=by.workspace, actor=by.actor).values_list("read_at", flat=True).first()


def talk(by: Principal, case: Case) -> list[CaseRemark | CaseAssignment]:
    """What was said about a case and whom it was given to, the first first."""
    said = CaseRemark.objects.filter(workspace=by.workspace, case=case).select_related("write__actor")
    given = CaseAssignment.objects.filter(workspace=by.workspace, case=case).select_related("write__actor", "assignee")
    return sorted([*said, *given], key=lambda row: (row.recorded_at, row.pk))


def _assigned(by: Principal) -> QuerySet[CaseAssignment]:
    mine = CaseAssignment.objects.filter(workspace=by.workspace, assignee=by.actor).exclude(write__actor=by.actor)
    return mine.filter(case__in=Case.objects.visible_to(by).values("pk")).order_by("-recorded_at")


def _remarked(by: Principal) -> QuerySet[CaseRemark]:
    decided = Decision.objects.filter(case=OuterRef("pk"), decided_by=by.actor)
    said = CaseRemark.objects.filter(case=OuterRef("pk"), write__actor=by.actor)
    given = CaseAssignment.objects.filter(case=OuterRef("pk"), write__actor=by.actor)
    mine = Case.objects.visible_to(by).filter(Q(assignee=by.actor) | Exists(decided) | Exists(said) | Exists(given))
    others = CaseRemark.objects.filter(workspace=by.workspace, case__in=mine.values("pk"))
    return others.exclude(write__actor=by.actor).order_by("-recorded_at")


def _undone(by: Principal) -> QuerySet[Decision]:
    mine = Decision.objects.filter(workspace=by.workspace, undoes__decided_by=by.actor).exclude(decided_by=by.actor)
    return mine.filter(case__in=Case.objects.visible_to(by).values("pk")).order_by("-decided_at")


def _of(what: Literal["assigned", "remarked", "undone"], rows: QuerySet[Any], seen: dt.datetime | None) -> list[Notice]:
    found = rows.select_related("case__write__actor", "case__claimed_by", "write__actor")[:LATEST]
    return [
        Notice(what, row.case, row.write.actor, at, words, seen is None or at > seen)
        for row in found
        for at, words in [_when_and_what(row)]
    ]


def _when_and_what(row: CaseAssignment | CaseRemark | Decision) -> tuple[dt.datetime, str]:
    if isinstance(row, Decision):
        return row.decided_at, row.rationale
    return row.recorded_at, row.text if isinstance(row, CaseRemark) else ""
