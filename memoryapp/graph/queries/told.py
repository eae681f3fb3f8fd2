"""Beliefs, sources and provenance as plain data: the form in which every answer gives them."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Exists, F, OuterRef, QuerySet

from memoryapp.doors import moments
from memoryapp.graph.models import Belief, BeliefState, Relation, RelationPlayer
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources import queries as sources
from memoryapp.sources.models import Source, WithdrawnSource, readable_by

Told = dict[str, Any]


def told(belief: Belief) -> Told:
    """A belief as every answer gives it."""
    return {
        "id": str(belief.pk),
        "shape": belief.shape,
        "kind": belief.kind,
        "content": belief.content,
        "status": belief.status,
        "standing": belief.standing,
        "valid_from": _date(belief, "valid_from"),
        "valid_to": _date(belief, "valid_to"),
        "recorded_at": belief.recorded_at,
        "confidence": belief.confidence,
        "lock": belief.lock,
    }


def provenance(write: Write) -> Told:
    """Who recorded it, when, through which channel, with which model and prompt."""
    return {
        "at": write.recorded_at,
        "by": write.actor.name,
        "by_kind": write.actor.kind,
        "action": write.action,
        "channel": write.channel,
        "rationale": write.rationale,
        "model": write.model,
        "prompt_version": write.prompt_version,
        "run": write.run,
        "thread": write.thread,
        "trace_id": write.trace_id,
        "write": str(write.pk),
    }


def quotes(by: Principal, thing_ids: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[Told]]:
    """For each belief or relation: the sources it stands on, with the quoted words where they stand."""
    wanted = list(thing_ids)
    of_relation = {relation: belief or played_by for relation, belief, played_by in prepared.rows(_sourced, ids=wanted)}
    players = prepared.rows(_evidence, by=by, relations=list(of_relation))
    return _quoted(by, [(of_relation[player.relation_id], player) for player in players])


def quotes_of(by: Principal, belief_ids: Sequence[uuid.UUID]) -> dict[uuid.UUID, list[Told]]:
    """What `quotes` says of beliefs alone, in one query less."""
    players = prepared.rows(_evidence_of, by=by, beliefs=list(belief_ids))
    return _quoted(by, [(player.stands_on_it, player) for player in players])  # type: ignore[attr-defined]


def _quoted(by: Principal, found: Sequence[tuple[uuid.UUID, RelationPlayer]]) -> dict[uuid.UUID, list[Told]]:
    players = [player for _, player in found]
    said = [player.source for player in players if player.source]
    in_place = sources.placed(by, said) if said and by.may("read_sources") else {}
    quoted: dict[uuid.UUID, list[Told]] = defaultdict(list)
    for thing, player in found:
        if player.source is not None:
            quoted[thing].append(_quote(player, in_place.get(player.source.pk)))
    return quoted


def _sourced(ids: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer, Any]:
    """By beliefs and by relations apart: asked for either, SQLite would go through every relation there is."""
    sourced = RelationPlayer.objects.filter(kind="sourcing", role="sourced", relation__state=Relation.State.ACTIVATED)
    told = ("relation", "belief", "played_by")
    of_beliefs, of_relations = sourced.filter(belief__in=ids), sourced.filter(played_by__in=ids)
    return of_beliefs.values_list(*told).union(of_relations.values_list(*told), all=True)


def _evidence(by: Principal, relations: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    return _read(by).filter(relation__in=relations)


def _evidence_of(by: Principal, beliefs: Sequence[uuid.UUID]) -> QuerySet[RelationPlayer]:
    sourced = _read(by).filter(
        relation__state=Relation.State.ACTIVATED,
        relation__players__role="sourced",
        relation__players__belief__in=beliefs,
    )
    return sourced.annotate(stands_on_it=F("relation__players__belief"))


def _read(by: Principal) -> QuerySet[RelationPlayer]:
    """What is quoted of sources that the caller may be served."""
    players = RelationPlayer.objects.filter(
        readable_by(by, "source__"), workspace=by.workspace, kind="sourcing", role="evidence"
    )
    taken_back = Exists(WithdrawnSource.objects.filter(source=OuterRef("source"), in_force=True))
    return (
        players.annotate(taken_back=taken_back)
        .select_related("source__participant", "source__thread")
        .order_by("source__said_at", "source", "span_start")
    )


def history(belief: Belief) -> list[Told]:
    """Every change of the head: from what, to what, when, who and why."""
    found: list[Told] = []
    before: Told = {}
    states = BeliefState.objects.filter(belief=belief).select_related("write__actor").order_by("sequence")
    for state in states:
        after = {
            "status": state.status,
            "standing": state.standing,
            "valid_from": _date(state, "valid_from"),
            "valid_to": _date(state, "valid_to"),
            "audience": state.audience,
            "owners": state.owners,
        }
        changed = [name for name, value in after.items() if before.get(name) != value or not before]
        found.append(
            {
                "sequence": state.sequence,
                "from": {name: before.get(name) for name in changed} if before else {},
                "to": {name: after[name] for name in changed},
                "reason": state.reason,
                "at": state.recorded_at,
                "by": state.write.actor.name,
                "by_kind": state.write.actor.kind,
                "action": state.write.action,
                "channel": state.write.channel,
            }
        )
        before = after
    return found


def _quote(player: RelationPlayer, place: sources.InPlace | None) -> Told:
    source = player.source
    assert source is not None
    return cited(source) | {
        "withdrawn": player.taken_back,  # type: ignore[attr-defined]
        "quote": player.quote,
        "span": [player.span_start, player.span_end] if player.span_start is not None else None,
        "content": source.content if place else None,
        "turn_before": _turn(place.before) if place and place.before else None,
        "turn_after": _turn(place.after) if place and place.after else None,
    }


def cited(source: Source) -> Told:
    """A source as every answer names it, without its words."""
    return {
        "source": str(source.pk),
        "kind": source.kind,
        "said_at": moments.render(source.said_at, zone=source.said_zone or "UTC"),
        "speaker": source.speaker,
        "by": source.participant.name or source.participant.key if source.participant else "",
        "thread": str(source.thread_id) if source.thread_id else None,
        "thread_title": str(source.thread) if source.thread else "",
        "position": source.position,
        "title": source.title,
        "path": source.path,
        "url": source.url,
        "recorded_at": source.recorded_at,
        "withdrawn": getattr(source, "withdrawn_at", None) is not None,
    }


def _turn(turn: Source) -> Told:
    return {
        "source": str(turn.pk),
        "speaker": turn.speaker,
        "by": turn.participant.name or turn.participant.key if turn.participant else "",
        "content": turn.content,
    }


def _date(of: Belief | BeliefState, name: str) -> str | None:
    instant = getattr(of, name)
    return moments.render(instant, getattr(of, f"{name}_precision")) if instant else None
