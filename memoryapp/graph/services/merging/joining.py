"""What says the same once two nodes are one stays once: on all that either stood on, over the time of both."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from memoryapp.graph.models import Belief, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.referring import chunks
from memoryapp.graph.services.assembling import Assembly, Playing, change_relations
from memoryapp.graph.services.heads import change_heads
from memoryapp.graph.services.merging.planning import Plan
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

SAME = "Two nodes became one, and another statement says the same of it."
ALIKE = "Two nodes became one, and another relation joins the same."

Thing = Belief | Relation


def join_beliefs(write: Write, planned: Plan) -> list[Belief]:
    """Archive each twin of what stays, and let that stand on what the twin stood on. Returns both."""
    pairs = planned.duplicates
    if not pairs:
        return []
    heads: dict[uuid.UUID, dict[str, Any]] = {}
    for gone, _ in pairs:
        if gone.pk not in planned.mine:
            heads[gone.pk] = {"status": Status.ARCHIVED}
    for gone, stays in pairs:
        if wider := _widened(stays, gone):
            heads[stays.pk] = heads.get(stays.pk, {}) | wider
    changed = {one.pk: one for one in change_heads(write, heads, reason=SAME)}
    assembly = Assembly(write, planned.kept.ontology_version)
    _give_evidence(assembly, pairs, "belief")
    _give_derivations(assembly, pairs)
    assembly.finish()
    return [changed.get(one.pk, one) for pair in pairs for one in pair]


def join_relations(write: Write, planned: Plan) -> None:
    """Retract each relation that joins the same as another, and let that stand on its evidence and take its parts."""
    pairs = planned.equal
    if not pairs:
        return
    ends: dict[uuid.UUID, tuple[str, Any]] = {}
    for gone, stays in pairs:
        ends[gone.pk] = (Relation.State.RETRACTED, gone.valid_to)
        if stays.valid_to and (gone.valid_to is None or gone.valid_to > stays.valid_to):
            stays.valid_to = gone.valid_to
            ends[stays.pk] = (stays.state, gone.valid_to)
    assembly = Assembly(write, planned.kept.ontology_version)
    _give_evidence(assembly, pairs, "played_by")
    replaced = _give_parts(assembly, pairs)
    change_relations(write, ends | replaced, reason=ALIKE)
    assembly.finish()


def _widened(stays: Belief, gone: Belief) -> dict[str, Any]:
    """What of the head of what stays changes for it to hold as long as either did; in memory it does from now on."""
    change: dict[str, Any] = {}
    if stays.valid_from and (gone.valid_from is None or gone.valid_from < stays.valid_from):
        change |= {"valid_from": gone.valid_from, "valid_from_precision": gone.valid_from_precision}
    if stays.valid_to and (gone.valid_to is None or gone.valid_to > stays.valid_to):
        change |= {"valid_to": gone.valid_to, "valid_to_precision": gone.valid_to_precision}
    for name, value in change.items():
        setattr(stays, name, value)
    return change


def _give_evidence(assembly: Assembly, pairs: Sequence[tuple[Any, Any]], column: str) -> None:
    """Let what stays stand on the sources of what goes, each passage once."""
    sourcings = _standing({one.pk for pair in pairs for one in pair}, column, "sourcing", ("sourced",))
    quoted = _players(relation for several in sourcings.values() for relation in several)
    linked: dict[uuid.UUID, set[tuple[Any, Any]]] = defaultdict(set)
    for thing, relations in sourcings.items():
        linked[thing] = {(one.source_id, one.span_start) for relation in relations for one in quoted[relation]}
    sources = _sources(one.source_id for several in quoted.values() for one in several)
    for gone, stays in pairs:
        for relation in sourcings.get(gone.pk, ()):
            new = [
                one
                for one in quoted[relation]
                if one.role == "evidence" and (one.source_id, one.span_start) not in linked[stays.pk]
            ]
            if not new:
                continue
            linked[stays.pk] |= {(one.source_id, one.span_start) for one in new}
            sourced = Playing("sourced", belief=stays) if column == "belief" else Playing("sourced", relation=stays)
            evidence = [
                Playing("evidence", source=sources[one.source_id], start=one.span_start, end=one.span_end)
                for one in new
                if one.source_id
            ]
            assembly.add("sourcing", [*evidence, sourced], reason=SAME if column == "belief" else ALIKE)


def _give_derivations(assembly: Assembly, pairs: Sequence[tuple[Belief, Belief]]) -> None:
    """Let what stays stand on the premises of what goes, and what was concluded from that on what stays."""
    roles = ("conclusion", "premise")
    derivations = _standing({gone.pk for gone, _ in pairs}, "belief", "derivation", roles)
    players = _players(relation for several in derivations.values() for relation in several)
    beliefs = Belief.objects.in_bulk({one.belief_id for several in players.values() for one in several})
    for gone, stays in pairs:
        for relation in derivations.get(gone.pk, ()):
            if all(one.belief_id != stays.pk for one in players[relation]):
                copied = [
                    Playing(one.role, belief=stays if one.belief_id == gone.pk else beliefs[one.belief_id])
                    for one in players[relation]
                    if one.belief_id
                ]
                assembly.add("derivation", copied, reason=SAME)


def _give_parts(assembly: Assembly, pairs: Sequence[tuple[Relation, Relation]]) -> dict[uuid.UUID, tuple[str, Any]]:
    """Where what goes plays in another relation, what stays plays instead. Returns the ends of those relations."""
    stays_of = {gone.pk: stays for gone, stays in pairs}
    playing = (
        RelationPlayer.objects.filter(played_by__in=list(stays_of), relation__state=Relation.State.ACTIVATED)
        .exclude(kind="sourcing")
        .values_list("relation", flat=True)
    )
    players = _players(playing)
    ends: dict[uuid.UUID, tuple[str, Any]] = {}
    for relation in Relation.objects.filter(pk__in=list(players)).order_by("pk"):
        several = list(RelationPlayer.objects.filter(relation=relation).order_by("position"))
        ends[relation.pk] = (Relation.State.RETRACTED, relation.valid_to)
        if {stays_of[one.played_by_id].pk for one in several if one.played_by_id in stays_of} & {
            one.played_by_id for one in several
        }:
            continue
        assembly.add(
            relation.kind,
            [_instead(one, stays_of) for one in several],
            reason=ALIKE,
            valid_from=relation.valid_from,
            valid_to=relation.valid_to,
            attributes=relation.attributes,
        )
    return ends


def _instead(one: RelationPlayer, stays_of: dict[uuid.UUID, Relation]) -> Playing:
    relation = stays_of.get(one.played_by_id, one.played_by) if one.played_by_id else None
    return Playing(one.role, one.belief, one.node, one.source, relation, one.span_start, one.span_end)


def _standing(
    things: Collection[uuid.UUID], column: str, kind: str, roles: Sequence[str]
) -> dict[uuid.UUID, list[uuid.UUID]]:
    """For each thing the activated relations of a kind in which it plays one of these roles, in their order."""
    found: dict[uuid.UUID, list[uuid.UUID]] = defaultdict(list)
    for some in chunks(sorted(things)):
        rows = RelationPlayer.objects.filter(
            kind=kind, role__in=roles, relation__state=Relation.State.ACTIVATED, **{f"{column}__in": some}
        )
        for thing, relation in rows.order_by("role", "relation").values_list(column, "relation"):
            found[thing].append(relation)
    return found


def _players(relations: Iterable[uuid.UUID]) -> dict[uuid.UUID, list[RelationPlayer]]:
    found: dict[uuid.UUID, list[RelationPlayer]] = defaultdict(list)
    for some in chunks(sorted(set(relations))):
        rows = RelationPlayer.objects.filter(relation__in=some).defer("quote").order_by("position")
        for one in rows:
            found[one.relation_id].append(one)
    return found


def _sources(ids: Iterable[uuid.UUID | None]) -> dict[uuid.UUID, Source]:
    wanted = sorted({one for one in ids if one})
    return {pk: one for some in chunks(wanted) for pk, one in Source.objects.in_bulk(some).items()}
