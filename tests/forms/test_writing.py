"""Forms written in the browser without scripts: every part edited, moved, tried, published; wrong rules are named."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from formsengine.models import Form, FormDraft, FormEdit, FormVersion
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms
from tests.visiting import client_of

AT = "/w/harbour/forms/"


class Editor:
    """A form as one member edits it: the page is read, changed in places, and sent back whole."""

    def __init__(self, client: Client, form: Form) -> None:
        self.client, self.at = client, f"{AT}{form.pk}/edit/"

    def page(self, part: str = "form") -> str:
        answer = self.client.get(self.at, {"part": part})
        assert answer.status_code == 200
        return str(answer.content.decode())

    def sent(self, part: str, act: str = "save", **values: Any) -> dict[str, Any]:
        page = self.page(part)
        lock = re.search(r'name="lock" id="lock" value="(\d+)"', page)
        keys = re.findall(r'name="has:([^"]+)"', page)
        assert lock is not None
        form = page.split('id="part-form"')[1].split("</form>")[0]
        sent: dict[str, Any] = {"lock": lock[1], "part": part, "act": act} | {f"has:{key}": "1" for key in keys}
        for name, value in re.findall(r'<input class="input"[^>]*name="([^"]+)" value="([^"]*)"', form):
            sent[name] = value
        for name, value in re.findall(r'<textarea[^>]*name="([^"]+)"[^>]*>([^<]*)</textarea>', form):
            sent[name] = value
        for name, options in re.findall(r'<select[^>]*name="([^"]+)"[^>]*>(.*?)</select>', form):
            chosen = re.search(r'value="([^"]*)" selected', options)
            sent[name] = chosen[1] if chosen else ""
        for name, value in re.findall(r'type="checkbox"[^>]*name="([^"]+)" value="([^"]+)" checked', form):
            sent[name] = value
        return sent | values

    def save(self, part: str, act: str = "save", **values: Any) -> Any:
        return self.client.post(self.at, self.sent(part, act, **values))


@pytest.fixture
def editor(forms: Forms, administrator: Principal) -> Editor:
    return Editor(client_of(administrator), Form.objects.get())


def item(name: str) -> dict[str, Any]:
    """A field of the draft."""
    for step in FormDraft.objects.get().definition["steps"]:
        for one in step["items"]:
            if one["name"] == name:
                return dict(one)
    raise AssertionError(name)


def test_a_form_is_begun_and_written_to_its_first_version_in_the_browser(administrator: Principal) -> None:
    admin = client_of(administrator)
    assert admin.post(f"{AT}new/", {"title": ""}).status_code == 422
    begun = admin.post(f"{AT}new/", {"title": "Boat visit", "language": "en"})
    editor = Editor(admin, Form.objects.get(name="boat_visit"))
    assert ">Boat visit</a>" in admin.get(AT, {"q": "boat v"}).content.decode()
    assert "It is still being written" in admin.get(editor.at.replace("edit/", "")).content.decode()
    assert begun["Location"] == f"{editor.at}?part=step:questions"
    editor.save("step:questions", "add", **{"new:label": "Draught", "new:kind": "decimal"})
    added = editor.save("item:draught", "add", **{"new:label": "Berth", "new:kind": "choice"})
    assert added["Location"].endswith("part=item%3Aberth")
    assert "needs a list" not in editor.page("item:berth")
    listed = {"choices:0:code": "a1", "choices:0:label:en": "A 1", "choices:0:attributes": "deep=yes"}
    editor.save("list:berth", **listed, **{"choices:1:code": "b1", "choices:1:label:en": "B 1"})
    editor.save("item:draught", required="yes", **{"constraints:0:test": ". > 0", "constraints:0:message:en": "More."})
    versions = editor.at.replace("edit/", "versions/")
    shown = admin.get(versions).content.decode()
    assert "Nothing is in the way of publishing" in shown
    published = admin.post(versions, {"act": "publish-draft", "lock": FormDraft.objects.get().lock})
    assert published.status_code == 302
    stored = FormVersion.objects.get().definition
    assert [one["type"] for one in stored["steps"][0]["items"]] == ["decimal", "choice"]
    assert stored["lists"][0]["choices"][0] == {"code": "a1", "label": {"en": "A 1"}, "attributes": {"deep": "yes"}}


def test_a_choice_without_a_code_gets_one_of_its_label_and_an_emptied_code_takes_it_away(editor: Editor) -> None:
    editor.save("item:employer", "add", **{"new:label": "Berth", "new:kind": "choice"})
    labels = {"choices:0:label:en": "North quay", "choices:1:label:en": "North quay", "choices:2:label:en": "South"}
    codes = {f"choices:{number}:code": "" for number in range(3)}
    editor.save("list:berth", **labels, **codes)

    def stored() -> list[str]:
        lists = {one["name"]: one for one in FormDraft.objects.get().definition["lists"]}
        return [one["code"] for one in lists["berth"]["choices"]]

    assert stored() == ["north_quay", "north_quay_2", "south"]
    editor.save("list:berth", **{"choices:1:code": "", "choices:1:was": "north_quay_2"})
    assert stored() == ["north_quay", "south"]


def test_a_wrong_rule_is_kept_and_named_with_what_would_do(editor: Editor) -> None:
    editor.save("item:employer", relevant="${wrks} = 1")
    assert item("employer")["relevant"] == "${wrks} = 1"
    page = editor.page("item:employer")
    assert "There is no field &#x27;wrks&#x27;. (character 1) Accepted: ${works}." in page
    assert "1 in the way of publishing" in page
    versions = editor.client.get(editor.at.replace("edit/", "versions/")).content.decode()
    assert "In the way of publishing" in versions
    assert "part=item%3Aemployer" in versions


def test_a_rule_is_judged_while_it_is_typed_and_nothing_is_saved(editor: Editor) -> None:
    asked = editor.sent("item:employer", relevant="${works} and agee", of="relevant")
    told = editor.client.post(f"{editor.at}rule/", asked, headers={"HX-Request": "true"}).content.decode()
    assert "&#x27;agee&#x27; is neither a field nor a text. (character 14)" in told
    assert FormDraft.objects.count() == 0
    right = editor.client.post(f"{editor.at}rule/", asked | {"relevant": "${works}"}).content.decode()
    assert "field__error" not in right


def test_what_was_edited_by_another_meanwhile_is_named_and_what_was_typed_stays(
    forms: Forms, editor: Editor, operator: Principal
) -> None:
    stale = editor.sent("item:pain", **{"label:en": "How bad is it?"})
    editor.save("item:pain", required="yes")
    refused = editor.client.post(editor.at, stale)
    page = refused.content.decode()
    assert refused.status_code == 409
    assert "was faster" in page
    assert "How bad is it?" in page
    assert item("pain")["label"] == {"en": "Pain"}
    lock = re.search(r'name="lock" id="lock" value="(\d+)"', page)
    assert lock is not None
    assert editor.client.post(editor.at, stale | {"lock": lock[1]}).status_code == 302
    assert item("pain")["label"] == {"en": "How bad is it?"}


def test_parts_are_moved_removed_and_undone_by_button(editor: Editor) -> None:
    editor.save("item:pronouns", "move:up")
    assert [one["name"] for one in FormDraft.objects.get().definition["steps"][0]["items"]][-2:] == [
        "pronouns",
        "address",
    ]
    editor.save("item:pronouns", "remove")
    assert "item%3Apronouns" not in editor.page()
    editor.save("form", "undo")
    assert "item%3Apronouns" in editor.page()
    assert editor.save("step:who", "move:up").status_code == 422
    assert [one.words for one in FormEdit.objects.order_by("number")][-1] == "Undone: Removed “Pronouns”"


def test_a_field_is_tried_beside_its_rules(editor: Editor) -> None:
    attempt = f"{editor.at}attempt/?part=item:employer"
    assert "Employer (does not apply)" in editor.page("item:employer")
    editor.client.post(attempt, {"shown": ["works"], "f:works": "yes"})
    assert "Employer (does not apply)" not in editor.page("item:employer")
    editor.client.post(f"{editor.at}attempt/?part=item:pain", {"shown": ["pain"], "f:pain": "eleven"})
    assert "eleven" in editor.page("item:pain")
    editor.client.post(f"{editor.at}attempt/?part=item:pain", {"shown": ["pain"], "f:pain": "11"})
    assert "0 to 10" in editor.page("item:pain").split('id="preview"')[1]
    editor.client.post(f"{editor.at}attempt/?part=item:pain", {"act": "row-add:medicines|"})
    assert "Medicines 1" in editor.page("item:pain")
    editor.client.post(attempt, {"act": "forget"})
    assert "Medicines 1" not in editor.page("item:pain")


def test_an_imported_sheet_is_published_only_when_nothing_in_it_is_left_open(administrator: Principal) -> None:
    admin = client_of(administrator)
    sheet = b"| survey |\n| | type | name | label | relevant |\n| | integer | age | Age | |\n"
    sheet += b"| | text | school | School | indexed-repeat(${age}, 1) |\n"
    imported = admin.post(f"{AT}import/", {"sheet": SimpleUploadedFile("call.xls", sheet), "name": "call"})
    versions = imported["Location"].split("#")[0]
    assert "dropped or written anew" in admin.get(versions).content.decode()
    refused = admin.post(versions, {"act": "publish", "number": "1"})
    assert refused.status_code == 422
    editor = Editor(admin, Form.objects.get())
    assert "indexed-repeat" in editor.page("unread")
    editor.save("unread", "rewrite:0", **{"unread:0:rule": "${age} &lt; 18".replace("&lt;", "<")})
    assert item("school")["relevant"] == "${age} < 18"
    assert admin.post(versions, {"act": "publish-draft", "lock": "1"}).status_code == 302
    assert FormVersion.objects.order_by("-number")[0].state == "live"


def test_versions_say_what_they_change_and_what_that_means_for_who_is_filling(forms: Forms, editor: Editor) -> None:
    forms.opened(values={"name": "Ana", "pain": 4})
    editor.save("item:pain", **{"constraints:0:test": ". <= 3", "constraints:0:message:en": "Up to 3"})
    versions = editor.at.replace("edit/", "versions/")
    page = editor.client.get(versions).content.decode()
    assert "“Pain”: a tighter rule" in page
    assert "Of 1 response being filled 1 would stand otherwise" in page
    editor.client.post(versions, {"act": "publish-draft", "lock": "1"})
    assert "Against version 1: 1 difference" in editor.client.get(versions).content.decode()
    assert editor.client.post(versions, {"act": "withdraw", "number": "2", "reason": ""}).status_code == 422
    editor.client.post(versions, {"act": "withdraw", "number": "2", "reason": "Too strict."})
    assert FormVersion.objects.get(number=2).state == "withdrawn"
    editor.client.post(versions, {"act": "start", "number": "1", "lock": "1"})
    assert item("pain")["constraints"][0]["test"] != ". <= 3"


def test_who_only_fills_forms_does_not_write_them(forms: Forms, reviewer: Principal) -> None:
    staff, at = client_of(reviewer), f"{AT}{Form.objects.get().pk}/"
    assert staff.get(f"{at}edit/").status_code == 403
    shown = staff.get(f"{at}versions/")
    assert shown.status_code == 200
    assert "Withdraw" not in shown.content.decode()
    assert staff.post(f"{at}versions/", {"act": "publish-draft", "lock": "0"}).status_code == 403


RECORDED = {"edit": 7, "versions": 10}


def test_the_pages_keep_to_their_number_of_queries(forms: Forms, editor: Editor) -> None:
    def asked() -> dict[str, int]:
        found = {}
        for page in RECORDED:
            address = editor.at.replace("edit/", f"{page}/")
            editor.client.get(address)
            with CaptureQueriesContext(connection) as made:
                assert editor.client.get(address).status_code == 200
            found[page] = len(made)
        return found

    editor.save("item:pain", required="yes")
    before = asked()
    for number in range(3):
        editor.save("item:pain", "add", **{"new:label": f"More {number}", "new:kind": "text"})
    assert asked() == before == RECORDED
