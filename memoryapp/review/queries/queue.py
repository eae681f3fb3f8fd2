"""The queue: which cases match, in which order, page by page however many there are."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain, islice

from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import Invalid
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry, sight
from memoryapp.review.models import Case
from memoryapp.review.queries.holding import Holding, holds
from memoryapp.review.queries.subjects import bring_subjects, with_subjects

ORDERS = {
    "priority": ("-priority", "opened_at", "pk"),
    "age": ("opened_at", "pk"),
    "reach": ("-reach", "opened_at", "pk"),
}
"""What comes first: what matters most, what has waited longest, what most rests on. Equals by age, then by id."""
ASSIGNEES = ("me", "nobody")
HIGH = 50
"""From this priority on a case is one of high priority."""


@dataclass(frozen=True)
class Filters:
    """What of the queue is wanted. Empty means all of it.

    `assignee` is "me", "nobody" or an actor's id, `agent` the id of the actor whose write opened it. `older_than` is
    how long it has waited at least, `priority` and `reach` the least of each. `text` is looked for in the reason and in
    the words of what a case is about; `holding` is what `narrowed` found of it. `subject` is the id of something it is
    about; `node`, `source` and `unsure` narrow by what that is (`sight.TRAITS`). `order` is one of `ORDERS`.
    """

    kind: str = ""
    assignee: str = ""
    older_than: dt.timedelta | None = None
    text: str = ""
    subject: uuid.UUID | None = None
    agent: uuid.UUID | None = None
    node: uuid.UUID | None = None
    source: uuid.UUID | None = None
    unsure: int = 0
    priority: int = 0
    reach: int = 0
    state: str = Case.State.OPEN
    snoozed: bool = False
    order: str = "priority"
    holding: Holding | None = None


@dataclass(frozen=True)
class Page:
    """Some cases in their order, and whether there are others before and after them."""

    cases: list[Case] = field(default_factory=list)
    before: bool = False
    after: bool = False


def queue(by: Principal, filters: Filters = Filters()) -> QuerySet[Case]:
    """The cases that match, in the order they should be decided. Raises Invalid for a filter that cannot be."""
    by.require("read_cases")
    found = Case.objects.visible_to(by).filter(_wanted(by, filters), state=_state(filters.state))
    if filters.state == Case.State.OPEN and not filters.snoozed:
        found = found.filter(awake())
    return found.select_related("claimed_by", "assignee", "write__actor").order_by(*_order(filters.order))


def listed(
    by: Principal,
    filters: Filters = Filters(),
    *,
    size: int,
    after: Case | None = None,
    before: Case | None = None,
) -> Page:
    """As many cases of the queue, from its start, or those that come next after or just before a case.

    However deep it lies, a page reads its own rows and no others: each step is a range of an index.
    """
    found = with_subjects(queue(by, filters))
    if before is not None:
        steps = [step.reverse() for step in reversed(_behind(found, before, filters.order, backwards=True))]
        cases = bring_subjects(islice(chain.from_iterable(_few(steps, size + 1)), size + 1))
        return Page(cases[size - 1 :: -1] if len(cases) > size else cases[::-1], len(cases) > size, True)
    steps = _behind(found, after, filters.order) if after is not None else [found]
    cases = bring_subjects(islice(chain.from_iterable(_few(steps, size + 1)), size + 1))
    return Page(cases[:size], after is not None, len(cases) > size)


def next_after(by: Principal, case: Case, filters: Filters = Filters()) -> Case | None:
    """The case that follows this one in the queue, or the first when this was the last; None when all is clear."""
    rest = queue(by, filters).exclude(pk=case.pk)
    return next(chain.from_iterable(_few([*_behind(rest, case, filters.order), rest], 1)), None)


def awake() -> Q:
    return Q(snoozed_until__isnull=True) | Q(snoozed_until__lte=timezone.now())


def _few(steps: list[QuerySet[Case]], size: int) -> Iterator[QuerySet[Case]]:
    """Each step only when the one before was not enough."""
    return (step[:size] for step in steps)


def _behind(found: QuerySet[Case], case: Case, order: str, *, backwards: bool = False) -> list[QuerySet[Case]]:
    """What lies behind a case: first its equals that have waited less long, then what comes after all of those."""
    side, away = ("lt", "gt") if backwards else ("gt", "lt")
    later = found.filter(
        Q(**{f"opened_at__{side}": case.opened_at}) | Q(**{f"pk__{side}": case.pk}),
        **{f"opened_at__{side}e": case.opened_at},
    )
    if order == "age":
        return [later]
    value = getattr(case, order)
    beyond = found.filter(**{f"{order}__{away}": value})
    equals = later.filter(**{order: value})
    return [beyond, equals] if backwards else [equals, beyond]


def _order(order: str) -> tuple[str, ...]:
    if order not in ORDERS:
        raise Invalid.at("order", "unknown_order", f"There is no order “{order[:50]}”.", ", ".join(ORDERS))
    return ORDERS[order]


def _state(state: str) -> str:
    if state not in Case.State.values:
        raise Invalid.at("state", "unknown_state", f"There is no state “{state[:50]}”.", ", ".join(Case.State.values))
    return state


def _wanted(by: Principal, filters: Filters) -> Q:
    wanted = Q()
    if filters.kind:
        wanted &= Q(kind=_kind(filters.kind))
    if filters.assignee:
        wanted &= _assigned(by, filters.assignee)
    if filters.older_than is not None:
        wanted &= Q(opened_at__lte=timezone.now() - filters.older_than)
    if filters.priority:
        wanted &= Q(priority__gte=filters.priority)
    if filters.reach:
        wanted &= Q(reach__gte=filters.reach)
    if filters.agent:
        wanted &= Q(write__actor=filters.agent)
    if filters.text:
        wanted &= holds(by, filters)
    for trait in sight.TRAITS:
        if value := getattr(filters, trait):
            wanted &= _any_of(sight.with_trait(by, trait, value))
    if filters.subject:
        wanted &= Q(pk__in=Case.objects.filter(subjects__subject_id=filters.subject).values("pk"))
    return wanted


def _any_of(found: list[sight.Ids]) -> Q:
    holding = Q(pk__in=[])
    for cases in found:
        holding |= Q(pk__in=cases)
    return holding


def _kind(name: str) -> str:
    known = [kind.name for kind in registry.kinds()]
    if name not in known:
        raise Invalid.at("kind", "unknown_kind", f"There is no kind of case “{name[:50]}”.", ", ".join(known))
    return name


def _assigned(by: Principal, assignee: str) -> Q:
    claimed = Q(claimed_until__gt=timezone.now())
    if assignee == "me":
        return Q(assignee=by.actor) | (claimed & Q(claimed_by=by.actor))
    if assignee == "nobody":
        return Q(assignee__isnull=True) & ~(claimed & Q(claimed_by__isnull=False))
    try:
        actor = uuid.UUID(assignee)
        return Q(assignee=actor) | (claimed & Q(claimed_by=actor))
    except ValueError:
        raise Invalid.at("assignee", "unknown_assignee", "That is nobody.", "me, nobody or an actor's id") from None
