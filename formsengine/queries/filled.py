"""Reading responses: listed, opened by id, told in views, each within the reader's sight."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from formsengine.log.commits import Writer
from formsengine.log.response import Response
from formsengine.models import OPEN, FormOutcome, FormResponse, ResponseState
from formsengine.queries.loading import loaded
from formsengine.refusals import refused
from formsengine.view.shown import Reader, line, view
from memoryapp.doors.errors import NotFound
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Actor
from memoryapp.ledger.principal import Principal

RESPONSE = "form_response"
"""What a response is called where things of all sorts are named."""
MOST_LINES = 10
"""Open responses that are told in the line of standing."""
UNREAD = tuple(f"{of}__{column}" for of in ("version", "started_under") for column in ("definition", "report"))
"""What is long, and kept ready by its digest once it was read."""
USUAL_BUDGET = 2000
"""Tokens of a view, when none are named."""


def writer(by: Principal, device: str = "") -> Writer:
    """The principal as the engine knows it. A session is the agent's thread or run: its own answers it may correct."""
    human = by.actor.kind == Actor.Kind.PERSON
    roles = {"staff"} if human else {"agent"}
    if by.may("review_forms"):
        roles.add("reviewer")
    return Writer(str(by.actor.pk), by.channel, by.thread or by.run, human, frozenset(roles), device)


def reader(by: Principal, language: str = "") -> Reader:
    """How the principal reads: an agent is not shown what is sensitive."""
    masked = by.actor.kind in (Actor.Kind.AGENT, Actor.Kind.JOB)
    return Reader(language, writer(by).roles, masked)


def in_sight(by: Principal) -> QuerySet[FormResponse]:
    """Every response that the principal may see, those without words excepted."""
    return FormResponse.objects.visible_to(by).exclude(state=ResponseState.ERASED)


def response(by: Principal, response_id: uuid.UUID) -> FormResponse:
    """One response. Raises NotFound out of sight, and for one that was erased."""
    found = prepared.first(_one, by=by, wanted=response_id)
    if found is None:
        raise NotFound("There is no such response.", code="no_such_response", extra={"id": str(response_id)})
    return found


def _one(by: Principal, wanted: uuid.UUID) -> QuerySet[FormResponse]:
    rows = in_sight(by).select_related("form", "version", "started_under", "subject", "opened_by", "assigned_to")
    return rows.defer(*UNREAD).filter(pk=wanted)[:1]


def responses(
    by: Principal,
    *,
    form: uuid.UUID | None = None,
    states: Sequence[str] = (),
    subject: uuid.UUID | None = None,
    mine: bool = False,
    given: bool | None = None,
    late_at: dt.datetime | None = None,
    disputed: bool = False,
    held: bool = False,
    text: str = "",
) -> QuerySet[FormResponse]:
    """Responses in sight. `mine`: opened by the principal or given to it. `given`: given to anybody, or to nobody.
    `late_at`: being filled, and due before then. `disputed`: two answers wait for a person somewhere in it.
    `held`: a gate waits for somebody to look."""
    found = in_sight(by).select_related("form", "version", "subject", "opened_by", "assigned_to")
    found = found.defer("version__definition", "version__report")
    if form is not None:
        found = found.filter(form=form)
    if states:
        found = found.filter(state__in=states)
    if subject is not None:
        found = found.filter(Q(subject=subject) | Q(subject__folded_into=subject))
    if mine:
        found = found.filter(Q(opened_by=by.actor) | Q(assigned_to=by.actor))
    if given is not None:
        found = found.filter(assigned_to__isnull=not given)
    if late_at is not None:
        found = found.filter(due_at__lt=late_at, state__in=OPEN)
    if disputed:
        found = found.filter(progress__conflict__gt=0)
    if held:
        found = found.filter(progress__held__gt=0, state__in=OPEN)
    if text:
        found = found.filter(Q(subject__label__icontains=text) | Q(form__name__icontains=text))
    return found


def told(row: FormResponse) -> dict[str, Any]:
    """A response as lists give it."""
    return {
        "id": str(row.pk),
        "form": row.form.name,
        "form_id": str(row.form_id),
        "title": row.version.title,
        "version": row.version.number,
        "state": row.state,
        "commit": row.lock,
        "submission": row.submission,
        "subject": {"id": str(row.subject_id), "label": row.subject.label} if row.subject else None,
        "opened_by": row.opened_by.name,
        "progress": row.progress,
        "due_at": row.due_at.isoformat() if row.due_at else None,
        "opened_at": row.recorded_at.isoformat(),
        "changed_at": row.changed_at.isoformat(),
    }


def standing(by: Principal, *, subject: uuid.UUID | None = None, language: str = "") -> list[str]:
    """A line for each open response, the newest first: what an agent has in its prompt every turn."""
    rows = list(responses(by, states=OPEN, subject=subject).order_by("-changed_at", "-pk")[: MOST_LINES + 1])
    lines = [f"{row.pk} {line(loaded(row), language=language)}" for row in rows[:MOST_LINES]]
    if len(rows) > MOST_LINES:
        lines.append("There are more open responses: list them by form.")
    return lines


