"""The XForms of the cases, imported: each means what it means elsewhere."""

from __future__ import annotations

from decimal import Decimal

import pytest

from formsengine.definition.publish import publish
from formsengine.problems import Refused
from formsengine.xlsform.importing import Imported, import_xlsform
from tests.formsengine.filling import Filling
from tests.shared.places import shared

pytestmark = pytest.mark.shared


def imported(name: str) -> Imported:
    return import_xlsform(shared("cases", "forms", "xform", name).read_bytes())


def test_3_relevant_calculate_is_empty_until_the_second_answer_is_yes() -> None:
    filling = Filling(imported("3-relevant-calculate.xml").form)
    filling.patch([{"op": "set", "field": "first-question", "value": "7"}])
    assert filling.response.evaluation.values[("third-question", "")] is None
    filling.patch([{"op": "set", "field": "second-question", "value": "yes"}])
    assert filling.response.evaluation.values[("third-question", "")] == Decimal(21)


def test_13_repeat_count_keeps_rows_above_a_lower_count() -> None:
    made = imported("13-repeat-count.xml")
    assert not [one for one in made.report.not_understood if one.blocks]
    filling = Filling(made.form)
    for count, rows in (("4", 4), ("1", 1), ("4", 4)):
        filling.patch([{"op": "set", "field": "reps", "value": count}])
        assert len(filling.response.evaluation.live[("rep", "")]) == rows
    last = filling.response.evaluation.live[("rep", "")][3]
    assert filling.response.evaluation.values[("b", last)] == 4


def test_simple_dag_cycle_is_refused_and_the_field_named() -> None:
    with pytest.raises(Refused) as refused:
        publish(imported("simple-dag-cycle.xml").form)
    (circle,) = [each for each in refused.value.problems if each.code == "circle"]
    assert circle.accepted == ("a",)
