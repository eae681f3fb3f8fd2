"""What the first page of a workspace tells: what waits for a person, what changed, whether anybody is at work."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from memoryapp.console.plots import bars
from memoryapp.console.wording import age_words
from memoryapp.doors.pages import address
from memoryapp.graph.models import Belief, BeliefState
from memoryapp.graph.pages.presenting import state_of
from memoryapp.graph.queries.listing import latest_changes
from memoryapp.graph.queries.views import current
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.queries import Status, jobs, status
from memoryapp.review import queries as review
from memoryapp.review import registry
from memoryapp.review.models import Case
from memoryapp.review.pages.shown import headlines
from memoryapp.sources.queries import latest_threads

CHANGES = 8
WAITING = 5
MOST_COUNTED = 10_000
"""How far current beliefs are counted."""
SERIES = (("opened", "Opened"), ("people", "Decided by people"), ("policy", "Settled by policy"))
WEEK = dt.timedelta(days=7)


def overview(by: Principal) -> dict[str, Any]:
    """Everything on the page, in a fixed number of queries."""
    waiting, health = review.waiting(by), status()
    cases = list(review.queue(by)[:WAITING])
    lines = headlines(by, cases)
    titles = {kind.name: kind.title for kind in registry.kinds()}
    told = [_thread(by, thread) for thread in latest_threads(by, WAITING)]
    figures = _figures(by, waiting, health)
    return {
        "by": by,
        "empty": not (told or waiting.total or figures[1]["number"]),
        "figures": figures,
        "health": health,
        "concerned": by.may("read_cases") and review.unread(by),
        "waiting_kinds": [
            {"title": titles.get(kind, kind), "count": count, "url": f"{address(by, 'review:queue')}?kind={kind}"}
            for kind, count in sorted(waiting.by_kind.items(), key=lambda item: -item[1])
        ],
        "trend": _trend(by),
        "cases": [_case(by, case, titles, lines) for case in cases],
        "changes": [_change(by, state) for state in latest_changes(by, CHANGES)],
        "threads": told,
        "queue_url": address(by, "review:queue"),
        "decisions_url": address(by, "review:decisions"),
        "beliefs_url": address(by, "graph:beliefs"),
        "threads_url": address(by, "sources:threads"),
        "state_url": address(by, "sources:state") if by.may("tell") else "",
        "agents_url": address(by, "access:agents") if by.may("manage_agents") else "",
    }


def _trend(by: Principal) -> dict[str, Any] | None:
    """The last two weeks as bars, where anything happened in them."""
    days = [(one.date, (one.opened, one.by_people, one.by_policy)) for one in review.trend(by)]
    if not any(any(numbers) for _, numbers in days):
        return None
    return {"plot": bars(days, [css for css, _ in SERIES]), "days": days, "names": SERIES}


def _figures(by: Principal, waiting: review.Waiting, health: Status) -> list[dict[str, Any]]:
    known = current(by)
    beliefs = _bounded(known)
    since_week = _bounded(known.filter(recorded_at__gte=timezone.now() - WEEK))
    at_work = jobs(by).filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).count()
    failed = jobs(by, state=Job.State.FAILED).count()
    seen = health.worker_seen_seconds
    return [
        {
            "number": waiting.total,
            "name": "waits for a person" if waiting.total == 1 else "wait for a person",
            "note": f"the oldest {age_words(waiting.oldest)}" if waiting.oldest else "",
            "url": address(by, "review:queue"),
        },
        {
            "number": _written(beliefs),
            "name": "current belief" if beliefs == 1 else "current beliefs",
            "note": f"{_written(since_week)} of them from this week" if since_week else "",
            "url": address(by, "graph:beliefs"),
        },
        {
            "number": at_work,
            "name": "job at work" if at_work == 1 else "jobs at work",
            "note": f"worker seen {seen} s ago" if seen is not None else "no worker seen",
            "url": address(by, "ledger:jobs"),
        },
        {
            "number": failed,
            "name": "failed job" if failed == 1 else "failed jobs",
            "url": f"{address(by, 'ledger:jobs')}?state=failed",
        },
    ]


def _bounded(found: QuerySet[Belief]) -> int:
    """How many there are, as far as anybody counts on it."""
    return found.order_by().values("pk")[: MOST_COUNTED + 1].count()


def _written(number: int) -> str | int:
    return f"{MOST_COUNTED:,}+" if number > MOST_COUNTED else number


def _thread(by: Principal, thread: Any) -> dict[str, Any]:
    return {
        "url": address(by, "sources:thread", thread.pk),
        "title": str(thread),
        "turns": thread.turn_count,
        "last": thread.last_said,
    }


def _case(by: Principal, case: Case, titles: dict[str, str], lines: dict[uuid.UUID, str]) -> dict[str, Any]:
    claimed = case.claimed_by and case.claimed_until and case.claimed_until > timezone.now()
    return {
        "id": case.pk,
        "kind_words": titles.get(case.kind, case.kind),
        "title": lines[case.pk],
        "opened_at": case.opened_at,
        "claimed_by": f"{case.claimed_by.name} is on this" if case.claimed_by and claimed else "",
        "url": address(by, "review:case", case.pk),
    }


def _change(by: Principal, state: BeliefState) -> dict[str, Any]:
    belief: Belief = state.belief
    return {
        "url": address(by, "graph:belief", belief.pk),
        "words": belief.content or "An erased belief",
        "state": state_of(state.status, state.standing, state.valid_from, state.valid_to),
        "why": state.reason,
        "actor": {"name": state.write.actor.name, "kind": state.write.actor.kind},
        "at": state.recorded_at,
    }
