"""How the queue goes, day by day: what opened, what people decided, what policy settled."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, F, Q, QuerySet
from django.db.models.functions import TruncDate
from django.utils import timezone

from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, Decision

DAYS = 14


@dataclass(frozen=True)
class Day:
    """One day in the zone of whoever looks."""

    date: dt.date
    opened: int
    by_people: int
    by_policy: int


def trend(by: Principal, days: int = DAYS) -> list[Day]:
    """The last days, the oldest first, in two queries. What policy settled at once is not counted as opened."""
    by.require("read_cases")
    today = timezone.localdate()
    since = timezone.make_aware(dt.datetime.combine(today - dt.timedelta(days=days - 1), dt.time()))
    cases = Case.objects.visible_to(by).filter(opened_at__gte=since)
    cases = cases.exclude(closed_at__isnull=False, closed_at__lte=F("opened_at") + dt.timedelta(seconds=1))
    opened = _per_day(cases, "opened_at", all=Q())
    given = Decision.objects.filter(workspace=by.workspace, decided_at__gte=since, undoes__isnull=True)
    decided = _per_day(
        given.filter(case__in=Case.objects.visible_to(by)), "decided_at", people=Q(policy=""), policy=~Q(policy="")
    )
    dates = [today - dt.timedelta(days=back) for back in range(days - 1, -1, -1)]
    return [
        Day(
            date,
            opened.get(date, {}).get("all", 0),
            decided.get(date, {}).get("people", 0),
            decided.get(date, {}).get("policy", 0),
        )
        for date in dates
    ]


def _per_day(found: QuerySet[Case] | QuerySet[Decision], column: str, **counted: Q) -> dict[dt.date, dict[str, int]]:
    counts = {name: Count("pk", filter=wanted) if wanted else Count("pk") for name, wanted in counted.items()}
    rows: Any = found.order_by().annotate(day=TruncDate(column)).values("day").annotate(**counts)
    return {row["day"]: {name: row[name] for name in counted} for row in rows}
