"""What happened, asked for in words: how well it answers, and how long ago it was.

`score = (1 - weight) * relevance + weight * 2 ** (-age / 30 days)`, both parts from 0 to 1 and both shown. Relevance is
the share of the question's weight that the text holds. Of a conversation the turns are searched where they are.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field

from django.db.models import QuerySet

from memoryapp.doors.errors import Invalid
from memoryapp.graph.queries.views import now
from memoryapp.index import queries as index
from memoryapp.index.said import SOURCE
from memoryapp.index.texts import unseen
from memoryapp.ledger.principal import Principal
from memoryapp.sources.models import Source
from memoryapp.sources.queries import withdrawn
from memoryapp.timeline.feeding import EPISODE
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries.episodes import EVERYTHING, Asked, episodes

USUAL_WEIGHT = 0.2
HALF_LIFE = dt.timedelta(days=30)
USUAL_LIMIT = 20
MOST = 100
CONSIDERED = 200
"""Hits of the index that are weighed by age: those that answer best."""
DECIMALS = 6


@dataclass(frozen=True)
class Answer:
    """An episode that answers. `turns` are those of its conversation that hold the words."""

    episode: Episode
    score: float
    relevance: float
    recency: float
    words: list[str]
    turns: list[uuid.UUID] = field(default_factory=list)


@dataclass(frozen=True)
class Searched:
    """What answers, best first, and what the words were taken for."""

    answers: list[Answer]
    unknown: list[str] = field(default_factory=list)
    expanded: dict[str, list[str]] = field(default_factory=dict)


@dataclass
class _Found:
    relevance: float = 0.0
    text: float = 0.0
    words: list[str] = field(default_factory=list)
    turns: list[uuid.UUID] = field(default_factory=list)


def search(
    by: Principal,
    question: str,
    asked: Asked = EVERYTHING,
    *,
    weight: float = USUAL_WEIGHT,
    limit: int = USUAL_LIMIT,
    at: dt.datetime | None = None,
) -> Searched:
    """The episodes that answer a question, among those that are asked for. Any text is a question; a
    blank one brings the latest.

    `weight` is that of recency, from 0 to 1; age is counted to `at`, or to now. Equal scores stand the latest first.
    """
    if not 0 <= weight <= 1:
        raise Invalid.at("/recency_weight", "out_of_range", "This is no share.", "a number from 0 to 1")
    rows = episodes(by, asked)
    targets: dict[str, QuerySet[Episode] | QuerySet[Source] | None] = {EPISODE: rows}
    if by.may("read_sources"):
        targets[SOURCE] = _turns(by, rows)
    if not question.strip():
        return Searched([_answer(one, _Found(), weight, at or now(by.workspace)) for one in rows[:limit]])
    found = index.search(index.Scope(by.workspace, targets, unseen=unseen(by)), question, limit=CONSIDERED)
    by_episode = _by_episode(rows, found.hits)
    moment = at or now(by.workspace)
    answers = [_answer(one, by_episode[one.pk], weight, moment) for one in rows.filter(pk__in=list(by_episode))]
    answers.sort(key=lambda one: (-one.score, -by_episode[one.episode.pk].text, -one.episode.ordered_at.timestamp()))
    return Searched(answers[:limit], found.unknown, found.expanded)


def _turns(by: Principal, rows: QuerySet[Episode]) -> QuerySet[Source]:
    """The turns of these conversations that stand."""
    threads = rows.filter(thread__isnull=False).order_by().values("thread")
    turns = Source.objects.visible_to(by).filter(kind=Source.Kind.CHAT_TURN, thread__in=threads)
    return turns.exclude(pk__in=withdrawn(by.workspace))


def _by_episode(rows: QuerySet[Episode], hits: Sequence[index.Hit]) -> dict[uuid.UUID, _Found]:
    turns = [hit.target_id for hit in hits if hit.target_type == SOURCE]
    threads = dict(Source.objects.filter(pk__in=turns).values_list("pk", "thread")) if turns else {}
    of_thread = dict(rows.filter(thread__in=set(threads.values())).values_list("thread", "pk")) if threads else {}
    found: dict[uuid.UUID, _Found] = {}
    for hit in hits:
        thread = threads.get(hit.target_id)
        episode = hit.target_id if hit.target_type == EPISODE else of_thread.get(thread) if thread else None
        if episode is None:
            continue
        one = found.setdefault(episode, _Found())
        one.relevance, one.text = max(one.relevance, hit.share), max(one.text, hit.score)
        one.words += [word for word in hit.words if word not in one.words]
        if hit.target_type == SOURCE:
            one.turns.append(hit.target_id)
    return found


def _answer(episode: Episode, found: _Found, weight: float, at: dt.datetime) -> Answer:
    age = max(at - episode.ends_at, dt.timedelta()) if episode.ends_at else dt.timedelta()
    recency = 2 ** (-age / HALF_LIFE)
    relevance = min(1.0, found.relevance)
    score = (1 - weight) * relevance + weight * recency
    return Answer(
        episode, round(score, DECIMALS), round(relevance, DECIMALS), round(recency, DECIMALS), found.words, found.turns
    )
