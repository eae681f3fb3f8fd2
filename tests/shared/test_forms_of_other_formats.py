"""Forms of formats that nothing here reads: what each means, rebuilt from its file, holds in this engine too."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import pytest

from formsengine.definition.model import Form
from formsengine.log.snapshot import blockers
from formsengine.problems import Refused
from tests.formsengine.filling import Filling, asks, choices, form, rows, section
from tests.shared.places import shared

pytestmark = pytest.mark.shared

XFORMS = "{http://www.w3.org/2002/xforms}"


def read(*parts: str) -> str:
    text: str = shared("cases", "forms", *parts).read_text(encoding="utf-8")
    return text


def bound(name: str) -> dict[str, dict[str, str]]:
    """The rules of an XForm by field, with its paths as names."""
    found: dict[str, dict[str, str]] = {}
    for bind in ElementTree.fromstring(read("xform", name)).iter(f"{XFORMS}bind"):
        path = bind.attrib["nodeset"]
        rules = {str(key): bind.attrib[key] for key in ("relevant", "calculate") if key in bind.attrib}
        found[_name(path)] = {key: re.sub(r"(?:\.\./|/)[\w/-]+", _ref, rule) for key, rule in rules.items()}
    return found


def _name(path: str) -> str:
    return path.rpartition("/")[2].replace("-", "_")


def _ref(match: re.Match[str]) -> str:
    return "${" + _name(match[0]) + "}"


def test_3_relevant_calculate_xml_is_empty_until_the_second_answer_is_yes() -> None:
    rules = bound("3-relevant-calculate.xml")["third_question"]
    made = form(
        asks("first_question"),
        asks("second_question", "text"),
        asks("third_question", "computed", computed=rules["calculate"], relevant=rules["relevant"]),
    )
    filling = Filling(made)
    filling.say(first_question=7, second_question="no")
    assert filling.response.evaluation.values[("third_question", "")] is None
    filling.say(second_question="yes")
    assert filling.response.evaluation.values[("third_question", "")] == Decimal(21)


def test_13_repeat_count_xml_keeps_rows_above_a_lower_count() -> None:
    calculate = bound("13-repeat-count.xml")["b"]["calculate"]
    assert calculate == "position(..)"
    place = asks("b", "computed", computed="position()")
    filling = Filling(form(asks("reps"), rows("rep", asks("a", "text"), place, count="${reps}")))
    filling.say(reps=4)
    ids = filling.response.evaluation.live[("rep", "")]
    filling.patch([{"op": "set", "field": f"rep/{row}/a", "value": f"words {n}"} for n, row in enumerate(ids)])
    assert [filling.response.evaluation.values[("b", row)] for row in ids] == [1, 2, 3, 4]
    filling.say(reps=1)
    assert filling.response.evaluation.live[("rep", "")] == ids[:1]
    filling.say(reps=4)
    assert [filling.response.evaluation.values[("a", row)] for row in ids] == [f"words {n}" for n in range(4)]


def test_simple_dag_cycle_xml_is_refused_and_the_field_named() -> None:
    rule = bound("simple-dag-cycle.xml")["a"]["calculate"]
    with pytest.raises(Refused) as refused:
        Filling(form(rows("group", asks("a", computed=rule))))
    (circle,) = [each for each in refused.value.problems if each.code == "circle"]
    assert circle.accepted == ("a",)


def questionnaire(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(read("fhir", name))["item"]
    return found


def test_q_with_nested_enable_when_json_asks_what_is_not_equal_only_where_its_group_applies() -> None:
    lists: list[dict[str, Any]] = []

    def built(item: dict[str, Any]) -> dict[str, Any]:
        name, when = item["linkId"], item.get("enableWhen", [])
        rule = " and ".join(f"${{{one['question']}}} {one['operator']} '{one['answerCoding']['code']}'" for one in when)
        more = {"relevant": rule} if rule else {}
        if item["type"] == "group":
            return section(name, *(built(each) for each in item["item"]), **more)
        if item["type"] == "choice":
            lists.append(choices(name, *(one["valueCoding"]["code"] for one in item["answerOption"])))
            return asks(name, "choice", choices=name, **more)
        return asks(name, "text", **more)

    items = [built(item) for item in questionnaire("q-with-nested-enableWhen.json")]
    filling = Filling(form(*items, lists=lists))
    relevant = filling.response.evaluation.relevant
    assert not any(relevant[(name, "")] for name in ("d1", "dd1"))
    filling.say(p1="YES")
    relevant = filling.response.evaluation.relevant
    assert (relevant[("d1", "")], relevant[("dd1", "")]) == (True, True)
    filling.say(c1="A", cc1="B")
    relevant = filling.response.evaluation.relevant
    assert (relevant[("d1", "")], relevant[("dd1", "")]) == (False, True)


def test_q_with_min_occurs_max_occurs_json_limits_how_many_rows_there_are() -> None:
    (group,) = questionnaire("q-with-minOccurs-maxOccurs.json")
    least, most = (one["valueInteger"] for one in group["extension"])
    fields = [asks(one["linkId"].replace("1.", "q"), "text") for one in group["item"]]
    filling = Filling(form(rows("group", *fields, min_rows=least, max_rows=most)))
    found = []
    for _ in range(most + 1):
        filling.row("group", q2="Words")
        found.append(bool(list(blockers(filling.response))))
    assert found == [True, False, False, True]


def test_docs_cascading_dropdowns_json_offers_the_programs_of_the_college() -> None:
    page = json.loads(read("surveyjs", "docs-cascading-dropdowns.json"))["pages"][0]
    college, program = page["elements"][:2]
    assert program["choicesVisibleIf"] == "{college} = {$item.college}"
    offered = [
        {"code": one["value"], "label": {"en": one["text"]}, "attributes": {"college": one["college"]}}
        for one in program["choices"]
    ]
    made = form(
        asks("college", "choice", choices="colleges"),
        asks("program", "choice", choices="programs", filter="college = ${college}"),
        lists=[choices("colleges", *college["choices"]), {"name": "programs", "choices": offered}],
    )
    filling = Filling(made)
    filling.say(college="Medical College")
    codes = [each.code for each in filling.response.evaluation.options("program", "")]
    assert codes == ["mbbs", "bds", "bpharma"]
    filling.say(program="bds")
    filling.say(college="Science College")
    assert str(filling.response.evaluation.states[("program", "")].name) == "held-choice"
    filling.say(college="Medical College")
    assert filling.response.evaluation.values[("program", "")] == "bds"


def of_layout(data: dict[str, Any]) -> Form:
    """Schema and layout as one form: what shows or enables is when it applies, what hides when it does not."""
    lists, items = [], []
    for control in _controls(data["uischema"]):
        name = control["scope"].rpartition("/")[2]
        told = data["schema"]["properties"][name]
        more: dict[str, Any] = {}
        condition = control.get("rule", {}).get("condition", {})
        if "const" in condition.get("schema", {}):
            test = f"${{{condition['scope'].rpartition('/')[2]}}} = {str(condition['schema']['const']).lower()}()"
            more["relevant"] = f"not({test})" if control["rule"]["effect"] == "HIDE" else test
        if "enum" in told:
            lists.append(choices(name, *told["enum"]))
            items.append(asks(name, "choice", choices=name, **more))
        else:
            items.append(asks(name, "boolean" if told["type"] == "boolean" else "text", **more))
    return form(*items, lists=lists)


def _controls(layout: dict[str, Any]) -> list[dict[str, Any]]:
    if layout["type"] == "Control":
        return [layout]
    return [control for element in layout["elements"] for control in _controls(element)]


def test_rule_json_shows_enables_and_hides_by_its_data() -> None:
    data = json.loads(read("jsonforms", "rule.json"))
    filling = Filling(of_layout(data))
    filling.say(data["data"])
    relevant = filling.response.evaluation.relevant
    assert (relevant[("kindOfDead", "")], relevant[("kindOfVegetables", "")]) == (False, False)
    filling.say(dead=True, vegetables=True)
    relevant = filling.response.evaluation.relevant
    assert (relevant[("kindOfDead", "")], relevant[("kindOfVegetables", "")]) == (True, True)
