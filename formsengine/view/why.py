"""Why a field is asked, hidden, needed, in the way or worked out as it is: the rule, its inputs and who gave them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from formsengine.definition.model import Repeat
from formsengine.definition.plan import Planned
from formsengine.evaluation.states import Is, Key
from formsengine.expressions.compile import Rule
from formsengine.expressions.special import shared
from formsengine.expressions.syntax import Ref, walk
from formsengine.log.addresses import address
from formsengine.log.response import Response
from formsengine.log.snapshot import plain, reason
from formsengine.values.runtime import Value

MASK = "(not shown)"
MOST_INPUTS = 20


def why(response: Response, key: Key, *, language: str = "", masked: bool = False) -> dict[str, Any]:
    """The field's state and each rule that made it so, in the same words for people and agents."""
    planned, state = response.plan.items[key[0]], response.evaluation.states[key]
    made: dict[str, Any] = {
        "field": address(response.plan, response.rows, key),
        "label": response.plan.label(planned, language),
        "state": str(state.name),
        "because": [],
        "rules": [],
    }
    for sentence, rule, at in _rules(response, planned, key, language):
        made["because"].append(sentence)
        if rule is not None:
            made["rules"].append({"rule": rule.text, "inputs": inputs(response, rule, *at, masked=masked)})
    if not made["because"]:
        given = response.revision(key)
        made["because"].append(f"Answered by {given.actor}." if given else "It has not been answered yet.")
    return made


def worked_out(response: Response, planned: Planned, key: Key) -> Value:
    """What the rule of a field comes to now, whatever a person put in its place."""
    if planned.computed is None or not response.evaluation.relevant.get(key):
        return None
    response.evaluation.row = key[1]
    return planned.computed.run(response.evaluation)


At = tuple[tuple[str, ...], str]
"""The repeats a rule stands in, and the row it is worked out for."""


def _rules(response: Response, planned: Planned, key: Key, language: str) -> Iterator[tuple[str, Rule | None, At]]:
    state, label = response.evaluation.states[key], response.plan.label(planned, language)
    here: At = (planned.rows_of, key[1])
    if state.name in (Is.HELD, Is.ABSENT):
        yield from _hidden(response, planned, key[1], language)
        return
    if planned.computed is not None and not planned.question.recompute_on:
        yield f"{label} is worked out from other answers.", planned.computed, here
    if state.required:
        yield f"{label} is needed.", planned.required, here
    for finding in state.findings:
        rule = planned.constraints[finding.number][1] if finding.number >= 0 else None
        text = "It was seen and acknowledged." if finding.acknowledged else reason(response, key, state, language)
        yield text, rule, here
    if state.name in (Is.HELD_CHOICE, Is.CONFLICT, Is.UNCONFIRMED):
        yield reason(response, key, state, language), planned.filter, here


def _hidden(response: Response, planned: Planned, row: str, language: str) -> Iterator[tuple[str, Rule | None, At]]:
    """The outermost rule that hides it."""
    chain: list[tuple[Planned, str]] = [(planned, row)]
    at = planned
    while at.parent:
        above = response.plan.items[at.parent]
        row = response.rows.parents[row] if isinstance(above.item, Repeat) else row
        chain.append((above, row))
        at = above
    for each, place in reversed(chain):
        label = response.plan.label(each, language)
        if not response.evaluation.relevant.get((each.uid, place), True):
            yield f"{label} does not apply.", each.relevant, (each.rows_of, place)
            return
        if isinstance(each.item, Repeat) and each.count is not None:
            inside = next((one for one, parent in _rows_around(response, chain, each) if parent == place), "")
            if inside and inside not in response.evaluation.live.get((each.uid, place), ()):
                target = response.evaluation.target(each.uid, place)
                yield f"{label} has {target} rows; this one is kept aside.", each.count, (each.rows_of, place)
                return


def _rows_around(response: Response, chain: list[tuple[Planned, str]], repeat: Planned) -> Iterator[tuple[str, str]]:
    for _, row in chain:
        if row and response.rows.by_id[row].repeat == repeat.uid:
            yield row, response.rows.parents[row]


def inputs(response: Response, rule: Rule, rows_of: tuple[str, ...], row: str, *, masked: bool) -> list[dict[str, Any]]:
    """What the rule read: each field, its value there, who gave it and when."""
    found: list[dict[str, Any]] = []
    for node in walk(rule.node):
        named = response.plan.by_name.get(node.name) if isinstance(node, Ref) else None
        if named is None:
            continue
        kept = shared(rows_of, named.rows_of)
        base = row
        for _ in range(len(rows_of) - kept):
            base = response.rows.parents[base]
        below = named.rows_of[kept:]
        for place in response.evaluation.rows_under(below, base) if below else (base,):
            if named.is_field and len(found) < MOST_INPUTS:
                found.append(_input(response, named, (named.uid, place), masked))
    return found


def _input(response: Response, planned: Planned, key: Key, masked: bool) -> dict[str, Any]:
    value = plain(response.evaluation.values.get(key))
    hide = masked and planned.question.sensitive and value is not None
    made = {"field": address(response.plan, response.rows, key), "value": MASK if hide else value}
    given = response.revision(key)
    return {**made, "by": given.actor, "at": given.at} if given is not None and given.status == "answer" else made
