"""Stored rows follow a change of the declared types: each room that stores some says how.

`move` is asked for each move, in order, before the new edition is in force. What is only derived from rows (a node's
properties and keys, the index) is made anew once it is: row by row, by `settle`, or ahead of time, by `rehearse` and
`install` (see `staging`).
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import QuerySet

from memoryapp.ledger.models import Retyping, Workspace, Write
from memoryapp.ontology.changes import types_below
from memoryapp.ontology.changeset.moves import Follow, Move
from memoryapp.ontology.compiled import Ontology

Ids = Sequence[uuid.UUID]
Prepared = Iterable[tuple[uuid.UUID, Any]]
"""Rows by their ids, each with what was made of it ahead of time, as plain data."""

CHUNK = 400


@dataclass(frozen=True)
class Touched:
    """Types whose rows have to be read anew, by family."""

    types: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of(self, family: str) -> frozenset[str]:
        return self.types.get(family, frozenset())

    def __bool__(self) -> bool:
        return any(self.types.values())


@dataclass(frozen=True)
class Only:
    """Some rows of one family, and nothing else."""

    family: str
    ids: Ids


def _nothing_made(write: Write, family: str, ids: Ids) -> dict[uuid.UUID, Any]:
    return {}


def _no_marks(workspace: Workspace, family: str, ids: Ids) -> dict[uuid.UUID, str]:
    return {}


@dataclass(frozen=True)
class Follower:
    """How one room follows.

    * `count(workspace, move)`: how many rows of which table would be moved.
    * `move(write, move, only)`: move them, or only some; says how many of which table.
    * `clear(write, touched)`: give up, at once and before the first row is settled, what no row keeps.
    * `settle(write, family, ids)`: make anew what is derived from these rows.
    * `marks(workspace, family, ids)`: for each row a text that is another whenever what is derived from it may be.
    * `rehearse(write, family, ids)`: what settling makes of these rows, as plain data. Called after the rooms below, in
      a transaction that is never committed, so that it may settle them.
    * `install(write, family, prepared)`: store what was rehearsed.
    """

    count: Callable[[Workspace, Move], Mapping[str, int]]
    move: Callable[[Write, Move, Only | None], Mapping[str, int]]
    clear: Callable[[Write, Touched], None] = lambda write, touched: None
    settle: Callable[[Write, str, Ids], None] = lambda write, family, ids: None
    marks: Callable[[Workspace, str, Ids], Mapping[uuid.UUID, str]] = _no_marks
    rehearse: Callable[[Write, str, Ids], Mapping[uuid.UUID, Any]] = _nothing_made
    install: Callable[[Write, str, Prepared], None] = lambda write, family, prepared: None


Rows = Callable[[Workspace, frozenset[str]], QuerySet[Any]]
"""The rows of these types, by which what is derived is made anew."""

_followers: dict[str, Follower] = {}
_rows: dict[str, Rows] = {}


def register(room: str, follower: Follower, rows: Mapping[str, Rows] | None = None) -> None:
    """Say how a room follows, and which rows it has of which family. Rooms are asked in the order of registering: lower
    floors first."""
    _followers[room] = follower
    _rows.update(rows or {})


def followers() -> dict[str, Follower]:
    """Every room that follows, lower floors first."""
    return dict(_followers)


def families() -> tuple[str, ...]:
    """The families of which rows are read anew."""
    return tuple(_rows)


def rows_of(workspace: Workspace, family: str, touched: Touched) -> QuerySet[Any]:
    """The rows that have to be read anew, in the order of their ids."""
    return _rows[family](workspace, touched.of(family)).order_by("pk")


def rows_moving(workspace: Workspace, moves: Sequence[Move]) -> dict[str, int]:
    """How many rows of which table would follow, as far as can be told before the first has moved."""
    found: Counter[str] = Counter()
    for move in moves:
        for follower in _followers.values():
            found.update(follower.count(workspace, move))
    return {table: count for table, count in sorted(found.items()) if count}


def moves_back(workspace: Workspace, number: int) -> list[Move]:
    """What puts back the rows that followed to editions after this one, the latest first."""
    found: list[Move] = []
    done = Retyping.objects.filter(workspace=workspace, edition__gt=number, closed_at__isnull=False)
    for retyping in done.order_by("-edition"):
        for data in reversed(retyping.moves):
            found += Move.of(data).back()
    return found


def begin(write: Write, moves: Sequence[Move], only: Only | None = None) -> Retyping:
    """Open a retyping and move every row, or only some."""
    retyping = Retyping.objects.create(
        workspace=write.workspace,
        moves=[move.as_data() for move in moves],
        write=write,
        opened_at=write.recorded_at,
    )
    counts: Counter[str] = Counter()
    for move in moves:
        for follower in _followers.values():
            counts.update(follower.move(write, move, only))
    retyping.counts = {table: count for table, count in sorted(counts.items()) if count}
    return retyping


def settle(write: Write, touched: Touched, done: Mapping[str, set[uuid.UUID]] | None = None) -> None:
    """Make anew what is derived from rows of touched types, under the edition now in force; `done` are those of which
    it is made already, by family."""
    for family in _rows if touched else ():
        already = (done or {}).get(family, set())
        ids = rows_of(write.workspace, family, touched).values_list("pk", flat=True) if touched.of(family) else ()
        rest = [one for one in ids if one not in already]
        for start in range(0, len(rest), CHUNK):
            for follower in _followers.values():
                follower.settle(write, family, rest[start : start + CHUNK])


def clear(write: Write, touched: Touched) -> None:
    """Give up what no row of touched types keeps."""
    for follower in _followers.values() if touched else ():
        follower.clear(write, touched)


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
COMPARED = ("node_classes", "episode_kinds")
"""Families whose properties have keys by which they are compared."""


def touched(old: Ontology, new: Ontology, moves: Sequence[Move]) -> Touched:
    """The types whose rows have to be read anew, as they are called then."""
    follow, found = Follow(moves), {}
    for family, fields in DERIVED.items():
        was, now = getattr(old.document, family), getattr(new.document, family)
        below = types_below(new, family)
        names: set[str] = set()
        for name, declared in was.items():
            as_now = follow.type(family, name)
            if as_now in now and (
                as_now != name
                or any(getattr(declared, one) != getattr(now[as_now], one) for one in fields)
                or (family in COMPARED and _compared_otherwise(declared.properties, now[as_now].properties))
            ):
                names |= below[as_now]
        for move in moves:
            if move.family == family and (as_now := follow.type(family, move.type)) in now:
                names |= below[as_now]
        found[family] = frozenset(names)
    found["file_roots"] = _roots_touched(old, new)
    return Touched(found)


def _roots_touched(old: Ontology, new: Ontology) -> frozenset[str]:
    """Roots below which other files are searched by their words than before."""
    was = {path: root.indexed for path, root in old.document.file_roots.items()}
    now = {path: root.indexed for path, root in new.document.file_roots.items()}
    return frozenset(path for path in was | now if was.get(path) != now.get(path))


def _compared_otherwise(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether values of a property are of another sort now, so that they are compared by other keys."""
    return any(
        [before[name].get(one) for one in ("type", "format", "enum", "items")]
        != [after[name].get(one) for one in ("type", "format", "enum", "items")]
        for name in before.keys() & after.keys()
    )


def touched_before(old: Ontology, found: Touched, moves: Sequence[Move]) -> Touched:
    """The same types as they are called now."""
    follow = Follow(moves)
    return Touched(
        {
            family: frozenset(one for one in getattr(old.document, family) if follow.type(family, one) in names)
            for family, names in found.types.items()
        }
    )
