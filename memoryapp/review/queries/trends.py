"""How the queue goes, day by day: what opened, what people decided, what policy settled."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from dataclasses import dataclass

from django.utils import timezone

from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case
from memoryapp.review.queries.decided import decisions

DAYS = 14
MOST = 5000
AT_ONCE = dt.timedelta(seconds=1)


@dataclass(frozen=True)
class Day:
    """One day in the zone of whoever looks."""

    date: dt.date
    opened: int
    by_people: int
    by_policy: int


def trend(by: Principal, days: int = DAYS) -> list[Day]:
    """The last days, the oldest first, of at most the latest `MOST` cases and decisions, in two queries. What policy
    settled as it opened is not counted as opened."""
    by.require("read_cases")
    dates = [timezone.localdate() - dt.timedelta(days=back) for back in range(days - 1, -1, -1)]
    since = timezone.make_aware(dt.datetime.combine(dates[0], dt.time()))
    cases = Case.objects.visible_to(by).filter(opened_at__gte=since).order_by("-opened_at")
    opened = Counter(
        timezone.localdate(at)
        for at, closed in cases.values_list("opened_at", "closed_at")[:MOST]
        if closed is None or closed - at > AT_ONCE
    )
    given = decisions(by).select_related(None).filter(decided_at__gte=since, undoes__isnull=True)
    decided = Counter(
        (timezone.localdate(at), bool(policy)) for at, policy in given.values_list("decided_at", "policy")[:MOST]
    )
    return [Day(date, opened[date], decided[date, False], decided[date, True]) for date in dates]
