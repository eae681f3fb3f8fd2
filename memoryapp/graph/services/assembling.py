"""Putting relations together: players first, then activation, in as few statements as a batch allows."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import EllipsisType
from typing import Any

from django.db.models import QuerySet

from memoryapp.doors.errors import Invalid
from memoryapp.doors.strict import unreadable_characters
from memoryapp.graph.models import Belief, Node, Relation, RelationPlayer, RelationState
from memoryapp.ledger import prepared
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

CHUNK = 400
"""Ids in one IN list, below what either engine allows."""


@dataclass(frozen=True)
class Playing:
    """One player in a role: exactly one of belief, node, source, relation. A source may be quoted by its span."""

    role: str
    belief: Belief | None = None
    node: Node | None = None
    source: Source | None = None
    relation: Relation | None = None
    start: int | None = None
    end: int | None = None


class Assembly:
    """Relations gathered for one write. Nothing is stored before `finish`, which activates all of them.

    Whether the kind is declared and whole is refused by the database; who may play which role is the caller's to check.
    """

    def __init__(self, write: Write, ontology_version: int) -> None:
        self.write = write
        self.ontology_version = ontology_version
        self._alike = {"workspace_id": write.workspace_id, "write_id": write.pk, "recorded_at": write.recorded_at}
        self._relations: list[Relation] = []
        self._made: list[tuple[Any, ...]] = []
        self._players: list[tuple[Any, ...]] = []
        self._states: list[tuple[Any, ...]] = []

    def add(
        self,
        kind: str,
        players: list[Playing],
        *,
        reason: str,
        valid_from: dt.datetime | None = None,
        valid_to: dt.datetime | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> Relation:
        """Gather one relation; it is stored with `finish`."""
        relation = Relation(
            workspace=self.write.workspace,
            kind=kind,
            attributes=attributes or {},
            valid_from=valid_from,
            valid_to=valid_to,
            ontology_version=self.ontology_version,
            write=self.write,
            recorded_at=self.write.recorded_at,
        )
        self._relations.append(relation)
        self._gather(relation.pk, kind, players, reason, valid_from, valid_to, attributes or {})
        return relation

    def support(self, kind: str, players: Sequence[Playing], *, reason: str) -> None:
        """Gather one relation that nobody refers to: whose a belief is, and what it stands on."""
        self._gather(new_id(), kind, players, reason, None, None, {})

    def _gather(
        self,
        id: uuid.UUID,
        kind: str,
        players: Sequence[Playing],
        reason: str,
        valid_from: dt.datetime | None,
        valid_to: dt.datetime | None,
        attributes: dict[str, Any],
    ) -> None:
        self._made.append((id, kind, attributes, valid_from, valid_to))
        self._players.extend(_player(id, kind, player, place) for place, player in enumerate(players))
        self._states.append((new_id(), id, valid_from, valid_to, reason))

    def finish(self) -> list[Relation]:
        """Store and activate what was gathered since the last `finish`; gives what `add` gave of it."""
        relations, self._relations = self._relations, []
        made, self._made = self._made, []
        players, self._players = self._players, []
        states, self._states = self._states, []
        edition = {"ontology_version": self.ontology_version}
        begun = {"sequence": 1, "state": ACTIVATED}
        prepared.fill(Relation, self._alike | edition, OF_RELATION, made)
        prepared.fill(RelationPlayer, {"workspace_id": self.write.workspace_id}, OF_PLAYER, players)
        prepared.fill(RelationState, self._alike | begun, OF_STATE, states)
        for start in range(0, len(made), CHUNK):
            ids = [one[0] for one in made[start : start + CHUNK]]
            prepared.change(_those, ids=ids, to={"state": ACTIVATED})
        for relation in relations:
            relation.state = ACTIVATED
            relation._state.adding = False
        return relations


ACTIVATED = Relation.State.ACTIVATED.value
OF_RELATION = ("id", "kind", "attributes", "valid_from", "valid_to")
OF_STATE = ("id", "relation_id", "valid_from", "valid_to", "reason")
OF_PLAYER = (
    "id",
    "relation_id",
    "kind",
    "role",
    "position",
    "belief_id",
    "node_id",
    "source_id",
    "played_by_id",
    "quote",
    "span_start",
    "span_end",
)


def _player(relation: uuid.UUID, kind: str, player: Playing, place: int) -> tuple[Any, ...]:
    """A row of a player, by `OF_PLAYER`."""
    source, start, end = player.source, player.start, player.end
    if source is None or start is None or end is None:
        start = end = None
    quote = source.content[start:end] if source is not None and start is not None else ""
    return (
        new_id(),
        relation,
        kind,
        player.role,
        place,
        player.belief.pk if player.belief else None,
        player.node.pk if player.node else None,
        source.pk if source else None,
        player.relation.pk if player.relation else None,
        quote,
        start,
        end,
    )


def _those(ids: Sequence[uuid.UUID]) -> QuerySet[Relation]:
    return Relation.objects.filter(pk__in=ids)


def change_relation(
    write: Write,
    relation: Relation,
    *,
    reason: str,
    state: str | None = None,
    valid_to: dt.datetime | EllipsisType | None = ...,
) -> Relation:
    """The one way a relation's head changes: a new RelationState, and the head with its lock one higher.

    Raises Invalid `unreadable_text` for a reason that cannot be stored.
    """
    if wrong := unreadable_characters(reason):
        raise Invalid.at("/reason", "unreadable_text", f"The reason holds {wrong}.", "text without it")
    current = Relation.objects.get(pk=relation.pk)
    relation.state = state or current.state
    relation.valid_to = current.valid_to if isinstance(valid_to, EllipsisType) else valid_to
    relation.lock = current.lock + 1
    _state(relation, write, relation.lock, relation.state, reason).save(force_insert=True)
    Relation.objects.filter(pk=relation.pk).update(state=relation.state, valid_to=relation.valid_to, lock=relation.lock)
    return relation


def change_relations(
    write: Write, heads: Mapping[uuid.UUID, tuple[str, dt.datetime | None]], *, reason: str
) -> list[Relation]:
    """What `change_relation` does, of many: each gets its state and its end. A few statements however many they are.

    Those that are so already stay untouched. Returns the ones that changed.
    """
    changed: list[Relation] = []
    for start in range(0, len(heads), CHUNK):
        some = sorted(heads)[start : start + CHUNK]
        for relation in Relation.objects.filter(pk__in=some).order_by("pk"):
            if (relation.state, relation.valid_to) != heads[relation.pk]:
                relation.state, relation.valid_to = heads[relation.pk]
                relation.lock += 1
                changed.append(relation)
    prepared.insert([_state(one, write, one.lock, one.state, reason) for one in changed])
    prepared.store(changed, ["state", "valid_to", "lock"])
    return changed


def _state(relation: Relation, write: Write, sequence: int, state: str, reason: str) -> RelationState:
    return RelationState(
        workspace=write.workspace,
        relation=relation,
        sequence=sequence,
        state=state,
        valid_from=relation.valid_from,
        valid_to=relation.valid_to,
        reason=reason,
        write=write,
        recorded_at=write.recorded_at,
    )
