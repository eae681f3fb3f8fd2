"""Rows of the engine's tables that no other test shows: what is put in place of a worked-out value, checks of groups,
rows that name other rows, gates that hold steps, choices that were retired, and how long each thing stays."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from formsengine.definition.answers import answers_schema
from formsengine.definition.publish import check, publish
from formsengine.definition.stored import read
from formsengine.log.commits import Writer
from formsengine.log.snapshot import blockers, snapshot
from formsengine.view.shown import line, view
from tests.formsengine.filling import ANA, BEN, BOT, Filling, asks, choices, form, rows, section


def test_what_a_person_put_in_place_of_a_worked_out_value_stands_beside_it() -> None:
    filling = Filling(form(asks("a"), asks("b", computed="${a} * 2", may_override=True)))
    filling.say(a=4, b=10)
    shown = view(filling.response, scope="field", id="b")
    assert (shown["state"], shown["value"], shown["worked_out"]) == ("overridden", 10, 8)
    filling.say(a=5)
    assert view(filling.response, scope="field", id="b")["worked_out"] == 10
    hidden = Filling(form(asks("a"), asks("b", computed="${a} * 2", may_override=True, relevant="${a} > 9")))
    hidden.say(a=4, b=10)
    assert "worked_out" not in view(hidden.response, scope="field", id="b")


def test_an_unconfirmed_answer_that_is_not_needed_is_asked_and_not_in_the_way() -> None:
    filling = Filling(form(asks("x")))
    filling.patch([{"op": "set", "field": "x", "value": 5, "origin": "memory", "unconfirmed": True}])
    found = filling.response.evaluation.states[("x", "")]
    assert (str(found.name), found.blocks, found.asked) == ("unconfirmed", False, True)
    assert ", 1 unconfirmed" in line(filling.response)
    assert filling.submit().response.snapshots[1]["unconfirmed"] == ["x"]


def test_what_was_said_against_a_rule_is_in_force_and_the_answer_before_it_one_undo_away() -> None:
    filling = Filling(form(asks("x", constraints=[{"test": ". < 9"}])))
    filling.say(x=5)
    filling.say(x=50)
    assert (filling.state("x"), filling.value("x")) == ("invalid", 50)
    filling.op("undo")
    assert (filling.state("x"), filling.value("x")) == ("filled", 5)


def test_a_check_of_a_section_and_one_of_each_row_name_the_fields_they_blame() -> None:
    told = {"message": {"en": "It ends after it begins"}, "blames": ["last"]}
    within = section("span", asks("first"), asks("last"), checks=[{"test": "${first} <= ${last}", **told}])
    each = rows("r", asks("low"), asks("high"), checks=[{"test": "${low} < ${high}", "message": {"en": "Low is low"}}])
    filling = Filling(form(within, each))
    filling.say(first=3, last=1)
    wrong = filling.row("r", low=5, high=2)
    filling.row("r", low=1, high=2)
    found = {(one.path, one.message, one.accepted) for one in blockers(filling.response)}
    assert found == {("span", "It ends after it begins", ("last",)), (f"r/{wrong}", "Low is low", ())}
    filling.op("row-remove", row=wrong)
    filling.say(last=4)
    assert blockers(filling.response) == []


def test_a_row_names_its_parent_the_row_before_it_and_its_own_answers() -> None:
    inner = rows("pets", asks("age"), asks("since", computed="previous(${age}) + ${street} * 100"))
    filling = Filling(form(rows("homes", asks("street"), inner)))
    home = filling.row("homes", street=2)
    first, second = (
        str(filling.op("row-add", repeat="pets", parent=home, values={"age": age}).verdicts[0]["row"]) for age in (3, 8)
    )
    assert (filling.value(f"since@{first}"), filling.value(f"since@{second}")) == (None, 203)


def test_a_default_stands_in_each_new_row_once() -> None:
    filling = Filling(form(rows("r", asks("v", default="position() * 10"))))
    first, second = filling.row("r"), filling.row("r")
    filling.say({f"r/{first}/v": None})
    third = filling.row("r")
    assert [filling.value(f"v@{row}") for row in (first, second, third)] == [None, 20, 30]


def test_steps_that_wait_for_a_gate_are_asked_once_it_is_passed_and_answered_at_any_time() -> None:
    gate = {"name": "g", "when": "${a} > 5", "holds_steps": ["two"], "title": {"en": "A look"}, "due_hours": 2}
    steps = [{"name": name, "items": [asks(field)]} for name, field in (("one", "a"), ("two", "b"), ("end", "c"))]
    made = read({"format": "form/1", "id": "f", "steps": steps, "gates": [gate]})
    filling = Filling(made)
    filling.say(a=9)
    shown = view(filling.response)
    assert (shown["step"]["name"], shown["waits_for"][0]["title"]) == ("end", "A look")
    assert (shown["waits_for"][0]["since"][:16], shown["waits_for"][0]["due"][:16]) == (
        "2026-05-15T09:01",
        "2026-05-15T11:01",
    )
    filling.say(b=1)
    assert filling.kept("b") == 1
    filling.say(b=None, a=1)
    assert view(filling.response)["step"]["name"] == "two"


def test_a_retired_choice_is_offered_to_nobody_and_readable_where_it_was_chosen() -> None:
    found = choices("l", "old", "new")
    found["choices"][0]["retired"] = True
    filling = Filling(form(asks("x", "choice", choices="l"), lists=[found]))
    assert [each.code for each in filling.response.evaluation.options("x", "")] == ["new"]
    filling.say(x="old")
    assert (filling.state("x"), filling.value("x"), view(filling.response, scope="field", id="x")["value"]) == (
        "filled",
        "old",
        "old",
    )


def test_fault_12_a_choice_that_both_regions_offer_is_kept_when_the_region_changes() -> None:
    found = choices("l", "quay", "hill", "quay")
    for each, region in zip(found["choices"], ("n", "n", "s"), strict=True):
        each["attributes"] = {"region": region}
    asked = asks("place", "choice", choices="l", filter="region = ${region}")
    filling = Filling(form(asks("region", "text"), asked, lists=[found | {"repeated_codes": True}]))
    filling.say(region="n", place="quay")
    filling.say(region="s")
    assert (filling.state("place"), filling.value("place")) == ("filled", "quay")


def test_fault_18_a_corrected_default_is_what_is_submitted() -> None:
    filling = Filling(form(asks("a"), asks("b", default="${a} * 2")))
    filling.say(a=2)
    filling.say(b=9)
    filling.say(a=3)
    assert filling.submit().response.snapshots[1]["values"] == {"a": 3, "b": 9}


def test_a_submission_keeps_what_was_worked_out_with_what_it_was_worked_out_from() -> None:
    made = form(
        rows("r", asks("v")), asks("b"), asks("all", computed="sum(${v}) + ${b}"), asks("h", relevant="${b} > 9")
    )
    filling = Filling(made)
    filling.say(b=10, h=1)
    row = filling.row("r", v=4)
    filling.say(b=2)
    filling.op("decline", field="b", reason="unknown")
    filling.say(b=2)
    kept = snapshot(filling.response, ANA, filling.clock, filling.response.number)
    assert kept["computed"] == {"all": {"value": 6, "inputs": {f"r/{row}/v": 4, "b": 2}}}
    assert (kept["held"], kept["zone"], kept["by"]) == ({"h": 1}, "UTC", "ana")
    assert len(kept["digest"]) == 64


def test_the_device_and_the_person_are_stamped_with_the_first_commit() -> None:
    stamps = [asks(name, "meta", meta=name) for name in ("device", "user")]
    filling = Filling(form(asks("x"), *stamps))
    filling.say(x=1, by=Writer("ana", "browser", "s1", human=True, device="phone-7"))
    filling.say(x=2, by=Writer("ben", "browser", "s2", human=True, device="desk"))
    assert (filling.kept("device"), filling.kept("user")) == ("phone-7", "ana")
    filling.say(user="eva")
    assert filling.verdicts() == ["rejected"]


def test_a_permanent_name_finds_its_field_like_any_other() -> None:
    filling = Filling(form(asks("weight", uid="u-17")))
    filling.say({"u-17": 4})
    assert filling.kept("weight") == 4


def test_an_answer_said_again_is_noted_and_is_no_revision() -> None:
    filling = Filling(form(asks("x")))
    filling.say(x=1)
    before = set(filling.response.revisions)
    filling.patch([{"op": "set", "field": "x", "value": 1, "evidence": [{"turn": "t2"}]}], BEN, base=0)
    events = [(one["event"], one["by"], one["evidence"]) for one in filling.response.commits[-1].events]
    assert (events, set(filling.response.revisions)) == ([("corroborated", "ben", [{"turn": "t2"}])], before)


def test_a_conflict_is_asked_of_a_person_and_named_to_an_agent() -> None:
    filling = Filling(form(asks("x")))
    filling.say(x=1, by=BOT, base=None)
    filling.say(x=2, by=BEN, base=0)
    state = filling.response.evaluation.states[("x", "")]
    assert (str(state.name), state.asked, state.blocks) == ("conflict", True, True)
    assert view(filling.response)["ask"][0]["why"] == "2 answers to x wait for a person to pick one."


def test_the_answers_of_a_form_have_a_schema_by_name_with_rows_as_lists() -> None:
    chosen = asks("x", "choices", choices="l", other=True)
    made = form(section("s", chosen), rows("r", asks("v"), asks("w", "note")), lists=[choices("l", "a", "b")])
    schema = answers_schema(publish(made))
    validator = Draft202012Validator(schema)
    validator.check_schema(schema)
    validator.validate({"x": ["a", {"code": "other", "text": "c"}], "r": [{"v": 1}, {}]})
    wrong = ({"x": ["c"]}, {"r": [{"v": "1"}]}, {"r": [{"w": "read"}]}, {"y": 1})
    assert [validator.is_valid(one) for one in wrong] == [False] * 4
    assert schema["properties"]["r"]["title"] == "r"


OTHER = {"other": True, "other_label": {"en": "Else"}}
MISSING: list[tuple[dict[str, Any], str]] = [
    ({"items": [asks("a", media={"image": {"en": "a.png"}})]}, "steps/0/items/0/media/image"),
    ({"title": {"en": "One"}, "items": [asks("a")]}, "steps/0/title"),
    ({"items": [asks("a", "choice", choices="l", **OTHER)]}, "steps/0/items/0/other_label"),
]


@pytest.mark.parametrize(("step", "path"), MISSING)
def test_fault_28_gaps_are_told_of_media_titles_and_words_for_another_answer(step: dict[str, Any], path: str) -> None:
    data = {"steps": [{"name": "one", **step}], "languages": ["en", "pt"], "lists": [choices("l", "x")]}
    gaps = [one for one in check(read({"format": "form/1", "id": "f", **data}))[1] if one.code == "untranslated"]
    assert (path, ("pt",)) in [(one.path, one.accepted) for one in gaps]
