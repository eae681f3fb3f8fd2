"""What is said of each hit: its words, where it comes from in one line, and what it stands on or led to."""

from __future__ import annotations

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db.models import QuerySet

from memoryapp.files.feeding import FILE
from memoryapp.files.queries import latest_of, text_of
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer
from memoryapp.graph.queries import listing
from memoryapp.graph.queries.told import cited, told
from memoryapp.index import queries as index
from memoryapp.index.said import SOURCE, passages, zone
from memoryapp.ledger import prepared
from memoryapp.ledger.principal import Principal
from memoryapp.recall.asked import Asked, Hit, Told
from memoryapp.recall.feeding import BELIEF, NODE
from memoryapp.sources.models import Source, readable_by
from memoryapp.timeline.feeding import EPISODE
from memoryapp.timeline.models import Episode
from memoryapp.timeline.queries import Shown, with_details
from memoryapp.timeline.queries import told as told_episode


@dataclass(frozen=True)
class Support:
    """A source that something stands on, and the words of it that are quoted."""

    source: Source
    quote: str

    def told(self) -> Told:
        return {"source": str(self.source.pk), "line": line(self.source), "quote": self.quote}


Among = Callable[[Iterable[uuid.UUID]], set[uuid.UUID]]
"""Which of some beliefs may be served."""


def tell(by: Principal, asked: Asked, among: Among, found: Sequence[index.Hit]) -> list[Hit]:
    """The hits with all that is said of them, in the order found. A fixed number of queries for each type of hit."""
    of_type: dict[str, list[index.Hit]] = defaultdict(list)
    for hit in found:
        of_type[hit.target_type].append(hit)
    made: dict[uuid.UUID, Hit] = {}
    if of_type[BELIEF]:
        made |= _beliefs(by, asked, of_type[BELIEF])
    if of_type[NODE]:
        made |= _nodes(by, of_type[NODE])
    if of_type[SOURCE]:
        made |= _sources(by, among, of_type[SOURCE])
    if of_type[EPISODE]:
        made |= _episodes(by, asked, of_type[EPISODE])
    if of_type[FILE]:
        made |= _files(of_type[FILE])
    return [made[hit.target_id] for hit in found if hit.target_id in made]


def _hit(found: index.Hit, text: str, provenance: str, **more: object) -> Hit:
    return Hit(
        found.target_type,
        found.target_id,
        text,
        found.score,
        found.parts,
        found.words,
        provenance,
        dict(more),
        found.distance,
    )


def _beliefs(by: Principal, asked: Asked, found: Sequence[index.Hit]) -> dict[uuid.UUID, Hit]:
    ids = [hit.target_id for hit in found]
    beliefs = {one.pk: one for one in prepared.rows(_seen, by=by, ids=ids)}
    owners = listing.owners(ids)
    changes = _changes(by, ids, asked) if asked.history or asked.of_another_time else {}
    relations = [change.relation.pk for several in changes.values() for change in several]
    supports = support(by, [*ids, *relations], asked.known_at)
    made = {}
    for hit in found:
        belief = beliefs.get(hit.target_id)
        if belief is None:
            continue
        stands_on = supports[belief.pk]
        more: Told = {
            "belief": told(belief) | {"owners": [_named(node) for node in owners.get(belief.pk, ())]},
            "sources": [one.told() for one in stands_on],
        }
        if changes:
            more["changes"] = [one.told(supports[one.relation.pk]) for one in changes.get(belief.pk, ())]
        made[belief.pk] = _hit(hit, belief.content, belief_line(belief, stands_on), **more)
    return made


def _seen(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Belief]:
    return Belief.objects.visible_to(by).filter(pk__in=ids).select_related("write__actor")


def _nodes(by: Principal, found: Sequence[index.Hit]) -> dict[uuid.UUID, Hit]:
    nodes = {one.pk: one for one in prepared.rows(_seen_nodes, by=by, ids=[hit.target_id for hit in found])}
    return {
        hit.target_id: _hit(hit, node.label, _recorded(node), node=_named(node) | {"state": node.state})
        for hit in found
        if (node := nodes.get(hit.target_id)) is not None
    }


def _seen_nodes(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Node]:
    return Node.objects.visible_to(by).filter(pk__in=ids).select_related("write__actor")


