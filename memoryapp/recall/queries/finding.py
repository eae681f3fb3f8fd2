"""What a question finds: one pass, in a bounded number of queries, whatever is stored.

The text index picks and ranks; who may be served what is decided by the graph's views, inside the same query, for the
rows that hold a word of the question. The same store and question give the same answer, to the byte.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When

from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries import views
from memoryapp.index import queries as index
from memoryapp.index.said import SOURCE
from memoryapp.ledger.principal import Principal
from memoryapp.recall.asked import Asked, Hit, Miss, Recalled
from memoryapp.recall.feeding import BELIEF, NODE
from memoryapp.recall.queries.telling import tell
from memoryapp.sources.models import Source


def find(by: Principal, asked: Asked) -> Recalled:
    """Everything that answers the question, best first. Needs `recall`, and `read_sources` for what was said or read.

    Any string is a valid question. Raises Invalid for what cannot be asked, NotFound for a kind that is not declared.
    """
    by.require("recall")
    asked.check()
    wanted = eligible(by, asked)
    scope = index.Scope(by.workspace, _targets(by, asked, wanted), since=asked.since, until=asked.until)
    found = index.search(scope, asked.question, limit=asked.limit)
    hits, left_out = _within_budget(tell(by, asked, wanted, found.hits), asked.budget_tokens)
    return Recalled(
        workspace=by.workspace.slug,
        hits=hits,
        misses=[Miss(miss.target_type, miss.target_id, miss.score, miss.words) for miss in found.misses],
        left_out=left_out,
        unknown=found.unknown,
        expanded=found.expanded,
    )


def eligible(by: Principal, asked: Asked) -> QuerySet[Belief]:
    """The beliefs that may be served: current ones, those of another time, or with history all."""
    scope = views.Scope(owner=asked.owner, kinds=asked.kinds, exact=asked.exact, subject=asked.subject)
    if asked.history:
        return views.beliefs(by, scope).exclude(status=Status.DELETED)
    if asked.of_another_time:
        return views.as_of(by, scope, valid_at=asked.valid_at, known_at=asked.known_at)
    return views.current(by, scope)


def _targets(by: Principal, asked: Asked, wanted: QuerySet[Belief]) -> Mapping[str, QuerySet[Any] | None]:
    targets: dict[str, QuerySet[Any] | None] = {}
    if asked.over in ("beliefs", "all"):
        targets[BELIEF] = wanted
        if not asked.narrowed:
            targets[NODE] = _nodes(by, asked)
    if asked.over != "beliefs":
        by.require("read_sources")
        targets[SOURCE] = _sources(by, asked, wanted)
    return targets


def _nodes(by: Principal, asked: Asked) -> QuerySet[Node]:
    nodes = Node.objects.visible_to(by)
    if asked.known_at:
        nodes = nodes.filter(recorded_at__lte=asked.known_at)
    if asked.history:
        return nodes.exclude(state=Node.State.FOLDED)
    return nodes.filter(state=Node.State.ACTIVE)


def _sources(by: Principal, asked: Asked, wanted: QuerySet[Belief]) -> QuerySet[Source]:
    """What was said or read, but for what only beliefs stand on that may not be served: their words are its words.

    Beliefs outside the caller's audience change nothing here, as if they were not there.
    """
    found = Source.objects.filter(workspace=by.workspace)
    if asked.over == "turns":
        found = found.filter(kind=Source.Kind.CHAT_TURN)
    if asked.known_at:
        found = found.filter(recorded_at__lte=asked.known_at)
    if asked.narrowed:
        return found.filter(Exists(_learned(wanted)))
    if asked.history:
        return found
    untouched = Q(~Exists(_learned(Belief.objects.visible_to(by), from_its_words=True)))
    if asked.valid_at:
        untouched &= Q(said_at__lte=asked.valid_at)
    return found.filter(Exists(_learned(wanted, from_its_words=True)) | untouched)


def _learned(beliefs: QuerySet[Belief], *, from_its_words: bool = False) -> QuerySet[RelationPlayer]:
    """For a source: that one of these beliefs stands on it.

    A property that quotes nothing and came in the write that stored the source is known of who took part, and was not
    learned from the words.
    """
    sourced = Q(
        kind="sourcing",
        role="sourced",
        belief__isnull=False,
        relation__state=Relation.State.ACTIVATED,
        relation__players__source=OuterRef("pk"),
    )
    if from_its_words:
        sourced &= (
            ~Q(belief__shape=Belief.Shape.PROPERTY)
            | Q(relation__players__span_start__isnull=False)
            | ~Q(belief__write=OuterRef("write"))
        )
    # Within CASE a planner cannot turn it around and go through all beliefs of the workspace for each source.
    served = Case(When(Exists(beliefs.filter(pk=OuterRef("belief"))), then=True), default=False)
    return RelationPlayer.objects.filter(sourced).annotate(served=served).filter(served=True)


def _within_budget(hits: list[Hit], budget: int | None) -> tuple[list[Hit], int]:
    """The hits that fit, in their order; a long one gives way to those after it. And how many did not fit."""
    if budget is None:
        return hits, 0
    kept: list[Hit] = []
    for hit in hits:
        if hit.tokens <= budget:
            kept.append(hit)
            budget -= hit.tokens
    return kept, len(hits) - len(kept)
