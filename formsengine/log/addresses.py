"""Finding what a writer means: by name, by permanent id, or by a label in any language that only one thing has."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from formsengine.definition.model import Repeat
from formsengine.definition.plan import Plan, Planned
from formsengine.evaluation.rows import Rows
from formsengine.evaluation.states import Key
from formsengine.problems import nearest

MOST_SHOWN = 8


class NotFound(Exception):
    """Nothing, or more than one thing, is called so. `accepted` are what may have been meant."""

    def __init__(self, code: str, message: str, accepted: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.accepted = tuple(accepted)[:MOST_SHOWN]


@dataclass(frozen=True, slots=True)
class Found:
    """A field in a row."""

    planned: Planned
    row: str

    @property
    def key(self) -> Key:
        return (self.planned.uid, self.row)


def address(plan: Plan, rows: Rows, key: Key) -> str:
    """How a field in a row is written: `children/<row>/age`, with ids that never change, never places."""
    uid, row = key
    parts = [plan.items[uid].name if uid in plan.items else uid] if uid else []
    while row:
        found = rows.by_id[row]
        parts[:0] = [plan.items[found.repeat].name if found.repeat in plan.items else found.repeat, row]
        row = found.parent
    return "/".join(parts)


def find_field(plan: Plan, rows: Rows, path: str, *, aliases: dict[str, str] | None = None) -> Found:
    """The field a path means. Raises NotFound with candidates, each with where it stands."""
    head, _, last = str(path).strip().strip("/").rpartition("/")
    row = _row_in(rows, head, aliases or {})
    planned = _named(plan, last or head, [each for each in plan.items.values() if each.is_field])
    if not planned.rows_of:
        return Found(planned, "")
    if row is not None:
        row = _up_to(rows, row, planned)
    if row is None:
        return Found(planned, _only_row(plan, rows, planned))
    return Found(planned, row)


def find_repeat(plan: Plan, name: str) -> Planned:
    return _named(plan, str(name), list(plan.repeats))


def find_row(rows: Rows, row: str, aliases: dict[str, str] | None = None) -> str:
    """The row, removed or not. Raises NotFound with the rows there are."""
    found = (aliases or {}).get(row, row)
    if found not in rows.by_id:
        raise NotFound("unknown-row", f"There is no row {row!r}; rows are named by their ids.", rows.by_id)
    return found


def _row_in(rows: Rows, head: str, aliases: dict[str, str]) -> str | None:
    """The last part of the path that is a row, if any is."""
    found = None
    for part in head.split("/") if head else ():
        part = aliases.get(part, part)
        if part in rows.by_id:
            found = part
        elif part.isdigit():
            raise NotFound("place", "Rows are named by their ids, not by their places.", rows.by_id)
    return found


def _up_to(rows: Rows, row: str, planned: Planned) -> str:
    """The row itself, or the row around it that the field stands in."""
    at = row
    while at and rows.by_id[at].repeat != planned.rows_of[-1]:
        at = rows.parents[at]
    if not at:
        there = [each.id for each in rows.by_id.values() if each.repeat == planned.rows_of[-1]]
        raise NotFound("unknown-row", f"{planned.name} is not asked in the row {row}.", there)
    return at


def _only_row(plan: Plan, rows: Rows, planned: Planned) -> str:
    there = [each for each in rows.by_id.values() if each.repeat == planned.rows_of[-1] and not each.removed]
    if len(there) == 1:
        return there[0].id
    accepted = [address(plan, rows, (planned.uid, each.id)) for each in there]
    asked = f"{planned.name} is asked once for each row: say which."
    message = asked if there else f"There is no row for {planned.name} yet."
    raise NotFound("which-row", message, accepted or [f"rows: add to {plan.items[planned.rows_of[-1]].name}"])


def _named(plan: Plan, word: str, among: list[Planned]) -> Planned:
    for each in among:
        if word in (each.name, each.uid):
            return each
    folded = " ".join(word.split()).casefold()
    found = [each for each in among if folded in words_for(each)]
    if len(found) == 1:
        return found[0]
    if found:
        candidates = [where(plan, each) for each in found]
        raise NotFound("several", f"{word!r} is the label of several fields: say which.", candidates)
    known = {text: each for each in among for text in words_for(each)}
    close = dict.fromkeys(where(plan, known[text]) for text in nearest(folded, known))
    raise NotFound("unknown-field", f"Nothing here is called {word!r}.", close)


def words_for(planned: Planned) -> set[str]:
    """What a field may be called, folded."""
    labels = {" ".join(text.split()).casefold() for text in planned.item.label.values()}
    return labels | {planned.name.casefold(), planned.name.replace("_", " ").casefold()}


def where(plan: Plan, planned: Planned) -> str:
    """A name with the sections around it, so that two fields with one label can be told apart."""
    parts, at = [], planned.parent
    while at:
        parts.append(plan.label(plan.items[at]))
        at = plan.items[at].parent
    kind = " (rows)" if isinstance(planned.item, Repeat) else ""
    inside = " in " + " in ".join(parts) if parts else ""
    return f"{planned.name}{kind}: {plan.label(planned)}{inside}"
