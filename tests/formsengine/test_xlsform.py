"""Spreadsheet forms: what is taken, what is written otherwise, what is not understood, and what is refused."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formsengine.definition.model import Question, everything
from formsengine.definition.plan import plan
from formsengine.definition.publish import check, publish
from formsengine.definition.stored import as_data, read
from formsengine.expressions.types import Kind
from formsengine.problems import Refused
from formsengine.view.shown import Reader, view
from formsengine.xlsform import sheets
from formsengine.xlsform.columns import language_code
from formsengine.xlsform.importing import Imported, import_xlsform
from formsengine.xlsform.rules import NotReadable, rewrite
from memoryapp.doors import strict
from tests.formsengine.filling import Filling

FIXTURES = Path(__file__).parent / "fixtures"

ORCHARD = (FIXTURES / "orchard.md").read_text("utf-8")


def of(text: str, **more: Any) -> Imported:
    return import_xlsform(text.encode(), **more)


def survey(*rows: str, columns: str = "type | name | label", extra: str = "") -> str:
    return "\n".join(["| survey |", f"| | {columns} |", *(f"| | {row} |" for row in rows), extra])


def as_xlsx(text: str) -> bytes:
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    sheet = None
    for line in text.strip().splitlines():
        cells = [each.strip() for each in line.strip().strip("|").split("|")]
        if cells[0]:
            sheet = book.create_sheet(cells[0])
        elif sheet is not None:
            sheet.append([each or None for each in cells[1:]])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def as_csv(text: str) -> bytes:
    lines = []
    for line in text.strip().splitlines():
        cells = [each.strip() for each in line.strip().strip("|").split("|")]
        lines.append(",".join('"' + each.replace('"', '""') + '"' for each in cells))
    return "\r\n".join(lines).encode("utf-8-sig")


def fields(imported: Imported) -> dict[str, Question]:
    return {each.name: each for each in everything(imported.form) if isinstance(each, Question)}


def test_a_form_is_taken_whole_and_filled() -> None:
    imported = of(ORCHARD)
    assert imported.report.not_understood == []
    assert imported.report.taken["fields"] == 11
    form = imported.form
    assert (form.id, form.version, form.default_language, form.languages) == ("orchard", 7, "en", ("en", "pt"))
    assert read(as_data(form)) == form
    filling = Filling(form)
    filling.say(owner="Ana", region="norte", plot="p1", trees=2, pests=["Moth"])
    first, second = filling.rows("tree")
    filling.say({f"tree/{first}/girth": "60.5", f"tree/{second}/girth": 40})
    assert [str(filling.value(f"thick@{row}")) for row in (first, second)] == ["yes", "no"]
    assert (filling.value(f"place@{second}"), str(filling.value("whole"))) == (2, "100.5")
    filling.say(region="south")
    assert filling.state("plot") == "held-choice"
    assert filling.state("thanks") == "empty"


def test_every_kind_of_file_gives_the_same_form() -> None:
    plain = of(ORCHARD)
    assert import_xlsform(as_xlsx(ORCHARD)).form == plain.form
    assert import_xlsform(as_csv(ORCHARD)).form == plain.form


def test_fault_37_a_file_is_what_its_content_says_and_a_name_opens_nothing() -> None:
    old = (FIXTURES / "orchard.xls").read_bytes()
    imported = import_xlsform(old)
    assert (fields(imported)["trees"].required, fields(imported)["shade"].choices) == (True, "yes_no")
    for named in (
        str(FIXTURES / "orchard.xls"),
        b"/etc/passwd",
        b"",
        b"PK\x03\x04broken",
        b"\xd0\xcf\x11\xe0broken",
        b"\xff\xfe",
    ):
        with pytest.raises(Refused) as caught:
            import_xlsform(named)  # type: ignore[arg-type]
        assert "root:" not in str(caught.value.problems)


def test_a_workbook_that_expands_without_measure_is_refused() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("xl/workbook.xml", b"0" * 101_000_000)
    with pytest.raises(Refused, match="expands"):
        import_xlsform(out.getvalue())


def test_sheets_with_more_cells_than_a_form_needs_are_refused_before_they_are_read_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A workbook of 200 KB may say millions of cells, and each takes its time."""
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("sheet")
    for row in (["type", "name"], ["text", "a"], ["text", "b"]):
        sheet.append(row)
    book.create_sheet("settings").append(["form_id", "orchard"])
    out = io.BytesIO()
    book.save(out)
    monkeypatch.setattr(sheets, "MOST_CELLS", 8)
    assert set(sheets.read_sheets(out.getvalue())) == {"sheet", "settings"}
    monkeypatch.setattr(sheets, "MOST_TAGS", 20)
    with pytest.raises(Refused, match="cells"):
        sheets.read_sheets(out.getvalue())
    monkeypatch.undo()
    monkeypatch.setattr(sheets, "MOST_CELLS", 7)
    for content in (out.getvalue(), survey("text | a | A", "text | b | B").encode()):
        with pytest.raises(Refused, match="more than 7 cells"):
            sheets.read_sheets(content)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (survey("integer | a | A", columns="type | name | label | Label"), "repeated-column"),
        ("| choices |\n| | list_name | name |", "no-survey"),
        (survey("begin group | g | G", "integer | a | A"), "unclosed"),
        (survey("integer | a | A", "end group | | "), "unopened"),
        (survey("select_one colours | a | A"), "unknown-list"),
        (survey("include other.xls | a | A"), "include"),
    ],
)
def test_what_is_no_form_is_refused_by_name(text: str, code: str) -> None:
    with pytest.raises(Refused) as caught:
        of(text)
    assert caught.value.problems[0].code == code


