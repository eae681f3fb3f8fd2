"""What can be asked, and what comes back: plain values for every door."""

from __future__ import annotations

import datetime as dt
import uuid
from dataclasses import dataclass, field
from typing import Any

from memoryapp.doors.budgets import tokens
from memoryapp.doors.errors import Invalid, Violation
from memoryapp.index.embedding.meaning import OFF

OVER = {
    "beliefs": "what is believed, and the nodes it is about",
    "turns": "turns of conversations",
    "sources": "everything said or read",
    "episodes": "what happened",
    "files": "files",
    "all": "all of these",
}
"""What is searched, by the word that asks for it."""

MOST_HITS = 100
USUAL_HITS = 20
LEAST_BUDGET = 20
MOST_BUDGET = 1_000_000

Told = dict[str, Any]


@dataclass(frozen=True)
class Asked:
    """A question and what its answer is drawn from. What is left out does not narrow.

    By default only what is current is served. `valid_at` and `known_at` ask for what was true then, as it was known
    then; `history` for everything that was ever held. `kinds` hold what is below them unless `exact`. `since` and
    `until` bound when it was said, or holds from. `budget_tokens` bounds the answer's text (see `tokens`).
    """

    question: str
    over: str = "beliefs"
    kinds: tuple[str, ...] = ()
    exact: bool = False
    owner: uuid.UUID | None = None
    subject: uuid.UUID | None = None
    valid_at: dt.datetime | None = None
    known_at: dt.datetime | None = None
    history: bool = False
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    limit: int = USUAL_HITS
    budget_tokens: int | None = None

    @property
    def narrowed(self) -> bool:
        """Whether only certain beliefs are asked for: then nodes are not, and of sources those they stand on."""
        return bool(self.kinds or self.owner or self.subject)

    @property
    def of_another_time(self) -> bool:
        return self.valid_at is not None or self.known_at is not None

    def check(self) -> None:
        """Raise Invalid with everything that cannot be asked."""
        found = []
        if self.over not in OVER:
            found.append(_wrong("/over", "not_a_choice", "This cannot be searched.", ", ".join(OVER)))
        if self.history and self.of_another_time:
            message = "History holds every time; valid_at and known_at ask for one."
            found.append(_wrong("/history", "history_and_time", message, "history, or valid_at and known_at"))
        if not 1 <= self.limit <= MOST_HITS:
            found.append(_wrong("/limit", "out_of_range", "So many hits cannot be asked for.", f"1 to {MOST_HITS}"))
        if self.budget_tokens is not None and not LEAST_BUDGET <= self.budget_tokens <= MOST_BUDGET:
            accepted = f"{LEAST_BUDGET} to {MOST_BUDGET}"
            found.append(_wrong("/budget_tokens", "out_of_range", "This is no budget for an answer.", accepted))
        if found:
            raise Invalid.all(found)

    def parameters(self) -> Told:
        """What is noted of the question in the served log, beside its words."""
        given = {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "question"}
        return {name: _plain(value) for name, value in given.items() if value not in (None, (), False)}


@dataclass(frozen=True)
class Hit:
    """One found thing. `what` is belief, node or source; `provenance` says in one line where it comes from.

    `parts` add up to `score`. `words` are those of the question (or near ones) that its text holds. `told` holds what
    else there is to say of it, under the name of what it is. `distance` is known where both have vectors.
    """

    what: str
    id: uuid.UUID
    text: str
    score: float
    parts: dict[str, float]
    words: list[str]
    provenance: str
    told: Told
    distance: float | None = None

    @property
    def tokens(self) -> int:
        return tokens(self.text) + tokens(self.provenance)

    def shaped(self) -> Told:
        """The hit as plain data, always in the same order."""
        return {
            "what": self.what,
            "id": str(self.id),
            "text": self.text,
            "provenance": self.provenance,
            "score": self.score,
            "parts": self.parts,
            "words": self.words,
            **({} if self.distance is None else {"distance": self.distance}),
            "tokens": self.tokens,
            "why": f"/api/v1/why/{self.id}",
            **self.told,
        }


@dataclass(frozen=True)
class Miss:
    """Something that came near and did not pass the floor: named, and not served."""

    what: str
    id: uuid.UUID
    score: float
    words: list[str]

    def shaped(self) -> Told:
        return {"what": self.what, "id": str(self.id), "score": self.score, "words": self.words}


@dataclass(frozen=True)
class Recalled:
    """The answer. With no hit, `misses` names what came nearest. `left_out` counts the hits that the budget did not
    hold. `unknown` are words of the question that nothing holds, `expanded` the near words taken for a word. `vectors`
    is the part that vectors had in it."""

    workspace: str
    hits: list[Hit]
    misses: list[Miss] = field(default_factory=list)
    left_out: int = 0
    unknown: list[str] = field(default_factory=list)
    expanded: dict[str, list[str]] = field(default_factory=dict)
    vectors: str = OFF

    @property
    def tokens(self) -> int:
        return sum(hit.tokens for hit in self.hits)

    def shaped(self) -> Told:
        """The answer as plain data, always in the same order."""
        return {
            "workspace": self.workspace,
            "hits": [hit.shaped() for hit in self.hits],
            "misses": [miss.shaped() for miss in self.misses],
            "tokens": self.tokens,
            "left_out": self.left_out,
            "cut": self.left_out > 0,
            "unknown_words": self.unknown,
            "near_words": self.expanded,
            "vectors": self.vectors,
        }


def within_budget(hits: list[Hit], budget: int | None) -> tuple[list[Hit], int]:
    """The hits that fit, in their order; a long one gives way to those after it. And how many did not fit."""
    if budget is None:
        return hits, 0
    kept: list[Hit] = []
    for hit in hits:
        if hit.tokens <= budget:
            kept.append(hit)
            budget -= hit.tokens
    return kept, len(hits) - len(kept)


def _wrong(path: str, code: str, message: str, accepted: str) -> Violation:
    return Violation(path, code, message, accepted)


def _plain(value: Any) -> Any:
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, tuple):
        return list(value)
    return str(value) if isinstance(value, uuid.UUID) else value
