"""Views of a response by scope, each within a ceiling of tokens, however large the form is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formsengine.definition.model import Repeat
from formsengine.definition.plan import Planned
from formsengine.definition.texts import text_in
from formsengine.evaluation.states import COUNTS, Is, Key, State
from formsengine.log.addresses import address, find_field
from formsengine.log.lifecycle import stands_ready
from formsengine.log.response import WRITABLE, Response
from formsengine.log.snapshot import PASSED, blockers, keys, plain, reason
from formsengine.problems import Problem, Refused
from formsengine.values.runtime import shown as shown_value
from formsengine.view.gates import gates
from formsengine.view.why import MASK, why, worked_out

SCOPES = ("now", "step", "field", "outline", "changes")
PENDING = 5
"""Fields named in the view of now."""
COMING = 2
"""Steps named as coming."""
OPTIONS = 12
PLENTY = 100_000


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads: the language, the roles, and whether sensitive answers are masked."""

    language: str = ""
    roles: frozenset[str] = frozenset()
    masked: bool = False


def tokens(data: Any) -> int:
    """About how many tokens a model reads in this: a quarter of the characters of its JSON, rounded up."""
    return -(-len(json.dumps(data, ensure_ascii=False, separators=(",", ":"))) // 4)


def view(
    response: Response,
    *,
    scope: str = "now",
    id: str = "",
    since: int | None = None,
    reader: Reader | None = None,
    budget: int = PLENTY,
) -> dict[str, Any]:
    """Plain data. What does not fit the budget is counted as `more`; the line of standing is always there.

    Raises Refused for a scope, step or commit that does not exist; addresses.NotFound for a field.
    """
    who = reader or Reader()
    match scope:
        case "now":
            return _now(response, who, budget)
        case "step":
            return _step(response, who, id, budget)
        case "field":
            return _field(response, who, id)
        case "outline":
            return _outline(response, who, budget)
        case "changes":
            return _changes(response, who, since, budget)
    raise Refused("scope", f"There is no view {scope!r}.", [Problem("scope", "scope", "Name a view.", SCOPES)])


def line(response: Response, *, language: str = "") -> str:
    """One line for the prompt: what this is, how far it is, and what waits for a person."""
    form = response.plan.form
    title = text_in(form.title, language or form.default_language, form.default_language, form.id)
    if response.state not in WRITABLE:
        return f"{title}: {response.state}."
    count = counts(response)
    left = [f"{count['answered']} of {count['asked']} answered"]
    if count["needed"]:
        left.append(f"{count['needed']} needed")
    for name in ("conflict", "unconfirmed", "held"):
        if count[name]:
            left.append(f"{count[name]} {name}")
    step = current_step(response, frozenset())
    asking = f" Now: {_title(response, step, language)}." if step else " Nothing left to ask."
    return f"{title}: {', '.join(left)}.{asking}"


def lines(responses: list[Response], *, language: str = "") -> list[str]:
    """Open responses first, newest first, so that finished ones never hide them."""
    order = sorted(responses, key=lambda each: each.commits[-1].at if each.commits else "", reverse=True)
    order.sort(key=lambda each: (each.state not in WRITABLE, current_step(each, frozenset()) is None))
    return [f"{each.id} {line(each, language=language)}" for each in order]


def counts(response: Response) -> dict[str, int]:
    """Fields asked, answered, needed, and those that wait for a person; and how many gates hold it."""
    count = {"answered": 0, "asked": 0, "needed": 0, "conflict": 0, "unconfirmed": 0}
    count["held"] = sum(one["holds"] for one in gates(response)) if response.state in WRITABLE else 0
    for planned, key in keys(response):
        state = response.evaluation.states[key]
        if state.name in (Is.ABSENT, Is.HELD) or not planned.question.writable:
            continue
        count["asked"] += 1
        count["answered"] += state.name in COUNTS or state.name is Is.DECLINED
        count["needed"] += state.blocks
        if state.name in (Is.CONFLICT, Is.UNCONFIRMED):
            count[str(state.name)] += 1
    return count


def pending(response: Response, step: str) -> Iterator[tuple[Planned, Key, State]]:
    """What the step still asks, in the order of the form and its rows."""
    for uid in response.plan.steps[step].fields:
        planned = response.plan.items[uid]
        for row in response.rows.under(planned.rows_of, ""):
            state = response.evaluation.states[(uid, row)]
            if state.asked and not (row and response.rows.removed_above(row)):
                yield planned, (uid, row), state


def current_step(response: Response, roles: frozenset[str]) -> str | None:
    """The first proposed step with something to ask; if none is proposed, the first that asks anything."""
    waiting = [name for name in response.plan.steps if next(pending(response, name), None)]
    held = {
        step
        for gate in response.plan.form.gates
        if (state := response.gates.get(gate.name)) and state.open and state.outcome not in PASSED
        for step in gate.holds_steps
    }
    for name in waiting:
        if name not in held and response.evaluation.asked(name, roles):
            return name
    return waiting[0] if waiting else None


def _title(response: Response, step: str, language: str) -> str:
    form = response.plan.form
    texts = form.steps[response.plan.steps[step].order].title
    return text_in(texts, language or form.default_language, form.default_language, step)


def _head(response: Response, who: Reader) -> dict[str, Any]:
    return {
        "response": response.id,
        "commit": response.number,
        "state": stands_ready(response),
        "line": line(response, language=who.language),
    }


def _now(response: Response, who: Reader, budget: int) -> dict[str, Any]:
    """The current step's first pending fields, and the steps that come."""
    made: dict[str, Any] = _head(response, who)
    step = current_step(response, who.roles)
    if waiting := [one for one in gates(response, who.language) if one["holds"]]:
        made["waits_for"] = waiting[:COMING]
    if step is None:
        if response.state in WRITABLE:
            made["in_the_way"] = [f"{each.path}: {each.message}" for each in blockers(response)[:PENDING]]
        return made
    made["step"] = {"name": step, "title": _title(response, step, who.language)}
    order = list(response.plan.steps)
    coming = [name for name in order if name != step and next(pending(response, name), None)]
    made["coming"] = [_title(response, name, who.language) for name in coming[:COMING]]
    found = list(pending(response, step))
    asked = (_entry(response, who, planned, key, state) for planned, key, state in found[:PENDING])
    _fill(made, "ask", asked, len(found), budget)
    return made


def _fill(made: dict[str, Any], name: str, entries: Iterator[dict[str, Any]], count: int, budget: int) -> None:
    """As many entries as fit; the rest is counted."""
    made[name] = []
    left = budget - tokens(made) - 8
    for entry in entries:
        cost = tokens(entry) + 1
        if cost > left:
            short: dict[str, Any] = {key: value for key, value in entry.items() if key in ("field", "label", "state")}
            entry, cost = short, tokens(short) + 1
        if cost > left:
            break
        made[name].append(entry)
        left -= cost
    if count > len(made[name]):
        made["more"] = count - len(made[name])


def _entry(response: Response, who: Reader, planned: Planned, key: Key, state: State) -> dict[str, Any]:
    """One field: what it is called, how it stands, why it is asked, and what it takes."""
    form, question = response.plan.form, planned.question
    language = who.language or form.default_language
    made: dict[str, Any] = {
        "field": address(response.plan, response.rows, key),
        "label": spoken(response, response.plan.label(planned, language), key[1], who),
        "type": question.type,
        "state": str(state.name),
    }
    if state.required:
        made["needed"] = True
    if hint := text_in(question.hint, language, form.default_language):
        made["hint"] = hint
    if state.name is not Is.EMPTY:
        made["why"] = MASK if who.masked and question.sensitive else reason(response, key, state, language)
        made |= _values(response, who, planned, key, state)
    if note := response.notes.get(key):
        made["note"] = note
    if asked := response.asked.get(key):
        last = response.commits[asked[-1] - 1]
        made["asked"] = {"times": len(asked), "at": last.at, "by": last.by.actor}
    if question.choices and state.asked:
        options = response.evaluation.options(planned.uid, key[1])
        labels = [f"{each.code}: {text_in(each.label, language, form.default_language, each.code)}" for each in options]
        if question.other:
            other = text_in(question.other_label, language, form.default_language, "Other")
            labels.append(f'{{"other": "..."}}: {other}')
        made["options"] = labels[:OPTIONS]
        if len(labels) > OPTIONS:
            made["more_options"] = len(labels) - OPTIONS
    return made


NAMED = re.compile(r"\$\{\s*([^}\s]+)\s*\}")


def spoken(response: Response, text: str, row: str, who: Reader) -> str:
    """A text with the answers it names in their places; what has no answer yet is three dots."""
    if "${" not in text:
        return text

    def value(match: re.Match[str]) -> str:
        named = response.plan.by_name.get(match[1])
        if named is None or not named.is_field:
            return match[0]
        at = row
        while at and response.rows.by_id[at].repeat not in named.rows_of[-1:]:
            at = response.rows.parents[at]
        if who.masked and named.question.sensitive:
            return MASK
        return shown_value(response.evaluation.values.get((named.uid, at))) or "..."

    return NAMED.sub(value, text)


def _values(response: Response, who: Reader, planned: Planned, key: Key, state: State) -> dict[str, Any]:
    revision = response.revision(key)
    hide = who.masked and planned.question.sensitive
    made: dict[str, Any] = {}
    live = planned.computed is not None and not planned.question.recompute_on
    if live and state.name is not Is.OVERRIDDEN:
        made["value"] = plain(response.evaluation.values.get(key))
    elif revision is not None and revision.status == "answer":
        made["value"] = revision.kept
        made["by"] = revision.actor
    if state.name is Is.OVERRIDDEN:
        made["worked_out"] = MASK if hide else plain(worked_out(response, planned, key))
    if revision is not None and revision.approximate:
        made["approximate"] = True
    waiting = [response.revisions[each] for each in response.conflicts.get(key, ())]
    if waiting:
        made["others"] = [
            {"revision": each.id, "value": MASK if hide else each.kept, "by": each.actor, "at": each.at}
            for each in waiting
        ]
    if hide and "value" in made:
        made["value"] = MASK
    return made


def _step(response: Response, who: Reader, name: str, budget: int) -> dict[str, Any]:
    name = name or current_step(response, who.roles) or next(iter(response.plan.steps))
    if name not in response.plan.steps:
        problem = Problem("id", "unknown-step", "Name a step.", tuple(response.plan.steps))
        raise Refused("unknown-step", f"There is no step {name!r}.", [problem])
    made = {**_head(response, who), "step": {"name": name, "title": _title(response, name, who.language)}}
    found = [(planned, key) for planned, key in keys(response) if planned.step == name and _there(response, key)]
    entries = (_any(response, who, planned, key) for planned, key in found)
    _fill(made, "fields", entries, len(found), budget)
    return made


def _there(response: Response, key: Key) -> bool:
    return response.evaluation.states[key].name is not Is.ABSENT


def _any(response: Response, who: Reader, planned: Planned, key: Key) -> dict[str, Any]:
    return _entry(response, who, planned, key, response.evaluation.states[key])


def _field(response: Response, who: Reader, path: str) -> dict[str, Any]:
    """One field with its reasons and every revision it had."""
    found = find_field(response.plan, response.rows, path)
    entry = _any(response, who, found.planned, found.key)
    hide = who.masked and found.planned.question.sensitive
    head = response.heads.get(found.key)
    entry["because"] = why(response, found.key, language=who.language, masked=who.masked)
    entry["revisions"] = [
        {"revision": each.id, "status": each.status, "value": MASK if hide else each.kept, "by": each.actor,
         "speaker": each.speaker, "at": each.at, "origin": each.origin, "in_force": each.id == head,
         "candidate": bool(each.because)}
        for each in response.revisions.values() if (each.field, each.row) == found.key
    ]  # fmt: skip
    return {**_head(response, who), **entry}


def _outline(response: Response, who: Reader, budget: int) -> dict[str, Any]:
    """Every step with how many fields it has and how they stand."""
    made = _head(response, who)
    tally: dict[str, dict[str, int]] = {name: {} for name in response.plan.steps}
    for planned, key in keys(response):
        name = str(response.evaluation.states[key].name)
        tally[planned.step][name] = tally[planned.step].get(name, 0) + 1
    steps = ({"step": name, "title": _title(response, name, who.language), **tally[name]} for name in tally)
    _fill(made, "steps", steps, len(tally), budget)
    return made


def _changes(response: Response, who: Reader, since: int | None, budget: int) -> dict[str, Any]:
    """What changed after a commit: answers, states that followed, rows, and what happened to the response."""
    if since is None or not 0 <= since <= response.number:
        message = f"Name the commit you saw, 0 to {response.number}."
        raise Refused("since", message, [Problem("since", "since", message)])
    made = {**_head(response, who), "since": since}
    happened = [event for commit in response.commits[since:] for event in commit.events]
    acts = [f"{event['event']} {event.get('row') or event.get('gate') or event.get('to', '')}".strip()
            for event in happened if event["event"].startswith(("row", "gate", "state", "migrated"))]  # fmt: skip
    if acts:
        made["happened"] = acts[:OPTIONS]
    found = [(planned, key) for planned, key in keys(response) if response.touched_in.get(key, 0) > since]
    entries = (_any(response, who, planned, key) for planned, key in found)
    _fill(made, "fields", entries, len(found), budget)
    return made


def rows_shown(response: Response, repeat: Planned) -> list[str]:
    """Rows a reader sees: live ones, and held ones that somebody answered in; untouched ones above the count vanish."""
    assert isinstance(repeat.item, Repeat)
    answered = {row for (_, row), head in response.heads.items() if head}
    live = {row for (uid, _), rows in response.evaluation.live.items() if uid == repeat.uid for row in rows}
    present = [each for each in response.rows.under((*repeat.rows_of, repeat.uid), "")]
    return [row for row in present if row in live or (row in answered and not response.rows.removed_above(row))]