RULES = [
    # the expression of a sheet, the rule it becomes
    ("${n} > 5 and ${t}='x'", "${n} > 5 and ${t} = 'x'"),
    ("${ t } = ‘x’", "${t} = 'x'"),
    ("${t} = 5", "${t} = '5'"),
    ("${t} > 5", "number(${t}) > 5"),
    ("${c} = 1", "${c} = '1'"),
    ("selected(${m}, 1)", "selected(${m}, '1')"),
    ("${m} = 'a b'", "join(' ', ${m}) = 'a b'"),
    ("../n + 1", "${n} + 1"),
    ("/data/group/n * 2", "${n} * 2"),
    ("current()/../n div 2", "${n} div 2"),
    ("position(..)", "position()"),
    ("jr:choice-name(${c}, '${c}')", "choice-name(${c})"),
    ("instance('l')/root/item[name = ${c}]/label", "lookup('l', ${c}, 'label')"),
    ("${b} = 'OK'", "${b}"),
    ("${b} != 'yes'", "not(${b})"),
    ("${n} ≥ 5 && ${n} ≤ 9", "${n} >= 5 and ${n} <= 9"),
    ("${t} + 1", "number(${t}) + 1"),
    ("format-date-time(${d}, '%Y')", "format-date(${d}, '%Y')"),
    ("regex(., '^[A-Z]/[0-9]+$')", "regex(., '^[A-Z]/[0-9]+$')"),
    ("not(selected(${m}, 'a'))", "not(selected(${m}, 'a'))"),
]
KINDS = {"n": Kind.NUMBER, "t": Kind.TEXT, "c": Kind.CODE, "m": Kind.CODES, "b": Kind.TRUTH, "d": Kind.DATE}


@pytest.mark.parametrize(("was", "became"), RULES)
def test_an_expression_becomes_the_rule_that_means_the_same(was: str, became: str) -> None:
    assert rewrite(was, KINDS, Kind.TEXT).text == became


@pytest.mark.parametrize(
    "text", ["pulldata('f', 'a', 'b', ${n})", "indexed-repeat(${n}, ${r}, 1)", "${n} >", "ceiling(${n})", "a[b]"]
)
def test_an_expression_without_a_meaning_here_says_why(text: str) -> None:
    with pytest.raises(NotReadable) as caught:
        rewrite(text, KINDS)
    assert len(str(caught.value)) > 10


