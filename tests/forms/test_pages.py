"""Forms in the browser without scripts: one page a step, what is typed is kept, and what is in the way is named."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formsengine import queries
from formsengine.models import Form, FormResponse
from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.forms.telling import Forms
from tests.visiting import client_of

AT = "/w/harbour/forms/"


@pytest.fixture
def staff(forms: Forms, reviewer: Principal) -> Client:
    return client_of(reviewer)


def opened(staff: Client) -> FormResponse:
    answer = staff.post(f"{AT}{Form.objects.get().pk}/open/")
    assert answer.status_code == 302
    return FormResponse.objects.get()


def save(staff: Client, row: FormResponse, step: str, **more: Any) -> Any:
    """The page as it is shown, sent back with these answers."""
    shown = staff.get(f"{AT}responses/{row.pk}/?step={step}").content.decode()
    names = re.findall(r'name="shown" value="([^"]+)"', shown)
    base = re.search(r'name="base" value="(\d+)"', shown)
    assert base is not None
    sent: dict[str, Any] = {"shown": names, "base": base[1], "step": step}
    for name in names:
        typed = re.search(rf'name="f:{re.escape(name)}" value="([^"]*)"(?! *(?:checked)?><span)', shown)
        sent[f"f:{name}"] = typed[1] if typed else ""
    answers = {f"f:{name}": value for name, value in more.pop("answers", {}).items()}
    return staff.post(f"{AT}responses/{row.pk}/", sent | answers | more)


def test_a_step_is_a_page_and_any_step_may_be_filled_at_any_time(forms: Forms, staff: Client) -> None:
    """Q1 in the browser."""
    row = opened(staff)
    assert save(staff, row, "medicine", answers={"pain": "4"}, go="next").status_code == 302
    saved = save(staff, row, "who", answers={"name": "Ana", "born": "1980-04"}, go="next")
    assert saved["Location"].endswith("?step=work")
    response = queries.loaded(queries.response(forms.by, row.pk))
    assert {each.kept for each in response.revisions.values()} == {4, "Ana", "1980-04"}
    assert response.number == 2


def test_what_cannot_be_read_comes_back_as_typed_with_what_would_be(staff: Client) -> None:
    row = opened(staff)
    refused = save(staff, row, "who", answers={"born": "12/05/2026", "name": "Ana"})
    page = refused.content.decode()
    assert refused.status_code == 422
    assert 'value="12/05/2026"' in page
    assert "2026-05-12, 2026-05, 2026" in page
    assert FormResponse.objects.get().lock == 1


def test_what_does_not_apply_is_not_shown_and_its_answer_comes_back(staff: Client) -> None:
    """Q2 in the browser."""
    row = opened(staff)
    save(staff, row, "work", answers={"works": "yes"})
    save(staff, row, "work", answers={"works": "yes", "employer": "Ferro Studio"})
    save(staff, row, "work", answers={"works": "no"})
    assert "Ferro Studio" not in staff.get(f"{AT}responses/{row.pk}/?step=work").content.decode()
    save(staff, row, "work", answers={"works": "yes"})
    assert "Ferro Studio" in staff.get(f"{AT}responses/{row.pk}/?step=work").content.decode()


def test_a_page_that_was_open_undoes_nothing_that_another_answered(
    forms: Forms, staff: Client, administrator: Principal
) -> None:
    """Q4 in the browser: an untouched field says nothing; a touched one stands beside the other's."""
    row = opened(staff)
    other = client_of(administrator)
    sent = {"base": "0", "step": "who", "shown": ["name", "pronouns"]}
    staff.post(f"{AT}responses/{row.pk}/", sent | {"f:name": "Ana", "f:pronouns": ""})
    other.post(f"{AT}responses/{row.pk}/", sent | {"f:name": "", "f:pronouns": "she"})
    row.refresh_from_db()
    assert row.progress["conflict"] == 0
    other.post(f"{AT}responses/{row.pk}/", sent | {"f:name": "Anna", "f:pronouns": ""})
    page = staff.get(f"{AT}responses/{row.pk}/?step=who").content.decode()
    assert "by Admin" in page
    pick = re.search(r'name="act" value="(resolve:name\|r[^"]+)"', page)
    assert pick is not None
    save(staff, row, "who", answers={"name": "Ana", "pronouns": "she"}, act=pick[1])
    assert (
        forms.view(forms.write(row.pk, {"op": "confirm", "field": "name"}), scope="field", id="name")["value"] == "Anna"
    )


