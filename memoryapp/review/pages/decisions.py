"""What was decided, by people and by policies, the latest first."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from memoryapp.doors.pages import member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.review import queries, registry
from memoryapp.review.models import Decision
from memoryapp.review.pages.shown import actor, headlines, verdict_words

LISTED = 30
WHOSE = {"": "People's", "me": "Mine", "policy": "By policy", "all": "All"}


@require_safe
@member_page("read_cases")
def decisions(request: HttpRequest, by: Principal) -> HttpResponse:
    """Decisions with their reasons, each with its undo where it still stands."""
    whose = request.GET.get("whose", "") if request.GET.get("whose", "") in WHOSE else ""
    trait, value = request.GET.get("trait", "")[:40], request.GET.get("value", "").replace("\x00", "")[:200]
    given = request.GET.get("page", "1")
    number = max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 6 else 1
    found = queries.decisions(by, actor_id=by.actor.pk if whose == "me" else None)
    if whose == "policy" and not trait:
        found = found.exclude(policy="")
    elif trait:
        found = found.filter(pk__in=_of(by, trait, value, request.GET.get("taken_back") == "yes"))
    elif whose != "all":
        found = found.filter(policy="")
    start = (number - 1) * LISTED
    listed = list(found[start : start + LISTED + 1])
    here = reverse("review:decisions", args=[by.workspace.slug])
    kept = {"whose": whose, "trait": trait, "value": value, "taken_back": request.GET.get("taken_back", "")[:3]}
    asked = urlencode({name: one for name, one in kept.items() if one})
    asked = f"{asked}&" if asked else ""
    context = {
        "by": by,
        "of": value.replace("_", " ") if trait else "",
        "events": _events(by, listed[:LISTED]),
        "tabs": [
            {"title": words, "url": f"{here}?whose={key}" if key else here, "here": key == whose}
            for key, words in WHOSE.items()
        ],
        "words": f"{start + 1} to {start + len(listed[:LISTED])}" if listed else "",
        "previous_url": f"{here}?{asked}page={number - 1}" if number > 1 else "",
        "next_url": f"{here}?{asked}page={number + 1}" if len(listed) > LISTED else "",
    }
    return page(request, "review/decisions.html", context)


def _of(by: Principal, trait: str, value: str, taken_back: bool) -> list[uuid.UUID]:
    """What policy settled of one sort, as the figures count it; of that only what people took back, when asked."""
    figure = queries.figures(by).get(trait, {}).get(value)
    ids = figure.ids if figure else []
    return (
        list(Decision.objects.filter(pk__in=ids, undone_by__isnull=False).values_list("pk", flat=True))
        if taken_back
        else ids
    )


def _events(by: Principal, found: list[Decision]) -> list[dict[str, Any]]:
    lines = headlines(by, list({decision.case_id: decision.case for decision in found}.values()))
    slug = by.workspace.slug
    return [
        {
            "id": decision.pk,
            "what": verdict_words(decision),
            "kind_words": registry.kind_named(decision.case.kind).title,
            "about": lines[decision.case_id],
            "case_url": reverse("review:case", args=[slug, decision.case_id]),
            "actor": actor(decision.decided_by),
            "at": decision.decided_at,
            "why": decision.rationale,
            "batch_url": reverse("review:batch", args=[slug, decision.batch_id]) if decision.batch_id else "",
            "undone_by": decision.undone_by.decided_by.name if hasattr(decision, "undone_by") else "",
            "undo_url": reverse("review:undo", args=[slug, decision.pk]) if _stands(by, decision) else "",
        }
        for decision in found
    ]


def _stands(by: Principal, decision: Decision) -> bool:
    return by.may("decide_cases") and not decision.undoes_id and not hasattr(decision, "undone_by")
