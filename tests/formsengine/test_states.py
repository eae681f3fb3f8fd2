"""What follows from answers: relevance, choices, computed values, rows, and the state of every field."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.log.commits import Clock
from formsengine.log.snapshot import blockers, snapshot
from tests.formsengine.filling import ANA, BEN, Filling, asks, choices, form, rows, section
from tests.formsengine.forms import household


def submitted(filling: Filling) -> dict[str, Any]:
    response = filling.response
    kept = snapshot(response, ANA, Clock(filling.at), response.number)
    return {**kept["values"], **{path: each["value"] for path, each in kept["computed"].items()}}


WARNING = {"test": ". > 9", "severity": "warning"}
STATES: list[tuple[str, dict[str, Any], dict[str, Any], str, bool, bool]] = [
    ("nothing was answered", {}, {}, "empty", False, True),
    ("nothing, and it is needed", {"required": True}, {}, "empty", True, True),
    ("a valid answer", {}, {"x": 5}, "filled", False, False),
    ("zero is an answer", {"required": True}, {"x": 0}, "filled", False, False),
    ("an answer that breaks a rule", {"constraints": [{"test": ". > 9"}]}, {"x": 5}, "invalid", True, True),
    ("an answer against a warning", {"constraints": [WARNING]}, {"x": 5}, "invalid", True, True),
    ("an answer to what is not relevant", {"relevant": "${y} = 1"}, {"x": 5}, "held", False, False),
    ("no answer to what is not relevant", {"relevant": "${y} = 1", "required": True}, {}, "absent", False, False),
    ("an answer taken back", {"required": True}, {"x": ""}, "empty", True, True),
]


@pytest.mark.parametrize(("case", "more", "answers", "state", "blocks", "asked"), STATES)
def test_the_state_of_a_field(
    case: str, more: dict[str, Any], answers: dict[str, Any], state: str, blocks: bool, asked: bool
) -> None:
    filling = Filling(form(asks("x", **more), asks("y")))
    if answers:
        filling.say(x=1, y=None)
        filling.say(answers)
    found = filling.response.evaluation.states[("x", "")]
    assert (str(found.name), found.blocks, found.asked) == (state, blocks, asked)


def test_a_declined_answer_is_neither_asked_again_nor_in_the_way() -> None:
    filling = Filling(form(asks("x", required=True), asks("y", may_decline=False)))
    filling.op("decline", field="x", reason="unknown")
    assert filling.state("x") == "declined"
    assert not filling.response.evaluation.states[("x", "")].asked
    assert blockers(filling.response) == []
    filling.op("decline", field="y")
    assert filling.verdicts() == ["rejected"]


def test_a_suggested_answer_waits_to_be_confirmed_and_then_counts_as_said() -> None:
    filling = Filling(form(asks("x", required=True)))
    filling.patch([{"op": "set", "field": "x", "value": 5, "origin": "memory", "unconfirmed": True}])
    found = filling.response.evaluation.states[("x", "")]
    assert (str(found.name), found.blocks, found.asked) == ("unconfirmed", True, True)
    filling.op("confirm", field="x")
    assert filling.state("x") == "filled"


def test_a_computed_field_may_be_overridden_where_the_form_says_so() -> None:
    filling = Filling(
        form(asks("a"), asks("b", computed="${a} * 2", may_override=True), asks("c", computed="${b} + 1"))
    )
    filling.say(a=4)
    assert (filling.value("b"), filling.value("c")) == (8, 9)
    filling.say(b=10)
    assert (filling.state("b"), filling.value("c")) == ("overridden", 11)
    filling.say(c=1)
    assert filling.verdicts() == ["rejected"]
    filling.say(b=None)
    assert filling.value("c") == 9


def test_a_warning_is_passed_by_an_acknowledgement_that_is_kept() -> None:
    filling = Filling(form(asks("x", constraints=[{"test": ". < 100", "severity": "warning"}])))
    filling.say(x=200)
    assert [each.code for each in blockers(filling.response)] == ["invalid"]
    filling.op("acknowledge", field="x")
    assert filling.state("x") == "filled"
    filling.say(x=300)
    assert filling.state("x") == "invalid"


def test_fault_1_a_chain_of_questions_is_held_and_comes_back() -> None:
    """Q2: an answer that does not apply is held, not counted, and back when it applies again."""
    filling = Filling(form(
        asks("a", "text"), asks("b", "text", relevant="${a} = 'x'"), asks("c", "text", relevant="${b} = 'y'")
    ))  # fmt: skip
    filling.say(a="x", b="y", c="z")
    filling.say(a="q")
    assert (filling.state("b"), filling.state("c")) == ("held", "held")
    assert submitted(filling) == {"a": "q"}
    filling.say(a="x")
    assert submitted(filling) == {"a": "x", "b": "y", "c": "z"}


def test_fault_3_a_detail_is_back_after_a_slip() -> None:
    filling = Filling(form(asks("any", "boolean"), asks("detail", "text", relevant="${any}")))
    filling.say(any="yes", detail="The left knee")
    filling.say(any="no")
    filling.say(any="yes")
    assert (filling.state("detail"), filling.kept("detail")) == ("filled", "The left knee")


def test_fault_4_a_count_that_does_not_apply_is_not_submitted_and_stays_in_history() -> None:
    filling = Filling(form(asks("has_kids", "boolean"), asks("kids", relevant="${has_kids}")))
    filling.say(has_kids=True, kids=3)
    filling.say(has_kids=False)
    assert submitted(filling) == {"has_kids": False}
    assert filling.kept("kids") == 3


def test_fault_6_a_default_of_what_never_applied_is_absent() -> None:
    filling = Filling(form(asks("a"), asks("b", relevant="${a} = 1", default="7"), asks("c", default="${a} + 1")))
    filling.say(a=2)
    assert submitted(filling) == {"a": 2, "c": 3}
    filling.say(a=1)
    assert submitted(filling) == {"a": 1, "b": 7, "c": 3}


def test_fault_7_a_section_that_begins_to_apply_is_worked_out_in_the_same_commit() -> None:
    inside = section(
        "s", asks("x2", computed="${n} * 2"), asks("x4", computed="${x2} * 2"), asks("q", relevant="${x4} > 10"),
        relevant="${on}",
    )  # fmt: skip
    filling = Filling(form(asks("on", "boolean"), asks("n"), inside))
    filling.say(n=3)
    assert filling.state("q") == "absent"
    filling.say(on=True)
    assert (filling.value("x4"), filling.state("q")) == (12, "empty")


def test_fault_9_a_removed_row_is_that_row_and_the_places_close_up() -> None:
    filling = Filling(form(
        asks("on", "boolean"),
        rows("r", asks("v"), asks("place", computed="position()"), relevant="${on}"),
        asks("n", computed="count(${r})"),
    ))  # fmt: skip
    filling.say(on=True)
    first, second, third = (filling.row("r", v=each) for each in (1, 2, 3))
    filling.op("row-remove", row=first)
    assert filling.response.evaluation.live[("r", "")] == (second, third)
    assert [filling.value(f"place@{row}") for row in (second, third)] == [1, 2]
    filling.say(on=False)
    filling.say(on=True)
    assert (filling.value("n"), submitted(filling)[f"r/{second}/v"]) == (2, 2)
    filling.op("row-restore", row=first)
    assert (filling.value("n"), filling.value(f"v@{first}")) == (3, 1)


def test_fault_10_rows_above_the_count_come_back_with_their_answers() -> None:
    filling = Filling(household())
    filling.say(kids=3)
    listed = filling.response.evaluation.live[("children", "")]
    assert len(listed) == 3
    for number, row in enumerate(listed):
        filling.say({f"children/{row}/child_name": f"Child {number}"})
    filling.say(kids=1)
    assert (filling.value("listed"), filling.state(f"child_name@{listed[2]}")) == (1, "held")
    filling.say(kids=3)
    assert filling.response.evaluation.live[("children", "")] == listed
    assert filling.value(f"child_name@{listed[2]}") == "Child 2"


def test_fault_12_a_choice_of_another_region_is_flagged_and_back_with_its_region() -> None:
    filling = Filling(household())
    filling.say(mother_name="Ana", region="north", district="n1")
    filling.say(region="south")
    state = filling.response.evaluation.states[("district", "")]
    assert (filling.state("district"), state.excluded, filling.value("district")) == ("held-choice", ("n1",), None)
    assert "district" not in submitted(filling)
    filling.say(region="north")
    assert (filling.state("district"), filling.value("district")) == ("filled", "n1")


def test_several_choices_keep_their_order_and_lose_only_what_is_not_offered() -> None:
    found = choices("all", "a", "b", "c")
    for each, kind in zip(found["choices"], ("x", "y", "x"), strict=True):
        each["attributes"] = {"kind": kind}
    many = asks("many", "choices", choices="all", filter="kind = ${kind} or ${kind} = ''")
    filling = Filling(form(asks("kind", "text"), many, lists=[found]))
    filling.say(many=["c", "b", "a"])
    filling.say(kind="x")
    assert filling.value("many") == ("c", "a")
    assert submitted(filling)["many"] == ["c", "a"]
    filling.say(kind=None)
    assert filling.value("many") == ("c", "b", "a")


def test_an_exclusive_choice_stands_alone() -> None:
    found = choices("all", "a", "none")
    found["choices"][1]["exclusive"] = True
    filling = Filling(form(asks("many", "choices", choices="all"), lists=[found]))
    filling.say(many=["a", "none"])
    assert blockers(filling.response)[0].message == "none stands alone; it cannot be chosen with others."


def test_fault_18_and_19_a_correction_and_a_cleared_default_stay() -> None:
    filling = Filling(form(asks("a"), asks("b", default="${a} * 2"), asks("c", default="5")))
    filling.say(a=2)
    assert (filling.kept("b"), filling.kept("c")) == (4, 5)
    filling.say(b=9, c=None)
    filling.say(a=3)
    assert (filling.kept("b"), filling.value("c")) == (9, None)
    assert filling.replayed().evaluation.values[("c", "")] is None


def test_a_value_is_worked_out_anew_only_when_what_it_names_changes() -> None:
    filling = Filling(form(asks("a"), asks("b"), asks("c", computed="${a} + ${b}", recompute_on=["a"])))
    filling.say(a=1, b=1)
    filling.say(b=5)
    assert filling.value("c") == 2
    filling.say(a=2)
    assert filling.value("c") == 7


def test_fault_16_a_date_is_that_date_and_today_is_the_day_where_the_response_is() -> None:
    made = form(asks("d", "date", constraints=[{"test": ". >= today()"}]))
    filling = Filling(made, zone="America/Bogota")
    filling.at = filling.at.replace(day=16, hour=4, minute=30)  # 23:30 on the 15th there
    filling.say(d="2026-05-15")
    assert (filling.state("d"), filling.kept("d")) == ("filled", "2026-05-15")
    other = Filling(made)
    other.at = other.at.replace(day=16, hour=4, minute=30)
    other.say(d="2026-05-15")
    assert other.state("d") == "invalid"


def test_fault_16_what_today_decides_is_judged_again_on_another_day_and_replays_the_same() -> None:
    filling = Filling(form(asks("d", "date", constraints=[{"test": ". >= today()"}]), asks("x")))
    filling.say(d="2026-05-15")
    filling.at = filling.at.replace(day=17)
    filling.say(x=1)
    assert filling.state("d") == "invalid"
    assert filling.replayed().evaluation.states == filling.response.evaluation.states


def test_fault_34_a_check_that_failed_is_gone_with_its_cause() -> None:
    filling = Filling(
        form(asks("a"), asks("b"), checks=[{"test": "${a} <= ${b}", "message": {"en": "a is at most b"}}])
    )
    filling.say(a=3, b=2)
    assert [each.message for each in blockers(filling.response)] == ["a is at most b"]
    filling.say(b=4)
    assert blockers(filling.response) == []


def test_lists_have_limits_and_lists_lie_in_lists() -> None:
    inner = rows("pets", asks("pet_age"), max_rows=1)
    made = form(
        rows("homes", asks("old", computed="max(${pet_age})"), inner, min_rows=1),
        asks("all", computed="sum(${pet_age})"),
    )
    filling = Filling(made)
    filling.op("row-add", repeat="homes")
    home = filling.response.evaluation.live[("homes", "")][0]
    other = filling.row("homes")
    for age in (3, 8):
        filling.op("row-add", repeat="pets", parent=home, values={"pet_age": age})
    filling.op("row-add", repeat="pets", parent=other, values={"pet_age": 5})
    assert (filling.value(f"old@{home}"), filling.value(f"old@{other}"), filling.value("all")) == (8, 5, 16)
    assert [(each.code, each.path) for each in blockers(filling.response)] == [("rows", f"homes/{home}/pets")]
    filling.op("row-remove", row=home)
    assert (filling.value("all"), blockers(filling.response)) == (5, [])


def test_fault_30_and_31_steps_are_advice_derived_from_the_answers() -> None:
    """Q1: a patch to a field of a later step is in force in the same commit."""
    made = form(asks("a", required=True))
    data = {
        "format": "form/1", "id": "f",
        "steps": [
            {"name": "one", "items": [asks("a", required=True)]},
            {"name": "two", "ask_when": "complete('one')", "items": [asks("b")]},
            {"name": "own", "ask_when": "not(complete('own'))", "items": [asks("c", required=True)]},
        ],
    }  # fmt: skip
    filling = Filling(made.model_validate(data))
    evaluation = filling.response.evaluation
    assert (evaluation.asked("two"), evaluation.asked("own")) == (False, True)
    filling.say(b=6)
    assert filling.verdicts() == ["in-force"]
    filling.say(a=1, c=2)
    evaluation = filling.response.evaluation
    assert (evaluation.asked("two"), evaluation.asked("own")) == (True, False)


def test_a_gate_opens_once_closes_itself_and_an_end_gate_ends_the_form() -> None:
    filling = Filling(form(
        asks("age"),
        gates=[{"name": "young", "when": "${age} < 18", "owner": "nurse"},
               {"name": "ineligible", "kind": "end", "when": "${age} > 100", "reason": "too old"}],
        hooks=[{"name": "tell", "on": "gate", "calls": "notify", "of": "young"}],
    ))  # fmt: skip
    filling.say(age=15)
    assert [each.code for each in blockers(filling.response)] == ["gate"]
    assert filling.response.commits[-1].outbox[0]["key"] == "response-1/tell/1"
    filling.say(age=16)
    assert filling.response.commits[-1].outbox == []
    filling.say(age=30)
    assert blockers(filling.response) == []
    filling.say(age=17)
    assert filling.response.gates["young"].occurrence == 2
    filling.say(age=101, by=BEN)
    assert (filling.response.state, filling.response.reason) == ("void", "too old")


def test_one_of_the_rows_is_chosen_by_its_label_and_lost_with_it() -> None:
    filling = Filling(form(
        rows("people", asks("name", "text"), row_label="name"), asks("head", "row", rows_of="people")
    ))  # fmt: skip
    first, second = filling.row("people", name="Ana"), filling.row("people", name="Rui")
    filling.say(head="rui")
    assert filling.value("head") == second
    filling.op("row-remove", row=second)
    assert filling.state("head") == "held-choice"
    filling.say(head="Bea")
    assert filling.last is not None
    assert filling.last.verdicts[0]["accepted"] == [f"{first} (Ana)"]


def test_a_computed_value_that_does_not_apply_is_empty() -> None:
    tripled = asks("c", computed="${a} * 3", relevant="selected(${b}, 'yes')")
    filling = Filling(form(asks("a"), asks("b", "text"), tripled))
    filling.say(a=5, b="no")
    assert filling.value("c") is None
    filling.say(b="yes")
    assert filling.value("c") == 15


def test_what_is_unlike_an_answer_in_a_section_that_does_not_apply_does_not_apply_either() -> None:
    inside = section("g", asks("c", "text"), asks("d", "text", relevant="${c} != 'A'"), relevant="${p} = 'yes'")
    filling = Filling(form(asks("p", "text"), inside))
    assert filling.state("d") == "absent"
    filling.say(p="yes")
    assert filling.state("d") == "empty"
    filling.say(c="A")
    assert filling.state("d") == "absent"


def test_a_lower_count_holds_rows_and_destroys_none() -> None:
    listed = rows("r", asks("place", computed="position()"), count="${n}")
    filling = Filling(form(asks("n"), listed, asks("m", computed="count(${r})")))
    filling.say(n=50)
    assert filling.value("m") == 50
    filling.say(n=3)
    assert [filling.value(f"place@{row}") for row in filling.rows("r")] == [1, 2, 3]
    assert len(filling.response.rows.by_id) == 50
