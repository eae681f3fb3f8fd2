"""What the templates of the queue are given: the list, the case in front, and what just happened."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils import timezone

from memoryapp.doors.errors import DomainError, Stale
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal
from memoryapp.review import queries, registry
from memoryapp.review.models import Case, CaseChange, Decision
from memoryapp.review.pages.address import Address
from memoryapp.review.pages.form import Typed, form_of
from memoryapp.review.queries import Presented

LISTED = 50
"""Cases on one page of the list."""


@dataclass(frozen=True)
class Toast:
    """What just happened, and how it is taken back."""

    words: str
    undo_url: str = ""


def stage(by: Principal, address: Address, case: Case | None = None, **more: Any) -> dict[str, Any]:
    """The queue as it stands, with one case in front when there is one. `more` is what `case_view` takes."""
    return _stage(by, address, list(_listed(by, address)), case, **more)


def beginning(by: Principal, address: Address) -> dict[str, Any]:
    """The queue with the first of it in front."""
    found = list(_listed(by, address))
    return _stage(by, address, found, next(iter(found), None))


def _stage(by: Principal, address: Address, found: list[Case], case: Case | None, **more: Any) -> dict[str, Any]:
    waiting = queries.waiting(by)
    last = _last_decision(by) if by.may("decide_cases") else None
    return {
        "by": by,
        "address": address,
        "waiting": waiting,
        "rows": rows(by, address, found[:LISTED]),
        "matching": _matching(by, address, waiting.total),
        "previous_url": address.but(page=str(address.page - 1)) if address.page > 1 else "",
        "next_url": address.but(page=str(address.page + 1)) if len(found) > LISTED else "",
        "choices": address.choices(waiting),
        "chips": address.chips(),
        "last": last,
        "last_url": address.to("undo", last.pk) if last else "",
        "front": case_view(by, address, case, **more) if case else None,
    }


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
    shown = queries.presented(by, case.pk)
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


def _listed(by: Principal, address: Address) -> Any:
    start = (address.page - 1) * LISTED
    return queries.queue(by, address.filters)[start : start + LISTED + 1]


def _matching(by: Principal, address: Address, total: int) -> int:
    return queries.queue(by, address.filters).count() if address.is_filtered else total


def _last_decision(by: Principal) -> Decision | None:
    mine = queries.decisions(by, actor_id=by.actor.pk)
    return mine.filter(undoes__isnull=True, undone_by__isnull=True).first()


def _who_is_on(by: Principal, case: Case) -> str:
    if case.claimed_by is None or case.claimed_until is None or case.claimed_until <= timezone.now():
        return ""
    return "You are on this" if case.claimed_by == by.actor else f"{case.claimed_by.name} is on this"


def _suggestion(shown: Presented) -> dict[str, str] | None:
    if shown.suggestion is None:
        return None
    chosen = shown.kind.verdict(shown.suggestion.verdict)
    return {"words": chosen.label if chosen else "", "because": shown.suggestion.because}


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
