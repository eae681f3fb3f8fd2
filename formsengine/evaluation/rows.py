"""The rows of lists: permanent ids, an order apart from them, and removal that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the list `repeat` under the row `parent` ("" at the top). Removed rows keep their answers."""

    id: str
    repeat: str
    parent: str
    removed: bool = False
    changed_in: int = 0


class Rows:
    """Which rows there are. Ids are never used again."""

    def __init__(self) -> None:
        self.by_id: dict[str, Row] = {}
        self.parents: dict[str, str] = {}
        self.order: dict[tuple[str, str], list[str]] = {}

    def copy(self) -> Rows:
        made = Rows()
        made.by_id = dict(self.by_id)
        made.parents = dict(self.parents)
        made.order = {key: list(rows) for key, rows in self.order.items()}
        return made

    def add(self, row: Row) -> None:
        self.by_id[row.id] = row
        self.parents[row.id] = row.parent
        self.order.setdefault((row.repeat, row.parent), []).append(row.id)

    def set_removed(self, row_id: str, removed: bool, commit: int) -> None:
        self.by_id[row_id] = replace(self.by_id[row_id], removed=removed, changed_in=commit)

    def move(self, row_id: str, place: int) -> None:
        """To a place among its rows, counted from 0."""
        row = self.by_id[row_id]
        order = self.order[(row.repeat, row.parent)]
        order.remove(row_id)
        order.insert(place, row_id)

    def place(self, row_id: str) -> int:
        row = self.by_id[row_id]
        return self.order[(row.repeat, row.parent)].index(row_id)

    def present(self, repeat: str, parent: str) -> list[str]:
        return [each for each in self.order.get((repeat, parent), ()) if not self.by_id[each].removed]

    def under(self, repeats: tuple[str, ...], base: str) -> Iterator[str]:
        """Every row, removed ones too, of the last repeat below `base`."""
        if not repeats:
            yield base
            return
        for row in self.order.get((repeats[0], base), ()):
            yield from self.under(repeats[1:], row)

    def removed_above(self, row_id: str) -> bool:
        """Whether the row, or one it lies in, has been removed."""
        while row_id:
            if self.by_id[row_id].removed:
                return True
            row_id = self.parents[row_id]
        return False
