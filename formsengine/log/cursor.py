"""Undo and redo: moves of a cursor that are logged themselves. What was taken back does not come back by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from formsengine.evaluation.states import Key
from formsengine.log.addresses import Found, find_field
from formsengine.log.commits import Commit, Revision
from formsengine.log.response import WRITABLE, Response
from formsengine.problems import Refused

if TYPE_CHECKING:
    from formsengine.log.writing import Draft


def _move(draft: Draft, key: Key, to: str | None, cause: str) -> None:
    event = {"event": "moved", "field": key[0], "row": key[1], "from": draft.response.heads.get(key), "to": to}
    draft.happen({**event, "cause": cause, "by": draft.writer.actor})


def _open(draft: Draft) -> None:
    if draft.response.state not in WRITABLE:
        raise Refused("submitted", "What has been submitted is not undone; reopen it, or propose an amendment.")


def undo(draft: Draft, op: Mapping[str, Any]) -> None:
    """One field, a named commit, or the writer's own newest commit. Raises Refused("moved") when a write came first."""
    _open(draft)
    if op.get("field"):
        _undo_field(draft, op)
        return
    _alone(draft)
    number = op.get("commit")
    target = _own_newest(draft) if number is None else _commit(draft, number)
    moved = _take_back(draft, target, bool(op.get("strict") or draft.patch.strict))
    draft.commit.undoes = target.number
    if not moved:
        raise Refused("nothing", f"Everything of commit {target.number} has been changed since.")


def _alone(draft: Draft) -> None:
    """A commit that takes another back holds nothing else, so that it can be taken back itself."""
    if len(draft.patch.ops) > 1:
        raise Refused("alone", "Undo and redo of a commit stand alone in a patch; of a field they need not.")


def _open_proposals(response: Response, commit: Commit) -> list[Revision]:
    """Answers of the commit that still wait for a person."""
    waiting = {each for found in response.conflicts.values() for each in found}
    proposed = [event["id"] for event in commit.events if event["event"] == "proposed"]
    return [response.revisions[each] for each in proposed if each in waiting]


def _commit(draft: Draft, number: Any) -> Commit:
    response = draft.response
    if not isinstance(number, int) or not 1 <= number <= len(response.commits):
        raise Refused("unknown-commit", f"There is no commit {number}.")
    if number <= response.floor:
        raise Refused("submitted", "Undo does not cross a submission or a change of version.")
    if number in response.undone:
        raise Refused("nothing", f"Commit {number} has been undone already.")
    return response.commits[number - 1]


def _own_newest(draft: Draft) -> Commit:
    """The newest commit of the same party that changed something and has not been undone."""
    response = draft.response
    for commit in reversed(response.commits):
        if commit.number <= response.floor:
            break
        own = commit.by.actor == draft.writer.actor
        if own and commit.undoes is None and commit.redoes is None and commit.number not in response.undone:
            changes = response.changes.get(commit.number)
            moved = changes is not None and bool(changes.heads or changes.rows)
            if moved or _open_proposals(response, commit):
                if draft.patch.base is not None and commit.number > draft.patch.base:
                    raise Refused("moved", f"Commit {commit.number} came after what you saw.")
                return commit
    raise Refused("nothing", "There is nothing of yours to undo.")


def _take_back(draft: Draft, target: Commit, strict: bool) -> int:
    """Every field and row of the commit back to before it; what a later commit changed is left and named."""
    response = draft.response
    changes = response.changes_of(target.number)
    fields = {key: pair for key, pair in changes.heads.items() if pair[0] != pair[1]}
    skipped = [key for key, (_, after) in fields.items() if response.heads.get(key) != after]
    rows_skipped = [row for row, (_, after) in changes.rows.items() if not _as_it_was(response, row, after)]
    if strict and (skipped or rows_skipped):
        named = [draft.address(key) for key in skipped] + [draft.address(("", row)) for row in rows_skipped]
        raise Refused("moved", f"Changed since by a later commit: {', '.join(named)}.")
    moved = 0
    for proposal in _open_proposals(response, target):
        key = (proposal.field, proposal.row)
        event = {"event": "settled", "field": key[0], "row": key[1], "candidates": [proposal.id], "how": "withdrawn"}
        draft.happen({**event, "by": draft.writer.actor})
        draft.say(draft.address(key), "withdrawn", revision=proposal.id)
        moved += 1
    for key, (before, _) in fields.items():
        if key in skipped:
            draft.say(draft.address(key), "skipped", "A later commit changed this.")
            continue
        _move(draft, key, before, "undo")
        draft.say(draft.address(key), "undone", revision=before)
        moved += 1
    for row, (place, _) in changes.rows.items():
        if row in rows_skipped:
            draft.say(draft.address(("", row)), "skipped", "A later commit changed this row.")
            continue
        _row_to(draft, row, place)
        draft.say(draft.address(("", row)), "undone")
        moved += 1
    return moved


def _as_it_was(response: Response, row: str, after: int | None) -> bool:
    return (response.row_place(row) is None) == (after is None)


