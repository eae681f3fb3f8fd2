"""What a question finds: one pass, in a bounded number of queries, whatever is stored.

The text index picks and ranks; who may be served what is decided by the graph's views, inside the same query, for the
rows that hold a word of the question. The same store and question give the same answer, to the byte.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When

from memoryapp.access.paths import compiled
from memoryapp.files.feeding import FILE
from memoryapp.files.models import Entry, Kind, State
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.queries import views
from memoryapp.index import queries as index
from memoryapp.index import texts
from memoryapp.index.embedding.meaning import meaning_of
from memoryapp.index.said import SOURCE
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal
from memoryapp.recall.asked import Asked, Miss, Recalled, within_budget
from memoryapp.recall.feeding import BELIEF, NODE
from memoryapp.recall.queries.telling import tell
from memoryapp.sources.models import Source
from memoryapp.timeline.feeding import EPISODE
from memoryapp.timeline.models import Episode, EpisodeBelief, EpisodeParticipant
from memoryapp.timeline.queries import recallable


def find(by: Principal, asked: Asked) -> Recalled:
    """Everything that answers the question, best first. Needs `recall`, and `read_sources` for what was said or read.

    Any string is a valid question. Raises Invalid for what cannot be asked, NotFound for a kind that is not declared.
    """
    by.require("recall")
    asked.check()
    if asked.over not in ("beliefs", "episodes", "files"):
        by.require("read_sources")
    if asked.over == "files":
        by.require("read_files")
    if asked.over in ("episodes", "all"):
        by.require("read_timeline")
    may = eligible(by, asked)
    scope = index.Scope(
        by.workspace, _targets(asked, may), since=asked.since, until=asked.until, unseen=texts.unseen(by)
    )
    meaning = meaning_of(by.workspace, asked.question)
    found = index.search(scope, asked.question, limit=asked.limit, meaning=meaning)
    hits, left_out = within_budget(tell(by, asked, may.among, found.hits), asked.budget_tokens)
    return Recalled(
        workspace=by.workspace.slug,
        hits=hits,
        misses=[Miss(miss.target_type, miss.target_id, miss.score, miss.words) for miss in found.misses],
        left_out=left_out,
        unknown=found.unknown,
        expanded=found.expanded,
        vectors=meaning.state,
    )


def _targets(asked: Asked, may: Eligible) -> index.Rows | index.Targets:
    """The rows that may be served. What asks for no belief has no use for most values of a prepared query."""
    if asked.over in ("episodes", "files"):
        return _rows(may.form, **may.given)
    return index.Targets(_rows, (may.form,), may.given, in_threads=asked.over != "beliefs")


@dataclass(frozen=True)
class Form:
    """What the query of a question depends on, beside its values."""

    over: str
    history: bool
    of_another_time: bool
    narrowed: bool
    files: bool = False
    rules: tuple[tuple[tuple[str, str], ...], str] = ((), "write")
    """The rules of paths that the caller is under, and what holds elsewhere."""


@dataclass(frozen=True)
class Eligible:
    """What may be served for a question: a form and its values, from which every query about it is made."""

    form: Form
    given: dict[str, object]

    def among(self, ids: Iterable[uuid.UUID]) -> set[uuid.UUID]:
        """Those of these beliefs that may be served."""
        wanted = list(ids)
        return set(prepared.rows(_among, self.form, ids=wanted, **self.given)) if wanted else set()


def eligible(by: Principal, asked: Asked) -> Eligible:
    """The beliefs that may be served: current ones, those of another time, or with history all."""
    form = Form(
        asked.over,
        asked.history,
        asked.of_another_time,
        asked.narrowed,
        files=by.may("read_files"),
        rules=(by.path_rules, by.path_default),
    )
    kinds = views.looked_up(by, views.Scope(kinds=asked.kinds, exact=asked.exact)).kinds
    needs_now = not (asked.history or (asked.valid_at and asked.known_at))
    given: dict[str, object] = {
        "by": by,
        "owner": asked.owner,
        "subject": asked.subject,
        "kinds": kinds or None,
        "valid_at": asked.valid_at,
        "known_at": asked.known_at,
        "at": views.now(by.workspace) if needs_now else None,
    }
    return Eligible(form, given)


def _beliefs(
    form: Form,
    *,
    by: Principal,
    owner: uuid.UUID | None,
    subject: uuid.UUID | None,
    kinds: Sequence[str] | None,
    valid_at: dt.datetime | None,
    known_at: dt.datetime | None,
    at: dt.datetime | None,
) -> QuerySet[Belief]:
    scope = views.Scope(owner=owner, kinds=tuple(kinds or ()), looked_up=True, subject=subject, row_by_row=True)
    if form.history:
        return views.beliefs(by, scope).exclude(status=Status.DELETED)
    if form.of_another_time:
        return views.as_of(by, scope, valid_at=valid_at, known_at=known_at, at=at)
    return views.told(by, scope, at=at)


def _among(form: Form, *, ids: Sequence[uuid.UUID], **given: Any) -> QuerySet[Belief, uuid.UUID]:
    return _beliefs(form, **given).filter(pk__in=ids).values_list("pk", flat=True)


def _rows(form: Form, **given: Any) -> index.Rows:
    """The rows of each target type that may be served, as the index takes them."""
    wanted = _beliefs(form, **given)
    by, valid_at, known_at = given["by"], given["valid_at"], given["known_at"]
    targets: dict[str, QuerySet[Any] | None] = {}
    if form.over in ("beliefs", "all"):
        targets[BELIEF] = wanted
        if not form.narrowed:
            targets[NODE] = _nodes(form, by, known_at)
    if form.over in ("files", "all") and form.files and not form.narrowed:
        targets[FILE] = _files(form, by, known_at)
    if form.over not in ("beliefs", "episodes", "files"):
        targets[SOURCE] = _sources(form, by, wanted, valid_at, known_at)
    if form.over in ("episodes", "all"):
        targets[EPISODE] = _episodes(form, by, wanted, valid_at, known_at, given["owner"], given["subject"])
    return targets


def _nodes(form: Form, by: Principal, known_at: dt.datetime | None) -> QuerySet[Node]:
    nodes = Node.objects.visible_to(by)
    if known_at:
        nodes = nodes.filter(recorded_at__lte=known_at)
    if form.history:
        return nodes.exclude(state=Node.State.FOLDED)
    return nodes.filter(state=Node.State.ACTIVE)


def _files(form: Form, by: Principal, known_at: dt.datetime | None) -> QuerySet[Entry]:
    """Files that may be read by the rules of the form; `known_at`: those that say what they said then."""
    found = Entry.objects.filter(workspace=by.workspace, kind=Kind.FILE, state=State.CURRENT)
    found = found.filter(compiled(*form.rules).readable())
    return found.filter(modified_at__lte=known_at) if known_at else found


def _episodes(
    form: Form,
    by: Principal,
    wanted: QuerySet[Belief],
    valid_at: dt.datetime | None,
    known_at: dt.datetime | None,
    owner: uuid.UUID | None,
    subject: uuid.UUID | None,
) -> QuerySet[Episode]:
    """What happened by then; where certain beliefs are asked for, what they were learned from or whose part it was."""
    found = recallable(by, valid_at=valid_at, known_at=known_at)
    if not form.narrowed:
        return found
    meant = Q(Exists(EpisodeBelief.objects.filter(episode=OuterRef("pk"), belief__in=wanted.values("pk"))))
    taking = EpisodeParticipant.objects.filter(episode=OuterRef("pk"), revision__sequence=OuterRef("lock"))
    for node in (owner, subject):
        if node is not None:
            meant |= Q(Exists(taking.filter(node=node)))
    return found.filter(meant)


def _sources(
    form: Form,
    by: Principal,
    wanted: QuerySet[Belief],
    valid_at: dt.datetime | None,
    known_at: dt.datetime | None,
) -> QuerySet[Source]:
    """What was said or read, but for what only beliefs stand on that may not be served: their words are its words.

    Beliefs outside the caller's audience change nothing here, as if they were not there.
    """
    found: QuerySet[Source] = Source.objects.visible_to(by)
    if form.over == "turns":
        found = found.filter(kind=Source.Kind.CHAT_TURN)
    if known_at:
        found = found.filter(recorded_at__lte=known_at)
    if form.narrowed:
        return found.filter(Exists(_learned(wanted)))
    if form.history:
        return found
    untouched = Q(~Exists(_learned(Belief.objects.visible_to(by), from_its_words=True)))
    if valid_at:
        untouched &= Q(said_at__lte=valid_at)
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
