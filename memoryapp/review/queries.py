"""Every read of the room: the queue, its counts, one case with all it takes to decide, and what was decided.

A case about something out of the caller's sight does not exist for the caller: not in a list, not in a count.
"""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.ledger.principal import Principal
from memoryapp.review import registry, sight
from memoryapp.review.models import Case, CaseChange, Decision
from memoryapp.review.registry import Suggestion, Verdict

ORDER = ("-priority", "opened_at", "pk")
"""The queue: what matters most first, then what has waited longest."""
ASSIGNEES = ("me", "nobody")


@dataclass(frozen=True)
class Filters:
    """What of the queue is wanted. Empty means all of it.

    `assignee` is "me", "nobody" or an actor's id. `older_than` is how long it has waited at least. `text` is looked for
    in the reason and in the words of what a case is about. `subject` is the id of something it is about.
    """

    kind: str = ""
    assignee: str = ""
    older_than: dt.timedelta | None = None
    text: str = ""
    subject: uuid.UUID | None = None
    state: str = Case.State.OPEN
    snoozed: bool = False


@dataclass(frozen=True)
class Choice:
    """A verdict as it is offered: chosen by `digit`, or not now, because."""

    digit: int
    verdict: Verdict
    blocked: str = ""


@dataclass(frozen=True)
class Waiting:
    """How much waits: in all, by kind, claimed by oneself, snoozed, and since when the oldest has."""

    total: int
    by_kind: dict[str, int]
    mine: int
    snoozed: int
    oldest: dt.datetime | None


@dataclass(frozen=True)
class Presented:
    """A case with everything needed to decide it."""

    case: Case
    kind: registry.CaseKind
    view: dict[str, Any]
    choices: list[Choice]
    suggestion: Suggestion | None
    changes: list[CaseChange]
    decisions: list[Decision] = field(default_factory=list)


def queue(by: Principal, filters: Filters = Filters()) -> QuerySet[Case]:
    """The cases that match, in the order they should be decided. Raises Invalid for a filter that cannot be."""
    by.require("read_cases")
    found = Case.objects.visible_to(by).filter(state=_state(filters.state)).filter(_wanted(by, filters))
    if filters.state == Case.State.OPEN and not filters.snoozed:
        found = found.filter(_awake())
    return found.select_related("claimed_by", "write__actor").order_by(*ORDER)


def next_after(by: Principal, case: Case, filters: Filters = Filters()) -> Case | None:
    """The case that follows this one in the queue, or the first when this was the last; None when all is clear."""
    rest = queue(by, filters).exclude(pk=case.pk)
    later = Q(priority__lt=case.priority) | Q(priority=case.priority) & (
        Q(opened_at__gt=case.opened_at) | Q(opened_at=case.opened_at, pk__gt=case.pk)
    )
    return rest.filter(later).first() or rest.first()


def waiting(by: Principal) -> Waiting:
    """How much waits for a person, of what the caller may see."""
    by.require("read_cases")
    open_cases = Case.objects.visible_to(by).filter(state=Case.State.OPEN).order_by()
    rows = open_cases.filter(_awake()).values("kind").annotate(count=Count("pk"), oldest=Min("opened_at"))
    by_kind = {row["kind"]: row["count"] for row in rows}
    return Waiting(
        total=sum(by_kind.values()),
        by_kind=by_kind,
        mine=open_cases.filter(claimed_by=by.actor, claimed_until__gt=timezone.now()).count(),
        snoozed=open_cases.filter(snoozed_until__gt=timezone.now()).count(),
        oldest=min((row["oldest"] for row in rows), default=None),
    )


def case(by: Principal, case_id: uuid.UUID) -> Case:
    """One case with what it is about."""
    by.require("read_cases")
    found = (
        Case.objects.visible_to(by)
        .filter(pk=case_id)
        .select_related("claimed_by", "write__actor")
        .prefetch_related("subjects")
        .first()
    )
    if found is None:
        raise NotFound("There is no such case.", code="no_such_case")
    return found


