"""A form written act by act: each found by a name that stays, each taken back exactly, tried while it is written."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formsengine.definition.plan import plan
from formsengine.definition.stored import as_data, read
from formsengine.editing import acts, unread
from formsengine.editing.difference import applied, difference, inverse
from formsengine.editing.parts import at, find, parts
from formsengine.editing.trying import Trial, tried
from formsengine.log.commits import Clock
from formsengine.problems import Refused
from formsengine.xlsform.importing import import_xlsform
from tests.formsengine.forms import household

CLOCK = Clock(datetime(2026, 5, 15, 9, tzinfo=UTC))


@pytest.fixture
def form() -> dict[str, Any]:
    return as_data(household())


def names(form: dict[str, Any]) -> list[str]:
    return [part.id for part in parts(form) if part.id.startswith(("step:", "item:"))]


def test_a_field_is_added_where_one_looks_with_a_name_of_its_words(form: dict[str, Any]) -> None:
    made, part, words = acts.add(form, "item:age", "date", "Día de alta")
    assert (part, words) == ("item:día_de_alta", "Added “Día de alta”")
    order = names(made)
    assert order.index(part) == order.index("item:age") + 1
    again, second, _ = acts.add(made, part, "text", "Día de alta")
    assert second == "item:día_de_alta_2"
    assert read(again)
    within, new, _ = acts.add(again, "item:children", "integer", "Shoe size")
    assert find(within, new).within == "item:children"


def test_a_field_is_moved_across_the_edges_of_sections_and_steps(form: dict[str, Any]) -> None:
    made = form
    for _ in range(20):
        if names(made)[-1] == "item:age":
            break
        made = acts.move(made, "item:age", "down")[0]
        assert sorted(names(made)) == sorted(names(form))
    with pytest.raises(Refused, match="cannot be moved further down"):
        acts.move(made, "item:age", "down")
    assert find(made, "item:age").step == form["steps"][-1]["name"]
    kids = acts.move(acts.move(form, "item:listed", "up")[0], "item:listed", "in")[0]
    assert find(kids, "item:listed").within == "item:children"
    assert acts.move(kids, "item:listed", "out")[0] != kids


def test_what_names_a_field_follows_its_new_name_and_its_uid_stays(form: dict[str, Any]) -> None:
    made, part, words = acts.change(form, "item:age", {"name": "years"}) or pytest.fail("nothing changed")
    assert (part, words) == ("item:years", "Changed “Age”: name")
    assert plan(read(made)).problems == []
    assert plan(read(made)).by_name["years"].uid == "age"
    with pytest.raises(Refused, match="taken"):
        acts.change(made, "item:years", {"name": "works"})


def test_every_part_of_a_binding_follows_the_new_name(form: dict[str, Any]) -> None:
    data = {"text": "{age} years", "title": "Of {age}", "section": "{age}", "path": "/a/{age}.md", "when": "age"}
    bound = {"name": "b", "into": "entity", "fields": ["age"], "data": data | {"create_if": "${age} > 3"}}
    made, _, _ = acts.change(form | {"bindings": [bound]}, "item:age", {"name": "years"}) or pytest.fail("no change")
    assert made["bindings"][0]["fields"] == ["years"]
    assert made["bindings"][0]["data"] == {
        "text": "{years} years",
        "title": "Of {years}",
        "section": "{years}",
        "path": "/a/{years}.md",
        "when": "years",
        "create_if": "${years} > 3",
    }


def test_a_path_leads_to_the_part_it_is_about(form: dict[str, Any]) -> None:
    part = find(form, "item:age")
    assert at(form, f"{part.path}/constraints/0/test") == ("item:age", "constraints/0/test")
    assert at(form, "default_language") == ("form", "default_language")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=2), JSON, max_size=4), st.dictionaries(st.text(max_size=2), JSON, max_size=4))
@settings(max_examples=20)
def test_an_edit_is_kept_as_what_differs_and_taken_back_exactly(before: dict[str, Any], after: dict[str, Any]) -> None:
    changes = difference(before, after)
    assert applied(before, changes) == after
    assert applied(after, inverse(changes)) == before


def test_one_word_changed_in_a_long_form_is_one_place(form: dict[str, Any]) -> None:
    after, _, _ = acts.change(form, "item:age", {"label": {"en": "How old?", "ru": "Возраст"}}) or pytest.fail(
        "nothing changed"
    )
    assert [change["path"][-2:] for change in difference(form, after)] == [["label", "en"]]


def test_a_form_is_tried_with_answers_and_rows_while_its_rules_may_still_be_wrong(form: dict[str, Any]) -> None:
    trial = Trial()
    trial.take([{"op": "row-add", "repeat": "children"}, {"op": "set", "field": "age", "value": "17"}])
    first = tried(plan(read(form)), trial, CLOCK)
    assert first is not None
    row = next(iter(first.response.rows.by_id))
    assert first.response.evaluation.values[("works", "")] is None
    trial.take([{"op": "set", "field": f"children/{row}/child_age", "value": "seven"}])
    broken, _, _ = acts.change(form, "item:works", {"relevant": "${nobody} = 1"}) or pytest.fail("nothing changed")
    then = tried(plan(read(broken)), Trial.of(trial.as_data()), CLOCK)
    assert then is not None
    assert list(then.response.rows.by_id) == [row]
    assert list(then.refused) == [f"children/{row}/child_age"]
    circle, _, _ = acts.change(form, "item:age", {"relevant": "${works}"}) or pytest.fail("nothing changed")
    assert tried(plan(read(circle)), trial, CLOCK) is None


SHEET = b"""| survey |
| | type | name | label | relevant | constraint |
| | integer | age | Age | | . > pulldata('x', 'y') |
| | text | school | School | indexed-repeat(${age}, 1) | |
"""


def test_what_an_import_did_not_understand_is_dropped_or_written_anew() -> None:
    made = as_data(import_xlsform(SHEET, id="call").form)
    waiting = {(each["item"], each["key"]) for each in made["unread"]}
    assert waiting == {("age", "test"), ("school", "relevant")}
    number = next(place for place, each in enumerate(made["unread"]) if each["item"] == "school")
    made, _, _ = unread.rewrite(made, number, "school", "relevant", "${age} < 18")
    made, _, words = unread.drop(made, 0)
    assert words.startswith("Dropped")
    assert "unread" not in made
    assert find(made, "item:school").data["relevant"] == "${age} < 18"
    assert plan(read(made)).problems == []


def test_acts_say_what_is_gone(form: dict[str, Any]) -> None:
    made, part, _ = acts.remove(form, "item:age")
    assert part != "item:age"
    for act in (partial(acts.remove, made, "item:age"), partial(acts.move, made, "item:age", "up")):
        with pytest.raises(Refused, match="not there any more"):
            act()
