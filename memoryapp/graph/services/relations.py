"""Typed relations: stored whole or not at all, taken back with what they kept from being current."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Exists, OuterRef, Q

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.graph import changes, todays
from memoryapp.graph.models import Belief, Relation, RelationPlayer
from memoryapp.graph.models.beliefs import Status
from memoryapp.graph.refusals import all_or_none
from memoryapp.graph.services import beliefs, conflict
from memoryapp.graph.services.assembling import Assembly, Playing, change_relation
from memoryapp.graph.services.confirmed import (
    is_confirmed,
    may_change,
    refuse_confirmed,
    refuse_confirmed_relation,
)
from memoryapp.graph.services.owning import take_owner
from memoryapp.graph.services.players import ReadPlayers, read_players
from memoryapp.graph.statements import Moment, Player, Quoted
from memoryapp.ledger.models import Write
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.queries import current_ontology
from memoryapp.sources.models import WithdrawnSource

MOST = 500
"""Relations in one batch."""


@dataclass(frozen=True)
class RelationInput:
    """A relation as somebody describes it; see `relate`."""

    kind: str
    players: tuple[Player, ...]
    attributes: dict[str, Any] = field(default_factory=dict)
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    evidence: tuple[Quoted, ...] = ()


def relate(
    write: Write,
    kind: str,
    players: Sequence[Player],
    attributes: dict[str, Any] | None = None,
    *,
    valid_from: Moment | None = None,
    valid_to: Moment | None = None,
    evidence: Sequence[Quoted] = (),
) -> Relation:
    """Store one relation of a declared kind, whole or not at all.

    Refused, with every violation at once: a role missing or with too many players, an unknown role, a player twice,
    a player whose kind may not play the role, attributes that do not fit, an end before the beginning. A supersession
    is also refused of itself, in a circle, between different owners and of what is superseded already; it ends the
    superseded belief. A conflict makes the second claim wait for a person.
    """
    write.by.require("relate")
    ontology = current_ontology(write.workspace)
    kind, players, attributes = todays.relation(ontology, kind, players, attributes or {})
    declared = ontology.relation_kind(kind)
    read = read_players(write, ontology, kind, players, attributes or {}, valid_from, valid_to, evidence)
    if declared.retired:
        read.add("/kind", "retired_type", f"{kind} is no longer used for what is new.")
    if read.wrong:
        raise Invalid.all(read.wrong)
    if kind == "supersession":
        return _supersede(write, read, valid_from, valid_to, evidence)
    if kind == "conflict":
        return _contradict(write, read, ontology)
    relation = _assemble(write, ontology, kind, read, attributes or {}, valid_from, valid_to, evidence)
    _settle(write, kind, read)
    return relation


def relate_all(write: Write, relations: Sequence[RelationInput]) -> list[Relation]:
    """Store a batch: all or nothing, in order, every violation with its row."""
    write.by.require("relate")
    if len(relations) > MOST:
        raise Invalid.at("", "too_many", f"{len(relations)} relations are too many at once.", f"at most {MOST}")

    def one(given: RelationInput) -> Relation:
        return relate(
            write,
            given.kind,
            given.players,
            given.attributes,
            valid_from=given.valid_from,
            valid_to=given.valid_to,
            evidence=given.evidence,
        )

    return all_or_none(relations, one)


def retract_relation(write: Write, relation: Relation, *, reason: str) -> Relation:
    """The relation does not hold. It stays in the history; what it kept from being current is current again.

    Raises Conflict `last_support` for the last evidence or derivation of something, and `not_activated`.
    """
    write.by.require("relate")
    if not reason.strip():
        raise Invalid.at("/reason", "reason_missing", "A relation does not change without a reason.", "one sentence")
    if relation.state != Relation.State.ACTIVATED:
        raise Conflict("The relation does not hold already.", code="not_activated")
    if relation.kind in ("conflict", "ownership"):
        accepted = "a verdict on its case" if relation.kind == "conflict" else "a change of the belief's owners"
        message = f"A {relation.kind} is not taken back by itself."
        raise Invalid.at("/relation", "not_by_itself", message, accepted)
    _refuse_last_support(relation)
    refuse_confirmed_relation(write, relation)
    change_relation(write, relation, reason=reason, state=Relation.State.RETRACTED)
    if relation.kind == "supersession":
        _restore(write, relation, reason)
    return relation


def _assemble(
    write: Write,
    ontology: Ontology,
    kind: str,
    read: ReadPlayers,
    attributes: dict[str, Any],
    valid_from: Moment | None,
    valid_to: Moment | None,
    evidence: Sequence[Quoted],
) -> Relation:
    assembly = Assembly(write, ontology.number)
    relation = assembly.add(
        kind,
        read.players,
        reason="Recorded.",
        valid_from=valid_from.instant if valid_from else None,
        valid_to=valid_to.instant if valid_to else None,
        attributes=attributes,
    )
    if evidence:
        quoted = [Playing("evidence", source=one.source, start=one.start, end=one.end) for one in evidence]
        assembly.add("sourcing", [*quoted, Playing("sourced", relation=relation)], reason="Said in the quoted source.")
    assembly.finish()
    return relation


def _settle(write: Write, kind: str, read: ReadPlayers) -> None:
    """What follows from a relation for the heads of the beliefs in it."""
    touched = [player.belief for player in read.players if player.belief is not None]
    if kind == "ownership":
        owned, owner = read.belief("owned"), read.in_role("owner")[0].node
        if owner is not None and str(owner.pk) not in beliefs.owners_of(owned):
            take_owner(write, owned, owner, reason="It was given an owner.")
    changes.announce(write, touched)


def _supersede(
    write: Write, read: ReadPlayers, valid_from: Moment | None, valid_to: Moment | None, evidence: Sequence[Quoted]
) -> Relation:
    older, newer = read.belief("superseded"), read.belief("successor")
    if valid_to is not None:
        raise Invalid.at("/valid_to", "no_end", "A supersession does not end by itself.", "no valid_to")
    if valid_from is not None and valid_from.instant != newer.valid_from:
        accepted = newer.valid_from.isoformat() if newer.valid_from else "no valid_from"
        message = "A supersession takes effect when its successor begins to hold."
        raise Invalid.at("/valid_from", "not_the_successors", message, accepted)
    refuse_confirmed(write, older)
    relation = beliefs.supersede(write, older, newer, reason="Another belief took its place.", evidence=evidence)
    changes.announce(write, [older, newer, *conflict.reconsider(write, [older, newer])])
    return relation


def _contradict(write: Write, read: ReadPlayers, ontology: Ontology) -> Relation:
    claims = sorted((one.belief for one in read.players if one.belief), key=lambda one: (one.recorded_at, one.pk))
    older, newcomer = _held_and_waiting(write, *claims)
    waiting = [one for one in claims if one.status not in (Status.ACTIVATED, Status.RESOLVING)]
    if waiting:
        message = "Only beliefs that are held or wait for a verdict can contradict each other."
        raise Conflict(message, code="archived", extra={"beliefs": [str(one.pk) for one in waiting]})
    for one in conflict.open_conflicts(write, claims):
        if {one.older.pk, one.newcomer.pk} == {older.pk, newcomer.pk}:
            return one.relation
    if conflict.ruled_apart(older, newcomer.statement):
        raise Conflict("Somebody ruled that these two do not contradict each other.", code="ruled_apart")
    if newcomer.status == Status.ACTIVATED:
        reason = "It was said to contradict another belief and waits for a verdict."
        beliefs.change_state(write, newcomer, reason=reason, status=Status.RESOLVING)
    conflict.open_all(
        write, newcomer, [conflict.Rival(older, "They were said to contradict each other.")], ontology.number
    )
    changes.announce(write, [older, newcomer])
    return conflict.open_conflicts(write, [newcomer])[-1].relation


def _held_and_waiting(write: Write, older: Belief, newer: Belief) -> tuple[Belief, Belief]:
    """The newer of two claims waits; for an agent, whichever no person confirmed. Refused when both are confirmed."""
    if newer.status != Status.ACTIVATED or may_change(write, newer):
        return older, newer
    if older.status == Status.ACTIVATED and is_confirmed(older):
        refuse_confirmed(write, older, newer)
    return newer, older


def _refuse_last_support(relation: Relation) -> None:
    """Nothing is left without evidence or derivation."""
    role = {"sourcing": "sourced", "derivation": "conclusion"}.get(relation.kind)
    if role is None:
        return
    supported = RelationPlayer.objects.filter(relation=relation, role=role).first()
    if supported is None or supported.belief_id is None:
        return
    others = RelationPlayer.objects.filter(
        belief=supported.belief_id,
        kind__in=["sourcing", "derivation"],
        role__in=["sourced", "conclusion"],
        relation__state=Relation.State.ACTIVATED,
    ).exclude(relation=relation)
    gone = WithdrawnSource.objects.filter(source=OuterRef("source"), in_force=True)
    standing = RelationPlayer.objects.filter(~Exists(gone), relation=OuterRef("relation"), role="evidence")
    if not others.filter(Q(kind="derivation") | Exists(standing)).exists():
        message = "It is the last that the belief stands on; retract the belief instead."
        raise Conflict(message, code="last_support", extra={"belief": str(supported.belief_id)})


def _restore(write: Write, supersession: Relation, reason: str) -> None:
    """Give the superseded belief back the head it had before it was superseded."""
    player = RelationPlayer.objects.select_related("belief").get(relation=supersession, role="superseded")
    older = player.belief
    if older is None or older.status == Status.DELETED:
        return
    before = older.states.exclude(write=supersession.write_id).order_by("sequence").last()
    after = older.states.order_by("sequence").last()
    if before is None or after is None or after.write_id != supersession.write_id:
        return
    head = {name: getattr(before, name) for name in beliefs.HEAD}
    beliefs.change_state(write, older, reason=reason, **head)
    changes.announce(write, [older, *conflict.reconsider(write, [older])])
