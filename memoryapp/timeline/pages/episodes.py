"""What happened, to look through by time, kind and person; and one episode with all that was said of it."""

from __future__ import annotations

import datetime as dt
import uuid
from itertools import groupby
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from memoryapp.doors import moments, paging
from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.doors.pages import address, here, member_page, page
from memoryapp.graph.models import Node
from memoryapp.graph.pages import presenting as graph_presenting
from memoryapp.graph.queries.nodes import node as node_named
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.timeline import queries
from memoryapp.timeline.models import Episode, EpisodeParticipant, State
from memoryapp.timeline.pages import having, plot, presenting
from memoryapp.timeline.queries import Asked, Shown
from memoryapp.timeline.queries.density import Bar, density
from memoryapp.timeline.queries.searching import search

SIZE = 40
MOST_FOUND = 60
"""Answers to a search on one page."""
MOST_PEOPLE = 50
MOST_LEARNED = 50
DAY = dt.timedelta(days=1)


@member_page("read_timeline")
def timeline(request: HttpRequest, by: Principal) -> HttpResponse:
    """What happened, the latest first; `?q=` asks in words, `?from=` and `?to=` name the first and the last day,
    `?where=` asks for properties."""
    typed = {name: request.GET.get(name, "").strip()[:200] for name in ("q", "kind", "with", "from", "to")}
    person = _person(by, typed["with"])
    kinds = (typed["kind"],) if typed["kind"] else ()
    conditions = having.conditions(request)
    if further := having.added(request, by, conditions, kinds):
        return redirect(further)
    asked = Asked(
        kinds=kinds,
        where=conditions or None,
        time_zone=by.workspace.time_zone,
        participants=(person.pk,) if person else (),
        since=_day(typed["from"], "from"),
        until=_after(_day(typed["to"], "to")),
    )
    ontology = current_ontology(by)
    where = request.GET.get("where", "") if conditions else ""
    drawn = density(by, asked, timezone.get_current_timezone())
    found = _searched(by, typed["q"], asked) if typed["q"] else _listed(request, by, asked, typed)
    return page(
        request,
        "timeline/timeline.html",
        {
            "by": by,
            "days": _by_day(by, found["shown"]) if not typed["q"] else [],
            "answers": [presenting.card(by, one) for one in found["shown"]] if typed["q"] else [],
            "search": typed["q"],
            "typed": typed,
            "choices": _choices(by, ontology, typed),
            "filters_set": [*_filters_set(request, typed, person), *having.chips(request, conditions)],
            "where": where,
            "kept": {"from": typed["from"], "to": typed["to"], "where": where},
            "having": having.form(ontology, kinds),
            "bounded": asked.bounded,
            "plot": plot.draw(drawn, lambda bar: _zoomed(request, bar)) if drawn else None,
            "out_url": _wider(request, asked),
            "next_url": here(request, after=found["next"]) if found["next"] else "",
            "first_url": here(request, after="") if request.GET.get("after") else "",
            "clear_url": request.path,
        },
    )


@member_page("read_timeline")
def episode(request: HttpRequest, by: Principal, episode_id: uuid.UUID) -> HttpResponse:
    """One episode: what happened, who took part, what it is known from, what was learned from it, all revisions."""
    found = queries.episode(by, episode_id)
    revisions = queries.revisions(found)
    shown = revisions[0]
    said = (
        shown
        if shown.revision.state == State.RECORDED
        else next((one for one in revisions if one.revision.state == State.RECORDED), shown)
    )
    learned = list(queries.learned(by, found)[: MOST_LEARNED + 1])
    thread = found.thread if by.may("read_sources") else None
    return page(
        request,
        "timeline/episode.html",
        {
            "by": by,
            "card": presenting.card(by, said),
            "state": shown.revision.state,
            "amend_url": address(by, "timeline:amend", found.pk)
            if by.may("record_episodes") and shown.revision.state == State.RECORDED
            else "",
            "tombstone": shown.revision if shown.revision.state != State.RECORDED else None,
            "properties": sorted(said.revision.properties.items()),
            "thread": thread,
            "thread_url": address(by, "sources:thread", thread.pk) if thread else "",
            "sources": [
                graph_presenting.source(by, one | {"content": None, "turn_before": None, "turn_after": None})
                | {"quote": one["quote"]}
                for one in queries.known_from(by, said.revision)
            ],
            "learned": [graph_presenting.card(by, one) for one in learned[:MOST_LEARNED]],
            "learned_cut": len(learned) > MOST_LEARNED,
            "revisions": [
                _revision(by, one, before) for one, before in zip(revisions, [*revisions[1:], None], strict=True)
            ],
            "recorded": found.write,
        },
    )


def node_section(by: Principal, node: Node) -> dict[str, Any] | None:
    """What happened with a node lately, for its page."""
    if not by.may("read_timeline"):
        return None
    rows = list(queries.timeline(by, node.pk).select_related("thread")[: SECTION + 1])
    return {
        "template": "timeline/node_section.html",
        "rows": [presenting.card(by, one) for one in queries.with_details(rows[:SECTION])],
        "more": len(rows) > SECTION,
        "all_url": f"{address(by, 'timeline:timeline')}?with={node.pk}",
    }


