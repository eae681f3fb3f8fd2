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
        self._relations: list[Relation] = []
        self._players: list[RelationPlayer] = []
        self._states: list[RelationState] = []

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
        self._players.extend(self._player(relation, player, place) for place, player in enumerate(players))
        self._states.append(_state(relation, self.write, 1, Relation.State.ACTIVATED, reason))
        return relation

    def finish(self) -> list[Relation]:
        """Store and activate what was gathered since the last `finish`."""
        made, self._relations = self._relations, []
        players, self._players = self._players, []
        states, self._states = self._states, []
        prepared.insert(made)
        prepared.insert(players)
        prepared.insert(states)
        for start in range(0, len(made), CHUNK):
            ids = [relation.pk for relation in made[start : start + CHUNK]]
            prepared.change(_those, ids=ids, to={"state": Relation.State.ACTIVATED})
        for relation in made:
            relation.state = Relation.State.ACTIVATED
        return made

    def _player(self, relation: Relation, player: Playing, place: int) -> RelationPlayer:
        quoted = player.source is not None and player.start is not None and player.end is not None
        return RelationPlayer(
            workspace=self.write.workspace,
            relation=relation,
            kind=relation.kind,
            role=player.role,
            position=place,
            belief=player.belief,
            node=player.node,
            source=player.source,
            played_by=player.relation,
            quote=player.source.content[player.start : player.end] if quoted and player.source else "",
            span_start=player.start if quoted else None,
            span_end=player.end if quoted else None,
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
