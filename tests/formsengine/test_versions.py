"""A form changes while people fill it: what moves by itself, what is asked first, and what nobody loses."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.definition.changes import Class, compare, worst
from formsengine.definition.model import Form
from formsengine.definition.publish import publish
from formsengine.log import lifecycle
from formsengine.log.migrating import migrate, orphans, preview
from formsengine.log.response import prepared, replay
from formsengine.problems import Refused
from formsengine.view.shown import view
from tests.formsengine.filling import ANA, Filling, asks, choices, facts, form, rows

COLOURS = choices("l", "red", "blue")


def of(*items: dict[str, Any], **more: Any) -> Form:
    return form(*items, **more)


def colours(*codes: str, **retired: bool) -> dict[str, Any]:
    found = choices("l", *codes)
    for choice in found["choices"]:
        choice["retired"] = retired.get(choice["code"], False)
    return found


CHANGES: list[tuple[str, dict[str, Any], dict[str, Any], Class]] = [
    ("a label", asks("x"), asks("x") | {"label": {"en": "Other words"}}, Class.COMPATIBLE),
    ("a name, the uid kept", asks("x", uid="u"), asks("y", uid="u"), Class.COMPATIBLE),
    ("a rule loosened", asks("x", constraints=[{"test": ". > 1"}]), asks("x"), Class.COMPATIBLE),
    ("no longer needed", asks("x", required=True), asks("x"), Class.COMPATIBLE),
    ("needed now", asks("x"), asks("x", required=True), Class.REVIEW),
    ("a tighter rule", asks("x"), asks("x", constraints=[{"test": ". > 1"}]), Class.REVIEW),
    ("a warning made an error", asks("x", constraints=[{"test": ". > 1", "severity": "warning"}]),
     asks("x", constraints=[{"test": ". > 1"}]), Class.REVIEW),
    ("when it applies", asks("x"), asks("x", relevant="1 = 1"), Class.REVIEW),
    ("how it is worked out", asks("x", computed="1"), asks("x", computed="2"), Class.REVIEW),
    ("its type", asks("x"), asks("x", "text"), Class.BREAKING),
    ("once and once a row", asks("x"), rows("r", asks("x")), Class.BREAKING),
    ("removed", asks("x"), asks("z"), Class.BREAKING),
]  # fmt: skip


@pytest.mark.parametrize(("case", "old", "new", "kind"), CHANGES)
def test_a_change_has_the_class_of_what_it_may_do_to_answers(
    case: str, old: dict[str, Any], new: dict[str, Any], kind: Class
) -> None:
    assert worst(compare(publish(of(old, asks("k"))), publish(of(new, asks("k"))))) is kind


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        (colours("red", "blue", "green"), Class.COMPATIBLE),
        (colours("red", "blue", blue=True), Class.REVIEW),
        (colours("red"), Class.BREAKING),
    ],
)
def test_a_choice_may_come_be_retired_and_not_vanish(after: dict[str, Any], kind: Class) -> None:
    asked = asks("x", "choice", choices="l")
    assert worst(compare(publish(of(asked, lists=[COLOURS])), publish(of(asked, lists=[after])))) is kind


def test_a_compatible_version_takes_the_draft_along_and_the_log_says_so() -> None:
    filling = Filling(of(asks("x", uid="u1"), asks("y")))
    filling.say(x=5)
    later = prepared(publish(of(asks("weight", uid="u1"), asks("y"), asks("z", relevant="${weight} > 3"), version=2)))
    moved = migrate(filling.response, ANA, filling.clock, later).response
    assert (moved.evaluation.values[("u1", "")], str(moved.evaluation.states[("z", "")].name)) == (5, "empty")
    assert view(moved, scope="field", id="weight")["value"] == 5
    again = replay("response-1", filling.ready, [each.as_data() for each in moved.commits], [later])
    assert facts(again) == facts(moved)


def test_what_needs_a_look_is_previewed_and_confirmed() -> None:
    filling = Filling(of(asks("x"), asks("y")))
    filling.say(x=5)
    stricter = prepared(publish(of(asks("x", constraints=[{"test": ". > 9"}]), asks("y", required=True), version=2)))
    with pytest.raises(Refused) as caught:
        migrate(filling.response, ANA, filling.clock, stricter)
    assert caught.value.code == "review"
    shown = preview(filling.response, stricter, filling.clock)
    assert shown["states"] == {"x": {"before": "filled", "after": "invalid"}}
    moved = migrate(filling.response, ANA, filling.clock, stricter, confirmed=True).response
    assert str(moved.evaluation.states[("x", "")].name) == "invalid"
    assert str(filling.response.evaluation.states[("x", "")].name) == "filled"


def test_fault_24_what_breaks_moves_only_by_a_map_and_nothing_is_lost() -> None:
    filling = Filling(of(asks("a", "text"), asks("b", "text"), asks("c", "text")))
    filling.say(a="12", b="words", c="kept")
    later = prepared(publish(of(asks("a"), asks("d", "longtext"), asks("e"), version=2)))
    with pytest.raises(Refused) as caught:
        migrate(filling.response, ANA, filling.clock, later)
    assert caught.value.code == "breaking"
    assert preview(filling.response, later, filling.clock)["orphaned"] == ["b", "c"]
    moved = migrate(filling.response, ANA, filling.clock, later, moved={"b": "d"}).response
    assert (moved.evaluation.values[("a", "")], moved.evaluation.values[("d", "")]) == (12, "words")
    assert orphans(moved) == [("b", ""), ("c", "")]
    assert moved.revisions[str(moved.heads[("c", "")])].kept == "kept"
    again = replay("response-1", filling.ready, [each.as_data() for each in moved.commits], [later])
    assert facts(again) == facts(moved)
    with pytest.raises(Refused):
        migrate(filling.response, ANA, filling.clock, later, moved={"b": "nothing"})


def test_what_cannot_be_read_under_another_type_is_said_and_stays_in_the_log() -> None:
    filling = Filling(of(asks("a", "text")))
    filling.say(a="a dozen")
    later = prepared(publish(of(asks("a"), version=2)))
    result = migrate(filling.response, ANA, filling.clock, later, moved={})
    assert [each["verdict"] for each in result.verdicts] == ["rejected"]
    assert str(result.response.evaluation.states[("a", "")].name) == "empty"
    assert "a dozen" in str([each.raw for each in result.response.revisions.values()])


def test_fault_25_a_submission_names_the_version_it_began_under_and_its_own() -> None:
    filling = Filling(of(asks("x")))
    filling.say(x=5)
    filling.submit()
    later = prepared(publish(of(asks("x"), asks("y"), version=2)))
    with pytest.raises(Refused):
        migrate(filling.response, ANA, filling.clock, later)
    filling.response = lifecycle.reopen(filling.response, ANA, filling.clock, reason="More to say").response
    filling.response = migrate(filling.response, ANA, filling.clock, later).response
    filling.say(y=6)
    filling.submit()
    taken = filling.response.snapshots[2]
    assert (taken["started"]["version"], taken["definition"]["version"]) == (1, 2)
    assert taken["values"] == {"x": 5, "y": 6}


def test_undo_does_not_cross_a_change_of_version() -> None:
    filling = Filling(of(asks("x")))
    filling.say(x=5)
    later = prepared(publish(of(asks("x"), asks("y"), version=2)))
    filling.response = migrate(filling.response, ANA, filling.clock, later).response
    ways: list[dict[str, Any]] = [{}, {"field": "x"}]
    for more in ways:
        with pytest.raises(Refused):
            filling.op("undo", **more)
    filling.say(y=1)
    filling.op("undo")
    assert (filling.kept("x"), filling.kept("y")) == (5, None)