def viewed(
    by: Principal,
    row: FormResponse,
    *,
    response: Response | None = None,
    scope: str = "now",
    id: str = "",
    since: int | None = None,
    language: str = "",
    budget: int = USUAL_BUDGET,
) -> dict[str, Any]:
    """What the principal reads of the response, within the budget, with names in place of ids."""
    known = response or loaded(row)
    with refused():
        shown = view(
            known,
            scope=scope,
            id=id,
            since=since,
            reader=reader(by, language or row.language),
            budget=budget,
        )
    made: dict[str, Any] = named(by, shown)
    return made


def history(by: Principal, row: FormResponse, field: str = "") -> dict[str, Any]:
    """Every revision of a field, or every commit: who did what, when, through what."""
    known = loaded(row)
    if field:
        shown = viewed(by, row, scope="field", id=field)
        return {"field": shown["field"], "state": shown["state"], "revisions": shown["revisions"]}
    commits = [
        {
            "commit": each.number,
            "by": each.by.actor,
            "channel": each.by.channel,
            "at": each.at,
            "undoes": each.undoes,
            "redoes": each.redoes,
            "undone": each.number in known.undone,
            "changes": [_change(known, event) for event in each.events if event["event"] != "considered"],
        }
        for each in known.commits
    ]
    made: dict[str, Any] = named(by, {"commits": commits})
    return made


def _change(known: Response, event: Mapping[str, Any]) -> dict[str, Any]:
    planned = known.plan.items.get(str(event.get("field", "")))
    told = {
        "event": event["event"],
        "field": planned.name if planned else event.get("field"),
        "row": event.get("row"),
        "to": event.get("to") if event["event"] == "state" else None,
        "gate": event.get("gate"),
        "reason": event.get("reason"),
        "words": event.get("words"),
    }
    return {name: value for name, value in told.items() if value}


def outcomes(by: Principal, row: FormResponse) -> list[dict[str, Any]]:
    """What the response wrote into memory, submission by submission."""
    rows = FormOutcome.objects.filter(response=row).select_related("belief", "node").order_by("submission", "pk")
    seen = {one.pk for one in _beliefs_in_sight(by, rows)}
    return [told_outcome(one) for one in rows if one.belief_id is None or one.belief_id in seen]


def _beliefs_in_sight(by: Principal, rows: Iterable[FormOutcome]) -> Iterable[Any]:
    from memoryapp.graph.models import Belief

    return Belief.objects.visible_to(by).filter(pk__in=[one.belief_id for one in rows if one.belief_id])


def told_outcome(one: FormOutcome) -> dict[str, Any]:
    return {
        "submission": one.submission,
        "binding": one.binding,
        "row": one.row,
        "path": one.path,
        "revision": one.revision,
        "act": one.act,
        "says": one.belief.content if one.belief else (one.node.label if one.node else ""),
        "belief": _id(one.belief_id),
        "node": _id(one.node_id),
        "episode": _id(one.episode_id),
        "entry": _id(one.entry_id),
        "file": _id(one.file_id),
        "source": _id(one.source_id),
        "case": _id(one.case_id),
    }


def _id(value: uuid.UUID | None) -> str | None:
    return str(value) if value else None


def named(by: Principal, data: Any) -> Any:
    """The same data with the names of actors in place of their ids, in texts too."""
    ids = sorted(_actor_ids(data))
    if not ids:
        return data
    names = dict(Actor.objects.filter(workspace=by.workspace, pk__in=ids).values_list("pk", "name"))
    return _with_names(data, {str(one): name for one, name in names.items()})


def _actor_ids(data: Any) -> set[uuid.UUID]:
    found: set[uuid.UUID] = set()
    if isinstance(data, Mapping):
        for key, value in data.items():
            if key == "by" and isinstance(value, str):
                found |= _ids_in(value)
            elif key in ("because", "message"):
                for text in value if isinstance(value, list) else [value]:
                    found |= _ids_in(text) if isinstance(text, str) else _actor_ids(text)
            found |= _actor_ids(value)
    elif isinstance(data, list | tuple):
        for value in data:
            found |= _actor_ids(value)
    return found


def _ids_in(text: str) -> set[uuid.UUID]:
    from memoryapp.ledger.erasing import UUIDS

    return {uuid.UUID(each) for each in UUIDS.findall(text)}


def _with_names(data: Any, names: Mapping[str, str]) -> Any:
    if isinstance(data, Mapping):
        return {
            key: _spoken(value, names) if key in ("by", "because", "message") else _with_names(value, names)
            for key, value in data.items()
        }
    if isinstance(data, list | tuple):
        return [_with_names(value, names) for value in data]
    return data


def _spoken(value: Any, names: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for one, name in names.items():
            value = value.replace(one, name)
        return value
    if isinstance(value, list):
        return [_spoken(each, names) for each in value]
    return _with_names(value, names)
