"""The versions of a form: what each changed, what publishing the draft would mean, and what is taken out of use."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from formsengine import queries, services
from formsengine.definition.changes import compare
from formsengine.definition.plan import Plan
from formsengine.definition.stored import read
from formsengine.editing.acts import WORDS
from formsengine.editing.parts import Data, at, called, find, items
from formsengine.evaluation.evaluate import Prepared
from formsengine.log.response import prepared
from formsengine.models import OPEN, Form, FormResponse, FormVersion
from formsengine.problems import Problem, Refused
from formsengine.queries import defined
from formsengine.queries.editing import Writing
from formsengine.services.defining import wrong
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, number, page
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record

MOST_VERSIONS = 30
MOST_SHOWN = 60
WEIGHTS = {"compatible": "harmless", "review": "to be confirmed", "breaking": "would break"}
ACTS = ("publish-draft", "publish", "withdraw", "start")


@member_page("read_forms")
def versions(request: HttpRequest, by: Principal, form_id: uuid.UUID) -> HttpResponse:
    """The draft with all that keeps it from being published, and every version with what it changed."""
    form = queries.form(by, form_id)
    error: DomainError | None = None
    if request.method == "POST":
        by.require("write_forms")
        try:
            return _act(request, by, form)
        except DomainError as refused:
            error = refused
    live = queries.live(form)
    found = list(form.versions.order_by("-number")[: MOST_VERSIONS + 1])
    writing = queries.writing(by, form) if by.may("write_forms") else None
    return page(
        request,
        "forms/versions.html",
        {
            "by": by,
            "form": form,
            "error": error,
            "title": live.title if live else queries.title_of(form),
            "live": live,
            "draft": _draft(by, writing, live) if writing and writing.definition else None,
            "versions": [_version(by, one, before) for one, before in _pairs(found)],
            "may_write": by.may("write_forms"),
            "edit_url": address(by, "forms:edit", form.pk),
            "hand_out_url": address(by, "forms:hand-out", form.pk) if live and by.may("fill_forms") else "",
            "form_url": address(by, "forms:form", form.pk),
            "forms_url": address(by, "forms:forms"),
        },
        status=error.status if error else 200,
    )


def _pairs(found: list[FormVersion]) -> list[tuple[FormVersion, FormVersion | None]]:
    """Each version with the one before it."""
    return list(zip(found, [*found[1:], None], strict=False))[:MOST_VERSIONS]


def _act(request: HttpRequest, by: Principal, form: Form) -> HttpResponse:
    posted = request.POST
    act, lock = posted.get("act", ""), number(posted.get("lock", "")) or 0
    if act not in ACTS:
        raise Invalid.at("act", "unknown_act", "There is no such act.", ", ".join(ACTS))
    if act == "publish-draft":
        version = record(by, "publish_form", lambda write: services.publish_draft(write, form, lock=lock))
        messages.success(request, f"Version {version.number} is live.")
        return redirect(f"{address(by, 'forms:versions', form.pk)}#version-{version.number}")
    version = queries.version(by, form.pk, number(posted.get("number", "")) or 0)
    if act == "start":
        record(by, "edit_form", lambda write: services.start_from(write, form, version, lock=lock))
        messages.success(request, f"The draft is version {version.number} now.")
        return redirect(address(by, "forms:edit", form.pk))
    if act == "publish":
        record(by, "publish_form", lambda write: services.publish(write, version))
        messages.success(request, f"Version {version.number} is live.")
    else:
        reason = posted.get("reason", "").replace("\x00", "")[:2000]
        record(by, "withdraw_form", lambda write: services.withdraw(write, version, reason=reason))
        messages.success(request, f"Version {version.number} is withdrawn.")
    return redirect(f"{address(by, 'forms:versions', form.pk)}#version-{version.number}")


def _draft(by: Principal, writing: Writing, live: FormVersion | None) -> dict[str, Any]:
    """What is being written: what is wrong with it, what it changes, and what that means for drafts of responses."""
    definition = read(writing.definition)
    problems = wrong(definition, by.workspace)
    errors = [each for each in problems if each.severity == "error"]
    told: dict[str, Any] = {
        "lock": writing.lock,
        "differs": writing.differs,
        "based_on": writing.based_on,
        "last": writing.last,
        "errors": [_in_words(by, writing, each) for each in errors],
        "warnings": [_in_words(by, writing, each) for each in problems if each.severity == "warning"][:MOST_SHOWN],
        "number": writing.form.lock + 1,
        "impact": None,
    }
    if not errors and live is not None and writing.differs:
        ready = prepared(queries.checked(writing.definition)[0])
        told["impact"] = _impact(by, ready, writing.form.lock + 1, live, writing.definition)
    return told


def _impact(by: Principal, ready: Prepared, number: int, live: FormVersion, definition: Data) -> dict[str, Any]:
    drafts = FormResponse.objects.visible_to(by).filter(form=live.form, state__in=OPEN)
    told = defined.impact_of(ready, number, live, drafts)
    return told | {
        "weight": WEIGHTS[told["class"]],
        "changes": _changes_in_words(told["changes"], live.definition, definition),
    }


def _in_words(by: Principal, writing: Writing, problem: Problem) -> dict[str, Any]:
    """A problem with the part it is about, by its words, and the way there."""
    language = str(writing.definition.get("default_language", "en"))
    part, inside = at(writing.definition, problem.path)
    try:
        words = called(find(writing.definition, part).data, language)
    except Refused:
        words = "Not understood" if part == "unread" else "The whole form"
    where = f" (character {problem.position + 1})" if problem.position is not None else ""
    url = f"{address(by, 'forms:edit', writing.form.pk)}?{urlencode({'part': part})}"
    first = inside.partition("/")[0]
    key = WORDS.get(first, first.replace("_", " "))
    accepted = ", ".join(problem.accepted)
    return {"where": words, "key": key, "message": f"{problem.message}{where}", "accepted": accepted, "url": url}


def _changes_in_words(changes: list[dict[str, Any]], before: Data, after: Data) -> list[dict[str, Any]]:
    """Differences with the questions as they are asked, the gravest first."""
    names: dict[str, str] = {}
    for definition in (before, after):
        names |= _labels(definition)
    return [
        each | {"of": names.get(each["uid"], each["uid"]), "weight": WEIGHTS[each["class"]]}
        for each in changes[:MOST_SHOWN]
    ]


def _labels(definition: Mapping[str, Any]) -> dict[str, str]:
    language = str(definition.get("default_language", "en"))
    return {str(one.get("uid") or one["name"]): called(one, language) for one in items(dict(definition))}


def _version(by: Principal, one: FormVersion, before: FormVersion | None) -> dict[str, Any]:
    report = one.report or {}
    plan, problems = queries.checked(one.definition)
    told: dict[str, Any] = {
        "number": one.number,
        "state": one.state,
        "at": one.recorded_at,
        "published_at": one.published_at,
        "withdrawn_at": one.withdrawn_at,
        "questions": sum(1 for each in plan.fields if each.question.writable),
        "errors": sum(1 for each in problems if each.severity == "error") if one.state == "draft" else 0,
        "taken": sorted(report.get("taken", {}).items()),
        "changed": report.get("changed", [])[:MOST_SHOWN],
        "not_understood": report.get("not_understood", [])[:MOST_SHOWN],
        "before": before.number if before else None,
    }
    if before is not None:
        found = [each.as_data() for each in compare(_plan(before), plan)]
        told["differences"] = _changes_in_words(found, before.definition, one.definition)
    return told


def _plan(version: FormVersion) -> Plan:
    return queries.checked(version.definition)[0]
