"""A form as a document: built in Python, stored, read back, and refused before anybody fills what cannot work."""

from __future__ import annotations

from typing import Any

import jsonschema
import pytest

from formsengine.definition.builder import FormBuilder, must
from formsengine.definition.publish import check, publish
from formsengine.definition.rules import OWN, call
from formsengine.definition.stored import as_data, digest, json_schema, read, text
from formsengine.definition.texts import text_in
from formsengine.problems import Problem, Refused
from tests.formsengine.forms import household


def form(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"format": "form/1", "id": "f", "steps": [{"name": "one", "items": list(items)}], **more}


def asks(name: str, type: str = "integer", **more: Any) -> dict[str, Any]:
    return {"kind": "field", "name": name, "type": type, "label": {"en": name}, **more}


LIST = {"name": "list", "choices": [{"code": "x"}]}


def rows(*items: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "repeat", "name": "r", "items": list(items), **more}


def errors(data: dict[str, Any]) -> list[Problem]:
    return [each for each in check(read(data))[1] if each.severity == "error"]


def test_what_python_builds_is_the_stored_document() -> None:
    built = household()
    data = as_data(built)
    jsonschema.Draft202012Validator(json_schema()).validate(data)
    assert read(text(data)) == built
    assert digest(data) == digest(as_data(read(data)))
    assert publish(built).problems == []


def test_rules_are_written_with_operators() -> None:
    built = FormBuilder("f")
    with built.step("one"):
        age = built.integer("age", constraints=[must(OWN > 3, "more than three")])
        built.boolean("works", relevant=(age >= 15) & ~(age == 99) | age.answered())
        built.computed("twice", call("round", age * 2, 1))
    step = built.compile().steps[0]
    relevant = publish(built.compile()).by_name["works"].relevant
    assert relevant is not None
    assert relevant.text == "(((${age} >= 15) and not((${age} = 99))) or (${age} != ''))"
    assert step.items[0].constraints[0].test == "(. > 3)"  # type: ignore[union-attr]
    with pytest.raises(TypeError, match="joined with &"):
        bool(age > 3)


def test_a_misspelt_part_is_refused_with_the_part_that_was_meant() -> None:
    with pytest.raises(Refused) as caught:
        read(form(asks("age", relevnt="1 = 1")))
    found = caught.value.problems[0]
    assert (found.code, found.accepted) == ("unknown-key", ("relevant",))
    with pytest.raises(Refused) as caught:
        read(form(asks("age", "intger")))
    assert "integer" in caught.value.problems[0].accepted
    for broken in ("{", "[]", '"form"', '{"format": "form/2"}'):
        with pytest.raises(Refused):
            read(broken)


@pytest.mark.parametrize(
    ("items", "fields"),
    [
        ([asks("a", computed="${a} + 1")], ["a"]),
        ([asks("a", relevant="${b} = ''"), asks("b", relevant="${a} = ''")], ["a", "b"]),
        ([asks("a", computed="${b}"), asks("b", computed="${c}"), asks("c", computed="${a}")], ["a", "b", "c"]),
        (
            [{"kind": "section", "name": "s", "relevant": "${a} = 1", "items": [asks("a")]}],
            ["a", "s"],
        ),
        (
            [{"kind": "repeat", "name": "r", "count": "sum(${a})", "items": [asks("a")]}],
            ["a", "r"],
        ),
        ([asks("a", relevant="${a} > 1")], ["a"]),
    ],
)
def test_fault_27_a_rule_that_waits_for_itself_is_refused_by_name(items: list[Any], fields: list[str]) -> None:
    found = errors(form(*items))
    assert [each.code for each in found] == ["circle"]
    assert list(found[0].accepted) == fields
    assert all(name in found[0].message for name in fields)


def test_fault_27_a_constraint_may_read_its_own_answer_and_two_lists_are_no_loop() -> None:
    one = {"kind": "repeat", "name": "r1", "items": [asks("a", computed="count(${r2})")]}
    other = {"kind": "repeat", "name": "r2", "items": [asks("b", constraints=[{"test": "${b} > count(${r1})"}])]}
    assert errors(form(one, other, asks("c", constraints=[{"test": ". > 1 and ${c} < 9"}]))) == []


@pytest.mark.parametrize(
    ("data", "code", "path"),
    [
        (form(asks("a"), asks("a")), "repeated-name", "steps/0/items/1"),
        (form(asks("a", "choice")), "no-choices", "steps/0/items/0/choices"),
        (form(asks("a", "choice", choices="lst"), lists=[LIST]), "unknown-list", "steps/0/items/0/choices"),
        (form(asks("a"), lists=[{"name": "l", "choices": [{"code": "x"}, {"code": "x"}]}]), "repeated-code", "lists/0"),
        (form(asks("a", relevant="${b} = 1")), "unknown-field", "steps/0/items/0/relevant"),
        (form(asks("a"), asks("b", "text"), asks("c", computed="${a} = ${b}")), "types", "steps/0/items/2/computed"),
        (form(asks("a", computed="1 = 1")), "types", "steps/0/items/0/computed"),
        (form(asks("a", "consent")), "no-statement", "steps/0/items/0/statement"),
        (form(asks("a", "row", rows_of="nothing")), "unknown-list of rows", "steps/0/items/0/rows_of"),
        (form(), "empty", "steps"),
        (form(asks("a"), unread=[{"path": "row/3", "text": "f(x)", "why": "no f()"}]), "not-understood", "row/3"),
        (form(asks("a"), gates=[{"name": "g", "when": "complete('two')"}]), "unknown-name", "gates/0/when"),
        (form(rows(asks("a"), min_rows=3, max_rows=2)), "limits", "steps/0/items/0/min_rows"),
    ],
)
def test_what_cannot_work_is_not_published(data: dict[str, Any], code: str, path: str) -> None:
    with pytest.raises(Refused) as caught:
        publish(read(data))
    assert (code, path) in [(each.code, each.path) for each in caught.value.problems]


def test_rows_lie_four_deep_and_no_deeper() -> None:
    item: dict[str, Any] = asks("a")
    for depth in range(5):
        item = {"kind": "repeat", "name": f"r{depth}", "items": [item]}
    assert [each.code for each in errors(form(item))] == ["too-deep"]


def test_fault_28_a_text_is_readable_in_every_language_and_gaps_are_listed() -> None:
    data = form(
        asks("a") | {"label": {"fr": "Âge"}, "hint": {"en": "In years"}},
        default_language="en",
        languages=["en", "fr"],
    )
    gaps = [each for each in check(read(data))[1] if each.code == "untranslated"]
    assert [(each.path, each.accepted) for each in gaps] == [
        ("steps/0/items/0/label", ("en",)),
        ("steps/0/items/0/hint", ("fr",)),
    ]
    assert text_in({"fr": "Âge"}, "en", "en", "a") == "Âge"
    assert text_in({"en": "-", "fr": " "}, "fr-CA", "en", "a") == "a"
    assert text_in({"pt": "Idade"}, "pt-BR", "en") == "Idade"


def test_a_computed_field_has_the_type_of_its_rule() -> None:
    data = form(asks("a"), asks("b", "computed", computed="${a} * 2"), asks("c", relevant="${b} > 4"))
    assert errors(data) == []
    assert errors(form(asks("b", "computed", computed="'x'"), asks("c", relevant="${b} > 4")))[0].code == "types"
