"""A person changes a belief without a case: puts its words right, ends it, says it never was right, holds it again.

Each change is a page with a form, so that it works without a script and can be sent to somebody. What was typed stays
when the change is refused.
"""

from __future__ import annotations

import datetime as dt
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone

from memoryapp.doors import moments, strict
from memoryapp.doors.errors import DomainError, Invalid, NotFound, Stale
from memoryapp.doors.pages import address, drawn_lock, member_page, page
from memoryapp.graph import services
from memoryapp.graph.models import Belief
from memoryapp.graph.pages import presenting
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

Typed = dict[str, str]


@dataclass(frozen=True)
class Verb:
    """One change, as its page words it. `asks` are the fields besides the reason."""

    name: str
    title: str
    explains: str
    button: str
    done: str
    capability: str
    carry_out: Callable[[Write, Belief, Typed, int], Belief]
    asks: tuple[str, ...] = ()
    tone: str = "primary"


def _edit(write: Write, belief: Belief, typed: Typed, lock: int) -> Belief:
    words = typed["said"].strip()
    if not words:
        raise Invalid.at("/said", "nothing_said", "An edit needs words.", "one sentence that stands by itself")
    change: dict[str, Any] = {"content": words}
    if belief.shape == Belief.Shape.PROPERTY:
        change = {"value": words if isinstance(belief.value, str) else _value(words)}
    shown = _as_it_is(belief)
    for name in ("valid_from", "valid_to"):
        if typed[name] != shown[name]:
            change[name] = _moment(typed[name], name, write)
    return services.edit(write, belief, reason=typed["reason"], lock=lock, **change)


def _retire(write: Write, belief: Belief, typed: Typed, lock: int) -> Belief:
    at = _moment(typed["at"], "at", write)
    return services.retire(write, belief, reason=typed["reason"], at=at, lock=lock)


def _retract(write: Write, belief: Belief, typed: Typed, lock: int) -> Belief:
    return services.retract(write, belief, reason=typed["reason"], lock=lock)


def _reinstate(write: Write, belief: Belief, typed: Typed, lock: int) -> Belief:
    return services.reinstate(write, belief, reason=typed["reason"], lock=lock)


VERBS = {
    verb.name: verb
    for verb in (
        Verb(
            "edit",
            "Edit the statement",
            "Your words become a belief of their own, derived from this one, which takes its place. The old one stays"
            " readable in the history.",
            "Save as a new belief",
            "Saved. This is the new belief; the old one is in its history.",
            "remember",
            _edit,
            ("said", "valid_from", "valid_to"),
        ),
        Verb(
            "retire",
            "It is over",
            "It was true and no longer is. It leaves recall, still answers for the time in which it held, and can be"
            " held again.",
            "End it",
            "Ended. It still answers for the time in which it held.",
            "withdraw",
            _retire,
            ("at",),
        ),
        Verb(
            "retract",
            "It never was right",
            "It leaves recall for every time, also for the past, and stays in the history. It can be held again.",
            "Say it never was right",
            "Taken out of sight, for every time. The history keeps it.",
            "withdraw",
            _retract,
            tone="danger",
        ),
        Verb(
            "reinstate",
            "Hold it true again",
            "It is served again, with the dates it had before it was archived.",
            "Hold it true",
            "Held true again.",
            "withdraw",
            _reinstate,
        ),
    )
}


def change(verb: str) -> Callable[..., HttpResponseBase]:
    """The page of one verb, for who may do it."""
    return member_page(VERBS[verb].capability)(partial(_change, VERBS[verb]))


def _change(chosen: Verb, request: HttpRequest, by: Principal, belief_id: uuid.UUID) -> HttpResponse:
    """The form of one change, and the change itself."""
    found = _belief(by, belief_id)
    if request.method != "POST":
        return _form(request, by, found, chosen, _as_it_is(found))
    typed = {name: request.POST.get(name, "") for name in (*chosen.asks, "reason")}
    try:
        lock = drawn_lock(request)
        changed = record(
            by,
            f"{chosen.name}_belief",
            lambda write: chosen.carry_out(write, _belief(by, belief_id), typed, lock),
            rationale=typed["reason"].strip(),
        )
    except DomainError as error:
        return _form(request, by, _belief(by, belief_id), chosen, typed, error)
    messages.success(request, chosen.done)
    return redirect(address(by, "graph:belief", changed.pk))


def _form(
    request: HttpRequest, by: Principal, belief: Belief, verb: Verb, typed: Typed, error: DomainError | None = None
) -> HttpResponse:
    return page(
        request,
        "graph/change.html",
        {
            "by": by,
            "belief": belief,
            "statement": presenting.card(by, belief),
            "verb": verb,
            "typed": typed,
            "error": error,
            "stale": isinstance(error, Stale),
            "wrong": {violation.path.lstrip("/"): violation for violation in error.violations} if error else {},
            "back_url": address(by, "graph:belief", belief.pk),
            "is_property": belief.shape == Belief.Shape.PROPERTY,
        },
        status=error.status if error else 200,
    )


def _belief(by: Principal, belief_id: uuid.UUID) -> Belief:
    found = Belief.objects.visible_to(by).filter(pk=belief_id).first()
    if found is None:
        raise NotFound("There is no such belief.", code="no_such_belief")
    return found


def _as_it_is(belief: Belief) -> Typed:
    said = belief.content
    if belief.shape == Belief.Shape.PROPERTY:
        said = belief.value if isinstance(belief.value, str) else json.dumps(belief.value, ensure_ascii=False)
    return {
        "said": said,
        "valid_from": _date(belief.valid_from, belief.valid_from_precision),
        "valid_to": _date(belief.valid_to, belief.valid_to_precision),
    }


def _date(at: dt.datetime | None, precision: str) -> str:
    """A date as it may be typed back: an instant without its offset, in the workspace's zone and to the minute."""
    if at is None:
        return ""
    if precision == moments.Precision.INSTANT:
        return moments.render(at, precision, timezone.get_current_timezone_name())[:16]
    return moments.render(at, precision)


def _moment(text: str, name: str, write: Write) -> moments.Moment | None:
    told = text.strip()
    return moments.given(told, f"/{name}", time_zone=write.workspace.time_zone) if told else None


def _value(words: str) -> Any:
    """What was typed, as JSON where it is any that a request may hold; else the words."""
    try:
        return strict.read(words.encode())
    except DomainError:
        return words
