"""The question and its settings: whose question it is, what is searched, when and how much. Two settings stand side by
side."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse

from memoryapp.access.models import Agent
from memoryapp.access.services import principal_of_actor
from memoryapp.doors import moments
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import member_page, number, page
from memoryapp.ledger.principal import Principal
from memoryapp.recall.asked import OVER, Asked
from memoryapp.recall.pages.shown import answered, answered_to, ranked_beside

WORDS = {
    "beliefs": "Beliefs and nodes",
    "turns": "Turns",
    "sources": "All said or read",
    "episodes": "What happened",
    "files": "Files",
    "all": "All of these",
}
"""What may be searched, short enough for a choice."""
HITS = 20
TYPED = ("over", "valid_at", "known_at", "budget", "agent")
BESIDE = "beside."
"""Before the names of the second settings in the address."""
MOST_AGENTS = 100


@dataclass(frozen=True)
class Settings:
    """What is asked for beside the words, as it was typed. `prefix` stands before its names in the address."""

    prefix: str
    typed: dict[str, str]
    history: bool

    @classmethod
    def of(cls, request: HttpRequest, prefix: str = "") -> Settings:
        typed = {name: request.GET.get(prefix + name, "").strip() for name in TYPED}
        typed["over"] = typed["over"] or "beliefs"
        return cls(prefix, typed, f"{prefix}history" in request.GET)


@member_page("recall")
def lab(request: HttpRequest, by: Principal) -> HttpResponse:
    """The question and its answer, or two answers by two settings; without a question, what may be asked."""
    question = request.GET.get("q", "").strip()
    both = [Settings.of(request)] + ([Settings.of(request, BESIDE)] if "compare" in request.GET else [])
    agents = _agents(by, [one.typed["agent"] for one in both])
    shown = [_shown(by, question, one, agents) for one in both]
    if len(shown) > 1:
        ranked_beside(shown[0]["answer"] or {}, shown[1]["answer"] or {})
    context: dict[str, Any] = {
        "by": by,
        "question": question,
        "settings": shown,
        "compared": len(shown) > 1,
        "over": [{"value": value, "words": WORDS.get(value, words)} for value, words in OVER.items()],
        "agents": agents.values(),
    }
    status = next((one["error"].status for one in shown if one["error"]), 200)
    return page(request, "recall/lab.html", context, status=status)


def _shown(by: Principal, question: str, settings: Settings, agents: dict[str, Agent]) -> dict[str, Any]:
    """These settings with the answer by them, or with what is wrong."""
    found: dict[str, Any] = {"prefix": settings.prefix, "typed": settings.typed, "history": settings.history}
    found |= {"answer": None, "error": None, "asker": ""}
    if not question:
        return found
    try:
        agent = _agent(settings.typed["agent"], agents)
        asked = _asked(by, question, settings)
        if agent is None:
            return found | {"answer": answered(by, asked)}
        theirs = principal_of_actor(agent.actor, channel="console")
        return found | {"asker": agent.name, "answer": answered_to(by, theirs, asked)}
    except DomainError as error:
        return found | {"error": error, "wrong": {one.path.lstrip("/"): one for one in error.violations}}


def _agents(by: Principal, asked_as: Sequence[str]) -> dict[str, Agent]:
    """The agents as which the one who looks may ask: who grants them their surfaces may see what these serve.

    The first by name, and those `asked_as` wherever their names stand.
    """
    if not by.may("manage_agents"):
        return {}
    present = Agent.objects.filter(workspace=by.workspace, retired_at__isnull=True).select_related("actor__workspace")
    listed = {str(one.pk): one for one in present.order_by("name")[:MOST_AGENTS]}
    if wanted := {id for one in asked_as if (id := _id(one)) and str(id) not in listed}:
        listed |= {str(one.pk): one for one in present.filter(pk__in=wanted).order_by("name")}
    return listed


def _id(typed: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(typed)
    except ValueError:
        return None


def _agent(typed: str, agents: dict[str, Agent]) -> Agent | None:
    if not typed:
        return None
    found = agents.get(str(_id(typed)))
    if found is None:
        accepted = "one of the list, or nobody for yourself"
        raise Invalid.at("/agent", "unknown_agent", "There is no such agent to ask as.", accepted)
    return found


def _asked(by: Principal, question: str, settings: Settings) -> Asked:
    typed = settings.typed
    return Asked(
        question=question,
        over=typed["over"],
        valid_at=_moment(by, typed["valid_at"], "valid_at"),
        known_at=_moment(by, typed["known_at"], "known_at"),
        history=settings.history,
        limit=HITS,
        budget_tokens=_budget(typed["budget"]),
    )


def _moment(by: Principal, text: str, name: str) -> Any:
    return moments.given(text, f"/{name}", time_zone=by.workspace.time_zone).instant if text else None


def _budget(text: str) -> int | None:
    if not text:
        return None
    found = number(text)
    if found is None:
        raise Invalid.at("/budget_tokens", "not_a_number", f"“{text[:20]}” is not a number.", "a whole number")
    return found
