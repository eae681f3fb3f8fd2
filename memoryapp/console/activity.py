"""What an agent did, day by day: what it wrote, asked and was served, and what it was refused."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db.models import Count, QuerySet, Sum
from django.db.models.functions import TruncDate
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memoryapp.access import queries as access
from memoryapp.access.models import Refusal
from memoryapp.console.plots import bars
from memoryapp.context.models import Entry as ContextEntry
from memoryapp.doors.pages import here, member_page, page
from memoryapp.graph.models import Belief
from memoryapp.graph.pages.presenting import CHANNELS
from memoryapp.ledger.models import Actor, Served, ServedItem, Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source
from memoryapp.timeline.models import Episode

DAYS, LISTED = 14, 40
SERIES = (("opened", "Wrote"), ("people", "Asked"), ("policy", "Was refused"))


@require_safe
@member_page("manage_agents")
def activity(request: HttpRequest, by: Principal, agent_id: uuid.UUID) -> HttpResponse:
    """Two weeks as bars and a table, and one day of them in full: the latest on which it did anything, or `day`."""
    agent = access.agent(by, agent_id)
    today = timezone.localdate()
    dates = [today - dt.timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
    rows = _by_day(by, agent.actor, dates)
    active = [date for date, numbers in rows if any(numbers)]
    day = _asked(request, dates) or (active[-1] if active else today)
    served = _served(by, agent.actor, day)
    context = {
        "by": by,
        "agent": agent,
        "plot": bars(rows, [css for css, _ in SERIES]) if active else None,
        "days": rows,
        "names": SERIES,
        "day": day,
        "choices": [{"date": date, "url": here(request, day=date.isoformat()), "here": date == day} for date in active],
        "wrote": _wrote(by, agent.actor, day),
        "asked": served[:LISTED],
        "more_asked": len(served) > LISTED,
        "refused": list(_refusals(by, agent.actor).filter(day=day).order_by("-times", "action")[:LISTED]),
    }
    return page(request, "console/activity.html", context)


def _asked(request: HttpRequest, dates: Sequence[dt.date]) -> dt.date | None:
    """The day that the address names, where it is one of those shown."""
    return next((date for date in dates if date.isoformat() == request.GET.get("day", "")), None)


def _by_day(by: Principal, actor: Actor, dates: Sequence[dt.date]) -> list[tuple[dt.date, tuple[int, int, int]]]:
    since = _begins(dates[0])
    wrote = _per_day(Write.objects.filter(workspace=by.workspace, actor=actor, recorded_at__gte=since), "recorded_at")
    asked = _per_day(Served.objects.filter(workspace=by.workspace, actor=actor, served_at__gte=since), "served_at")
    found = _refusals(by, actor).filter(day__gte=dates[0]).values_list("day").annotate(Sum("times"))
    refused = Counter(dict(found))
    return [(date, (wrote[date], asked[date], refused[date])) for date in dates]


def _per_day(found: QuerySet[Any], when: str) -> Counter[dt.date]:
    """How many of each day in the zone of whoever looks."""
    days = found.annotate(on=TruncDate(when)).order_by().values_list("on").annotate(Count("pk"))
    return Counter(dict(days))


def _refusals(by: Principal, actor: Actor) -> QuerySet[Refusal]:
    return Refusal.objects.filter(workspace=by.workspace, actor=actor)


def _wrote(by: Principal, actor: Actor, day: dt.date) -> list[dict[str, Any]]:
    """What it wrote that day, by what was done. Why it said that it did is not repeated here: some of it may have been
    told to few."""
    found = Write.objects.filter(workspace=by.workspace, actor=actor, **_within("recorded_at", day))
    counted = found.order_by().values_list("action", "channel").annotate(Count("pk"))
    rows = sorted(counted, key=lambda row: (-row[2], row[0]))
    return [{"what": action.replace("_", " ").capitalize(), "channel": how, "times": n} for action, how, n in rows]


def _served(by: Principal, actor: Actor, day: dt.date) -> list[dict[str, Any]]:
    """What it asked that day, the latest first, with how much it was served. A question whose answer held anything out
    of the sight of the one who looks is not shown, nor how much that was."""
    asked = Served.objects.filter(workspace=by.workspace, actor=actor, **_within("served_at", day))
    found = list(asked.order_by("-served_at", "pk")[: LISTED + 1])
    items = list(ServedItem.objects.filter(served__in=found).values_list("served", "target_id"))
    seen = _in_sight(by, {target for _, target in items})
    counts: Counter[uuid.UUID] = Counter()
    withheld = set()
    for served, target in items:
        counts[served] += target in seen
        if target not in seen:
            withheld.add(served)
    return [
        {
            "form": one.form.replace("_", " ").capitalize(),
            "question": "" if one.pk in withheld else one.question,
            "withheld": one.pk in withheld,
            "count": counts[one.pk],
            "channel": CHANNELS.get(one.channel, one.channel),
            "run": "" if one.pk in withheld else one.run,
            "at": one.served_at,
        }
        for one in found
    ]


def _in_sight(by: Principal, ids: set[uuid.UUID]) -> set[uuid.UUID]:
    """Those of these things that the one who looks may be served."""
    seen: set[uuid.UUID] = set()
    for model in (Belief, Source, Episode, ContextEntry) if ids else ():
        visible: Any = model.objects
        seen |= set(visible.visible_to(by).filter(pk__in=ids).values_list("pk", flat=True))
    return seen


def _within(when: str, day: dt.date) -> dict[str, dt.datetime]:
    return {f"{when}__gte": _begins(day), f"{when}__lt": _begins(day + dt.timedelta(days=1))}


def _begins(day: dt.date) -> dt.datetime:
    return timezone.make_aware(dt.datetime.combine(day, dt.time()))
