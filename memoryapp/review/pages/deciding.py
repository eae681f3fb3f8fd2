"""What the buttons of a case do. Each works as a plain form; for a swap the next case comes back with the list."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST

from memoryapp.doors.errors import Conflict, Invalid, Malformed, NotFound, Stale
from memoryapp.doors.pages import member_page, page, wants_fragment
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, registry, services
from memoryapp.review.models import Case, Decision
from memoryapp.review.pages.address import Address
from memoryapp.review.pages.form import ASK, EDIT, Typed, edits_of
from memoryapp.review.pages.looking import draw
from memoryapp.review.pages.shown import Toast, beside, stage, verdict_words
from memoryapp.review.registry import CaseKind

MORNING = dt.time(9)
SNOOZES = ("hour", "tomorrow", "week")


@require_POST
@member_page("decide_cases")
def decide(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Carry a verdict out and go on to the next case. What cannot be carried out comes back with all that was typed."""
    address, typed = Address.of(by, request.GET), _typed(request)
    case = queries.case(by, case_id)
    if typed.verdict == EDIT or typed.verdict.startswith(ASK):
        return draw(request, stage(by, address, case, typed=typed) | {"opened": True})
    try:
        decision = _carry_out(by, case, typed)
    except (Conflict, Stale, Invalid) as error:
        refused = Typed(typed.values, typed.verdict, error.violations)
        context = stage(by, address, queries.case(by, case_id), typed=refused, error=error) | {"opened": True}
        return draw(request, context, status=error.status)
    toast = Toast(f"{verdict_words(decision)}.", address.to("undo", decision.pk))
    return _go_on(request, by, address, case, toast)


@require_POST
@member_page("decide_cases")
def undo(request: HttpRequest, by: Principal, decision_id: uuid.UUID) -> HttpResponseBase:
    """Take a decision back, and put its case in front again."""
    address = Address.of(by, request.GET)
    reason = request.POST.get("rationale", "")
    undone = record(by, "undo", lambda write: services.undo(write, decision_id), reason)
    words = "Taken back. It waits again."
    if request.POST.get("to") == "decisions":
        messages.success(request, words)
        return redirect(reverse("review:decisions", args=[by.workspace.slug]))
    return _show(request, by, address, undone.case, Toast(words))


@require_POST
@member_page("decide_cases")
def claim(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Say that one is on it."""
    return _stay(request, by, case_id, record(by, "claim", lambda write: services.claim(write, case_id)))


@require_POST
@member_page("decide_cases")
def release(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Let go of it."""
    return _stay(request, by, case_id, record(by, "release", lambda write: services.release(write, case_id)))


@require_POST
@member_page("decide_cases")
def snooze(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Keep it out of the queue for a while and go on to the next."""
    address, until = Address.of(by, request.GET), _until(request.POST.get("until", ""))
    case = record(by, "snooze", lambda write: services.snooze(write, case_id, until))
    local = timezone.localtime(until)
    words = f"Snoozed until {local.day} {local:%B, %H:%M}."
    return _go_on(request, by, address, case, Toast(words, address.to("wake", case.pk)))


@require_POST
@member_page("decide_cases")
def wake(request: HttpRequest, by: Principal, case_id: uuid.UUID) -> HttpResponseBase:
    """Bring it back at once."""
    case = record(by, "wake", lambda write: services.wake(write, case_id))
    return _show(request, by, Address.of(by, request.GET), case, Toast("Back in the queue."))


def _typed(request: HttpRequest) -> Typed:
    values = {name: str(value) for name, value in request.POST.items() if name != "csrfmiddlewaretoken"}
    return Typed(values, values.get("verdict", ""))


def _carry_out(by: Principal, case: Case, typed: Typed) -> Decision:
    kind = registry.kind_named(case.kind)
    if not typed.verdict:
        raise Invalid.at("/verdict", "no_verdict", "Choose one of the verdicts below.", _labels(kind))
    key, lock = typed.verdict.partition(":")[0], _lock(typed)
    edits = edits_of(kind, typed.verdict, typed.values)

    def act(write: Write) -> Decision:
        return services.decide(write, case.pk, lock=lock, verdict=key, edits=edits)

    return record(by, "decide", act, typed.rationale.strip())


def _labels(kind: CaseKind) -> str:
    return ", ".join(verdict.label for verdict in kind.verdicts)


def _lock(typed: Typed) -> int:
    lock = typed.values.get("lock", "")
    if not (lock.isascii() and lock.isdigit() and len(lock) < 16):
        raise Malformed.at("lock", "not_a_lock", "The form does not say which state of the case it was drawn from.")
    return int(lock)


def _until(chosen: str) -> dt.datetime:
    now = timezone.localtime()
    if chosen == "hour":
        return now + dt.timedelta(hours=1)
    days = {"tomorrow": 1, "week": 7 - now.weekday()}.get(chosen)
    if days is None:
        raise Invalid.at("until", "unknown_time", "That is no time to snooze until.", ", ".join(SNOOZES))
    return dt.datetime.combine(now.date() + dt.timedelta(days=days), MORNING, tzinfo=now.tzinfo)


def _go_on(request: HttpRequest, by: Principal, address: Address, done: Case, toast: Toast) -> HttpResponseBase:
    """The case after this one in front, or the clear queue. Where the browser has put the next one in front by itself
    (`ahead`), only what stands beside it."""
    if wants_fragment(request) and (ahead := _ahead(by, request.POST.get("ahead", ""))):
        return _keep(request, by, address, done, ahead, toast)
    following = queries.next_after(by, done, address.sought(by))
    url = address.case(following) if following else address.url
    if not wants_fragment(request):
        messages.success(request, toast.words)
        return redirect(url)
    context = stage(by, address, following) | {"opened": True}
    response = draw(request, context, toast=_with_left(toast, context), triggers=_taken(done))
    response["HX-Push-Url"] = url
    return response


def _keep(
    request: HttpRequest, by: Principal, address: Address, done: Case, ahead: Case, toast: Toast
) -> HttpResponseBase:
    context = beside(by, address, case=ahead)
    context |= {"toast": _with_left(toast, context)}
    return page(request, "review/beside.html", context, triggers=_taken(done))


def _ahead(by: Principal, case_id: str) -> Case | None:
    """The case that the browser has in front already, as long as it waits."""
    try:
        found = queries.case(by, uuid.UUID(case_id))
    except (ValueError, NotFound):
        return None
    return found if found.state == Case.State.OPEN else None


def _with_left(toast: Toast, context: dict[str, Any]) -> Toast:
    left = context["waiting"].total
    return replace(toast, words=f"{toast.words} {f'{left} left' if left else 'The queue is clear'}.")


def _taken(done: Case) -> dict[str, str]:
    return {"draft-taken": f"case-{done.pk}"}


def _show(request: HttpRequest, by: Principal, address: Address, case: Case, toast: Toast) -> HttpResponseBase:
    url = address.case(case)
    if not wants_fragment(request):
        messages.success(request, toast.words)
        return redirect(url)
    response = draw(request, stage(by, address, queries.case(by, case.pk)) | {"opened": True}, toast=toast)
    response["HX-Push-Url"] = url
    return response


def _stay(request: HttpRequest, by: Principal, case_id: uuid.UUID, case: Case) -> HttpResponseBase:
    """The same case with what was typed into it."""
    address = Address.of(by, request.GET)
    if not wants_fragment(request):
        return redirect(address.case(case))
    typed = Typed(_typed(request).values)
    context = stage(by, address, queries.case(by, case_id), typed=typed) | {"opened": True}
    response = draw(request, context, still=True)
    response["HX-Push-Url"] = "false"
    return response
