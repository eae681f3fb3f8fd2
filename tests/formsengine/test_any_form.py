"""Any operations on any form without circles: the promises of the engine hold after each of them."""

from __future__ import annotations

import copy
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from formsengine.definition.model import Form
from formsengine.evaluation.evaluate import Evaluation
from formsengine.log import lifecycle
from formsengine.log.commits import Writer
from formsengine.problems import Refused
from formsengine.values.read import Setting, read_answer
from formsengine.values.refusing import Unreadable
from formsengine.view.shown import view
from tests.formsengine.filling import ANA, BEN, BOT, Filling, asks, choices, facts, form, rows, section

Fields = list[tuple[str, str]]
CODES = ("a", "b", "c")
VALUES = st.one_of(st.integers(-3, 9), st.sampled_from([*CODES, "", "x", "4", "yes", None]), st.just(["a", "c"]))


@st.composite
def rule(draw: st.DrawFn, earlier: Fields, where: str) -> str | None:
    """A rule that reads only fields that stand before."""
    if not earlier or draw(st.booleans()):
        return None
    name, kind = draw(st.sampled_from(earlier))
    ref = "${" + name + "}"
    test = {
        "integer": f"{ref} > {draw(st.integers(-2, 5))}",
        "text": f"{ref} != ''",
        "boolean": ref,
        "choice": f"{ref} = '{draw(st.sampled_from(CODES))}'",
        "choices": f"selected({ref}, '{draw(st.sampled_from(CODES))}')",
        "row": f"sum({ref}) > {draw(st.integers(0, 4))}",
        "rows": f"count({ref}) > {draw(st.integers(0, 2))}",
    }[kind]
    if where == "computed":
        number = f"sum({ref})" if kind in ("integer", "row") else f"count({ref})" if kind == "rows" else "1"
        return f"if({test}, {number}, 0) + 1"
    return f"not({test})" if draw(st.booleans()) else test


@st.composite
def any_form(draw: st.DrawFn) -> Form:
    """Up to a dozen fields, a section, a list with a count or without, a cascade."""
    earlier: list[tuple[str, str]] = []
    items: list[dict[str, Any]] = []
    for number in range(draw(st.integers(2, 8))):
        items.append(draw(any_field(f"f{number}", earlier)))
        if draw(st.booleans()) and number > 2:
            items[-1] = section(f"s{number}", items[-1], relevant=draw(rule(earlier[:-1], "relevant")))
    within: list[tuple[str, str]] = list(earlier)
    inside = [draw(any_field(f"r{number}", within)) for number in range(draw(st.integers(1, 3)))]
    counts = [None, *("${" + name + "}" for name, kind in earlier if kind == "integer")]
    count = draw(st.sampled_from(counts))
    items.append(rows("r", *inside, count=count, relevant=draw(rule(earlier, "relevant"))))
    earlier.append(("r", "rows"))
    earlier.extend((name, "row") for name, kind in within[len(earlier) - 1 :] if kind == "integer")
    items.append(draw(any_field("last", earlier)))
    found = choices("codes", *CODES)
    for choice, kind in zip(found["choices"], ("a", "b", "a"), strict=True):
        choice["attributes"] = {"kind": kind}
    return form(*items, lists=[found])


@st.composite
def any_field(draw: st.DrawFn, name: str, earlier: list[tuple[str, str]]) -> dict[str, Any]:
    kind = draw(st.sampled_from(["integer", "integer", "text", "boolean", "choice", "choices"]))
    more: dict[str, Any] = {
        "relevant": draw(rule(earlier, "relevant")),
        "required": draw(rule(earlier, "required")) or False,
    }
    if kind in ("choice", "choices"):
        more["choices"] = "codes"
        filters = [None, *("kind = ${" + each + "}" for each, type in earlier if type == "choice")]
        more["filter"] = draw(st.sampled_from(filters))
    elif kind == "integer":
        more["computed" if draw(st.booleans()) else "default"] = draw(rule(earlier, "computed"))
        more["constraints"] = [{"test": ". < 8", "severity": draw(st.sampled_from(["error", "warning"]))}]
    earlier.append((name, kind))
    return {key: value for key, value in asks(name, kind, **more).items() if value is not None}