def _sources(by: Principal, among: Among, found: Sequence[index.Hit]) -> dict[uuid.UUID, Hit]:
    ids = [hit.target_id for hit in found]
    rows = {one.pk: one for one in prepared.rows(_seen_sources, by=by, ids=ids)}
    learned = listing.standing_on(by, ids)
    served = among(one.belief.pk for several in learned.values() for one in several)
    made = {}
    for hit in found:
        source = rows.get(hit.target_id)
        if source is None:
            continue
        text = next(islice(passages(source.content), hit.part, None), "")
        made[source.pk] = _hit(
            hit,
            text,
            line(source),
            source=cited(source) | {"passage": hit.part},
            learned=[_learned(one.belief, one.belief.pk in served) for one in learned.get(source.pk, ())],
        )
    return made


def _seen_sources(by: Principal, ids: Sequence[uuid.UUID]) -> QuerySet[Source]:
    return Source.objects.visible_to(by).filter(pk__in=ids).select_related("participant", "thread", "member")


def _episodes(by: Principal, asked: Asked, found: Sequence[index.Hit]) -> dict[uuid.UUID, Hit]:
    """Episodes with what was said of them, now or as known then. Words that were not said then are not served."""
    rows = Episode.objects.visible_to(by).filter(pk__in=[hit.target_id for hit in found])
    shown = {one.episode.pk: one for one in with_details(list(rows), asked.known_at)}
    made = {}
    for hit in found:
        one = shown.get(hit.target_id)
        if one is None:
            continue
        text = next(islice(passages(one.revision.content), hit.part, None), one.revision.content)
        episode = told_episode(one)
        kept = ("kind", "occurred_at", "occurred_from", "occurred_to", "participants")
        made[one.episode.pk] = _hit(
            hit, text, episode_line(one), episode={name: episode[name] for name in kept} | {"passage": hit.part}
        )
    return made


def _files(found: Sequence[index.Hit]) -> dict[uuid.UUID, Hit]:
    """Files with the passage that was found."""
    latest = latest_of([hit.target_id for hit in found])
    made = {}
    for hit in found:
        version = latest.get(hit.target_id)
        if version is None:
            continue
        text = next(islice(passages(text_of(version)), hit.part, None), "") or version.summary or version.path
        day = version.recorded_at.date().isoformat()
        file = {"path": version.path, "lock": version.sequence, "passage": hit.part}
        made[version.entry_id] = _hit(hit, text, f"file {version.path}, {day}", file=file)
    return made


def episode_line(shown: Shown) -> str:
    """What it was, when and with whom, e.g. `meeting, 2026-03-02, with Ines Ferro`."""
    day = shown.revision.ordered_at.astimezone(zone(shown.revision.zone)).date().isoformat()
    names = list(dict.fromkeys(node.label for node, _ in shown.people))
    return f"{shown.episode.kind.replace('_', ' ')}, {day}" + (f", with {', '.join(names)}" if names else "")


def _learned(belief: Belief, served: bool) -> Told:
    """A belief learned from a source. Of one that may not be served only that it is there, and how it stands."""
    known = told(belief)
    shown = {name: known[name] for name in ("id", "kind", "status", "standing", "valid_from", "valid_to")}
    return shown | {"served": served, "content": belief.content if served else None}


@dataclass(frozen=True)
class Change:
    """That one belief took the place of another, as seen from one of the two."""

    relation: Relation
    role: str
    other: Belief

    def told(self, supports: Sequence[Support]) -> Told:
        """`what` is replaced_by or replaces; the sources are those that the change itself stands on."""
        return {
            "what": "replaced_by" if self.role == "superseded" else "replaces",
            "relation": str(self.relation.pk),
            "at": self.relation.valid_from,
            "belief": told(self.other),
            "sources": [one.told() for one in supports],
        }


