"""Reads of the index: search in a scope, near words, and what is not indexed yet."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
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
from memoryapp.ledger import prepared
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
COMMON = 1.0
"""The weight (idf) below which a word says little of a row: more than a third of all rows hold it."""
FLOOR = 0.15
"""Share of the question's weight that the best row must hold; below it the answer is empty."""
MISSES_NAMED = 3


Rows = Mapping[str, QuerySet[Any] | None]
"""Each wanted target type with the rows that may be served (a queryset already narrowed to what the reader may see and
asked for), or with None: then only rows open to the whole workspace."""


@dataclass(frozen=True)
class Targets:
    """Rows as a function: `rows(*shape, **given)`. The queries over them are prepared (see `ledger.prepared`).

    `in_threads` says whether there are turns among them, which gain by what their whole thread holds.
    """

    rows: Callable[..., Rows]
    shape: tuple[Hashable, ...] = ()
    given: Mapping[str, object] = field(default_factory=dict)
    in_threads: bool = True


@dataclass(frozen=True)
class Scope:
    """Where to search: among which rows, and by what they are narrowed further."""

    workspace: Workspace
    targets: Rows | Targets
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


def search(scope: Scope, question: str, limit: int = 20, gains: Gains | None = None, floor: float = FLOOR) -> Found:
    """Rank the scope's texts by the question. Any string is a valid question; no word in common is an empty answer.

    Reads, in order: the words, the pool, its neighbours. Nothing is written and no clock is read: the same store and
    question give the same answer on every engine.
    """
    question_terms = question_words(question)
    if not question_terms:
        return Found(hits=[])
    scorer, expanded, unknown = _prepare(scope.workspace, question_terms)
    pool = _pool(scope, scorer, max(LEAST_CONSIDERED, 4 * limit))
    near = pool.nearest()
    considered = _with_neighbours(scope, near, scorer)
    around = Circumstances(
        sections=section_masses(scorer, pool.held()),
        dates=named_dates(question),
        asked=frozenset(word.written for word in question_terms),
        best=max((row.text_score for row in near), default=0.0),
    )
    gain(considered, around, gains or Gains())
    ordered = _one_a_target(in_order(considered))
    passed = bool(near) and max(scorer.share(row.matched) for row in near) >= floor
    return Found(
        hits=[_hit(row, scorer) for row in ordered[:limit]] if passed else [],
        misses=[] if passed else [_hit(row, scorer) for row in ordered[:MISSES_NAMED]],
        unknown=unknown,
        expanded=expanded,
    )


def eligible(scope: Scope) -> QuerySet[IndexEntry]:
    """The entries of a scope. A target type that the scope does not name is not there."""
    targets, place = _asked_of(scope)
    return _entries(*place, **targets)


def _found(scope: Scope, build: Callable[..., QuerySet[Any, Any]], *shape: Hashable, **given: object) -> list[Any]:
    """What a query over the scope's entries finds."""
    targets, place = _asked_of(scope)
    if isinstance(scope.targets, Targets):
        return prepared.rows(build, *shape, *place, **targets, **given)
    return list(build(*shape, *place, **targets, **given))


def _asked_of(scope: Scope) -> tuple[dict[str, Any], tuple[Any, ...]]:
    """The named values, and what else there is, from which the scope's entries are queried."""
    named: dict[str, Any] = {"workspace": scope.workspace, "since": scope.since, "until": scope.until}
    narrowed = (tuple(scope.kinds), tuple(scope.sections), tuple(scope.speakers))
    targets = scope.targets
    if isinstance(targets, Targets):
        return {**named, **targets.given}, (targets.rows, targets.shape, narrowed)
    return dict(named), ((lambda: targets), (), narrowed)


def _entries(
    rows: Callable[..., Rows],
    shape: tuple[Hashable, ...],
    narrowed: tuple[Sequence[str], ...],
    *,
    workspace: Workspace,
    since: dt.datetime | None,
    until: dt.datetime | None,
    **given: object,
) -> QuerySet[IndexEntry]:
    kinds, sections, speakers = narrowed
    allowed = Q(pk__in=[])
    for target_type, served in sorted(rows(*shape, **given).items()):
        one = Q(target_type=target_type)
        one &= Q(audience=EVERYONE) if served is None else Q(Exists(served.filter(pk=OuterRef("target_id"))))
        allowed |= one
    entries = IndexEntry.objects.filter(allowed, workspace=workspace)
    if kinds:
        within = Q(pk__in=[])
        for kind in kinds:
            within |= Q(kind=kind) | Q(kind__startswith=kind + "/")
        entries = entries.filter(within)
    if sections:
        entries = entries.filter(section__in=sections)
    if speakers:
        entries = entries.filter(speaker__in=speakers)
    if since:
        entries = entries.filter(said_at__gte=since)
    if until:
        entries = entries.filter(said_at__lt=until)
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
    statistics = prepared.first(_statistics, workspace=workspace) or Statistics()
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
        weights.append(idf(max(statistics.documents, 1), max(frequency, 1)))
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


def _statistics(workspace: Workspace) -> QuerySet[Statistics]:
    return Statistics.objects.filter(workspace=workspace)[:1]


