"""Agent and person on one response: each answer with who asked, who said it and where, beside the conversation."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from formsengine.bindings.things import spoken
from formsengine.definition.plan import Planned
from formsengine.evaluation.states import Is, Key
from formsengine.log.addresses import address
from formsengine.log.commits import Revision
from formsengine.log.response import Response
from formsengine.log.snapshot import keys, reason
from formsengine.models import FormCitation, FormResponse
from formsengine.queries.filled import named
from formsengine.values.runtime import shown
from memoryapp.ledger.principal import Principal
from memoryapp.sources import queries as told
from memoryapp.sources.models import Source, Thread

MOST_TURNS = 200
MOST_THREADS = 5
"""Conversations that a response came from which are looked for."""


@dataclass
class Talk:
    """A conversation that answers were taken from: its last turns, each with what was answered from it."""

    thread: Thread
    turns: list[Source]
    more: int
    answered: dict[uuid.UUID, list[dict[str, Any]]] = field(default_factory=dict)


def answers(by: Principal, row: FormResponse, response: Response, language: str) -> list[dict[str, Any]]:
    """Every field that applies, was answered or was asked, in the order of the form."""
    asked = _asked(response)
    made = [
        _answer(response, planned, key, language, asked.get(key, []))
        for planned, key in keys(response)
        if planned.question.type not in ("note", "meta") and _counts(response, key, asked)
    ]
    found: list[dict[str, Any]] = named(by, made)
    return found


def _counts(response: Response, key: Key, asked: Mapping[Key, Any]) -> bool:
    return response.evaluation.states[key].name is not Is.ABSENT or key in asked


def _asked(response: Response) -> dict[Key, list[dict[str, Any]]]:
    """When each field was asked, by whom and in which words."""
    found: dict[Key, list[dict[str, Any]]] = {}
    for commit in response.commits:
        for event in commit.events:
            if event["event"] == "asked":
                one = {"at": dt.datetime.fromisoformat(commit.at), "by": event["by"], "words": event.get("words", "")}
                found.setdefault((event["field"], event.get("row", "")), []).append(one)
    return found


def _answer(
    response: Response, planned: Planned, key: Key, language: str, asked: list[dict[str, Any]]
) -> dict[str, Any]:
    state, revision = response.evaluation.states[key], response.revision(key)
    waiting = [response.revisions[one] for one in response.conflicts.get(key, ())]
    live = planned.computed is not None and not planned.question.recompute_on and state.name is not Is.OVERRIDDEN
    made: dict[str, Any] = {
        "path": address(response.plan, response.rows, key),
        "name": planned.name,
        "row": key[1],
        "step": planned.step,
        "label": response.plan.label(planned, language),
        "state": str(state.name),
        "value": shown(response.evaluation.values.get(key)) if live else "",
        "asked": asked,
        "because": reason(response, key, state, language) if state.asked or waiting else "",
        "others": [_said(response, planned, one, language) for one in waiting],
        "history": [
            _said(response, planned, one, language)
            for one in response.revisions.values()
            if (one.field, one.row) == key and (revision is None or one.id != revision.id) and one not in waiting
        ],
    }
    return made | (_said(response, planned, revision, language) if revision and not live else {})


def _said(response: Response, planned: Planned, one: Revision, language: str) -> dict[str, Any]:
    """An answer, who gave it, and where it was said."""
    return {
        "value": spoken(response.plan, planned, one.kept, language) if one.status == "answer" else "",
        "status": one.status,
        "reason": one.reason.replace("-", " "),
        "by": one.actor,
        "speaker": one.speaker,
        "origin": one.origin,
        "at": dt.datetime.fromisoformat(one.at),
        "unconfirmed": one.unconfirmed and one.id not in response.confirmed,
        "quotes": [
            {"source": each["source"], "quote": each.get("quote", "")}
            for each in one.evidence
            if isinstance(each, Mapping) and "source" in each
        ],
    }


def talks(by: Principal, row: FormResponse, told_answers: list[dict[str, Any]]) -> list[Talk]:
    """The conversations in sight that answers rest on, each turn with what was answered from it."""
    if not by.may("read_sources"):
        return []
    cited = FormCitation.objects.filter(response=row).values_list("source", flat=True)
    seen = Source.objects.visible_to(by).filter(pk__in=cited, thread__isnull=False)
    threads = list(Thread.objects.visible_to(by).filter(pk__in=seen.values("thread"))[:MOST_THREADS])
    made = []
    for thread in threads:
        turns = list(told.turns(by, thread.pk).order_by("-position")[: MOST_TURNS + 1])
        talk = Talk(thread, turns[:MOST_TURNS][::-1], max(0, len(turns) - MOST_TURNS))
        for source, answer in _by_source(told_answers):
            talk.answered.setdefault(source, []).append(answer)
        made.append(talk)
    return made


def _by_source(told_answers: list[dict[str, Any]]) -> Iterator[tuple[uuid.UUID, dict[str, Any]]]:
    for answer in told_answers:
        for quoted in answer.get("quotes", ()):
            yield uuid.UUID(str(quoted["source"])), answer
