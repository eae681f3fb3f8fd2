"""Responses taken out over versions, as text, as lines of JSON and as a workbook that works nothing out."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import openpyxl
import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formsengine import services
from formsengine.definition.builder import FormBuilder
from formsengine.definition.model import Form as Definition
from formsengine.evaluation.states import COUNTS
from formsengine.log.snapshot import keys
from formsengine.log.summing import answered, summed
from formsengine.models import Form, FormCommit, FormResponse
from formsengine.queries import charting, exporting, loading, sheets
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms
from tests.visiting import client_of


def visit(second: bool = False) -> Definition:
    form = FormBuilder("visit", "A visit")
    codes = {"red": "Red"} if second else {"red": "Red", "blue": "Blue"}
    colours = form.choices("colours", codes)
    with form.step("one", "One"):
        form.asked("full_name" if second else "name", "Name", uid="name")
        children = form.boolean("children", "Children?", uid="children")
        form.choice("colour", colours, "Colour", uid="colour")
        form.integer("born", "Born", uid="born")
        with form.repeat("kids", "Kids", relevant=children, uid="kids"):
            form.asked("kid", "Kid", uid="kid")
            age = form.integer("age", "Age", uid="age")
            form.computed("next", age + 1, "Next year", uid="next")
    return form.compile()


@pytest.fixture
def visits(operator: Principal) -> Forms:
    forms = Forms(operator)
    forms.published(visit())
    return forms


def kid(name: str, age: int | None = None) -> dict[str, Any]:
    return {"op": "row-add", "repeat": "kids", "values": {"kid": name, **({"age": age} if age is not None else {})}}


def lines(forms: Forms, **filters: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in exporting.as_json(forms.by, Form.objects.get(), **filters)]


def table(forms: Forms) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO("".join(exporting.as_csv(forms.by, Form.objects.get())))))


def test_fault_24_columns_are_joined_over_versions_and_old_codes_stay_readable(visits: Forms) -> None:
    first = visits.opened("visit", values={"name": "Ana", "colour": "blue"})
    visits.submit(first)
    visits.published(visit(second=True))
    visits.opened("visit", values={"full_name": "Eva", "colour": "red"})
    told = [(one["version"], one["full_name"], one["colour"]) for one in table(visits)]
    assert told == [("1", "Ana", "blue"), ("2", "Eva", "red")]
    assert [one["answers"]["name"] for one in lines(visits)] == ["Ana", "Eva"]


def test_fault_24_one_answer_that_became_several_stays_in_its_column(visits: Forms) -> None:
    visits.submit(visits.opened("visit", values={"name": "Ana", "colour": "blue"}))
    form = FormBuilder("visit", "A visit")
    colours = form.choices("colours", {"red": "Red", "blue": "Blue"})
    with form.step("one", "One"):
        form.several("colour", colours, "Colours", uid="colour")
    visits.published(form.compile())
    visits.submit(visits.opened("visit", values={"colour": ["red", "blue"]}))
    assert [one["answers"]["colour"] for one in lines(visits)] == ["blue", ["red", "blue"]]
    assert [one["colour"] for one in table(visits)] == ["blue", "red, blue"]


def test_what_an_older_version_of_a_field_took_is_no_number_and_taken_out_as_it_was_answered(visits: Forms) -> None:
    visits.submit(visits.opened("visit", values={"name": "Ana"}))
    form = FormBuilder("visit", "A visit")
    with form.step("one", "One"):
        form.integer("name", "How many", uid="name")
    visits.published(form.compile())
    visits.submit(visits.opened("visit", values={"name": 3}))
    assert [one["name"] for one in table(visits)] == ["Ana", "3"]
    book = openpyxl.load_workbook(io.BytesIO(b"".join(sheets.as_xlsx(visits.by, Form.objects.get()))))
    head, *found = book["responses"].iter_rows(values_only=True)
    assert [row[head.index("name")] for row in found] == ["Ana", 3]
    drawn, counted, _ = charting.charts(visits.by, Form.objects.get())
    assert (counted, {one.planned.uid: one.answered for one in drawn}["name"]) == (2, 2)


def test_rows_stand_beside_each_other_and_what_is_removed_or_held_is_left_out(visits: Forms) -> None:
    """Faults 4 and 9: the answers of a removed row, and of what does not apply, are no answers."""
    opened = visits.opened("visit", values={"name": "Ana", "children": True})
    visits.write(opened, kid("Rui"), kid("Bea", 4), kid("Gil", 7))
    rows = [each.id for each in loading.loaded(visits.row(opened)).rows.by_id.values()]
    visits.write(opened, {"op": "row-remove", "row": rows[2]})
    for state in ("draft", "submitted"):
        told = lines(visits)[0]
        assert (told["state"], told["rows"]) == (state, {"kids": rows[:2]})
        assert (told["answers"]["kid"], told["answers"]["age"]) == (["Rui", "Bea"], [None, 4])
        assert told["answers"]["next"] == [None, 5]
        if state == "draft":
            visits.submit(opened)
    assert table(visits)[0]["age"] == "\n4"
    visits.settle(services.reopen, opened, reason="A look.")
    visits.answer(opened, children=False)
    assert lines(visits)[0]["answers"] == {"name": "Ana", "children": False}


def test_what_was_proposed_after_submitting_is_not_taken_for_what_was_submitted(visits: Forms) -> None:
    opened = visits.opened("visit", values={"name": "Ana"})
    visits.submit(opened)
    visits.answer(opened, name="Eva")
    assert lines(visits)[0]["answers"]["name"] == "Ana"
    assert lines(visits, states=("draft",)) == []


def test_however_many_there_are_two_questions_take_out_a_few_hundred(
    visits: Forms, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many responses are read some at a time, and no question is asked for each of them."""
    for number in range(3):
        visits.opened("visit", values={"name": f"Ana {number}"})
    visits.submit(visits.opened("visit", values={"name": "Rui"}))
    form = Form.objects.get()
    counts = []
    for chunk in (10, 2):
        monkeypatch.setattr(exporting, "CHUNK", chunk)
        with CaptureQueriesContext(connection) as asked:
            assert len(list(exporting.each(visits.by, form))) == 4
        counts.append(len(asked))
    assert counts[1] - counts[0] == 1