def test_autosave_answers_with_what_changed_and_never_with_what_is_being_typed(staff: Client) -> None:
    row = opened(staff)
    sent = {"base": "0", "step": "work", "shown": ["works"], "f:works": "yes"}
    answer = staff.post(f"{AT}responses/{row.pk}/", sent, headers={"HX-Request": "true"}).content.decode()
    assert 'id="base" name="base" value="1"' in answer
    assert 'id="slot-employer"' in answer
    assert 'id="slot-works"' not in answer


def test_autosave_shows_a_field_again_that_was_wrong_and_every_step_with_what_is_open(staff: Client) -> None:
    row = opened(staff)
    sent = {"base": "0", "step": "work", "shown": ["works"], "f:works": "yes", "troubled": ["works"]}
    answer = staff.post(f"{AT}responses/{row.pk}/", sent, headers={"HX-Request": "true"}).content.decode()
    assert 'id="slot-works"' in answer
    assert 'id="step-list"' in answer


def test_rows_are_added_removed_and_undone(staff: Client) -> None:
    row = opened(staff)
    save(staff, row, "medicine", act="row-add:medicines|")
    page = staff.get(f"{AT}responses/{row.pk}/?step=medicine").content.decode()
    path = re.search(r'name="shown" value="(medicines/[^"]+/medicine)"', page)
    assert path is not None
    save(staff, row, "medicine", answers={path[1]: "Zinc"})
    assert "1. Zinc" in staff.get(f"{AT}responses/{row.pk}/?step=medicine").content.decode()
    save(staff, row, "medicine", answers={path[1]: "Zinc"}, act=f"row-remove:{path[1].split('/')[1]}")
    assert "Zinc" not in staff.get(f"{AT}responses/{row.pk}/?step=medicine").content.decode()
    save(staff, row, "medicine", act="undo")
    assert "1. Zinc" in staff.get(f"{AT}responses/{row.pk}/?step=medicine").content.decode()


def test_from_what_is_in_the_way_to_submitted_returned_and_accepted(staff: Client) -> None:
    row = opened(staff)
    at = f"{AT}responses/{row.pk}/"
    assert "Name is needed." in staff.get(f"{at}submit/").content.decode()
    save(staff, row, "who", answers={"name": "Ana"}, go="submit")
    assert "Submit what is shown" in staff.get(f"{at}submit/").content.decode()
    assert staff.post(f"{at}submit/", {"base": "0"}).status_code == 412
    row.refresh_from_db()
    assert staff.post(f"{at}submit/", {"base": row.lock}).status_code == 302
    note = {"verb": "return", "reason": "Too short.", "field": "name", "note": "Her whole name."}
    staff.post(f"{at}settle/", note)
    assert "Reviewer: Her whole name." in staff.get(f"{at}?step=who").content.decode()
    save(staff, row, "who", answers={"name": "Ana Sousa"})
    row.refresh_from_db()
    staff.post(f"{at}submit/", {"base": row.lock})
    staff.post(f"{at}settle/", {"verb": "accept"})
    row.refresh_from_db()
    assert row.state == "accepted"
    assert "Every answer, the latest first" in staff.get(f"{at}history/?field=name").content.decode()
    assert "Ana" not in staff.get(f"{at}history/").content.decode().split("<main")[1]


