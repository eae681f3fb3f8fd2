"""Rows added, removed, put back and moved. Two writers who both add keep both; a removed row keeps its answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from formsengine.definition.model import Repeat
from formsengine.definition.plan import Planned
from formsengine.log.addresses import NotFound, find_repeat, find_row
from formsengine.log.response import WRITABLE, Response
from formsengine.values.runtime import shown

if TYPE_CHECKING:
    from formsengine.log.writing import Draft

MOST_ROWS = 1000


def row_labels(response: Response, repeat: str) -> dict[str, str]:
    """The live rows of a list with what each is called."""
    planned = response.plan.by_name.get(repeat)
    if planned is None or not isinstance(planned.item, Repeat):
        return {}
    named = response.plan.by_name.get(planned.item.row_label or "")
    made = {}
    for (uid, _), live in response.evaluation.live.items():
        if uid == planned.uid:
            for row in live:
                value = response.evaluation.values.get((named.uid, row)) if named else None
                made[row] = shown(value) or row
    return made


def add_row(draft: Draft, planned: Planned, parent: str, *, by: str = "") -> str:
    """A new row at the end of the list."""
    row = draft.new_id("w")
    event = {"event": "row-added", "row": row, "repeat": planned.uid, "parent": parent}
    draft.happen({**event, "by": by or draft.writer.actor})
    return row


def _parent(draft: Draft, planned: Planned, op: Mapping[str, Any]) -> str:
    """The row that a list within rows stands in."""
    if not planned.rows_of:
        return ""
    named = str(op.get("parent") or op.get("in") or "")
    if named:
        return find_row(draft.response.rows, named, draft.aliases)
    there = [each.id for each in draft.response.rows.by_id.values() if each.repeat == planned.rows_of[-1]]
    if len(there) == 1:
        return there[0]
    raise NotFound("which-row", f"{planned.name} is a list in each row: say which as `parent`.", there)


def _open(draft: Draft, path: str) -> bool:
    if draft.response.state in WRITABLE:
        return True
    draft.say(path, "rejected", "This has been submitted: its rows stay until it is reopened.", code="submitted")
    return False


def add(draft: Draft, op: Mapping[str, Any]) -> None:
    """`as` names the row within the patch, `values` answers its fields at once."""
    planned = find_repeat(draft.response.plan, str(op.get("repeat", "")))
    if not _open(draft, planned.name):
        return
    parent = _parent(draft, planned, op)
    if len(draft.response.rows.present(planned.uid, parent)) >= MOST_ROWS:
        draft.say(planned.name, "rejected", f"A list has at most {MOST_ROWS} rows.", code="too-many")
        return
    row = add_row(draft, planned, parent)
    if op.get("as"):
        draft.aliases[str(op["as"])] = row
    draft.say(draft.address(("", row)), "added", row=row)
    _answers(draft, row, op.get("values") or {}, op)


def _answers(draft: Draft, row: str, values: Mapping[str, Any], op: Mapping[str, Any]) -> None:
    from formsengine.log.writing import _one

    shared = {key: op[key] for key in ("origin", "speaker", "said_at", "evidence") if key in op}
    for number, (name, value) in enumerate(values.items()):
        _one(draft, {"op": "set", "field": f"{row}/{name}", "value": value, **shared}, number)


def remove(draft: Draft, op: Mapping[str, Any]) -> None:
    row = find_row(draft.response.rows, str(op.get("row", "")), draft.aliases)
    path = draft.address(("", row))
    if not _open(draft, path):
        return
    found, base = draft.response.rows.by_id[row], draft.patch.base
    if found.removed:
        draft.say(path, "no-op", "This row was removed already.")
        return
    changed = [key for key in draft.response.heads if key[1] == row and draft.response.head_since[key] > (base or 0)]
    if base is not None and changed:
        named = [draft.address(key) for key in changed]
        draft.say(path, "rejected", "Somebody answered in this row after what you saw.", accepted=named, code="stale")
        return
    draft.happen({"event": "row-removed", "row": row, "by": draft.writer.actor})
    draft.say(path, "removed", row=row)


def put_back(draft: Draft, op: Mapping[str, Any]) -> None:
    row = find_row(draft.response.rows, str(op.get("row", "")), draft.aliases)
    path = draft.address(("", row))
    if not _open(draft, path):
        return
    if not draft.response.rows.by_id[row].removed:
        draft.say(path, "no-op", "This row is there.")
        return
    draft.happen({"event": "row-restored", "row": row, "by": draft.writer.actor})
    draft.say(path, "restored", row=row)


def move(draft: Draft, op: Mapping[str, Any]) -> None:
    """To the place `to`, counted from 0."""
    row = find_row(draft.response.rows, str(op.get("row", "")), draft.aliases)
    path = draft.address(("", row))
    found, to = draft.response.rows.by_id[row], op.get("to")
    most = len(draft.response.rows.order[(found.repeat, found.parent)]) - 1
    if not _open(draft, path):
        return
    if not isinstance(to, int) or isinstance(to, bool) or not 0 <= to <= most:
        draft.say(path, "rejected", f"`to` is a place from 0 to {most}.", code="place")
        return
    draft.happen({"event": "row-moved", "row": row, "to": to, "by": draft.writer.actor})
    draft.say(path, "moved", row=row)


def rows(draft: Draft, op: Mapping[str, Any]) -> None:
    """A whole list at once: `add` appends, `remove` takes away, `replace` does both."""
    planned = find_repeat(draft.response.plan, str(op.get("repeat", "")))
    parent = _parent(draft, planned, op)
    gone = list(op.get("remove") or ())
    if "replace" in op:
        gone = draft.response.rows.present(planned.uid, parent)
    for row in gone:
        remove(draft, {"row": row})
    for each in op.get("replace") or op.get("add") or ():
        values = each if isinstance(each, Mapping) else _labelled(draft, planned, each)
        add(draft, {**op, "repeat": planned.name, "parent": parent, "values": values, "as": None})


def _labelled(draft: Draft, planned: Planned, value: Any) -> dict[str, Any]:
    """A row given by one value is called so."""
    named = planned.item.row_label if isinstance(planned.item, Repeat) else None
    if named is None:
        accepted = [each.name for each in draft.response.plan.fields if each.rows_of[-1:] == (planned.uid,)]
        raise NotFound("row-values", f"A row of {planned.name} is given by its fields.", accepted)
    return {named: value}
