"""A response beside the conversation it came from; who is to fill it; what was answered, drawn."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.views.decorators.http import require_POST

from formsengine import queries, services
from formsengine.models import OPEN
from formsengine.pages import asked
from formsengine.pages.due import until
from formsengine.pages.step import language_of, shared
from formsengine.queries import charting, together
from memoryapp.access import queries as access
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


@member_page("read_forms")
def beside(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """What was asked, answered, declined and proposed, beside the turns in which it was said; and who goes on."""
    row = queries.response(by, response_id)
    response = queries.loaded(row)
    language = language_of(request, row, response)
    told = together.answers(by, row, response, language)
    for one in told:
        place = asked.anchor(one["name"], one["row"])
        one["url"] = f"{address(by, 'forms:fill', row.pk)}?step={one['step']}#{place}"
        one["id"] = place
    context = shared(by, row, response) | {
        "answers": told,
        "talks": [_talk(by, one) for one in together.talks(by, row, told)],
        "spoken": language,
        "open": row.state in OPEN,
        "may_fill": by.may("fill_forms"),
        "mine": row.assigned_to_id == by.actor.pk,
        "members": [(str(one.actor_id), one.actor.name) for one in access.members(by) if one.ended_at is None],
        "due": timezone.localtime(row.due_at).strftime("%Y-%m-%dT%H:%M") if row.due_at else "",
        "assign_url": address(by, "forms:assign", row.pk),
    }
    return page(request, "forms/beside.html", context)


def _talk(by: Principal, talk: together.Talk) -> dict[str, Any]:
    turns = [
        {
            "turn": turn,
            "speaker_name": turn.participant.name if turn.participant else turn.speaker,
            "quotes": talk.answered.get(turn.pk, []),
        }
        for turn in talk.turns
    ]
    title = talk.thread.title or talk.thread.external_id or "Conversation"
    return {"title": title, "turns": turns, "more": talk.more, "url": address(by, "sources:thread", talk.thread.pk)}


@require_POST
@member_page("fill_forms")
def assign(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """Say who is to fill it, and until when; or take it over oneself and go on where it is."""
    row = queries.response(by, response_id)
    taken = request.POST.get("act") == "take"
    try:
        to = by.actor.pk if taken else _actor(request.POST.get("to", ""))
        due = row.due_at if taken else until(by, request.POST.get("due", ""))
        record(by, "assign_response", lambda write: services.assign(write, row.pk, to=to, due_at=due))
    except DomainError as refused:
        messages.error(request, refused.violations[0].message if refused.violations else refused.detail)
        return redirect(address(by, "forms:beside", row.pk))
    messages.success(request, "It is yours now." if taken else "Kept.")
    return redirect(address(by, "forms:fill" if taken else "forms:beside", row.pk))


def _actor(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text) if text else None
    except ValueError as error:
        raise Invalid.at("to", "not_an_id", "This is not a member.", "the id of a member") from error


@member_page("read_forms")
def charts(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """How often which answer was given to each field, drawn and as numbers."""
    found = queries.form(by, form_id)
    made, counted, total = charting.charts(by, found)
    context = {
        "by": by,
        "title": queries.title_of(found),
        "charts": made,
        "counted": counted,
        "total": total,
        "forms_url": address(by, "forms:forms"),
        "form_url": address(by, "forms:form", found.pk),
    }
    return page(request, "forms/charts.html", context)
