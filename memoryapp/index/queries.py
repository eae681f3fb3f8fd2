"""Reads of the index: search in a scope, near words, and what is not indexed yet."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from memoryapp.index.dates import named_dates
from memoryapp.index.edits import distances_from
from memoryapp.index.engines import engine
from memoryapp.index.models import EVERYONE, IndexEntry, Statistics, Term
from memoryapp.index.ranking import (
    DECIMALS,
    Candidate,
    Circumstances,
    Gains,
    Scorer,
    Sought,
    gain,
    idf,
    in_order,
    section_masses,
)
from memoryapp.index.texts import beside, shelves
from memoryapp.index.words import Word, question_words, sign
from memoryapp.ledger.models import Workspace

POOL = 3000
"""Rows that a question's rarest words may bring under consideration."""
MOST_WORDS = 48
"""Words of a question that are looked for; of a longer one, the rarest."""
MOST_EXPANDED = 5
"""Unknown words of a question for which near words are sought."""
MOST_NEAR = 8
"""Near words taken for one of them."""
LEAST_CONSIDERED = 60
FLOOR = 0.15
"""Share of the question's weight that the best row must hold; below it the answer is empty."""
MISSES_NAMED = 3


@dataclass(frozen=True)
class Scope:
    """Where to search. `targets` maps each wanted target type to the rows that may be served (a queryset already
    narrowed to what the reader may see and asked for), or to None: then only rows open to the whole workspace."""

    workspace: Workspace
    targets: Mapping[str, QuerySet[Any] | None]
    kinds: Sequence[str] = ()
    sections: Sequence[str] = ()
    speakers: Sequence[str] = ()
    since: dt.datetime | None = None
    until: dt.datetime | None = None


@dataclass(frozen=True)
class Hit:
    """A found target. `score` is the sum of `parts`; `share` is how much of the question's weight its text holds."""

    target_type: str
    target_id: uuid.UUID
    part: int
    score: float
    parts: dict[str, float]
    share: float
    words: list[str]


@dataclass(frozen=True)
class Found:
    """The answer. With no hit, `misses` are the nearest rows, which did not pass the floor. `expanded` names the near
    words that were taken for a word nobody used, `unknown` the words with neither."""

    hits: list[Hit]
    misses: list[Hit] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    expanded: dict[str, list[str]] = field(default_factory=dict)
    considered: int = 0


def search(scope: Scope, question: str, limit: int = 20, gains: Gains | None = None, floor: float = FLOOR) -> Found:
    """Rank the scope's texts by the question. Any string is a valid question; no word in common is an empty answer.

    Reads, in order: the words, the pool, its neighbours. Nothing is written and no clock is read: the same store and
    question give the same answer on every engine.
    """
    question_terms = question_words(question)
    if not question_terms:
        return Found(hits=[])
    scorer, expanded, unknown = _prepare(scope.workspace, question_terms)
    entries = eligible(scope)
    pool = _pool(entries, scorer)
    near = _nearest(pool, max(LEAST_CONSIDERED, 4 * limit))
    considered = _with_neighbours(scope.workspace, entries, near, scorer)
    around = Circumstances(
        sections=section_masses(scorer, pool),
        dates=named_dates(question),
        asked=frozenset(word.written for word in question_terms),
        best=max((row.text_score for row in near), default=0.0),
    )
    gain(considered, around, gains or Gains())
    ordered = _one_a_target(in_order(considered))
    passed = bool(pool) and max(scorer.share(row.matched) for row in near) >= floor
    return Found(
        hits=[_hit(row, scorer) for row in ordered[:limit]] if passed else [],
        misses=[] if passed else [_hit(row, scorer) for row in ordered[:MISSES_NAMED]],
        unknown=unknown,
        expanded=expanded,
        considered=len(pool),
    )


