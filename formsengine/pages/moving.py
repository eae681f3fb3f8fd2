"""A draft moved to the live version of its form by a person, who sees first what would stand otherwise."""

from __future__ import annotations

import uuid
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from formsengine import queries, services
from formsengine.definition.plan import Plan
from formsengine.log.response import Response
from formsengine.models import FormVersion
from formsengine.pages.publishing import WEIGHTS
from formsengine.pages.saving import base_of
from formsengine.pages.step import shared
from formsengine.queries import moving
from memoryapp.doors.errors import DomainError
from memoryapp.doors.pages import address, member_page, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

MOST_SHOWN = 100


@member_page("fill_forms")
def move(request: HttpRequest, by: Principal, response_id: uuid.UUID) -> HttpResponse:
    """What the live version would change of this draft, and the move, of exactly what was shown."""
    row = queries.response(by, response_id)
    response = queries.loaded(row)
    to = moving.offered(row, response)
    if to is None:
        messages.info(request, "There is no other version to move it to.")
        return redirect(address(by, "forms:fill", row.pk))
    error: DomainError | None = None
    map_ = {uid: request.POST.get(f"to:{uid}", "") for uid in _gone(response, queries.ready(to).plan)}
    if request.method == "POST":
        chosen = {old: new for old, new in map_.items() if new}
        base, number = base_of(request.POST), to.number
        try:
            record(
                by,
                "move_response",
                lambda w: services.move(w, row.pk, version=number, confirmed=True, moved=chosen, base=base),
            )
        except DomainError as refused:
            error = refused
        else:
            messages.success(request, f"It is filled under version {number} now.")
            return redirect(address(by, "forms:fill", row.pk))
    told = moving.previewed(by, row, version=to.number, moved=None)
    return page(
        request,
        "forms/move.html",
        shared(by, row, response)
        | {
            "to": to,
            "error": error,
            "weight": WEIGHTS[told["class"]],
            "changes": _changes(response, to, told["changes"]),
            "states": _states(response, told["states"]),
            "gone": _told_gone(response, queries.ready(to).plan, map_, row.language),
        },
        status=error.status if error else 200,
    )


def _changes(response: Response, to: FormVersion, changes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Differences with the questions as they are asked."""
    plans = (queries.ready(to).plan, response.plan)
    found = []
    for one in changes[:MOST_SHOWN]:
        plan = next((each for each in plans if one["uid"] in each.items), None)
        of = plan.label(plan.items[one["uid"]]) if plan else ""
        found.append({"of": of, "what": one["what"], "weight": WEIGHTS[one["class"]]})
    return found


def _states(response: Response, states: dict[str, dict[str, str]]) -> list[dict[str, str]]:
    names = {each.name: response.plan.label(each) for each in response.plan.fields}
    told = []
    for path, state in sorted(states.items())[:MOST_SHOWN]:
        told.append({"of": names.get(path.rpartition("/")[2], path), **state})
    return told


def _gone(response: Response, plan: Plan) -> list[str]:
    """Fields with an answer here that the other version does not have."""
    answered = {uid for (uid, _), head in response.heads.items() if head}
    return [each.uid for each in response.plan.fields if each.uid in answered and each.uid not in plan.items]


def _told_gone(response: Response, plan: Plan, map_: dict[str, str], language: str) -> list[dict[str, Any]]:
    """Each answer that no field would have, with the fields it may belong to: those that stand in the same rows."""
    told = []
    for uid in map_:
        planned = response.plan.items[uid]
        fields = [each for each in plan.fields if each.rows_of == planned.rows_of and each.question.writable]
        options = [(each.uid, plan.label(each, language)) for each in fields]
        told.append({"uid": uid, "label": response.plan.label(planned, language), "options": options, "to": map_[uid]})
    return told
