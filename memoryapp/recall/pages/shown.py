"""What the lab shows of an answer: each hit with its score, its sources, and what was left out and why."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

from memoryapp.doors.pages import address
from memoryapp.files.pages.presenting import file_url
from memoryapp.files.queries import entry_by_id
from memoryapp.graph.pages import presenting
from memoryapp.index.embedding.meaning import OFF, STATES
from memoryapp.ledger.principal import Principal
from memoryapp.recall import queries
from memoryapp.recall.asked import Asked, Hit, Recalled
from memoryapp.recall.queries.finding import eligible

VECTORS = {state: words for state, words in STATES.items() if state != OFF}
"""What is said of the part that vectors had in an answer, where there is an embedder."""
SOURCES = 2
"""Sources of one hit that are shown; its own page has all."""
LEFT_OUT = 10
"""How many of what was left out are shown."""


def answered(by: Principal, asked: Asked) -> dict[str, Any]:
    """The answer that `by` gets, and what holds the words but may not be served for this question."""
    recalled = queries.find(by, asked)
    return _answer(by, recalled) | {"left_out": _left_out(by, asked, recalled)}


def answered_to(by: Principal, agent: Principal, asked: Asked) -> dict[str, Any]:
    """The answer that an agent gets, as far as `by` may see it, and what `by` would get and the agent does not.

    What only the agent may see is counted and not shown."""
    theirs, unseen = queries.find_for(by, agent, asked)
    left_out = queries.seen_by(by, _left_out(agent, asked, theirs))
    served = {hit.id for hit in theirs.hits}
    mine = queries.find(by, replace(asked, budget_tokens=None)) if theirs.left_out == 0 else None
    withheld = [hit for hit in mine.hits if hit.id not in served][:LEFT_OUT] if mine else []
    return _answer(by, theirs) | {
        "left_out": left_out,
        "unseen": unseen,
        "withheld": [{"text": hit.text, "what": hit.what, "url": _url(by, hit.what, hit.id)} for hit in withheld],
    }


def ranked_beside(first: dict[str, Any], second: dict[str, Any]) -> None:
    """Say of each hit of two answers where it stands in the other."""
    for one, other in ((first, second), (second, first)):
        places = {hit["id"]: hit["rank"] for hit in other.get("hits", ())}
        for hit in one.get("hits", ()):
            hit["beside"] = places.get(hit["id"], 0)


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
        "id": hit.id,
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