def test_a_rule_not_understood_is_kept_word_for_word_and_blocks_publishing() -> None:
    imported = of(survey(
        "integer | a | A | pulldata('f', 'a', 'b', 1) = 2 | ", "integer | b | B | ${nothing} = 1 | ",
        "integer | c | C | | today() - 5", "widget | d | D | | ",
        columns="type | name | label | relevant | calculation",
    ))  # fmt: skip
    left = {each.text: each for each in imported.report.not_understood}
    assert set(left) == {"pulldata('f', 'a', 'b', 1) = 2", "${nothing} = 1", "today() - 5", "widget"}
    assert all(each.blocks and each.why for each in left.values())
    assert [each.text for each in imported.form.unread] == [each.text for each in imported.report.not_understood]
    with pytest.raises(Refused) as caught:
        publish(imported.form)
    assert {each.code for each in caught.value.problems} == {"not-understood"}
    mended = imported.form.model_copy(update={"unread": ()})
    assert publish(mended).problems == []


def test_what_is_written_otherwise_is_reported_with_its_place() -> None:
    imported = of(survey(
        "text | a | A | ", "text | 1b | B | ${a} = 5",
        "begin group | | | ", "text | a | A again | ", "end group | | | ",
        columns="type | name | label | relevant",
    ))  # fmt: skip
    found = [(each.where, each.was, each.became) for each in imported.report.changed]
    assert ("survey:3/relevant", "${a} = 5", "${a} = '5'") in found
    assert ("survey:3", "1b", "q_1b") in found
    assert ("survey:5", "a", "a_5") in found
    assert [where for where, was, _ in found if was == ""] == ["survey:4"]


def test_columns_without_a_meaning_are_named_and_block_nothing() -> None:
    imported = of(survey("text | a | A | 5", columns="type | name | label | body::accuracy"))
    assert [(each.where, each.blocks) for each in imported.report.not_understood] == [("survey/body::accuracy", False)]
    assert publish(imported.form)


def test_a_column_says_which_answers_are_sensitive() -> None:
    imported = of(survey("text | a | A | yes", "text | b | B | no", columns="type | name | label | sensitive"))
    assert [each.question.sensitive for each in plan(imported.form).fields] == [True, False]
    assert [(each.where, each.became) for each in imported.report.changed] == [("survey:2", "sensitive")]


def test_groups_lie_within_each_other_as_deep_as_a_form_can_be_sent() -> None:
    def nested(depth: int) -> str:
        begin = [f"begin group | g{number} | G" for number in range(depth)]
        return survey(*begin, "text | a | A", *["end group | | "] * depth)

    assert strict.read(json.dumps({"definition": as_data(of(nested(10)).form)}).encode())
    with pytest.raises(Refused) as refused:
        of(nested(11))
    assert [(each.path, each.code) for each in refused.value.problems] == [("survey:12", "too-deep")]


def test_choices_come_from_files_given_beside_the_form() -> None:
    text = survey(
        "select_one_from_file regions.csv | r | R | ", "select_one_from_file towns.csv | t | T | region=${r}",
        columns="type | name | label | choice_filter",
    )  # fmt: skip
    missing = of(text)
    errors = [each.accepted for each in check(missing.form)[1] if each.severity == "error"]
    assert errors == [("regions.csv",), ("towns.csv",)]
    given = {"regions.csv": b"name,label\nn,North\n", "towns.csv": b"name,label,region\nt1,Town,n\nt2,Other,s\n"}
    filling = Filling(of(text, files=given).form)
    filling.say(r="North", t="t2")
    assert filling.state("t") == "held-choice"