def test_a_sheet_is_imported_with_its_report_and_published(staff: Client, administrator: Principal) -> None:
    admin = client_of(administrator)
    sheet = b"| survey |\n| | type | name | label |\n| | text | colour | Colour |\n"
    given = {"sheet": SimpleUploadedFile("call.xls", sheet)}
    assert staff.post(f"{AT}import/", given).status_code == 403
    given["sheet"].seek(0)  # type: ignore[attr-defined]
    imported = admin.post(f"{AT}import/", given)
    assert imported.status_code == 302
    page = admin.get(imported["Location"]).content.decode()
    assert "What became of the sheet" in page
    where = imported["Location"].split("#")[0]
    assert where.endswith("/versions/")
    admin.post(where, {"number": "1", "act": "publish"})
    assert "Version 1 is live." in admin.get(where).content.decode()
    wrong = admin.post(f"{AT}import/", {"sheet": SimpleUploadedFile("x.xlsx", b"\x00\x01")})
    assert wrong.status_code == 422


def test_everything_is_taken_out_a_line_at_a_time(forms: Forms, staff: Client) -> None:
    written = forms.opened(values={"name": "=1+1", "pain": 4})
    forms.write(written, {"op": "row-add", "repeat": "medicines", "values": {"medicine": "Zinc"}})
    at = f"{AT}{written.row.form_id}/export/"
    table = taken(staff.get(f"{at}csv/"))
    header, line = table.splitlines()[:2]
    assert header.startswith("id,state,submission,started_under,version,subject")
    assert "'=1+1" in line
    assert "Zinc" in line
    told = taken(staff.get(f"{at}json/"))
    assert '"pain": 4' in told


def test_the_table_of_responses_is_narrowed_by_state_and_words(forms: Forms, staff: Client) -> None:
    written = forms.opened(values={"name": "Ana"})
    at = f"{AT}{written.row.form_id}/"
    assert "0 of" not in staff.get(f"{at}?state=draft").content.decode()
    assert "None that matches" in staff.get(f"{at}?state=accepted").content.decode()
    assert staff.get(f"{at}?state=unheard").status_code == 422
    assert "A patient" in staff.get(AT).content.decode()


READS = re.compile(r"\W*(SELECT|WITH|SAVEPOINT|RELEASE)\b")
RECORDED = {"": 8, "form": 5, "fill": 4, "submit": 7, "history": 4}


def test_every_page_keeps_to_its_number_of_queries_however_much_there_is(forms: Forms, staff: Client) -> None:
    written = forms.opened(values={"name": "Ana", "pain": 4})
    at = f"responses/{written.row.pk}/"
    pages = {"form": f"{written.row.form_id}/", "fill": at, "submit": f"{at}submit/", "history": f"{at}history/"}

    def asked() -> dict[str, int]:
        found = {}
        for page in RECORDED:
            staff.get(AT + pages.get(page, page))
            with CaptureQueriesContext(connection) as queries_made:
                assert staff.get(AT + pages.get(page, page)).status_code == 200
            found[page] = len(queries_made)
            assert not [one["sql"] for one in queries_made if not READS.match(one["sql"])], "a page that is read wrote"
        return found

    before = asked()
    for number in range(5):
        forms.opened(values={"name": f"Ana {number}"})
        forms.answer(written, pain=number, name=f"Ana {number}")
    after = asked()
    assert after == RECORDED, after
    assert before == after


def test_a_field_is_explained_in_the_same_words_on_its_page_and_over_rest(
    forms: Forms, staff: Client, workspace: Any
) -> None:
    """One evaluator: hidden, needed, wrong and answered are told alike to people and agents."""
    opened = forms.opened(values={"pain": 11, "pronouns": "she"})
    desk = Caller(workspace, ["forms"], "Desk")
    for field, words in (
        ("employer", "Employer does not apply."),
        ("name", "Name is needed."),
        ("pain", "0 to 10"),
        ("pronouns", "Answered by Operator."),
    ):
        page = staff.get(f"{AT}responses/{opened.row.pk}/history/?field={field}").content.decode()
        told = desk.get(f"forms/responses/{opened.row.pk}?scope=field&id={field}").json()
        assert told["because"]["because"] == [words]
        assert f"<li>{words}</li>" in page
        assert f"Why it is {told['state']}" in page


def taken(answer: Any) -> str:
    """What came of a download, a piece at a time."""
    return b"".join(answer.streaming_content).decode()