def test_whoever_is_not_shown_what_is_sensitive_takes_it_out_masked(visits: Forms, agent: Any, workspace: Any) -> None:
    form = FormBuilder("visit", "A visit")
    with form.step("one", "One"):
        form.asked("name", "Name", uid="name", sensitive=True)
        form.integer("born", "Born", uid="born")
    visits.opened("visit", values={"name": "Ana", "born": 1980})
    visits.published(form.compile())
    told = exporting.as_json(agent(workspace, ["forms"]), Form.objects.get())
    assert [json.loads(one)["answers"] for one in told] == [{"name": "(not shown)", "born": 1980}]
    assert lines(visits)[0]["answers"]["name"] == "Ana"


RISKY = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\uff1d1+1"]


def test_a_cell_that_a_spreadsheet_would_run_is_a_text(visits: Forms) -> None:
    for text in RISKY:
        visits.opened("visit", values={"name": text, "born": -5})
    said = [one["name"] for one in table(visits)]
    assert said == [f"'{text}" for text in RISKY]
    assert {one["born"] for one in table(visits)} == {"-5"}
    book = openpyxl.load_workbook(io.BytesIO(b"".join(sheets.as_xlsx(visits.by, Form.objects.get()))))
    head, *found = book["responses"].iter_rows()
    names = [cell.value for cell in head]
    cells = [row[names.index("name")] for row in found]
    assert [cell.value for cell in cells] == RISKY
    assert {cell.data_type for cell in cells} == {"s"}
    assert {row[names.index("born")].value for row in found} == {-5}


def test_a_workbook_has_a_sheet_for_each_list_with_a_line_for_each_row(visits: Forms) -> None:
    opened = visits.opened("visit", values={"name": "Ana\x0b", "children": True})
    visits.write(opened, kid("Rui", 3), kid("Bea", 4))
    book = openpyxl.load_workbook(io.BytesIO(b"".join(sheets.as_xlsx(visits.by, Form.objects.get()))))
    assert book.sheetnames == ["responses", "kids"]
    rows = [[cell.value for cell in row] for row in book["kids"].iter_rows()]
    assert rows[0] == ["response", "row", "kid", "age", "next"]
    assert [row[2:4] for row in rows[1:]] == [["Rui", 3], ["Bea", 4]]
    assert {row[0] for row in rows[1:]} == {str(opened.row.pk)}


def test_a_log_summed_at_its_end_gives_what_its_replay_gives(forms: Forms) -> None:
    opened = forms.opened(values={"name": "Ana", "works": True, "employer": "Ferro Studio"})
    forms.write(opened, {"op": "row-add", "repeat": "medicines", "values": {"medicine": "Zinc"}})
    forms.answer(opened, works=False)
    forms.write(opened, {"op": "undo"})
    row = FormResponse.objects.get()
    bodies = list(FormCommit.objects.order_by("number").values_list("body", flat=True))
    once, whole = summed(loading.ready(row.version), bodies), loading.replayed(row)
    assert once.evaluation.values == whole.evaluation.values
    assert once.heads == whole.heads
    assert once.rows.by_id.keys() == whole.rows.by_id.keys()
    counting = [key for _, key in keys(whole) if whole.evaluation.states[key].name in COUNTS]
    assert [key for _, key, _ in answered(once)] == counting


def test_in_the_browser_each_format_and_one_state_alone(visits: Forms, reviewer: Principal) -> None:
    visits.opened("visit", values={"name": "Ana"})
    staff: Client = client_of(reviewer)
    at = f"/w/harbour/forms/{Form.objects.get().pk}/export/"
    for kind, ending in (("csv", "csv"), ("json", "ndjson"), ("xlsx", "xlsx")):
        answer: Any = staff.get(f"{at}{kind}/")
        assert answer["Content-Disposition"] == f'attachment; filename="visit.{ending}"'
        assert b"".join(answer.streaming_content)
    nothing: Any = staff.get(f"{at}json/?state=accepted")
    assert b"".join(nothing.streaming_content) == b""
    assert staff.get(f"{at}pdf/").status_code == 422
    assert staff.get(f"{at}csv/?state=odd").status_code == 422
