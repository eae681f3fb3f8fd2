"""What is in the way of submitting, what a submission keeps, and what two submissions differ in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, Protocol

from formsengine.definition.model import Gate, Question, Repeat
from formsengine.definition.plan import Plan, Planned
from formsengine.definition.stored import digest
from formsengine.definition.texts import text_in
from formsengine.evaluation.rows import Rows
from formsengine.evaluation.states import COUNTS, Is, Key, State
from formsengine.expressions.special import shared
from formsengine.expressions.syntax import Ref, walk
from formsengine.log.addresses import address
from formsengine.log.commits import Clock, Writer, instant
from formsengine.log.response import Response
from formsengine.problems import Problem
from formsengine.values.runtime import Value, shown

PASSED = {"passed", "waived"}


class Filled(Protocol):
    """What has fields and rows: a response, or what its log adds up to."""

    rows: Rows

    @property
    def plan(self) -> Plan: ...


def keys(response: Filled) -> Iterator[tuple[Planned, Key]]:
    """Every field in every row that is there, in the order of the form."""
    for planned in response.plan.fields:
        for row in response.rows.under(planned.rows_of, ""):
            if not row or not response.rows.removed_above(row):
                yield planned, (planned.uid, row)


def blockers(response: Response) -> list[Problem]:
    """Every reason why the response cannot be submitted now, each with its field."""
    found = []
    for step in response.plan.steps:
        for key in sorted(response.evaluation.blocking[step]):
            if not key[1] or not response.rows.removed_above(key[1]):
                found.append(_blocker(response, key))
    found.sort(key=lambda each: each.path)
    return [*found, *_checks(response), *limits(response), *_gates(response)]


def _blocker(response: Response, key: Key) -> Problem:
    state, path = response.evaluation.states[key], address(response.plan, response.rows, key)
    return Problem(path, str(state.name), reason(response, key, state))


def reason(response: Response, key: Key, state: State, language: str = "") -> str:
    """Why a field is asked, in a sentence for whoever answers it."""
    planned, form = response.plan.items[key[0]], response.plan.form
    label = response.plan.label(planned, language)
    match state.name:
        case Is.INVALID:
            return " ".join(_findings(planned, state, language or form.default_language, form.default_language, label))
        case Is.CONFLICT:
            count = len(response.conflicts.get(key, ())) + (1 if response.revision(key) else 0)
            return f"{count} answers to {label} wait for a person to pick one."
        case Is.HELD_CHOICE:
            return f"{_chosen(response, planned, state, language)} is not among the options for {label}" + (
                f" where {because}." if (because := _narrowed_by(response, planned, key, language)) else " now."
            )
        case Is.UNCONFIRMED:
            return f"Is this still so: {shown(response.evaluation.values.get(key))}?"
    asked = planned.item.required_message if isinstance(planned.item, Question) else {}
    needed = f"{label} is needed." if state.required else f"{label} has no answer yet."
    return text_in(asked, language, form.default_language, needed) if state.required else needed


def _chosen(response: Response, planned: Planned, state: State, language: str) -> str:
    return ", ".join(response.plan.choice_label(planned, code, language) for code in state.excluded)


def _narrowed_by(response: Response, planned: Planned, key: Key, language: str) -> str:
    """The answers that a list is narrowed by, in words: `Region is South`. What is sensitive is not named."""
    told = []
    nodes = walk(planned.filter.node) if planned.filter else ()
    for name in dict.fromkeys(node.name for node in nodes if isinstance(node, Ref)):
        named = response.plan.by_name[name]
        row = key[1] if named.rows_of and named.rows_of == planned.rows_of else ""
        value = response.evaluation.values.get((named.uid, row)) if named.is_field else None
        if value is None or named.question.sensitive or (named.rows_of and not row):
            continue
        said = shown(value)
        told.append(f"{response.plan.label(named, language)} is {response.plan.choice_label(named, said, language)}")
    return " and ".join(told)


def _findings(planned: Planned, state: State, language: str, default: str, label: str) -> Iterator[str]:
    for finding in state.findings:
        if finding.number >= 0 and not finding.acknowledged:
            constraint, rule = planned.constraints[finding.number]
            yield text_in(constraint.message, language, default, f"{label} must hold to: {rule.text}")
        elif finding.code == "exclusive":
            yield f"{finding.detail} stands alone; it cannot be chosen with others."
        elif finding.code == "unknown-choice":
            yield f"{finding.detail} is not a choice of {label}."


def _checks(response: Response) -> Iterator[Problem]:
    form = response.plan.form
    for (uid, row), findings in sorted(response.evaluation.findings.items()):
        if row and response.rows.removed_above(row):
            continue
        for finding in findings:
            constraint, rule = response.prepared.constraints(uid)[finding.number]
            of_row = bool(row) and response.rows.by_id[row].repeat == uid
            path = address(response.plan, response.rows, ("" if of_row else uid, row)).strip("/") if uid else ""
            text = text_in(
                constraint.message, form.default_language, form.default_language, f"This must hold: {rule.text}"
            )
            if finding.severity == "error":
                yield Problem(path, "check", text, constraint.blames)


def limits(response: Response) -> Iterator[Problem]:
    """Lists with fewer or more rows than they may have."""
    for planned in response.plan.repeats:
        item = planned.item
        assert isinstance(item, Repeat)
        for parent in response.rows.under(planned.rows_of, ""):
            if not response.evaluation.relevant.get((planned.uid, parent)):
                continue
            count = len(response.evaluation.live.get((planned.uid, parent), ()))
            label = response.plan.label(planned)
            path = address(response.plan, response.rows, ("", parent)) if parent else ""
            where = f"{path}/{item.name}".strip("/")
            if item.min_rows is not None and count < item.min_rows:
                yield Problem(where, "rows", f"{label}: at least {item.min_rows} are needed, there are {count}.")
            if item.max_rows is not None and count > item.max_rows:
                yield Problem(where, "rows", f"{label}: at most {item.max_rows} are taken, there are {count}.")


def _gates(response: Response) -> Iterator[Problem]:
    for gate in response.plan.form.gates:
        state = response.gates.get(gate.name)
        if gate.kind == "hold" and state is not None and state.open and state.outcome not in PASSED:
            found = f" It {state.outcome}: {state.reason}." if state.outcome else ""
            owner = f" by {gate.owner}" if gate.owner else ""
            message = f"{called(response, gate)}: this waits for a decision{owner}.{found}"
            yield Problem(gate.name, "gate", message, ("passed", "waived"))


def called(response: Response, gate: Gate, language: str = "") -> str:
    """A gate in words."""
    form = response.plan.form
    return text_in(gate.title, language or form.default_language, form.default_language, gate.name)


def plain(value: Value) -> Any:
    """A value of a rule as plain data: exact numbers as whole numbers or as text."""
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else shown(value)
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    if value is None or isinstance(value, bool | str):
        return value
    return dict(value) if isinstance(value, Mapping) else shown(value)


def snapshot(response: Response, writer: Writer, clock: Clock, revision: int) -> dict[str, Any]:
    """Everything a submission says, and a digest of it. Computed answers carry their inputs."""
    form, evaluation = response.plan.form, response.evaluation
    made: dict[str, Any] = {
        "definition": {"id": form.id, "version": form.version, "digest": response.plan.digest},
        "started": {"version": response.started_under.form.version, "digest": response.started_under.digest},
        "revision": revision,
        "values": {},
        "revisions": {},
        "held": {},
        "declined": {},
        "computed": {},
        "unconfirmed": [],
    }
    for planned, key in keys(response):
        state, answer = evaluation.states[key], response.revision(key)
        path = address(response.plan, response.rows, key)
        if planned.computed is not None and state.name in (Is.FILLED, Is.INVALID) and not planned.question.recompute_on:
            inputs = _inputs(response, planned, key)
            made["computed"][path] = {"value": plain(evaluation.values[key]), "inputs": inputs}
        elif answer is None:
            continue
        elif state.name in COUNTS and evaluation.values[key] is not None:
            made["values"][path] = offered(answer.kept, set(state.excluded))
            made["revisions"][path] = answer.id
            if state.name is Is.UNCONFIRMED:
                made["unconfirmed"].append(path)
        elif state.name in (Is.HELD, Is.HELD_CHOICE):
            made["held"][path] = answer.kept
        elif state.name is Is.DECLINED:
            made["declined"][path] = answer.reason
    digested = digest(made)
    return {**made, "digest": digested, "by": writer.actor, "at": instant(clock.at), "zone": clock.zone}


def offered(kept: Any, excluded: set[str]) -> Any:
    """Of several choices, those that are among the options."""
    if not excluded or not isinstance(kept, list):
        return kept
    return [each for each in kept if isinstance(each, Mapping) or each not in excluded]


def _inputs(response: Response, planned: Planned, key: Key) -> dict[str, Any]:
    """What a computed value was worked out from."""
    found: dict[str, Any] = {}
    for node in walk(planned.computed.node) if planned.computed else ():
        if not isinstance(node, Ref):
            continue
        named = response.plan.by_name[node.name]
        base = key[1]
        for _ in range(len(planned.rows_of) - shared(planned.rows_of, named.rows_of)):
            base = response.rows.parents[base]
        below = named.rows_of[shared(planned.rows_of, named.rows_of) :]
        for row in response.evaluation.rows_under(below, base) if below else (base,):
            if named.is_field:
                each = (named.uid, row)
                found[address(response.plan, response.rows, each)] = plain(response.evaluation.values.get(each))
    return found


def difference(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """What a submission changes: for each path what was in force before and what is now; absent is None."""
    one, other = _said(before), _said(after)
    changed = sorted(path for path in one.keys() | other.keys() if one.get(path) != other.get(path))
    return {path: {"before": one.get(path), "after": other.get(path)} for path in changed}


def _said(taken: Mapping[str, Any] | None) -> dict[str, Any]:
    if taken is None:
        return {}
    return {**taken["values"], **{path: each["value"] for path, each in taken["computed"].items()}}