def eligible(scope: Scope) -> QuerySet[IndexEntry]:
    """The entries of a scope. A target type that the scope does not name is not there."""
    allowed = Q(pk__in=[])
    for target_type, rows in sorted(scope.targets.items()):
        one = Q(target_type=target_type)
        one &= Q(audience=EVERYONE) if rows is None else Q(Exists(rows.filter(pk=OuterRef("target_id"))))
        allowed |= one
    entries = IndexEntry.objects.filter(allowed, workspace=scope.workspace)
    if scope.kinds:
        within = Q(pk__in=[])
        for kind in scope.kinds:
            within |= Q(kind=kind) | Q(kind__startswith=kind + "/")
        entries = entries.filter(within)
    if scope.sections:
        entries = entries.filter(section__in=scope.sections)
    if scope.speakers:
        entries = entries.filter(speaker__in=scope.speakers)
    if scope.since:
        entries = entries.filter(said_at__gte=scope.since)
    if scope.until:
        entries = entries.filter(said_at__lt=scope.until)
    return entries


def not_fresh(workspace: Workspace) -> QuerySet[IndexEntry]:
    """Entries whose room has changed since, or which were never built."""
    return IndexEntry.objects.filter(workspace=workspace).filter(
        Q(built_sequence__isnull=True) | Q(built_sequence__lt=F("wanted_sequence"))
    )


def unindexed(workspace: Workspace) -> list[tuple[str, uuid.UUID]]:
    """Targets that a room holds and the index does not, for the integrity command."""
    missing: list[tuple[str, uuid.UUID]] = []
    for target_type, reader in sorted(shelves().items()):
        known = set(
            IndexEntry.objects.filter(workspace=workspace, target_type=target_type).values_list("target_id", flat=True)
        )
        missing.extend((target_type, id) for id in reader.ids(workspace) if id not in known)
    return missing


def _prepare(workspace: Workspace, asked: list[Word]) -> tuple[Scorer, dict[str, list[str]], list[str]]:
    """Look the question's words up in the workspace's statistics; find near words for those nobody used."""
    statistics = Statistics.objects.filter(workspace=workspace).first() or Statistics()
    frequencies = _frequencies(workspace, [word.stem for word in asked])
    ordered = sorted(enumerate(asked), key=lambda pair: (frequencies.get(pair[1].stem, 0), pair[0]))
    kept = sorted(number for number, _ in ordered[:MOST_WORDS])
    key = workspace.id.hex
    sought: list[Sought] = []
    weights: list[float] = []
    expanded: dict[str, list[str]] = {}
    unknown: list[str] = []
    for number in kept:
        word, frequency = asked[number], frequencies.get(asked[number].stem, 0)
        # A word that nobody used weighs as one used once: among few texts it would outweigh every word they hold.
        weights.append(idf(statistics.documents, max(frequency, 1)))
        sought.append(Sought(number, sign(key, word.stem), word.written, weights[-1], 1.0, frequency))
        if frequency:
            continue
        near = near_words(workspace, word) if len(expanded) + len(unknown) < MOST_EXPANDED else []
        for one in near:
            worth = idf(statistics.documents, one.documents)
            sought.append(Sought(number, sign(key, one.stem), one.written, worth, one.certainty, one.documents))
        if near:
            expanded[word.written] = [one.written for one in near]
        else:
            unknown.append(word.written)
    average = statistics.total_length / statistics.documents if statistics.documents else 0.0
    return Scorer(sought, average, weights), expanded, unknown


def _frequencies(workspace: Workspace, stems: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(stems), 500):
        found.update(
            Term.objects.filter(
                workspace=workspace, form=Term.Form.STEM, text__in=stems[start : start + 500], documents__gt=0
            ).values_list("text", "documents")
        )
    return found


@dataclass(frozen=True)
class NearWord:
    """A word of the workspace that may be meant by one nobody used."""

    written: str
    stem: str
    documents: int
    distance: int

    @property
    def certainty(self) -> float:
        return 0.7 if self.distance == 1 else 0.5