def presented(by: Principal, case_id: uuid.UUID) -> Presented:
    """A case with everything needed to decide it: the view of its kind, the verdicts, a suggestion, its history."""
    found = case(by, case_id)
    kind = registry.kind_named(found.kind)
    is_open = found.state == Case.State.OPEN
    blocked = kind.blocked(by, found) if is_open else {}
    return Presented(
        case=found,
        kind=kind,
        view=kind.present(by, found),
        choices=[
            Choice(digit, verdict, blocked.get(verdict.key, "")) for digit, verdict in enumerate(kind.verdicts, start=1)
        ],
        suggestion=kind.suggest(by, found) if is_open else None,
        changes=list(found.changes.select_related("write__actor").order_by("lock")),
        decisions=list(
            found.decisions.select_related("decided_by", "write", "undone_by__decided_by").order_by("decided_at")
        ),
    )


def decisions(by: Principal, *, actor_id: uuid.UUID | None = None, policy: str = "") -> QuerySet[Decision]:
    """What was decided, the latest first; of one actor, or of one policy, when named."""
    by.require("read_cases")
    found = Decision.objects.filter(workspace=by.workspace, case__in=Case.objects.visible_to(by))
    if actor_id:
        found = found.filter(decided_by=actor_id)
    if policy:
        found = found.filter(policy=policy)
    return found.select_related("case", "decided_by", "undone_by__decided_by").order_by("-decided_at", "-pk")


def decision(by: Principal, decision_id: uuid.UUID) -> Decision:
    """One decision."""
    found = decisions(by).filter(pk=decision_id).first()
    if found is None:
        raise NotFound("There is no such decision.", code="no_such_decision")
    return found


def standing_decision(case: Case) -> Decision | None:
    """The decision that holds: the latest that is neither undone nor an undoing."""
    standing = case.decisions.filter(undoes__isnull=True, undone_by__isnull=True).select_related("decided_by")
    return standing.order_by("-round").first()


def about(by: Principal, subject_ids: list[uuid.UUID]) -> dict[uuid.UUID, list[Case]]:
    """The cases about each of these things, open and closed, oldest first, in two queries."""
    cases: QuerySet[Case] = (
        Case.objects.visible_to(by)
        .filter(subjects__subject_id__in=subject_ids)
        .distinct()
        .order_by("opened_at", "pk")
        .prefetch_related("subjects")
    )
    found: dict[uuid.UUID, list[Case]] = {subject_id: [] for subject_id in subject_ids}
    for each in cases:
        for subject_id in {subject.subject_id for subject in each.subjects.all()} & found.keys():
            found[subject_id].append(each)
    return found


def _awake() -> Q:
    return Q(snoozed_until__isnull=True) | Q(snoozed_until__lte=timezone.now())


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
    if filters.text:
        text = filters.text.replace("\x00", "")
        holding = Q(reason__icontains=text)
        for cases in sight.about(by, text):
            holding |= Q(pk__in=cases)
        wanted &= holding
    if filters.subject:
        wanted &= Q(pk__in=Case.objects.filter(subjects__subject_id=filters.subject).values("pk"))
    return wanted


def _kind(name: str) -> str:
    known = [kind.name for kind in registry.kinds()]
    if name not in known:
        raise Invalid.at("kind", "unknown_kind", f"There is no kind of case “{name[:50]}”.", ", ".join(known))
    return name


def _assigned(by: Principal, assignee: str) -> Q:
    claimed = Q(claimed_until__gt=timezone.now())
    if assignee == "me":
        return claimed & Q(claimed_by=by.actor)
    if assignee == "nobody":
        return Q(claimed_by__isnull=True) | Q(claimed_until__lte=timezone.now())
    try:
        return claimed & Q(claimed_by=uuid.UUID(assignee))
    except ValueError:
        raise Invalid.at("assignee", "unknown_assignee", "That is nobody.", "me, nobody or an actor's id") from None
