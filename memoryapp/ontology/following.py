"""Stored rows follow a change of the declared types: each room that stores some says how.

`move` is asked for each move, in order, before the new edition is in force; `settle` once, when it is: what is only
derived from rows (a node's properties and keys, the index) is made anew for what was touched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from memoryapp.ledger.models import Retyping, Workspace, Write
from memoryapp.ontology.changes import types_below
from memoryapp.ontology.changeset.moves import Follow, Move
from memoryapp.ontology.compiled import Ontology


@dataclass(frozen=True)
class Touched:
    """Types, as they are called now, whose rows have to be read anew, by family."""

    types: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of(self, family: str) -> frozenset[str]:
        return self.types.get(family, frozenset())

    def __bool__(self) -> bool:
        return any(self.types.values())


@dataclass(frozen=True)
class Follower:
    """How one room follows.

    * `count(workspace, move)`: how many rows of which table would be moved.
    * `move(write, move)`: move them; says how many of which table.
    * `settle(write, touched)`: make anew what is derived from rows of these types.
    """

    count: Callable[[Workspace, Move], Mapping[str, int]]
    move: Callable[[Write, Move], Mapping[str, int]]
    settle: Callable[[Write, Touched], None] = lambda write, touched: None


_followers: dict[str, Follower] = {}


def register(room: str, follower: Follower) -> None:
    """Say how a room follows. Rooms are asked in the order of registering: lower floors first."""
    _followers[room] = follower


def rows_moving(workspace: Workspace, moves: Sequence[Move]) -> dict[str, int]:
    """How many rows of which table would follow, as far as can be told before the first has moved."""
    found: Counter[str] = Counter()
    for move in moves:
        for follower in _followers.values():
            found.update(follower.count(workspace, move))
    return {table: count for table, count in sorted(found.items()) if count}


def begin(write: Write, moves: Sequence[Move]) -> Retyping:
    """Open a retyping and move every row."""
    retyping = Retyping.objects.create(
        workspace=write.workspace,
        moves=[move.as_data() for move in moves],
        write=write,
        opened_at=write.recorded_at,
    )
    counts: Counter[str] = Counter()
    for move in moves:
        for follower in _followers.values():
            counts.update(follower.move(write, move))
    retyping.counts = {table: count for table, count in sorted(counts.items()) if count}
    return retyping


def settle(write: Write, touched: Touched) -> None:
    """Make anew what is derived from rows of touched types, under the edition now in force."""
    for follower in _followers.values() if touched else ():
        follower.settle(write, touched)


def close(retyping: Retyping, edition: int, write: Write) -> None:
    """Say that every row has followed."""
    retyping.edition, retyping.closed_at = edition, write.recorded_at
    retyping.save(update_fields=["counts", "edition", "closed_at"])


DERIVED = {
    "node_classes": ("parent", "label", "searchable", "multi_valued", "normalisers", "keys", "title", "templates"),
    "relationships": (),
    "belief_kinds": ("parent", "title"),
    "relation_kinds": (),
    "episode_kinds": ("parent", "title"),
}
"""Fields of a type that what is derived from its rows depends on."""


def touched(old: Ontology, new: Ontology, moves: Sequence[Move]) -> Touched:
    """The types whose rows have to be read anew."""
    follow, found = Follow(moves), {}
    for family, fields in DERIVED.items():
        was, now = getattr(old.document, family), getattr(new.document, family)
        below = types_below(new, family)
        names: set[str] = set()
        for name, declared in was.items():
            as_now = follow.type(family, name)
            if as_now in now and (
                as_now != name or any(getattr(declared, one) != getattr(now[as_now], one) for one in fields)
            ):
                names |= below[as_now]
        for move in moves:
            if move.family == family and (as_now := follow.type(family, move.type)) in now:
                names |= below[as_now]
        found[family] = frozenset(names)
    return Touched(found)
