"""Search in a scope: candidates, their neighbours, and the best of them in order."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from memoryapp.index.dates import named_dates
from memoryapp.index.embedding.meaning import NOT_ASKED, Meaning
from memoryapp.index.models import IndexEntry
from memoryapp.index.queries.alike import Alike, alike
from memoryapp.index.queries.asking import weigh
from memoryapp.index.queries.counted import Counted
from memoryapp.index.queries.pool import pool_of
from memoryapp.index.queries.scope import Scope, entries_of, found_in
from memoryapp.index.ranking import (
    DECIMALS,
    Candidate,
    Circumstances,
    Gains,
    Scorer,
    blend,
    gain,
    in_order,
    section_masses,
)
from memoryapp.index.texts import beside
from memoryapp.index.words import question_words
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Workspace

LEAST_CONSIDERED = 60
FLOOR = 0.15
"""Share of the question's weight that the best row must hold; below it the answer is empty."""
MISSES_NAMED = 3


@dataclass(frozen=True)
class Hit:
    """A found target. `score` is the sum of `parts`; `share` is how much of the question's weight its text holds;
    `distance`, where both have vectors, how far its meaning is from the question's: 0 for the same, 1 for unrelated."""

    target_type: str
    target_id: uuid.UUID
    part: int
    score: float
    parts: dict[str, float]
    share: float
    words: list[str]
    distance: float | None = None


@dataclass(frozen=True)
class Found:
    """The answer. With no hit, `misses` are the nearest rows, which did not pass the floor. `expanded` names the near
    words that were taken for a word nobody used, `unknown` the words with neither."""

    hits: list[Hit]
    misses: list[Hit] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    expanded: dict[str, list[str]] = field(default_factory=dict)


def search(
    scope: Scope,
    question: str,
    limit: int = 20,
    gains: Gains | None = None,
    floor: float = FLOOR,
    meaning: Meaning = NOT_ASKED,
) -> Found:
    """Rank the scope's texts by the question. Any string is a valid question; no word in common, and nothing near in
    meaning, is an empty answer.

    Reads, in order: the words, the pool, what is near in meaning, the neighbours of these. Nothing is written and no
    clock is read: the same store, question and meaning give the same answer on every engine.
    """
    question_terms = question_words(question)
    if not question_terms and not meaning.known:
        return Found(hits=[])
    scorer, expanded, unknown = weigh(Counted(scope.workspace, scope.unseen), question_terms)
    size = max(LEAST_CONSIDERED, 4 * limit)
    pool = pool_of(scope, scorer, size)
    near = pool.nearest()
    meant = alike(scope, meaning, size)
    considered = _with_neighbours(scope, near, meant, scorer)
    best = max((row.text_score for row in near), default=0.0)
    if meaning.known:
        best = blend(considered, meaning.closeness([row.id for row in considered]), meaning.floor)
    around = Circumstances(
        sections=section_masses(scorer, pool.held()),
        dates=named_dates(question),
        asked=frozenset(word.written for word in question_terms),
        best=best,
    )
    gain(considered, around, gains or Gains())
    ordered = in_order(considered)
    answers = bool(near) and max(scorer.share(row.matched) for row in near) >= floor
    if meant and not answers:
        ordered = [row for row in ordered if (row.closeness or 0.0) >= meaning.floor]
        answers = True
    shown = _one_a_target(ordered)
    return Found(
        hits=[_hit(row, scorer) for row in shown[:limit]] if answers else [],
        misses=[] if answers else [_hit(row, scorer) for row in shown[:MISSES_NAMED]],
        unknown=unknown,
        expanded=expanded,
    )


def _with_neighbours(scope: Scope, near: list[Candidate], meant: Sequence[Alike], scorer: Scorer) -> list[Candidate]:
    """The rows with what the gains need, and the turns before and after each, as far as the scope lets them be seen."""
    known = {row.id: row for row in near}
    places = {row.place for row in near} | {place for _, place in meant}
    wanted = {*known, *(id for id, _ in meant), *_beside(scope.workspace, places)}
    considered = []
    for id, terms, length, digest, section, *details in found_in(scope, _in_detail, ids=sorted(wanted)):
        row = known.get(id) or Candidate(id, digest, section, *scorer.score(terms, length))
        row.target_type, row.target_id, row.part, row.position, row.speaker, row.day = details
        considered.append(row)
    return considered


def _in_detail(*place: Any, ids: Sequence[int], **given: Any) -> QuerySet[IndexEntry, Any]:
    return (
        entries_of(*place, **given)
        .filter(pk__in=ids)
        .values_list(
            *("id", "terms", "length", "digest", "section"),
            *("target_type", "target_id", "part", "position", "speaker", "day"),
        )
    )


def _beside(workspace: Workspace, taken: Iterable[str]) -> list[int]:
    """Ids of the entries before and after each place, in or out of scope: the index over places alone answers."""
    places = sorted({place_beside for place in taken for place_beside in beside(place)})
    return prepared.rows(_at, workspace=workspace, places=places) if places else []


def _at(workspace: Workspace, places: Sequence[str]) -> QuerySet[IndexEntry, int]:
    return IndexEntry.objects.filter(workspace=workspace, place__in=places).values_list("pk", flat=True)


def _one_a_target(ordered: list[Candidate]) -> list[Candidate]:
    best: dict[tuple[str, uuid.UUID], Candidate] = {}
    for row in ordered:
        best.setdefault((row.target_type, row.target_id), row)
    return list(best.values())


def _hit(row: Candidate, scorer: Scorer) -> Hit:
    return Hit(
        target_type=row.target_type,
        target_id=row.target_id,
        part=row.part,
        score=row.score,
        parts={name: shown for name, value in row.parts.items() if (shown := round(value, DECIMALS))},
        share=round(scorer.share(row.matched), 3),
        words=scorer.words_found(row.matched),
        distance=None if row.closeness is None else round(1 - row.closeness, DECIMALS),
    )