def _changes(by: Principal, ids: Sequence[uuid.UUID], asked: Asked) -> dict[uuid.UUID, list[Change]]:
    """The standing supersessions in which these beliefs play, as far as they were known. Two queries."""
    mine = RelationPlayer.objects.filter(
        kind="supersession", belief__in=ids, relation__state=Relation.State.ACTIVATED
    ).select_related("relation")
    if asked.known_at:
        mine = mine.filter(relation__recorded_at__lte=asked.known_at)
    playing = list(mine.order_by("relation__recorded_at", "relation", "position"))
    others = RelationPlayer.objects.filter(
        Belief.objects.sighted(by),
        kind="supersession",
        relation__in={player.relation_id for player in playing},
    ).select_related("belief")
    by_relation: dict[uuid.UUID, list[RelationPlayer]] = defaultdict(list)
    for other in others:
        by_relation[other.relation_id].append(other)
    found: dict[uuid.UUID, list[Change]] = defaultdict(list)
    for player in playing:
        for other in by_relation[player.relation_id]:
            if player.belief_id and other.belief and other.belief.pk != player.belief_id:
                found[player.belief_id].append(Change(player.relation, player.role, other.belief))
    return found


def support(
    by: Principal, ids: Iterable[uuid.UUID], known_at: dt.datetime | None = None
) -> dict[uuid.UUID, list[Support]]:
    """What these beliefs and relations stand on, the earliest said first; nothing that is taken back or out
    of sight. Two queries."""
    of_relation = {
        relation: belief or played_by
        for relation, belief, played_by in prepared.rows(_sourced, ids=list(ids), known_at=known_at)
    }
    found: dict[uuid.UUID, list[Support]] = defaultdict(list)
    for player in prepared.rows(_evidence, by=by, relations=list(of_relation)):
        stands = of_relation[player.relation_id]
        if player.source is not None and stands is not None:
            found[stands].append(Support(player.source, player.quote))
    return found


def _sourced(ids: Sequence[uuid.UUID], known_at: dt.datetime | None) -> QuerySet[RelationPlayer, Any]:
    """By beliefs and by relations apart: asked for either, SQLite would go through every relation there is."""
    sourced = RelationPlayer.objects.filter(kind="sourcing", role="sourced", relation__state=Relation.State.ACTIVATED)
    if known_at:
        sourced = sourced.filter(relation__recorded_at__lte=known_at)
    told = ("relation", "belief", "played_by")
    of_beliefs, of_relations = sourced.filter(belief__in=ids), sourced.filter(played_by__in=ids)
    return of_beliefs.values_list(*told).union(of_relations.values_list(*told), all=True)


def _evidence(by: Principal, relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    evidence = RelationPlayer.objects.filter(
        readable_by(by, "source__"), workspace=by.workspace, kind="sourcing", role="evidence", relation__in=relations
    )
    evidence = evidence.exclude(source__taken_back__in_force=True)
    return evidence.select_related("source__participant", "source__thread", "source__member").order_by(
        "source__said_at", "source", "span_start"
    )


def line(source: Source) -> str:
    """Where something comes from: who said it, when and where, e.g. `said by Ines Ferro, 2026-06-04, in Reports`."""
    day = source.said_at.astimezone(zone(source.said_zone)).date().isoformat()
    if source.kind == Source.Kind.CHAT_TURN:
        who = source.participant.name or source.participant.key if source.participant else f"the {source.speaker}"
        place = source.thread.title or source.thread.external_id if source.thread else ""
        return f"said by {who}, {day}" + (f", in {place}" if place else "")
    if source.kind == Source.Kind.STATEMENT:
        return f"written down by {source.member.name if source.member else 'a member'}, {day}"
    if source.kind == Source.Kind.SYSTEM:
        return f"noted by the system, {day}"
    if source.kind == Source.Kind.FORM_ANSWER:
        return f"answered in {source.title}, {day}"
    return f"read in {source.title or source.path or source.url}, {day}"


def belief_line(belief: Belief, stands_on: Sequence[Support]) -> str:
    """Where a belief comes from: its first source and how many others, or who concluded it."""
    if not stands_on:
        return f"concluded by {belief.write.actor.name}, {_day(belief.recorded_at)}"
    others = len({one.source.pk for one in stands_on}) - 1
    more = f", and {others} more {'source' if others == 1 else 'sources'}" if others else ""
    return line(stands_on[0].source) + more


def _recorded(node: Node) -> str:
    return f"recorded by {node.write.actor.name}, {_day(node.recorded_at)}"


def _day(at: dt.datetime) -> str:
    return at.astimezone(dt.UTC).date().isoformat()


def _named(node: Node) -> Told:
    return {"id": str(node.pk), "class": node.node_class, "label": node.label}
