"""What happened: by kind, window, participants and properties; now, and as it was known at any time.

Now the heads are asked, which is fast; as known at another time the revisions, whatever the heads say today. They
agree: what is recorded now is what was known now.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import DateTimeField, Exists, F, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Greatest
from django.utils import timezone

from memoryapp.doors.errors import Invalid, NotFound
from memoryapp.graph.models import Belief, Relation, RelationPlayer
from memoryapp.graph.queries import nodes
from memoryapp.graph.queries.merges import family
from memoryapp.graph.queries.told import cited
from memoryapp.ledger.principal import Principal
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import readable_by
from memoryapp.timeline.models import (
    SHORT,
    Episode,
    EpisodeBelief,
    EpisodeParticipant,
    EpisodeRevision,
    EpisodeSource,
    State,
)
from memoryapp.timeline.queries import having
from memoryapp.timeline.queries.having import FEW, Having
from memoryapp.timeline.queries.known import latest_by, then
from memoryapp.timeline.queries.told import Shown

NARROW = dt.timedelta(days=62)
"""How wide a window may be for everything in it to be looked at before the latest of it is shown."""
FIRST = dt.datetime.min.replace(tzinfo=dt.UTC)


@dataclass(frozen=True)
class Asked:
    """Which episodes are asked for. Everything left out does not narrow.

    `kinds` include what is below them unless `exact`. `participants` are node ids: one of them must take part, or with
    `every` all of them; `anyone` are node ids of which one must, besides. `role` is the role they take part in. `since`
    and `until` bound a window that the episode must overlap, the end excluded. `where` is a condition over properties
    (docs/query.md); `time_zone` is that of its times without offset. `known_at` asks for what was known then;
    `valid_at` for what had begun by then. `history` keeps what was taken away.

    `bounded` is filled while it is asked: with “where” when a fuzzy comparison did not look at every value.
    """

    kinds: tuple[str, ...] = ()
    exact: bool = False
    participants: tuple[uuid.UUID, ...] = ()
    every: bool = False
    anyone: tuple[uuid.UUID, ...] | None = None
    role: str = ""
    since: dt.datetime | None = None
    until: dt.datetime | None = None
    where: Any = None
    time_zone: str | None = None
    thread: uuid.UUID | None = None
    ids: Collection[uuid.UUID] | None = None
    valid_at: dt.datetime | None = None
    known_at: dt.datetime | None = None
    history: bool = False
    bounded: set[str] = field(default_factory=set, compare=False)


EVERYTHING = Asked()


def episodes(by: Principal, asked: Asked = EVERYTHING) -> QuerySet[Episode]:
    """The episodes in sight that answer, the latest first. Raises Invalid for what is not declared, Malformed for a
    condition that cannot be asked.

    Who takes part is asked for while the query is put together: a count for each group of participants, and for each
    property that is compared.
    """
    by.require("read_timeline")
    if asked.since and asked.until and asked.until <= asked.since:
        raise Invalid.at("/until", "ends_before_beginning", "The window ends before it begins.", "after since")
    found: QuerySet[Episode] = Episode.objects.visible_to(by)
    if asked.kinds or asked.where is not None:
        found = _of_kind(by, found, asked)
    if asked.thread:
        found = found.filter(thread=asked.thread)
    if asked.ids is not None:
        found = found.filter(pk__in=asked.ids)
    found = _as_known(found, asked) if asked.known_at else found.filter(_said(asked), _near(by, asked))
    for nodes_wanted in _participants(by, asked):
        found = _taking_part(found, nodes_wanted, asked)
    return found.order_by("-ordered_at", "-pk")


def recallable(
    by: Principal, *, valid_at: dt.datetime | None = None, known_at: dt.datetime | None = None
) -> QuerySet[Episode]:
    """What may be recalled: recorded episodes in sight, as known then, that had begun by then. Compares values only, so
    that a query over them can be prepared."""
    found: QuerySet[Episode] = Episode.objects.visible_to(by)
    begun = Q(begins_at__isnull=True) | Q(begins_at__lte=valid_at) if valid_at else Q()
    if not known_at:
        return found.filter(begun, state=State.RECORDED)
    then = EpisodeRevision.objects.filter(begun, episode=OuterRef("pk"), state=State.RECORDED)
    return found.filter(Exists(latest_by(then, known_at)))


def timeline(by: Principal, node_id: uuid.UUID, asked: Asked = EVERYTHING) -> QuerySet[Episode]:
    """What happened with this node, the latest first. Raises NotFound for a node that is not there."""
    node = nodes.node(by, node_id, known_at=asked.known_at)
    return episodes(by, replace(asked, participants=(node.pk,)))


def between(by: Principal, since: dt.datetime, until: dt.datetime, asked: Asked = EVERYTHING) -> QuerySet[Episode]:
    """What overlaps a window, in the order in which it happened."""
    return episodes(by, replace(asked, since=since, until=until)).order_by("ordered_at", "pk")


def episode(by: Principal, episode_id: uuid.UUID) -> Episode:
    """One episode in sight, whatever its state. Raises NotFound."""
    by.require("read_timeline")
    found = Episode.objects.visible_to(by).filter(pk=episode_id).select_related("thread", "write__actor").first()
    if found is None:
        raise NotFound("There is no such episode.", code="no_such_episode", extra={"id": str(episode_id)})
    return found


def latest(of: Episode) -> EpisodeRevision:
    """What is said of it now."""
    return EpisodeRevision.objects.select_related("episode", "write__actor").get(episode=of, sequence=of.lock)


def last_recorded(of: Episode) -> EpisodeRevision:
    """What was said of it last before it was taken away."""
    said = EpisodeRevision.objects.filter(episode=of, state=State.RECORDED).select_related("episode", "write__actor")
    return said.latest("sequence")


def history(of: Episode) -> list[EpisodeRevision]:
    """Every revision, the latest first, each with who said it."""
    return list(
        EpisodeRevision.objects.filter(episode=of).select_related("episode", "write__actor").order_by("-sequence")
    )


def learned(by: Principal, of: Episode) -> QuerySet[Belief]:
    """What was learned from an episode: beliefs linked to it, and those that stand on the turns of its conversation or
    on what else it is known from. In sight, the latest first, whatever their status."""
    linked = EpisodeBelief.objects.filter(episode=of).values("belief")
    sources = Q(source__episodes__episode=of, source__episodes__revision__sequence=of.lock)
    if of.thread_id:
        sources |= Q(source__thread=of.thread_id)
    cited = RelationPlayer.objects.filter(
        sources, kind="sourcing", role="evidence", relation__state=Relation.State.ACTIVATED
    )
    sourced = RelationPlayer.objects.filter(kind="sourcing", role="sourced", relation__in=cited.values("relation"))
    sourced = sourced.filter(belief__isnull=False)
    found = Belief.objects.visible_to(by).filter(Q(pk__in=linked) | Q(pk__in=sourced.values("belief")))
    return found.order_by("-recorded_at", "-pk")


def with_details(found: Sequence[Episode], known_at: dt.datetime | None = None) -> list[Shown]:
    """These episodes with what is said of them, now or as known then, and who takes part. A fixed number of queries."""
    revisions = EpisodeRevision.objects.filter(episode__in=found)
    revisions = latest_by(revisions, known_at) if known_at else revisions.filter(sequence=F("episode__lock"))
    of_episode = {one.episode_id: one for one in revisions.select_related("write__actor")}
    people: dict[uuid.UUID, list[EpisodeParticipant]] = {}
    taking = EpisodeParticipant.objects.filter(revision__in=list(of_episode.values()))
    for one in taking.select_related("node__folded_into").order_by("revision", "position"):
        people.setdefault(one.revision_id, []).append(one)
    return [
        Shown(one, revision, people.get(revision.pk, []))
        for one in found
        if (revision := of_episode.get(one.pk)) is not None
    ]


def shown(of: Episode, known_at: dt.datetime | None = None) -> Shown:
    """One episode with what is said of it now, or as it was known then. Raises NotFound when it was not known yet."""
    found = with_details([of], known_at)
    if not found:
        raise NotFound("It was not known then.", code="no_such_episode", extra={"id": str(of.pk)})
    return found[0]


def revisions(of: Episode) -> list[Shown]:
    """Every revision with who takes part by it, the latest first. Two queries."""
    found = history(of)
    people: dict[uuid.UUID, list[EpisodeParticipant]] = {}
    taking = EpisodeParticipant.objects.filter(revision__in=found).select_related("node__folded_into")
    for one in taking.order_by("revision", "position"):
        people.setdefault(one.revision_id, []).append(one)
    return [Shown(of, revision, people.get(revision.pk, [])) for revision in found]


def known_from(by: Principal, revision: EpisodeRevision) -> list[dict[str, Any]]:
    """What an episode is known from by this revision, with the quoted words; nothing for who may not read sources."""
    if not by.may("read_sources"):
        return []
    rows = EpisodeSource.objects.filter(readable_by(by, "source__"), revision=revision).select_related(
        "source__participant", "source__thread"
    )
    return [
        cited(one.source)
        | {
            "quote": one.quote,
            "span": [one.span_start, one.span_end] if one.span_start is not None else None,
        }
        for one in rows.order_by("source__said_at", "pk")
    ]


def _taking_part(found: QuerySet[Episode], nodes_wanted: Collection[uuid.UUID], asked: Asked) -> QuerySet[Episode]:
    """Those in which one of these takes part. Of who took part in few, by these few; of others row by row, as an engine
    walks through what happened in its order. Which of the two is asked of the database now, with one count of at most
    `FEW` + 1 parts."""
    taking = EpisodeParticipant.objects.filter(node__in=nodes_wanted)
    if asked.role:
        taking = taking.filter(role=asked.role)
    if asked.known_at:
        return found.filter(Exists(then(taking.filter(episode=OuterRef("pk")), asked.known_at)))
    if taking.order_by().values("pk")[: FEW + 1].count() <= FEW:
        return found.filter(pk__in=taking.filter(revision__sequence=F("episode__lock")).values("episode"))
    return found.filter(Exists(taking.filter(episode=OuterRef("pk"), revision__sequence=OuterRef("lock"))))


def _of_kind(by: Principal, found: QuerySet[Episode], asked: Asked) -> QuerySet[Episode]:
    """Those of these kinds, and of which the condition over properties holds."""
    ontology = current_ontology(by)
    wanted = {
        name
        for place, kind in enumerate(asked.kinds)
        for name in ontology.episode_subkinds(kind, exact=asked.exact, path=f"/kind/{place}" if place else "/kind")
    }
    if wanted:
        found = found.filter(kind__in=wanted)
    if asked.where is None:
        return found
    every = wanted or ontology.document.episode_kinds
    clause = having.read(ontology, asked.where, every, time_zone=asked.time_zone)
    held = Having(by, asked.known_at)
    found = found.filter(held.condition(clause))
    if held.cut:
        asked.bounded.add("where")
    return found


def _said(asked: Asked) -> Q:
    """What the head, or a revision, must say to answer."""
    said = Q() if asked.history else Q(state=State.RECORDED)
    if asked.until:
        said &= Q(begins_at__isnull=True) | Q(begins_at__lt=asked.until)
    if asked.since:
        said &= Q(ends_at__isnull=True) | Q(ends_at__gt=asked.since)
    if asked.valid_at:
        said &= Q(begins_at__isnull=True) | Q(begins_at__lte=asked.valid_at)
    return said


def _near(by: Principal, asked: Asked) -> Q:
    """What is true of all that overlap the window and lets an index be read from one place to another.

    Of a narrow window: they stand in it or shortly before, or they are of the few that last. Of any other: none stands
    behind its end, but for those without a beginning. Narrow or not is no more than the way to look.
    """
    if asked.since and (asked.until or timezone.now()) - asked.since <= NARROW:
        here = Episode.objects.filter(workspace=by.workspace)
        short = here.filter(lasting=False, ordered_at__gte=_before(asked.since))
        short = short.filter(ordered_at__lt=asked.until) if asked.until else short
        # Named by their ids, so that no engine walks all there is only because it is asked for in that order.
        return Q(pk__in=short.values("pk").union(here.filter(lasting=True).values("pk"), all=True))
    if not asked.until:
        return Q()
    open_ones = Episode.objects.filter(workspace=by.workspace, lasting=True, begins_at__isnull=True)
    last = Subquery(open_ones.order_by("-ordered_at").values("ordered_at")[:1])
    until = Value(asked.until, output_field=DateTimeField())
    return Q(ordered_at__lte=Greatest(until, Coalesce(last, until)))


def _before(since: dt.datetime) -> dt.datetime:
    return since - SHORT if since - FIRST > SHORT else FIRST


def _as_known(found: QuerySet[Episode], asked: Asked) -> QuerySet[Episode]:
    revisions = EpisodeRevision.objects.filter(_said(asked), episode=OuterRef("pk"))
    return found.filter(Exists(latest_by(revisions, asked.known_at)))


def _participants(by: Principal, asked: Asked) -> list[set[uuid.UUID]]:
    """Sets of nodes, of each of which one must take part."""
    families = [family(by, node, asked.known_at) for node in dict.fromkeys(asked.participants)]
    wanted = families if asked.every or not families else [set().union(*families)]
    if asked.anyone is not None:
        wanted.append(
            {one for node in asked.anyone for one in family(by, node, asked.known_at)} if asked.anyone else set()
        )
    return wanted