SECTION = 8
"""Episodes on the page of a node; the timeline has the rest."""


def _listed(request: HttpRequest, by: Principal, asked: Asked, typed: dict[str, str]) -> dict[str, Any]:
    rows: Any = queries.episodes(by, asked).select_related("thread")
    found: paging.Page[Episode] = paging.page(
        rows,
        order=("-ordered_at", "-pk"),
        size=SIZE,
        cursor=request.GET.get("after"),
        question=[str(by.workspace.pk), typed, *([asked.where] if asked.where else [])],
    )
    return {"shown": queries.with_details(found.items), "next": found.next}


def _searched(by: Principal, words: str, asked: Asked) -> dict[str, Any]:
    answers = search(by, words, asked, limit=MOST_FOUND).answers
    rows = Episode.objects.select_related("thread").in_bulk([one.episode.pk for one in answers])
    return {"shown": queries.with_details([rows[one.episode.pk] for one in answers]), "next": None}


def _by_day(by: Principal, shown: list[Shown]) -> list[dict[str, Any]]:
    cards = [presenting.card(by, one) for one in shown]
    return [
        {"day": dt.datetime(day.year, day.month, day.day, tzinfo=dt.UTC), "rows": list(rows)}
        for day, rows in groupby(cards, key=lambda one: one["day"])
    ]


def _choices(by: Principal, ontology: Ontology, typed: dict[str, str]) -> list[dict[str, Any]]:
    kinds = ontology.usable_episode_kinds
    seen = Episode.objects.visible_to(by).values("pk")
    taking = EpisodeParticipant.objects.filter(workspace=by.workspace, episode__in=seen).values("node")
    people = Node.objects.visible_to(by).filter(pk__in=taking, state=Node.State.ACTIVE).order_by("label", "pk")
    return [
        {
            "label": "Any kind",
            "name": "kind",
            "chosen": typed["kind"],
            "options": [(name, name.replace("_", " ").capitalize()) for name in kinds],
        },
        {
            "label": "With anybody",
            "name": "with",
            "chosen": typed["with"],
            "options": [(str(one.pk), one.label) for one in people[:MOST_PEOPLE]],
        },
    ]


def _filters_set(request: HttpRequest, typed: dict[str, str], person: Node | None) -> list[dict[str, str]]:
    words = {
        "q": f"“{typed['q']}”",
        "kind": typed["kind"].replace("_", " ").capitalize(),
        "with": f"With {person.label}" if person else "",
        "from": f"From {typed['from']}",
        "to": f"To {typed['to']}",
    }
    return [
        {"words": words[name], "clear_url": here(request, **{name: "", "after": ""})} for name in typed if typed[name]
    ]


def _zoomed(request: HttpRequest, bar: Bar) -> str:
    last = (bar.end - DAY / 2).date()
    return here(request, **{"from": bar.start.date().isoformat(), "to": last.isoformat(), "after": ""})


def _wider(request: HttpRequest, asked: Asked) -> str:
    """The address of four times the days around these; empty when none are chosen."""
    if asked.since is None or asked.until is None:
        return here(request, **{"from": "", "to": "", "after": ""}) if asked.since or asked.until else ""
    span = asked.until - asked.since
    try:
        since, until = asked.since - span * 1.5, asked.until + span * 1.5 - DAY
    except OverflowError:
        return here(request, **{"from": "", "to": "", "after": ""})
    zone = timezone.get_current_timezone()
    days = {"from": since.astimezone(zone).date().isoformat(), "to": until.astimezone(zone).date().isoformat()}
    return here(request, **days, after="")


def _revision(by: Principal, shown: Shown, before: Shown | None) -> dict[str, Any]:
    revision = shown.revision
    what = "Recorded" if before is None else "Amended"
    if revision.state == State.RETRACTED:
        what = "Taken away"
    elif revision.state == State.WITHDRAWN:
        what = "Its source was taken back"
    elif before and before.revision.state != State.RECORDED:
        what = "Stands again"
    return {
        "what": what,
        "why": revision.reason,
        "at": revision.recorded_at,
        "actor": graph_presenting.actor(revision.write.actor.name, revision.write.actor.kind),
        "content": revision.content,
        "before": before.revision.content if before else "",
        "changed": before is not None and bool(revision.content) and before.revision.content != revision.content,
        "when": presenting.when(revision),
        "people": [presenting.person(by, node, role) for node, role in shown.people],
    }


def _person(by: Principal, text: str) -> Node | None:
    if not text:
        return None
    try:
        return node_named(by, uuid.UUID(text))
    except (ValueError, NotFound) as error:
        raise Invalid.at("with", "no_such_node", "There is no such node.", "the id of a node") from error


def _day(text: str, name: str) -> dt.datetime | None:
    """The midnight that a day begins with where the page is read."""
    if not text:
        return None
    day = moments.given(text, name, time_zone="UTC").instant.date()
    return dt.datetime(day.year, day.month, day.day, tzinfo=timezone.get_current_timezone())


def _after(day: dt.datetime | None) -> dt.datetime | None:
    if day is None:
        return None
    try:
        return day + DAY
    except OverflowError:
        return None
