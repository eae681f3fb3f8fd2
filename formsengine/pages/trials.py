"""Test answers of somebody who writes a form: kept in their session, evaluated as an answer would be."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, QueryDict
from django.utils import timezone

from formsengine import queries
from formsengine.definition.stored import text
from formsengine.editing.parts import Data
from formsengine.editing.trying import Trial, Tried, tried
from formsengine.log.commits import Clock
from formsengine.pages import asked
from formsengine.problems import Refused
from formsengine.queries.editing import Writing

MOST = 20_000
"""Characters of test answers that a session keeps."""


def _key(writing: Writing) -> str:
    return f"form-trial:{writing.form.pk}"


def trial(request: HttpRequest, writing: Writing) -> Trial:
    return Trial.of(request.session.get(_key(writing)))


def attempted(request: HttpRequest, writing: Writing, definition: Data) -> Tried | None:
    """The form as it stands with the test answers. None while nothing can be worked out."""
    plan, _ = queries.checked(definition)
    clock = Clock(timezone.now(), str(timezone.get_current_timezone()))
    try:
        return tried(plan, trial(request, writing), clock)
    except (Refused, LookupError):
        # Test answers of what the form was before: the trial begins anew.
        return tried(plan, Trial(), clock)


def take(request: HttpRequest, writing: Writing, posted: QueryDict) -> None:
    """Keep what was answered for the trial, or forget it all."""
    if posted.get("act") == "forget":
        request.session.pop(_key(writing), None)
        return
    found = attempted(request, writing, writing.definition)
    if found is None:
        return
    kept = trial(request, writing)
    ops: list[dict[str, Any]] = asked.operations(found.response, posted, found.response.number)
    act = asked.act(posted.get("act", "")) if posted.get("act") else None
    kept.take([*ops, *([act] if act else [])])
    data = kept.as_data()
    if len(text(data)) <= MOST:
        request.session[_key(writing)] = json.loads(text(data))
