"""What the first page of a workspace tells: what waits for a person, what changed, whether anybody is at work."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.utils import timezone

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
from memoryapp.sources.queries import threads

CHANGES = 8
WAITING = 5
WEEK = dt.timedelta(days=7)


def overview(by: Principal) -> dict[str, Any]:
    """Everything on the page, in a fixed number of queries."""
    waiting = review.waiting(by)
    known = current(by)
    since_week = known.filter(recorded_at__gte=timezone.now() - WEEK).count()
    health = status()
    cases = list(review.queue(by)[:WAITING])
    lines = headlines(by, cases)
    titles = {kind.name: kind.title for kind in registry.kinds()}
    return {
        "by": by,
        "waiting": waiting,
        "waiting_kinds": [
            {"title": titles.get(kind, kind), "count": count, "url": f"{address(by, 'review:queue')}?kind={kind}"}
            for kind, count in sorted(waiting.by_kind.items(), key=lambda item: -item[1])
        ],
        "queue_url": address(by, "review:queue"),
        "cases": [_case(by, case, titles, lines) for case in cases],
        "decisions_url": address(by, "review:decisions"),
        "beliefs": known.count(),
        "beliefs_url": address(by, "graph:beliefs"),
        "jobs_open": jobs(by).filter(state__in=[Job.State.QUEUED, Job.State.RUNNING]).count(),
        "jobs_failed": jobs(by, state=Job.State.FAILED).count(),
        "jobs_url": address(by, "ledger:jobs"),
        "failed_url": f"{address(by, 'ledger:jobs')}?state=failed",
        "changes": [_change(by, state) for state in latest_changes(by, CHANGES)],
        "threads": [
            {
                "url": address(by, "sources:thread", thread.pk),
                "title": str(thread),
                "turns": thread.turn_count,  # type: ignore[attr-defined]
                "last": thread.last_said,  # type: ignore[attr-defined]
            }
            for thread in threads(by)[:WAITING]
        ],
        "threads_url": address(by, "sources:threads"),
        "state_url": address(by, "sources:state") if by.may("tell") else "",
        "health": health,
        **_notes(waiting, health, since_week),
        "agents_url": address(by, "access:agents") if by.may("manage_agents") else "",
    }


def _notes(waiting: review.Waiting, health: Status, since_week: int) -> dict[str, str]:
    """The small words under the figures."""
    seen = health.worker_seen_seconds
    return {
        "waiting_note": f"the oldest {age_words(waiting.oldest)}" if waiting.oldest else "",
        "beliefs_note": f"{since_week} of them from this week" if since_week else "",
        "worker_note": f"worker seen {seen} s ago" if seen is not None else "no worker seen",
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
