"""The recall lab: ask as an agent of the workspace would, and see each hit's score, its sources, and what was left out.

Looking here serves nobody, so nothing is written to the served log.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from django.http import HttpRequest, HttpResponse

from memoryapp.doors import moments
from memoryapp.doors.errors import DomainError, Invalid
from memoryapp.doors.pages import address, member_page, number, page
from memoryapp.files.pages.presenting import file_url
from memoryapp.files.queries import entry_by_id
from memoryapp.graph.pages import presenting
from memoryapp.index.embedding.meaning import OFF, STATES
from memoryapp.ledger.principal import Principal
from memoryapp.recall import queries
from memoryapp.recall.asked import OVER, Asked, Hit, Recalled
from memoryapp.recall.queries.finding import eligible

WORDS = {
    "beliefs": "Beliefs and nodes",
    "turns": "Turns",
    "sources": "All said or read",
    "episodes": "What happened",
    "files": "Files",
    "all": "All of these",
}
"""What may be searched, short enough for a choice."""
VECTORS = {state: words for state, words in STATES.items() if state != OFF}
"""What is said of the part that vectors had in an answer, where there is an embedder."""
HITS = 20
SOURCES = 2
"""Sources of one hit that are shown; its own page has all."""
LEFT_OUT = 10
"""How many of what was left out are shown."""


@member_page("recall")
def lab(request: HttpRequest, by: Principal) -> HttpResponse:
    """The question and its answer; without a question, what may be asked."""
    typed = {name: request.GET.get(name, "").strip() for name in ("q", "over", "valid_at", "known_at", "budget")}
    typed["over"] = typed["over"] or "beliefs"
    history = "history" in request.GET
    context: dict[str, Any] = {
        "by": by,
        "typed": typed,
        "history": history,
        "over": [{"value": value, "words": WORDS.get(value, words)} for value, words in OVER.items()],
        "answer": None,
    }
    if not typed["q"]:
        return page(request, "recall/lab.html", context)
    try:
        asked = _asked(by, typed, history)
        recalled = queries.find(by, asked)
        context |= {"answer": _answer(by, recalled), "left_out": _left_out(by, asked, recalled)}
    except DomainError as error:
        wrong = {violation.path.lstrip("/"): violation for violation in error.violations}
        return page(request, "recall/lab.html", context | {"error": error, "wrong": wrong}, status=error.status)
    return page(request, "recall/lab.html", context)


def _asked(by: Principal, typed: dict[str, str], history: bool) -> Asked:
    return Asked(
        question=typed["q"],
        over=typed["over"],
        valid_at=_moment(by, typed["valid_at"], "valid_at"),
        known_at=_moment(by, typed["known_at"], "known_at"),
        history=history,
        limit=HITS,
        budget_tokens=_budget(typed["budget"]),
    )


def _answer(by: Principal, recalled: Recalled) -> dict[str, Any]:
    highest = max((hit.score for hit in recalled.hits), default=1.0) or 1.0
    return {
        "hits": [
            _hit(by, hit) | {"rank": rank, "share": round(100 * hit.score / highest)}
            for rank, hit in enumerate(recalled.hits, start=1)
        ],
        "tokens": recalled.tokens,
        "vectors": VECTORS.get(recalled.vectors, ""),
        "cut": recalled.left_out,
        "unknown": recalled.unknown,
        "near": [{"word": word, "taken": ", ".join(taken)} for word, taken in recalled.expanded.items()],
        "misses": [miss.shaped() | {"url": _url(by, miss.what, miss.id)} for miss in recalled.misses],
    }


def _hit(by: Principal, hit: Hit) -> dict[str, Any]:
    belief = hit.told.get("belief")
    return {
        "what": hit.what,
        "text": hit.text,
        "url": _url(by, hit.what, hit.id),
        "score": hit.score,
        "parts": list(hit.parts.items()),
        "words": hit.words,
        "distance": hit.distance,
        "tokens": hit.tokens,
        "provenance": hit.provenance,
        "card": presenting.told_card(by, belief) if belief else None,
        "sources": [
            {"line": one["line"], "quote": one["quote"], "url": _url(by, "source", uuid.UUID(one["source"]))}
            for one in hit.told.get("sources", ())[:SOURCES]
        ],
        "more_sources": max(0, len(hit.told.get("sources", ())) - SOURCES),
        "changes": [
            {"what": one["what"].replace("_", " "), "at": one["at"], "card": presenting.told_card(by, one["belief"])}
            for one in hit.told.get("changes", ())
        ],
        "learned": [
            {"words": one["content"], "url": _url(by, "belief", uuid.UUID(one["id"]))}
            for one in hit.told.get("learned", ())
            if one["served"]
        ],
    }


def _left_out(by: Principal, asked: Asked, recalled: Recalled) -> list[dict[str, Any]]:
    """Beliefs that hold the words but may not be served for this question, each with how it stands."""
    if asked.history or asked.over not in ("beliefs", "all"):
        return []
    everything = queries.find(
        by, replace(asked, history=True, valid_at=None, known_at=None, over="beliefs", budget_tokens=None)
    )
    served = {hit.id for hit in recalled.hits}
    others = [hit for hit in everything.hits if hit.what == "belief" and hit.id not in served]
    # What fell to the limit or the budget is not left out: it may be served.
    served_now = eligible(by, asked).among(hit.id for hit in others)
    left = [hit for hit in others if hit.id not in served_now][:LEFT_OUT]
    return [presenting.told_card(by, hit.told["belief"]) | {"score": hit.score} for hit in left]


def _url(by: Principal, what: str, thing: uuid.UUID) -> str:
    views = {
        "belief": "graph:belief",
        "node": "graph:node",
        "source": "sources:source",
        "episode": "timeline:episode",
    }
    if what == "file":
        return file_url(by, entry_by_id(by, thing).path)
    return address(by, views[what], thing)


def _moment(by: Principal, text: str, name: str) -> Any:
    return moments.given(text, f"/{name}", time_zone=by.workspace.time_zone).instant if text else None


def _budget(text: str) -> int | None:
    if not text:
        return None
    found = number(text)
    if found is None:
        raise Invalid.at("/budget_tokens", "not_a_number", f"“{text[:20]}” is not a number.", "a whole number")
    return found
