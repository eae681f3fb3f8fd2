"""What a person or an agent reads: what to ask now, why, and what changed, within a ceiling of tokens."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.definition.builder import FormBuilder
from formsengine.definition.model import Form
from formsengine.log.addresses import NotFound
from formsengine.problems import Refused
from formsengine.view.shown import Reader, line, lines, rows_shown, tokens, view
from tests.formsengine.filling import BEN, BOT, Filling, asks, choices, form, rows, section
from tests.formsengine.forms import household


def of_many(count: int) -> Form:
    made = FormBuilder("many", "Many questions")
    for step in range(count // 6):
        with made.step(f"s{step}", f"Step {step % 10}"):
            for field in range(6):
                made.integer(f"f{step * 6 + field:02}", f"Question {field}", required=True)
    return made.compile()


def test_the_view_of_now_costs_the_same_however_many_questions_there_are() -> None:
    """Q6: the view at the current step costs the same for 6 fields and for 60."""
    few, more, many = Filling(of_many(6)), Filling(of_many(12)), Filling(of_many(60))
    for filling in (few, more, many):
        filling.say(f00=1)
    one, two, other = (tokens(view(each.response)) for each in (few, more, many))
    assert abs(two - other) <= 8
    assert abs(one - other) <= 24, "the last step alone does not say what comes after it"
    assert other < 250


def test_now_names_the_step_what_it_asks_why_and_what_comes() -> None:
    filling = Filling(household())
    filling.say(age=200, region="north", district="s1")
    shown = view(filling.response)
    assert (shown["step"]["name"], shown["coming"], shown["state"]) == (
        "person",
        ["The place", "The family"],
        "blocked",
    )
    asked = {each["field"]: each for each in shown["ask"]}
    assert (asked["age"]["state"], asked["age"]["why"]) == ("invalid", "0 to 129")
    assert asked["mother_name"]["needed"] is True
    russian = view(filling.response, reader=Reader("ru"))
    assert {each["field"]: each["label"] for each in russian["ask"]}["age"] == "Возраст"
    step = view(filling.response, scope="step", id="place")
    district = next(each for each in step["fields"] if each["field"] == "district")
    assert district["why"] == "Harbour is not among the options for District where Region is North."
    assert district["options"] == ["n1: Hillside"]


def test_the_line_of_standing_says_how_far_it_is() -> None:
    filling = Filling(household())
    assert line(filling.response) == "Household: 0 of 5 answered, 2 needed. Now: The person."
    filling.say(mother_name="Ana", age=40)
    filling.say(age=41, by=BEN, base=0)
    assert line(filling.response) == "Household: 2 of 6 answered, 2 needed, 1 conflict. Now: The person."
    assert line(filling.response, language="ru").startswith("Семья: 2 of 6")


def test_finished_responses_never_hide_open_ones() -> None:
    done, open_one = Filling(form(asks("x"))), Filling(form(asks("x")))
    open_one.say(x=None)
    done.at = done.at.replace(hour=20)
    done.say(x=1)
    done.submit()
    done.response.id, open_one.response.id = "done", "open"
    assert [each.split(" ")[0] for each in lines([done.response, open_one.response])] == ["open", "done"]


def test_when_no_step_is_proposed_what_is_left_is_proposed_anyway() -> None:
    made = form(asks("a")).model_validate(
        {
            "format": "form/1",
            "id": "f",
            "steps": [
                {"name": "one", "items": [asks("a")]},
                {"name": "two", "ask_when": "has-role('nurse')", "items": [asks("b")]},
                {"name": "three", "items": [asks("c")]},
            ],
        }
    )
    filling = Filling(made)
    filling.say(a=1)
    assert view(filling.response)["step"]["name"] == "three"
    assert view(filling.response, reader=Reader(roles=frozenset({"nurse"})))["step"]["name"] == "two"
    filling.say(c=1)
    assert view(filling.response)["step"]["name"] == "two"
    filling.say(b=1)
    assert "step" not in view(filling.response)


def test_a_view_fits_its_budget_and_counts_what_it_left_out() -> None:
    filling = Filling(of_many(60))
    for scope in ("now", "step", "outline", "changes"):
        for budget in (120, 200, 400):
            shown = view(filling.response, scope=scope, since=0, budget=budget)
            assert tokens(shown) <= budget, (scope, budget)
    assert view(filling.response, budget=120)["more"] >= 1
    assert len(view(filling.response, scope="outline")["steps"]) == 10


def test_only_what_changed_since_a_commit_is_told() -> None:
    filling = Filling(form(asks("a"), asks("b", computed="${a} * 2"), asks("c", relevant="${b} > 5"), asks("d")))
    filling.say(d=1)
    seen = filling.response.number
    filling.say(a=4)
    shown = view(filling.response, scope="changes", since=seen)
    assert [each["field"] for each in shown["fields"]] == ["a", "b", "c"]
    assert view(filling.response, scope="changes", since=filling.response.number)["fields"] == []
    with pytest.raises(Refused):
        view(filling.response, scope="changes", since=99)


def test_why_names_the_rule_its_inputs_and_who_gave_them() -> None:
    filling = Filling(form(
        asks("age"), section("work", asks("hours", constraints=[{"test": ". < 60", "message": {"en": "Under 60"}}]),
                             label={"en": "Work"}, relevant="${age} > 15"),
        asks("yearly", computed="${hours} * 52"),
    ))  # fmt: skip
    filling.say(age=12, by=BOT)
    hidden = view(filling.response, scope="field", id="hours")["because"]
    assert hidden["because"] == ["Work does not apply."]
    assert hidden["rules"][0]["rule"] == "${age} > 15"
    assert (hidden["rules"][0]["inputs"][0]["value"], hidden["rules"][0]["inputs"][0]["by"]) == (12, "bot")
    filling.say(age=30, hours=80)
    assert view(filling.response, scope="field", id="hours")["because"]["because"] == ["Under 60"]
    yearly = view(filling.response, scope="field", id="yearly")["because"]
    assert (yearly["because"], yearly["rules"][0]["inputs"][0]["value"]) == (
        ["yearly is worked out from other answers."],
        80,
    )


def test_why_a_row_is_kept_aside() -> None:
    filling = Filling(household())
    filling.say(kids=2)
    first, second = filling.response.evaluation.live[("children", "")]
    filling.say({f"children/{second}/child_age": 4})
    filling.say(kids=1)
    because = view(filling.response, scope="field", id=f"children/{second}/child_age")["because"]
    assert because["because"] == ["Children has 1 rows; this one is kept aside."]
    assert because["rules"][0]["inputs"][0]["value"] == 1
    assert rows_shown(filling.response, filling.response.plan.by_name["children"]) == [first, second]
    filling.say(kids=3)
    filling.say(kids=1)
    assert len(rows_shown(filling.response, filling.response.plan.by_name["children"])) == 2


def test_sensitive_answers_are_masked_where_the_reader_is_a_model() -> None:
    filling = Filling(form(asks("secret", "text", sensitive=True), asks("b", "text", relevant="${secret} = 'no'")))
    filling.say(secret="A hidden illness")
    filling.say(secret="Something else", by=BEN, base=0)
    masked = Reader(masked=True)
    for scope, id in (("step", "one"), ("field", "secret"), ("field", "b"), ("changes", "")):
        shown = str(view(filling.response, scope=scope, id=id, since=0, reader=masked))
        assert "illness" not in shown
        assert "Something else" not in shown
    assert "illness" in str(view(filling.response, scope="field", id="secret"))


def test_a_view_that_does_not_exist_is_refused_with_those_that_do() -> None:
    filling = Filling(household())
    wrong: list[dict[str, Any]] = [{"scope": "all"}, {"scope": "step", "id": "persn"}]
    for asked in wrong:
        with pytest.raises(Refused) as caught:
            view(filling.response, **asked)
        assert caught.value.problems[0].accepted
    with pytest.raises(NotFound) as missing:
        view(filling.response, scope="field", id="aeg")
    assert missing.value.accepted == ("age: Age",)


def test_a_label_says_the_answers_it_names() -> None:
    told = {"label": {"en": "What did ${name} weigh, at ${age}?"}}
    pets = rows("pets", asks("name", "text"), asks("weight") | told)
    filling = Filling(form(asks("age"), pets))
    row = filling.row("pets", name="Rex")
    entry = view(filling.response, scope="field", id=f"pets/{row}/weight")
    assert entry["label"] == "What did Rex weigh, at ...?"


def test_a_long_list_of_choices_is_cut_and_counted() -> None:
    filling = Filling(form(asks("x", "choice", choices="l"), lists=[choices("l", *(f"c{n}" for n in range(40)))]))
    entry: dict[str, Any] = view(filling.response)["ask"][0]
    assert (len(entry["options"]), entry["more_options"]) == (12, 28)


def test_history_keeps_every_revision_and_says_which_is_in_force() -> None:
    filling = Filling(form(asks("x"), rows("r", asks("y"))))
    filling.say(x=1)
    filling.say(x=2)
    filling.op("undo")
    found = view(filling.response, scope="field", id="x")["revisions"]
    assert [(each["value"], each["in_force"]) for each in found] == [(1, True), (2, False)]