def _frequencies(workspace: Workspace, stems: list[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for start in range(0, len(stems), 512):
        found.update(prepared.rows(_documents_with, workspace=workspace, stems=stems[start : start + 512]))
    return found


def _documents_with(workspace: Workspace, stems: Sequence[str]) -> QuerySet[Term, Any]:
    stored = Term.objects.filter(workspace=workspace, form=Term.Form.STEM, text__in=stems, documents__gt=0)
    return stored.values_list("text", "documents")


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
    size = len(written) // (most + 1)
    terms = prepared.rows(
        _sharing_a_piece,
        (len(written) - most, len(written) + most),
        workspace=workspace,
        swapped=[written[:at] + written[at + 1] + written[at] + written[at + 2 :] for at in range(len(written) - 1)],
        start=written[:size],
        end=written[most * size :],
        between=[written[piece * size : (piece + 1) * size] for piece in range(1, most)],
    )
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


def _sharing_a_piece(
    lengths: tuple[int, int],
    *,
    workspace: Workspace,
    swapped: Sequence[str],
    start: str,
    end: str,
    between: Sequence[str],
) -> QuerySet[Term, Any]:
    """A word within so many edits holds one piece more than that of it untouched: the first at its start, the last at
    its end, one between anywhere."""
    shared = Q(text__in=swapped) | Q(text__startswith=start) | Q(text__endswith=end)
    for piece in between:
        shared |= Q(text__contains=piece)
    words = Term.objects.filter(
        shared, workspace=workspace, form=Term.Form.WRITTEN, documents__gt=0, length__range=lengths
    )
    return words.values_list("text", "stem", "documents")


def _pool(scope: Scope, scorer: Scorer, size: int) -> _Pool:
    """Rows that hold the question's rarest words: as many words as bring at most `POOL` rows, at least the rarest.

    Fewer words do where the rows of the others cannot come into the best `size`, whatever else they hold.
    """
    taken: list[Sought] = []
    expected = 0
    for sought in sorted(scorer.sought, key=lambda sought: (sought.frequency, sought.sign)):
        expected += sought.frequency
        if taken and expected > POOL:
            break
        taken.append(sought)
    telling = [one for one in taken if one.idf >= COMMON]
    if isinstance(scope.targets, Targets) and not scope.targets.in_threads and 0 < len(telling) < len(taken):
        pool = _Pool(_holding_any(scope, telling), scorer, size)
        if pool.is_complete_without([one for one in taken if one.idf < COMMON]):
            return pool
    return _Pool(_holding_any(scope, taken), scorer, size)


def _holding_any(scope: Scope, sought: Sequence[Sought]) -> list[tuple[Any, ...]]:
    asked = engine().any_of([one.sign for one in sought])
    found = _found(scope, _holding, False, asked=asked)
    return found if len(found) <= 2 * POOL else _found(scope, _holding, True, asked=asked)


def _holding(too_many: bool, *place: Any, asked: str, **given: Any) -> QuerySet[IndexEntry, Any]:
    """Entries of the scope that hold what is asked for; of too many, `POOL` of them, always the same ones."""
    rows = engine().pick(_entries(*place, **given), asked)
    found = rows.values_list("id", "digest", "section", "place", "length", "terms")
    return found.order_by("digest", "target_id", "part")[:POOL] if too_many else found[: 2 * POOL + 1]


class _Pool:
    """Rows under consideration with their text scores. The best `size` of them, and every row equal to the last of
    these, come near."""

    def __init__(self, rows: list[tuple[Any, ...]], scorer: Scorer, size: int) -> None:
        self.scorer = scorer
        self.size = size
        self.scored = [(*scorer.score(terms, length), *row) for *row, length, terms in rows]

    def nearest(self) -> list[Candidate]:
        last = self._last()
        near = [one for one in self.scored if last is None or _by_score(one) <= last]
        return [
            Candidate(id, digest, section, text_score, matched, place=place)
            for text_score, matched, id, digest, section, place in sorted(near, key=_by_score)
        ]

    def held(self) -> Iterator[tuple[str, int]]:
        """The thread of each row, and the signs it holds."""
        return ((section, matched) for _, matched, _, _, section, _ in self.scored)

    def is_complete_without(self, sought: Sequence[Sought]) -> bool:
        """Whether no row that holds these signs alone can come near. Such a row scores less than all they are worth."""
        last = self._last()
        return (
            last is not None and -last[0] > self.scorer.most(sought) and not any(section for section, _ in self.held())
        )

    def _last(self) -> tuple[float, str] | None:
        if len(self.scored) < self.size:
            return None
        return nsmallest(self.size, map(_by_score, self.scored))[-1]


def _by_score(scored: tuple[Any, ...]) -> tuple[float, str]:
    return -scored[0], scored[3]


def _with_neighbours(scope: Scope, near: list[Candidate], scorer: Scorer) -> list[Candidate]:
    """The rows with what the gains need, and the turns before and after each, as far as the scope lets them be seen."""
    known = {row.id: row for row in near}
    wanted = {*known, *_beside(scope.workspace, near)}
    considered = []
    for id, terms, length, digest, section, *details in _found(scope, _in_detail, ids=sorted(wanted)):
        row = known.get(id) or Candidate(id, digest, section, *scorer.score(terms, length))
        row.target_type, row.target_id, row.part, row.position, row.speaker, row.day = details
        considered.append(row)
    return considered


def _in_detail(*place: Any, ids: Sequence[int], **given: Any) -> QuerySet[IndexEntry, Any]:
    return (
        _entries(*place, **given)
        .filter(pk__in=ids)
        .values_list(
            *("id", "terms", "length", "digest", "section"),
            *("target_type", "target_id", "part", "position", "speaker", "day"),
        )
    )


def _beside(workspace: Workspace, near: list[Candidate]) -> list[int]:
    """Ids of the entries before and after each row, in or out of scope: the index over places alone answers."""
    places = sorted({place_beside for row in near for place_beside in beside(row.place)})
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
    )