def _row_to(draft: Draft, row: str, place: int | None) -> None:
    now = draft.response.row_place(row)
    if place is None:
        if now is not None:
            draft.happen({"event": "row-removed", "row": row, "by": draft.writer.actor})
        return
    if now is None:
        draft.happen({"event": "row-restored", "row": row, "by": draft.writer.actor})
    if draft.response.row_place(row) != place:
        draft.happen({"event": "row-moved", "row": row, "to": place, "by": draft.writer.actor})


def _raced(draft: Draft, found: Found) -> bool:
    """Whether somebody else's answer stands there that the writer has not seen."""
    response, base = draft.response, draft.patch.base
    current = response.revision(found.key)
    since = response.head_since.get(found.key, 0)
    if base is not None:
        return since > base and since != draft.commit.number
    return current is not None and current.actor != draft.writer.actor


def _undo_field(draft: Draft, op: Mapping[str, Any]) -> None:
    response = draft.response
    found = find_field(response.plan, response.rows, str(op["field"]), aliases=draft.aliases)
    current, path = response.revision(found.key), draft.address(found.key)
    if op.get("head") not in (None, current.id if current else None) or _raced(draft, found):
        raise Refused("moved", f"{path} was answered after what you saw.")
    if current is None:
        draft.say(path, "no-op", "There is nothing to undo.")
        return
    if current.commit <= response.floor:
        raise Refused("submitted", "Undo does not cross a submission or a change of version.")
    _move(draft, found.key, current.parent, "undo")
    draft.say(path, "undone", revision=current.parent)


def redo(draft: Draft, op: Mapping[str, Any]) -> None:
    """The last undo of the same party again, or of one field; what was answered anew since is left alone."""
    _open(draft)
    response = draft.response
    if op.get("field"):
        found = find_field(response.plan, response.rows, str(op["field"]), aliases=draft.aliases)
        _redo_field(draft, found)
        return
    _alone(draft)
    redone = {each.redoes for each in response.commits if each.redoes is not None}
    undos = (each for each in reversed(response.commits) if each.undoes is not None and each.number not in redone)
    mine = (each for each in undos if each.by.actor == draft.writer.actor and each.number > response.floor)
    target = next(mine, None)
    if target is None:
        raise Refused("nothing", "There is nothing of yours to redo.")
    changes, moved = response.changes_of(target.number), 0
    for key, (before, after) in changes.heads.items():
        stack = response.redo.get(key, ())
        if stack and stack[-1] == before and response.heads.get(key) == after:
            _move(draft, key, before, "redo")
            draft.say(draft.address(key), "redone", revision=before)
            moved += 1
        else:
            draft.say(draft.address(key), "skipped", "This was answered anew since.")
    for row, (before_place, after_place) in changes.rows.items():
        if _as_it_was(response, row, after_place):
            _row_to(draft, row, before_place)
            draft.say(draft.address(("", row)), "redone")
            moved += 1
    if not moved:
        raise Refused("nothing", "Everything that was undone has been answered anew.")
    draft.commit.redoes = target.number


def _redo_field(draft: Draft, found: Found) -> None:
    stack = draft.response.redo.get(found.key, ())
    path = draft.address(found.key)
    if not stack:
        draft.say(path, "no-op", "There is nothing to redo.")
        return
    if _raced(draft, found):
        raise Refused("moved", f"{path} was answered after what you saw.")
    _move(draft, found.key, stack[-1], "redo")
    draft.say(path, "redone", revision=stack[-1])


def restore(draft: Draft, op: Mapping[str, Any]) -> None:
    """The cursor of a field to any of its revisions."""
    _open(draft)
    response = draft.response
    found = find_field(response.plan, response.rows, str(op.get("field", "")), aliases=draft.aliases)
    path = draft.address(found.key)
    own = [each.id for each in response.revisions.values() if (each.field, each.row) == found.key and not each.because]
    if op.get("revision") not in own:
        draft.say(path, "rejected", "Name one of the field's revisions.", accepted=own, code="unknown-revision")
        return
    if _raced(draft, found):
        raise Refused("moved", f"{path} was answered after what you saw.")
    _move(draft, found.key, str(op["revision"]), "restore")
    draft.say(path, "restored", revision=op["revision"])


def revert(draft: Draft, op: Mapping[str, Any]) -> None:
    """Every field and row as commit `to` left it, as a new commit. With a copy of the response this is its preview."""
    _open(draft)
    response, to = draft.response, op.get("to")
    if not isinstance(to, int) or isinstance(to, bool) or not response.floor <= to <= len(response.commits):
        raise Refused("unknown-commit", f"`to` is a commit from {response.floor} to {len(response.commits)}.")
    if draft.patch.base != response.number:
        raise Refused("moved", f"Say the last commit, {response.number}, as `base`: going back concerns everybody.")
    for key in sorted(response.heads):
        then = response.head_at(key, to)
        if response.heads[key] != then:
            _move(draft, key, then, "revert")
            draft.say(draft.address(key), "reverted", revision=then)
    for row in list(response.rows.by_id):
        place = next((each.rows[row][0] for number, each in sorted(response.changes.items())
                      if number > to and row in each.rows), response.row_place(row))  # fmt: skip
        if (place is None) != (response.row_place(row) is None):
            _row_to(draft, row, place)
            draft.say(draft.address(("", row)), "reverted")