def test_fault_28_other_is_readable_in_every_language_and_never_a_dash() -> None:
    filling = Filling(of(ORCHARD).form)
    filling.say(owner="Ana", region="north", trees=None)
    for language, word in (("en", "Other"), ("pt", "Outro")):
        step = view(filling.response, scope="step", id="questions_3", reader=Reader(language))
        options = next(each["options"] for each in step["fields"] if each["field"] == "pests")
        assert options[-1].endswith(word)
        assert not any(each.endswith((": -", ": ")) for each in options)
    filling.say(pests=["moth", {"other": "Snails"}])
    assert filling.kept("pests") == ["moth", {"code": "other", "text": "Snails"}]


def test_once_is_a_default_and_a_trigger_works_out_anew() -> None:
    imported = of(survey(
        "integer | a | A | | ", "calculate | id | | once(uuid()) | ", "integer | b | B | ${a} * 2 | ${a}",
        columns="type | name | label | calculation | trigger",
    ))  # fmt: skip
    found = fields(imported)
    assert (found["id"].default, found["id"].computed, found["b"].recompute_on) == ("once(uuid())", None, ("a",))
    filling = Filling(imported.form)
    filling.say(a=4)
    first = filling.kept("id")
    filling.say(a=5)
    assert (filling.kept("id"), len(str(first)), filling.kept("b")) == (first, 36, 10)


def test_entities_become_bindings_and_ranges_become_limits() -> None:
    imported = of(survey(
        "range | r | R | start=1 end=9 step=2 | ", "text | n | N | | full_name",
        columns="type | name | label | parameters | save_to",
        extra="| entities |\n| | list_name | label |\n| | people | ${n} |",
    ))  # fmt: skip
    assert (imported.form.bindings[0].name, imported.form.bindings[0].fields) == ("people", ("n",))
    assert "create_if" not in imported.form.bindings[0].data
    assert fields(imported)["r"].type == "integer"
    assert fields(imported)["r"].constraints[0].test == ". >= 1 and . <= 9"


def test_when_an_entity_is_made_is_a_rule_and_when_it_is_changed_is_left_to_a_person() -> None:
    made = "| entities |\n| | list_name | label | create_if | update_if |\n| | people | ${n} | ${n} != 5 | ${n} = 'x' |"
    imported = of(survey("text | n | N | full_name", columns="type | name | label | save_to", extra=made))
    assert imported.form.bindings[0].data["create_if"] == "${n} != '5'"
    assert [(one.where, one.blocks) for one in imported.report.not_understood] == [("entities:2/update_if", True)]
    broken = imported.form.bindings[0].model_copy(update={"data": {"create_if": "${m} = 1"}})
    problems = plan(imported.form.model_copy(update={"bindings": (broken,)})).problems
    assert [(one.path, one.code) for one in problems] == [("bindings/0/data/create_if", "unknown-field")]


@pytest.mark.parametrize(
    ("name", "code"),
    [("English (en)", "en"), ("Swahili", "sw"), ("Français", "fr"), ("pt-BR", "pt-BR"), ("Klingonese", "qaa-klingone")],
)
def test_a_language_is_known_by_code_or_by_name(name: str, code: str) -> None:
    assert language_code(name) == code


TYPES = ["text", "integer", "select_one l", "calculate", "note", "range", "rank l"]
BLOCKS = ["begin group", "end group", "begin repeat", "end repeat"]
WORDS = ["a", "b", "${a}", "${b} = 1", ". > 3", "yes", "", "", "x y", "||", "'", "if(", "${a", "Other", "-"]
CELLS = st.sampled_from([*TYPES, *BLOCKS, *WORDS])


@given(st.lists(st.lists(CELLS, min_size=7, max_size=7), max_size=12))
def test_any_sheet_is_read_or_refused_and_nothing_vanishes(rows: list[list[str]]) -> None:
    columns = "type | name | label | relevant | calculation | constraint | required"
    lists = "| choices |\n| | list_name | name | label |\n| | l | x | X |"
    text = survey(*(" | ".join(row) for row in rows), columns=columns, extra=lists)
    refused = None
    try:
        imported = of(text)
    except Refused as raised:
        refused = raised
    else:
        assert read(as_data(imported.form)) == imported.form
        check(imported.form)
    assert refused is None or refused.message