def near_words(workspace: Workspace, word: Word) -> list[NearWord]:
    """Words of the workspace within one edit (two from eight letters) of a word nobody used, nearest and commonest
    first. Two letters that changed places are one edit."""
    if not word.may_be_misspelt:
        return []
    written = word.written
    most = 2 if len(written) >= 8 else 1
    terms = Term.objects.filter(
        _shares_a_piece(written, most),
        workspace=workspace,
        form=Term.Form.WRITTEN,
        documents__gt=0,
        length__range=(len(written) - most, len(written) + most),
    ).values_list("text", "stem", "documents")
    distance_to = distances_from(written)
    found = [
        NearWord(text, stem, documents, distance)
        for text, stem, documents in terms
        if (distance := distance_to(text)) <= most
    ]
    found.sort(key=lambda near: (near.distance, -near.documents, near.written))
    distinct: dict[str, NearWord] = {}
    for near in found:
        distinct.setdefault(near.stem, near)
    return list(distinct.values())[:MOST_NEAR]


def _shares_a_piece(written: str, most: int) -> Q:
    """A word within `most` edits holds one of `most + 1` pieces of it untouched: the first at its start, the last at
    its end, one between anywhere."""
    size = len(written) // (most + 1)
    swapped = [written[:at] + written[at + 1] + written[at] + written[at + 2 :] for at in range(len(written) - 1)]
    shared = Q(text__in=swapped) | Q(text__startswith=written[:size]) | Q(text__endswith=written[most * size :])
    for piece in range(1, most):
        shared |= Q(text__contains=written[piece * size : (piece + 1) * size])
    return shared


def _pool(entries: QuerySet[IndexEntry], scorer: Scorer) -> list[Candidate]:
    """Rows that hold the question's rarest words: as many words as bring at most `POOL` rows, at least the rarest."""
    signs: list[str] = []
    expected = 0
    for sought in sorted(scorer.sought, key=lambda sought: (sought.frequency, sought.sign)):
        expected += sought.frequency
        if signs and expected > POOL:
            break
        signs.append(sought.sign)
    rows = engine().pick(entries, signs).values_list("id", "terms", "length", "digest", "section", "place")
    found = list(rows[: 2 * POOL + 1])
    if len(found) > 2 * POOL:
        found = list(rows.order_by("digest", "target_id", "part")[:POOL])
    pool = [Candidate(*row) for row in found]
    for candidate in pool:
        scorer.score_text(candidate)
    return pool


def _nearest(pool: list[Candidate], size: int) -> list[Candidate]:
    """The best `size` rows by text, and every row equal to the last of them."""
    pool = sorted(pool, key=lambda row: (-row.text_score, row.digest))
    end = size
    while 0 < end < len(pool) and _equal(pool[end], pool[end - 1]):
        end += 1
    return pool[:end]


def _equal(one: Candidate, other: Candidate) -> bool:
    return (one.text_score, one.digest) == (other.text_score, other.digest)


def _with_neighbours(
    workspace: Workspace, entries: QuerySet[IndexEntry], near: list[Candidate], scorer: Scorer
) -> list[Candidate]:
    """The rows with what the gains need, and the turns before and after each, as far as the scope lets them be seen."""
    known = {row.id: row for row in near}
    wanted = {*known, *_beside(workspace, near)}
    considered = []
    for id, terms, length, digest, section, *details in entries.filter(pk__in=wanted).values_list(
        *("id", "terms", "length", "digest", "section"),
        *("target_type", "target_id", "part", "position", "speaker", "day"),
    ):
        row = known.get(id)
        if row is None:
            row = Candidate(id, terms, length, digest, section)
            scorer.score_text(row)
        row.target_type, row.target_id, row.part, row.position, row.speaker, row.day = details
        considered.append(row)
    return considered


def _beside(workspace: Workspace, near: list[Candidate]) -> QuerySet[IndexEntry, int]:
    """Ids of the entries before and after each row, in or out of scope: the index over places alone answers."""
    places = {place_beside for row in near for place_beside in beside(row.place)}
    return IndexEntry.objects.filter(workspace=workspace, place__in=sorted(places)).values_list("pk", flat=True)


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
    )
