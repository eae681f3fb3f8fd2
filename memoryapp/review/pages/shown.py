"""What the templates of the queue are given: the list, the case in front, and what just happened."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from django.db.models import prefetch_related_objects
from django.urls import reverse
from django.utils import timezone

from memoryapp.doors.errors import DomainError, Stale
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.together import Rows, read
from memoryapp.review import queries, registry
from memoryapp.review.models import Case, CaseChange, Decision
from memoryapp.review.pages.address import Address
from memoryapp.review.pages.filtering import asked_with, filters_of
from memoryapp.review.pages.form import Typed, form_of
from memoryapp.review.queries import Page, Presented

LISTED = 50
"""Cases on one page of the list."""
PRECEDENTS = 5
"""Decisions on like cases that are shown with their reasons."""


@dataclass(frozen=True)
class Toast:
    """What just happened, and how it is taken back."""

    words: str
    undo_url: str = ""


def stage(by: Principal, address: Address, case: Case | None = None, **more: Any) -> dict[str, Any]:
    """The queue as it stands, with one case in front when there is one. `more` is what `case_view` takes."""
    return beside(by, address, _listed(by, address), case) | {
        "front": case_view(by, address, case, **more) if case else None
    }


def beginning(by: Principal, address: Address) -> dict[str, Any]:
    """The queue with the first of it in front."""
    found = _listed(by, address)
    first = found.cases[0] if found.cases else None
    return beside(by, address, found, first) | {"front": case_view(by, address, first) if first else None}


def beside(by: Principal, address: Address, found: Page | None = None, case: Case | None = None) -> dict[str, Any]:
    """What stands beside the case in front: the list, what is looked for in it, and what comes after this one."""
    found = found or _listed(by, address)
    waiting = queries.waiting(by, asked_with(by) | ({"last": _last_decision(by)} if by.may("decide_cases") else {}))
    last = next((_Last(pk, at) for pk, at in read(waiting.also.get("last"))), None)
    return {
        "by": by,
        "address": address,
        "waiting": waiting,
        "rows": rows(by, address, found.cases),
        "here": case.pk if case else None,
        "matching": queries.matching(by, address.sought(by)) if address.is_filtered else waiting.total,
        "previous_url": address.but(before=str(found.cases[0].pk)) if found.before and found.cases else "",
        "next_url": address.but(after=str(found.cases[-1].pk)) if found.after else "",
        "filters": filters_of(by, address, waiting),
        "since": by.workspace.write_sequence,
        "live_url": reverse("review:live", args=[by.workspace.slug]) + address.query,
        "several_url": reverse("review:several", args=[by.workspace.slug]) if by.may("decide_cases") else "",
        "last": last,
        "last_url": address.to("undo", last.pk) if last else "",
        "ahead_url": _ahead(by, address, case, found),
    }


def alone(by: Principal, address: Address, case: Case) -> dict[str, Any]:
    """One case without what stands beside it."""
    return {
        "by": by,
        "address": address,
        "front": case_view(by, address, case),
        "ahead_url": _ahead(by, address, case, None),
    }


def news_of(by: Principal, case: Case, lock: str) -> dict[str, Any] | None:
    """What happened to the case in front since it was drawn, and who else is on it."""
    who = _who_is_on(by, case)
    if lock == str(case.lock):
        return {"who": who} if who and case.claimed_by_id != by.actor.pk else None
    last = case.changes.select_related("write__actor").order_by("lock").last()
    if last is None or last.write.actor_id == by.actor.pk:
        return None
    return {"what": last.what, "actor": actor(last.write.actor), "at": last.recorded_at, "url": case.pk}


def rows(by: Principal, address: Address, cases: list[Case]) -> list[dict[str, Any]]:
    """Cases as the list shows them."""
    lines = headlines(by, cases)
    return [
        {
            "id": case.pk,
            "kind_words": registry.kind_named(case.kind).title,
            "title": lines[case.pk],
            "opened_at": case.opened_at,
            "claimed_by": _who_is_on(by, case),
            "reach": case.reach,
            "is_high": case.priority >= queries.HIGH,
            "url": address.case(case),
        }
        for case in cases
    ]


def headlines(by: Principal, cases: list[Case]) -> dict[Any, str]:
    """A line for each case, by its id: what its kind says of it, else why it opened."""
    prefetch_related_objects(cases, "subjects")
    lines: dict[Any, str] = {case.pk: case.reason for case in cases}
    for name in {case.kind for case in cases}:
        lines.update(registry.kind_named(name).headlines(by, [case for case in cases if case.kind == name]))
    return lines


def case_view(
    by: Principal, address: Address, case: Case, *, typed: Typed | None = None, error: DomainError | None = None
) -> dict[str, Any]:
    """One case with all it takes to decide it, what was typed before, and why that was not carried out."""
    shown = queries.shown(by, case)
    typed = typed or Typed()
    is_open = shown.case.state == Case.State.OPEN
    standing = next(
        (one for one in reversed(shown.decisions) if not one.undoes_id and not hasattr(one, "undone_by")), None
    )
    return {
        "shown": shown,
        "case": shown.case,
        "kind": shown.kind,
        "view": shown.view,
        "headline": shown.view.get("question") or headlines(by, [shown.case])[shown.case.pk],
        "form": form_of(shown, typed) if is_open and by.may("decide_cases") else None,
        "typed": typed,
        "kept": _kept(shown, typed),
        "suggestion": _suggestion(shown),
        "standing": standing,
        "verdict_words": verdict_words(standing) if standing else "",
        "decided_by": actor(standing.decided_by) if standing else None,
        "undo_url": address.to("undo", standing.pk) if standing and by.may("decide_cases") else "",
        "urls": {name: address.to(name, case.pk) for name in ("decide", "claim", "release", "snooze", "wake")},
        "who": _who_is_on(by, shown.case),
        "is_mine": shown.case.claimed_by_id == by.actor.pk and bool(_who_is_on(by, shown.case)),
        "is_snoozed": bool(shown.case.snoozed_until and shown.case.snoozed_until > timezone.now()),
        "events": _events(shown),
        "policy": shown.policy,
        "precedents": _precedents(by, shown),
        "overtaken": _overtaken(shown, standing, error),
        "error": error,
    }


def actor(who: Actor) -> dict[str, str]:
    return {"name": who.name, "kind": who.kind}


def verdict_words(decision: Decision) -> str:
    """The verdict as its button says it."""
    if decision.undoes_id:
        return "Taken back"
    chosen = registry.kind_named(decision.case.kind).verdict(decision.verdict)
    return chosen.label if chosen else decision.verdict.replace("_", " ").capitalize()


def _listed(by: Principal, address: Address) -> Page:
    """The page of the list that the address names; its start when it names a case that is not there."""
    beside = {name: _known(by, address.beside(name)) for name in ("after", "before")}
    return queries.listed(by, address.sought(by), size=LISTED, **beside)


def _known(by: Principal, case_id: uuid.UUID | None) -> Case | None:
    return Case.objects.visible_to(by).filter(pk=case_id).first() if case_id else None


def _ahead(by: Principal, address: Address, case: Case | None, found: Page | None) -> str:
    """Where the case lies that will be in front once this one is decided; the browser fetches it meanwhile."""
    if case is None or case.state != Case.State.OPEN or not by.may("decide_cases"):
        return ""
    listed = found.cases if found else []
    following = next((after for one, after in pairwise(listed) if one.pk == case.pk), None)
    if following is None and found and not found.before and not found.after and listed:
        following = next((one for one in listed if one.pk != case.pk), None)
    elif following is None:
        following = queries.next_after(by, case, address.sought(by))
    return address.case(following) if following else ""


def _last_decision(by: Principal) -> Rows:
    """The latest decision of the one who looks that stands."""
    mine = queries.decisions(by, actor_id=by.actor.pk)
    return Rows(mine.filter(undoes__isnull=True, undone_by__isnull=True)[:1], "pk", "decided_at")


class _Last:
    """A decision by its id, and when it was given."""

    def __init__(self, pk: str, at: str) -> None:
        given = dt.datetime.fromisoformat(at)
        self.pk, self.decided_at = uuid.UUID(pk), given if given.tzinfo else given.replace(tzinfo=dt.UTC)


def _who_is_on(by: Principal, case: Case) -> str:
    if case.claimed_by is None or case.claimed_until is None or case.claimed_until <= timezone.now():
        return ""
    return "You are on this" if case.claimed_by == by.actor else f"{case.claimed_by.name} is on this"


def _suggestion(shown: Presented) -> dict[str, str] | None:
    if shown.suggestion is None:
        return None
    chosen = shown.kind.verdict(shown.suggestion.verdict)
    return {"words": chosen.label if chosen else "", "because": shown.suggestion.because}


def _precedents(by: Principal, shown: Presented) -> dict[str, Any] | None:
    """What people decided on cases like this one: how often what, and the latest with their reasons."""
    if not shown.precedents:
        return None
    counted = Counter(verdict_words(one) for one in shown.precedents)
    return {
        "total": len(shown.precedents),
        "counts": counted.most_common(),
        "events": [
            {"what": verdict_words(one), "actor": actor(one.decided_by), "at": one.decided_at, "why": one.rationale}
            for one in shown.precedents[:PRECEDENTS]
        ],
    }


def _kept(shown: Presented, typed: Typed) -> dict[str, str] | None:
    """What somebody wanted and wrote, where it can no longer be carried out."""
    if not typed.verdict or shown.case.state == Case.State.OPEN:
        return None
    chosen = shown.kind.verdict(typed.verdict.partition(":")[0])
    texts = [
        value
        for name, value in typed.values.items()
        if name.startswith(("edit.", f"{typed.verdict}."))
        and value
        and value != typed.values.get(f"was.{name.partition('.')[2]}", "")
    ]
    return {"verdict": chosen.label if chosen else "", "words": "\n\n".join([*texts, typed.rationale]).strip()}


def _events(shown: Presented) -> list[dict[str, Any]]:
    reasons = {one.write_id: one.rationale for one in shown.decisions}
    return [
        {
            "what": change.get_change_display() if change.change != CaseChange.Change.DECIDED else change.what,
            "actor": actor(change.write.actor),
            "at": change.recorded_at,
            "why": reasons.get(change.write_id)
            or (change.what if change.change not in (CaseChange.Change.DECIDED, CaseChange.Change.UNDONE) else ""),
        }
        for change in reversed(shown.changes)
    ]


def _overtaken(shown: Presented, standing: Decision | None, error: DomainError | None) -> dict[str, Any] | None:
    """Who was faster, and what they did."""
    if error is None or not (isinstance(error, Stale) or error.code in {"already_decided", "case_void"}):
        return None
    if standing is not None and error.code == "already_decided":
        what = f"Already decided: {verdict_words(standing)}"
        return {"what": what, "actor": actor(standing.decided_by), "at": standing.decided_at}
    last = shown.changes[-1]
    return {"what": last.what, "actor": actor(last.write.actor), "at": last.recorded_at}
