"""Search over everything in a workspace: beliefs, nodes, what was said, cases. Each part leads to its own page."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from formsengine import queries as forms
from formsengine.models import FormResponse
from memoryapp.context import queries as context
from memoryapp.doors.pages import address, member_page, page
from memoryapp.files import queries as files
from memoryapp.files.pages.presenting import file_url
from memoryapp.graph.models import Node
from memoryapp.graph.pages.presenting import card
from memoryapp.graph.queries import listing
from memoryapp.index.queries import Scope, search
from memoryapp.ledger.principal import Principal
from memoryapp.review import queries as review
from memoryapp.review import registry
from memoryapp.review.pages.shown import headlines
from memoryapp.sources.queries import in_place, sources, threads
from memoryapp.timeline.feeding import EPISODE
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries import recallable, with_details

EACH = 8


@require_safe
@member_page("look_up")
def everywhere(request: HttpRequest, by: Principal) -> HttpResponse:
    """The first few of each sort of thing that a text finds."""
    asked = " ".join(request.GET.get("q", "").replace("\x00", "").split())[:200]
    context: dict[str, Any] = {"by": by, "asked": asked, "parts": _parts(by, asked) if asked else []}
    context["found"] = any(part["rows"] for part in context["parts"])
    return page(request, "console/search.html", context)


def _parts(by: Principal, asked: str) -> list[dict[str, Any]]:
    query = f"?{urlencode({'q': asked})}"
    beliefs = listing.Wanted(text=asked, shown="everything")
    parts = [
        ("Beliefs", "graph:beliefs", f"?{urlencode({'show': 'everything', 'q': asked})}", _beliefs(by, beliefs)),
        ("Nodes", "graph:nodes", query, _nodes(by, asked)),
    ]
    if by.may("read_timeline"):
        parts.append(("What happened", "timeline:timeline", query, _happened(by, asked)))
    if by.may("read_context"):
        parts.append(("Kept in mind", "context:context", "", _kept(by, asked)))
    if by.may("read_files"):
        parts.append(("Files", "files:files", query, _files(by, asked)))
    if by.may("read_forms"):
        parts.append(("Forms", "forms:forms", query, _forms(by, asked)))
        parts.append(("Filled forms", "", "", _filled(by, asked)))
        parts.append(("Answers in forms", "", "", _answers(by, asked)))
    if by.may("read_sources"):
        parts.append(("Conversations", "sources:threads", query, _threads(by, asked)))
        parts.append(("What was said", "recall:lab", query, _said(by, asked)))
    if by.may("read_cases"):
        parts.append(("Waiting cases", "review:queue", query, _cases(by, asked)))
    return [
        {
            "title": title,
            "rows": rows[:EACH],
            "more_url": address(by, view) + asking if view and len(rows) > EACH else "",
        }
        for title, view, asking, rows in parts
    ]


def _beliefs(by: Principal, wanted: listing.Wanted) -> list[dict[str, Any]]:
    found = listing.listed(by, wanted).order_by("-recorded_at", "-pk")[: EACH + 1]
    return [
        {
            "url": shown["url"],
            "words": shown["content"] or "An erased belief",
            "state": shown["status"],
            "note": shown["kind"],
        }
        for shown in (card(by, belief) for belief in found)
    ]


def _nodes(by: Principal, asked: str) -> list[dict[str, Any]]:
    """Nodes in use whose names hold all the words, by name."""
    used = Node.objects.visible_to(by).filter(state=Node.State.ACTIVE)
    for word in asked.split():
        used = used.filter(label__icontains=word)
    found = used.order_by("label", "pk")[: EACH + 1]
    return [{"url": address(by, "graph:node", one.pk), "words": one.label, "note": one.node_class} for one in found]


def _threads(by: Principal, asked: str) -> list[dict[str, Any]]:
    return [
        {"url": address(by, "sources:thread", one.pk), "words": str(one), "at": getattr(one, "last_said", None)}
        for one in threads(by, asked)[: EACH + 1]
    ]


def _said(by: Principal, asked: str) -> list[dict[str, Any]]:
    hits = search(Scope(by.workspace, {"source": sources(by)}), asked, limit=EACH + 1).hits
    places = in_place(by, [hit.target_id for hit in hits])
    found = [places[hit.target_id].source for hit in hits if hit.target_id in places]
    return [
        {
            "url": f"{address(by, 'sources:thread', one.thread_id)}#turn-{one.pk}"
            if one.thread_id
            else address(by, "sources:source", one.pk),
            "words": one.content[:300],
            "note": (one.participant.name or one.participant.key) if one.participant else one.kind,
            "at": one.said_at,
        }
        for one in found
    ]


def _happened(by: Principal, asked: str) -> list[dict[str, Any]]:
    hits = search(Scope(by.workspace, {EPISODE: recallable(by)}), asked, limit=EACH + 1).hits
    rows = Episode.objects.visible_to(by).in_bulk([hit.target_id for hit in hits]) if hits else {}
    shown = with_details([rows[hit.target_id] for hit in hits if hit.target_id in rows]) if rows else []
    return [
        {
            "url": address(by, "timeline:episode", one.episode.pk),
            "words": one.revision.content[:300],
            "note": one.episode.kind,
            "at": one.revision.ordered_at,
        }
        for one in shown
    ]


def _kept(by: Principal, asked: str) -> list[dict[str, Any]]:
    """Entries that hold the words as they are typed: what is in every prompt is in no index."""
    words = Q(title__icontains=asked) | Q(content__icontains=asked) | Q(section__icontains=asked)
    found = context.revisions(by, context.Asked(expired=True)).filter(words)[: EACH + 1]
    return [
        {
            "url": address(by, "context:entry", one.entry_id),
            "words": f"{one.title}: {one.content[:300]}" if one.content else one.title,
            "note": one.section,
        }
        for one in found
    ]


def _files(by: Principal, asked: str) -> list[dict[str, Any]]:
    return [
        {
            "url": file_url(by, one.entry.path),
            "words": one.version.summary or one.entry.path,
            "note": one.entry.path,
            "at": one.entry.modified_at,
        }
        for one in files.search(by, asked, limit=EACH + 1).answers
    ]


def _forms(by: Principal, asked: str) -> list[dict[str, Any]]:
    """Forms by their names and titles."""
    found = list(forms.forms(by, asked)[: EACH + 1])
    titles = forms.titles(found)
    return [
        {"url": address(by, "forms:form", one.pk), "words": titles.get(one.pk, one.name), "note": one.name}
        for one in found
    ]


def _filled(by: Principal, asked: str) -> list[dict[str, Any]]:
    """Responses in sight by whom they are about, or which form they fill; nobody is named who is out of sight."""
    found = forms.responses(by, text=asked).filter(forms.nobody_unknown(by)).order_by("-changed_at", "pk")[: EACH + 1]
    return [_response(by, one, _called(one)) for one in found]


def _answers(by: Principal, asked: str) -> list[dict[str, Any]]:
    """Answers in forms, each in its response, which says who may see it."""
    return [_response(by, one, words or _called(one)) for one, words in forms.answering(by, asked, EACH + 1)]


def _called(one: FormResponse) -> str:
    title = one.version.title or one.form.name
    return f"{title}: {one.subject.label}" if one.subject else title


def _response(by: Principal, one: FormResponse, words: str) -> dict[str, Any]:
    return {
        "url": address(by, "forms:fill", one.pk),
        "words": words,
        "note": f"{one.version.title or one.form.name}, {one.get_state_display().lower()}",
        "at": one.changed_at,
    }


def _cases(by: Principal, asked: str) -> list[dict[str, Any]]:
    found = review.listed(by, review.narrowed(by, review.Filters(text=asked)), size=EACH + 1).cases
    lines = headlines(by, found)
    return [
        {
            "url": address(by, "review:case", case.pk),
            "words": lines[case.pk],
            "note": registry.kind_named(case.kind).title,
            "at": case.opened_at,
        }
        for case in found
    ]
