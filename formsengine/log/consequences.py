"""What follows from a commit and is written with it: rows a count asks for, defaults, stamps, gates that open."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from formsengine.definition.plan import Planned
from formsengine.evaluation.states import Key
from formsengine.expressions.compile import Rule
from formsengine.log.commits import SYSTEM, Revision
from formsengine.log.listing import add_row
from formsengine.log.response import WRITABLE, GateState
from formsengine.values.read import Setting, read_answer
from formsengine.values.refusing import Unreadable
from formsengine.values.runtime import Day, Value, shown

if TYPE_CHECKING:
    from formsengine.log.writing import Draft

MOST_ROUNDS = 50
"""Defaults that wait for each other settle within as many rounds; each is worked out once."""


def settle(draft: Draft) -> None:
    """Evaluates, and writes what follows, until nothing more follows."""
    response = draft.response
    if draft.commit.number == 1:
        stamp(draft, {"started": draft.commit.at, "device": draft.writer.device, "user": draft.writer.actor})
    touched = response.work_out()
    if response.state not in WRITABLE:
        return
    for _ in range(MOST_ROUNDS):
        more = [_rows_wanted(draft), _defaults(draft), _recomputed(draft, touched)]
        if not any(more):
            break
        touched = response.work_out()
    _gates(draft)


def _rows_wanted(draft: Draft) -> bool:
    """Rows up to the count, where there are fewer."""
    response, added = draft.response, False
    for planned in response.plan.repeats:
        if planned.count is None:
            continue
        for parent in list(response.rows.under(planned.rows_of, "")):
            if not response.evaluation.relevant[(planned.uid, parent)]:
                continue
            wanted = response.evaluation.target(planned.uid, parent) or 0
            for _ in range(wanted - len(response.rows.present(planned.uid, parent))):
                add_row(draft, planned, parent, by=SYSTEM)
                added = True
    return added


def _places(draft: Draft, planned: Planned) -> Iterator[Key]:
    for row in list(draft.response.rows.under(planned.rows_of, "")):
        yield (planned.uid, row)


def _defaults(draft: Draft) -> bool:
    """Each default once, when its field first becomes relevant; never over what anybody said, and never again."""
    response, written = draft.response, False
    for planned in response.plan.defaults:
        for key in _places(draft, planned):
            if key in response.considered or not response.evaluation.relevant.get(key):
                continue
            draft.happen({"event": "considered", "field": key[0], "row": key[1]})
            if planned.default is not None and key not in response.heads:
                written = _write(draft, planned, key, planned.default, "default") or written
    return written


def _recomputed(draft: Draft, touched: set[Key]) -> bool:
    """Values worked out anew only when the fields they name change."""
    response, written = draft.response, False
    for planned in response.plan.fields:
        names = planned.question.recompute_on
        if not names or planned.computed is None:
            continue
        triggers = {response.plan.by_name[name].uid for name in names if name in response.plan.by_name}
        for key in _places(draft, planned):
            changed = any(uid in triggers and row in (key[1], "") for uid, row in touched)
            if changed and response.evaluation.relevant.get(key):
                written = _write(draft, planned, key, planned.computed, "computed") or written
    return written


def _write(draft: Draft, planned: Planned, key: Key, rule: Rule, origin: str) -> bool:
    """The rule's value as a revision of nobody. What cannot be an answer of the field's type is none."""
    response = draft.response
    evaluation = response.evaluation
    evaluation.row = key[1]
    evaluation.seed = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{response.id}/{draft.commit.number}/{key[0]}/{key[1]}"))
    value = rule.run(evaluation)
    try:
        setting = Setting(None, draft.clock.zone, choices=response.plan.list_of(planned))
        kept = read_answer(planned.question, as_given(value, planned.question.type), setting)
    except Unreadable:
        return False
    current = response.revision(key)
    if kept.value is None or (current is not None and current.kept == kept.value):
        return False
    revision = Revision(
        draft.new_id("r"), key[0], key[1], response.heads.get(key), "answer", shown(value), kept.value, origin,
        SYSTEM, "", draft.commit.number, draft.commit.at,
    )  # fmt: skip
    draft.happen(revision.as_event("revised"))
    return True


def stamp(draft: Draft, found: Mapping[str, str]) -> None:
    """What is noted once at its event: when it was started or submitted, by whom, on which device."""
    response = draft.response
    for planned in response.plan.fields:
        text = found.get(planned.question.meta, "")
        if planned.question.type != "meta" or planned.rows_of or not text:
            continue
        key = (planned.uid, "")
        revision = Revision(
            draft.new_id("r"), key[0], key[1], response.heads.get(key), "answer", text, text, "system",
            SYSTEM, "", draft.commit.number, draft.commit.at,
        )  # fmt: skip
        draft.happen(revision.as_event("revised"))


def as_given(value: Value, kind: str) -> Any:
    """A value of a rule as somebody would give it as an answer."""
    if isinstance(value, tuple):
        return [shown(each) for each in value]
    if isinstance(value, bool):
        return value
    if kind == "date" and not isinstance(value, Day):
        return shown(value)[:10]
    return shown(value)


def _gates(draft: Draft) -> None:
    """A gate opens when its condition begins to hold and closes itself when it ceases; an end gate ends the form."""
    response = draft.response
    kinds = {gate.name: gate for gate in response.plan.form.gates}
    for _ in range(len(kinds)):
        moved = False
        response.evaluation.outcomes = {name: gate.outcome for name, gate in response.gates.items() if gate.outcome}
        for name, holds in response.evaluation.gates().items():
            known = response.gates.get(name, GateState())
            if holds == known.open:
                continue
            moved = True
            if not holds:
                draft.happen({"event": "gate-closed", "gate": name})
                continue
            occurrence = known.occurrence + 1
            draft.happen({"event": "gate-opened", "gate": name, "occurrence": occurrence, "at": draft.commit.at})
            tell(draft, "gate", occurrence, name)
            if kinds[name].kind == "end":
                draft.happen({"event": "state", "to": "void", "reason": kinds[name].reason or name, "by": SYSTEM})
                tell(draft, "void", occurrence, name)
        if not moved:
            return


def tell(draft: Draft, on: str, occurrence: int, of: str = "") -> None:
    """What the outside is told, once for each response, hook and time."""
    for hook in draft.response.plan.form.hooks:
        if hook.on == on and (not hook.of or hook.of == of):
            key = f"{draft.response.id}/{hook.name}/{occurrence}"
            draft.commit.outbox.append({"hook": hook.name, "calls": hook.calls, "key": key, "of": of})
