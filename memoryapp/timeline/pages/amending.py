"""Saying something else of an episode in the browser: a revision beside the others, against the one that was shown."""

from __future__ import annotations

import uuid

import yaml
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from memoryapp.doors import moments
from memoryapp.doors.errors import DomainError, Invalid, Stale
from memoryapp.doors.moments import Moment
from memoryapp.doors.pages import address, member_page, number, page
from memoryapp.doors.strict import read_yaml
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.timeline import queries, services
from memoryapp.timeline.inputs import Amendment, Happened
from memoryapp.timeline.models import EpisodeRevision, Span, State
from memoryapp.timeline.pages import presenting, taking_part
from memoryapp.timeline.pages.taking_part import Row
from memoryapp.timeline.queries import Shown
from memoryapp.timeline.queries.told import when

FIELDS = ("content", "at", "since", "until", "properties", "reason")
LONGEST = 200_000

Typed = dict[str, str]


@member_page("record_episodes")
def amend(request: HttpRequest, by: Principal, episode_id: uuid.UUID) -> HttpResponse:
    """The form with what it says; posted, a revision. Who was overtaken keeps what was typed."""
    found = queries.episode(by, episode_id)
    shown = queries.revisions(found)[0]
    if request.method != "POST":
        return _form(request, by, shown, _as_it_is(shown.revision), taking_part.as_it_is(shown))
    people = taking_part.typed(request) if "who" in request.POST else taking_part.as_it_is(shown)
    typed = {name: request.POST.get(name, "").replace("\r\n", "\n")[:LONGEST] for name in FIELDS}
    drawn = number(request.POST.get("lock", ""))

    def act(write: Write) -> EpisodeRevision:
        if drawn is None:
            message = "The form did not say which revision it was drawn against."
            raise Invalid.at("/lock", "lock_missing", message, "the number of a revision")
        return services.amend(
            write, episode_id, _amendment(by, typed, people, shown), reason=typed["reason"].strip(), lock=drawn
        )

    try:
        record(by, "amend_episode", act, rationale=typed["reason"].strip())
    except DomainError as error:
        return _form(request, by, queries.revisions(queries.episode(by, episode_id))[0], typed, people, error)
    messages.success(request, "Amended. What was said before is below.")
    return redirect(address(by, "timeline:episode", episode_id))


def _amendment(by: Principal, typed: Typed, people: list[Row], shown: Shown) -> Amendment:
    """What of the form differs from what it was drawn with is said anew; the rest stays as it is stored."""
    before = _as_it_is(shown.revision)
    properties = read_yaml(typed["properties"], "/properties") if typed["properties"].strip() else {}
    if not isinstance(properties, dict):
        raise Invalid.at("/properties", "not_properties", "These are no properties.", "lines such as `amount: 12`")
    times = {name: typed[name].strip() for name in ("at", "since", "until")}
    moved = any(times[name] != before[name] for name in times)
    return Amendment(
        content=typed["content"].strip("\n"),
        happened=Happened(**{name: _moment(by, name, text) for name, text in times.items()}) if moved else Happened(),
        participants=taking_part.takings(by, people, shown),
        properties=properties,
    )


def _moment(by: Principal, name: str, text: str) -> Moment | None:
    return moments.given(text, f"/{name}", time_zone=by.workspace.time_zone) if text else None


def _as_it_is(revision: EpisodeRevision) -> Typed:
    lasted = revision.span == Span.INTERVAL
    kept = yaml.safe_dump(revision.properties, sort_keys=True, allow_unicode=True) if revision.properties else ""
    return {
        "content": revision.content,
        "at": "" if lasted else when(revision, "occurred_from") or "",
        "since": (when(revision, "occurred_from") or "") if lasted else "",
        "until": (when(revision, "occurred_to") or "") if lasted else "",
        "properties": kept,
        "reason": "",
    }


def _form(
    request: HttpRequest,
    by: Principal,
    shown: Shown,
    typed: Typed,
    people: list[Row],
    error: DomainError | None = None,
) -> HttpResponse:
    now = _as_it_is(shown.revision)
    return page(
        request,
        "timeline/amend.html",
        {
            "by": by,
            "card": presenting.card(by, shown),
            "back_url": address(by, "timeline:episode", shown.episode.pk),
            "lock": shown.episode.lock,
            "stands": shown.revision.state == State.RECORDED,
            "typed": typed,
            "people": taking_part.drawn(by, people, shown),
            "now": now if isinstance(error, Stale) else None,
            "stale": isinstance(error, Stale),
            "latest": shown.revision,
            "error": error,
            "wrong": {one.path.lstrip("/").split("/")[0]: one for one in error.violations} if error else {},
            "interval": bool(typed["since"] or typed["until"]),
            "conversation": shown.episode.thread_id is not None,
        },
        status=(409 if isinstance(error, Stale) else error.status) if error else 200,
    )