OPERATIONS = st.lists(
    st.tuples(
        st.sampled_from(["set"] * 8 + ["undo", "redo", "undo-field", "retract", "decline", "add", "remove", "back"]
                        + ["resolve", "submit", "reopen", "confirm", "acknowledge", "move"]),
        st.sampled_from([ANA, BEN, BOT]),
        st.integers(0, 30),
        VALUES,
        st.sampled_from([None, 0, 1, 3]),
    ),
    min_size=4,
    max_size=25,
)  # fmt: skip


def act(filling: Filling, what: str, by: Writer, number: int, value: Any, behind: int | None) -> None:
    """One operation, on whatever the number picks."""
    response = filling.response
    planned = response.plan.fields[number % len(response.plan.fields)]
    there = [row for row in response.rows.by_id if planned.rows_of] or [""]
    path = f"{there[number % len(there)]}/{planned.name}"
    base = None if behind is None else max(0, response.number - behind)
    named = list(response.rows.by_id) or ["none"]
    row = named[number % len(named)]
    match what:
        case "submit":
            filling.submit(by)
        case "reopen":
            filling.response = lifecycle.reopen(response, by, filling.clock, reason="Again").response
        case "undo" | "redo":
            filling.op(what, by)
        case "undo-field":
            filling.op("undo", by, base, field=path)
        case "add":
            filling.op("row-add", by, repeat="r")
        case "remove":
            filling.op("row-remove", by, row=row)
        case "back":
            filling.op("row-restore", by, row=row)
        case "move":
            filling.op("row-move", by, row=row, to=0)
        case "resolve":
            filling.op("resolve", by, field=path, pick="current")
        case _:
            filling.op(what, by, base, field=path, value=value)


def anew(filling: Filling) -> dict[str, Any]:
    """What the same answers come to when everything is worked out from nothing."""
    response = filling.response
    made = Evaluation(response.prepared, response.answers, response.rows, response.conflicts)
    made.now, made.today = response.evaluation.now, response.evaluation.today
    made.outcomes = response.evaluation.outcomes
    made.start()
    other = copy.copy(response)
    other.evaluation = made
    return facts(other)


@settings(max_examples=40)
@given(any_form(), OPERATIONS)
def test_any_operations_on_any_form_keep_what_is_promised(made: Form, operations: list[tuple[Any, ...]]) -> None:
    """Q7: replaying a response's log gives the same view, whatever was done to whatever form."""
    filling, said = Filling(made), list[str]()
    for what, by, number, value, behind in operations:
        before, was = filling.response, facts(filling.response)
        kept = [commit.as_data() for commit in before.commits]
        try:
            act(filling, what, by, number, value, behind)
        except Refused as refused:
            said.append(refused.message)
        else:
            assert what != "set" or is_refused_for_what_it_says_alone(filling, number, value), "refused for its place"
        assert facts(before) == was, "a write changed what others still read"
        assert [commit.as_data() for commit in filling.response.commits][: len(kept)] == kept, "the log was rewritten"
        assert set(before.revisions) <= set(filling.response.revisions), "a revision was lost"
        assert anew(filling) == facts(filling.response), "working out what changed differs from working out everything"
    assert all(said), "a refusal without a word"
    read = view(filling.response, scope="now")
    replayed = filling.replayed()
    assert facts(replayed) == facts(filling.response)
    assert view(replayed, scope="now") == read == view(filling.response, scope="now")
    for commit in filling.response.commits:
        assert (commit.by.actor, commit.by.channel) in PARTIES
        assert commit.at.startswith("2026-05-15T")
        moves = [event for event in commit.events if event["event"] == "moved"]
        assert all(event["cause"] and event["by"] == commit.by.actor for event in moves), "a move without its cause"


PARTIES = {(by.actor, by.channel) for by in (ANA, BEN, BOT)}


def is_refused_for_what_it_says_alone(filling: Filling, number: int, value: Any) -> bool:
    """Whether the answer just given was refused although it can be read and its field is one to answer."""
    planned = filling.response.plan.fields[number % len(filling.response.plan.fields)]
    said = [one for one in filling.response.commits[-1].verdicts if one["path"].endswith(planned.name)]
    nowhere = any(event["event"] == "not-taken" for event in filling.response.commits[-1].events)
    if not said or said[0]["verdict"] != "rejected" or not planned.question.writable or nowhere:
        return True
    try:
        read_answer(planned.question, value, Setting(choices=filling.response.plan.list_of(planned)))
    except Unreadable:
        return True
    return False
