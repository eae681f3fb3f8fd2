"""A draft moved to another version of its form: previewed, logged, and with every answer kept as it was given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from formsengine.definition.changes import Class, compare, worst
from formsengine.evaluation.evaluate import Prepared
from formsengine.evaluation.states import Key
from formsengine.log.addresses import address
from formsengine.log.commits import Clock, Revision, Writer
from formsengine.log.response import WRITABLE, Response
from formsengine.log.writing import Draft, Patch, Result
from formsengine.problems import Problem, Refused
from formsengine.values.read import read_answer
from formsengine.values.refusing import Unreadable


def migrate(
    response: Response,
    writer: Writer,
    clock: Clock,
    ready: Prepared,
    *,
    confirmed: bool = False,
    moved: Mapping[str, str] | None = None,
) -> Result:
    """The draft under the other version. `moved` says which new field an answer of an old one belongs to.

    Answers of fields that are gone stay in the log, orphaned. What was given is read again where the type changed.
    Raises Refused("review") when the changes want a confirmation, Refused("breaking") when they want a map.
    """
    if response.state not in WRITABLE:
        raise Refused("state", "What was submitted stays under its version; reopen it to move it.")
    changes = compare(response.plan, ready.plan)
    kind = worst(changes)
    problems = [Problem(each.uid, each.kind.name.lower(), each.what) for each in changes if each.kind is kind]
    if kind is Class.BREAKING and moved is None:
        raise Refused("breaking", "Answers would be lost from sight: say with a map where they belong.", problems)
    if kind is Class.REVIEW and not confirmed:
        raise Refused("review", "Some answers may change their state: look at the preview and confirm.", problems)
    if unknown := [new for new in (moved or {}).values() if new not in ready.plan.items]:
        raise Refused("unknown-field", f"There is no field {unknown[0]!r} in the new version.")
    draft = Draft(response, writer, Patch(()), clock)
    _move(draft, ready, dict(moved or {}))
    return draft.finish()


def preview(
    response: Response, ready: Prepared, clock: Clock, moved: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """What would change: the differences, and the fields of this draft whose state would be another."""
    writer = Writer("preview", "system", human=True)
    after = migrate(response, writer, clock, ready, confirmed=True, moved=moved or {}).response
    states = {}
    for key, state in after.evaluation.states.items():
        before = response.evaluation.states.get(key)
        was = str(before.name) if before else "absent"
        if was != str(state.name) and state.name != "absent":
            states[address(after.plan, after.rows, key)] = {"before": was, "after": str(state.name)}
    orphaned = [address(response.plan, response.rows, key) for key in orphans(after)]
    changes = [each.as_data() for each in compare(response.plan, ready.plan)]
    return {"changes": changes, "states": states, "orphaned": sorted(orphaned)}


def orphans(response: Response) -> list[Key]:
    """Answers whose fields this version does not have; they stay readable and are exported."""
    return [key for key, head in response.heads.items() if head and key[0] not in response.plan.items]


def _move(draft: Draft, ready: Prepared, moved: Mapping[str, str]) -> None:
    response, before = draft.response, draft.response.plan
    response.known[ready.plan.digest] = ready
    form = ready.plan.form
    event = {"event": "migrated", "from": before.digest, "to": ready.plan.digest, "by": draft.writer.actor}
    draft.happen({**event, "version": form.version})
    for key, head in sorted(response.heads.items()):
        if head is None:
            continue
        revision = response.revisions[head]
        target = (moved.get(key[0], key[0]), key[1])
        if target[0] not in ready.plan.items or not ready.plan.items[target[0]].is_field:
            continue
        if target == key and before.items[key[0]].question.type == ready.plan.items[key[0]].question.type:
            continue
        _read_again(draft, revision, target)


def _read_again(draft: Draft, revision: Revision, target: Key) -> None:
    """What was given, read as the new version has it; what cannot be read is no longer in force."""
    planned = draft.response.plan.items[target[0]]
    try:
        kept = read_answer(planned.question, revision.raw, draft.setting(planned)).value
    except Unreadable as wrong:
        event = {"event": "rejected", "field": target[0], "row": target[1], "raw": revision.raw, "code": wrong.code}
        draft.happen({**event, "message": wrong.message})
        if draft.response.heads.get(target):
            move = {"event": "moved", "field": target[0], "row": target[1], "from": revision.id, "to": None}
            draft.happen({**move, "cause": "migrate", "by": draft.writer.actor})
        draft.say(draft.address(target), "rejected", wrong.message, accepted=wrong.accepted, code=wrong.code)
        return
    data = revision.as_event("revised") | {"id": draft.new_id("r"), "field": target[0], "row": target[1], "kept": kept}
    parent = draft.response.heads.get(target)
    draft.happen(data | {"origin": "migration", "commit": draft.commit.number, "parent": parent})
    draft.say(draft.address(target), "in-force", value=kept)
