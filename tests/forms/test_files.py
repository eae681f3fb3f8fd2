"""Files as answers: kept with the response, named by the log, given back to whoever may read the answer."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from formsengine import queries, services
from formsengine.definition.builder import FormBuilder
from formsengine.definition.model import Form as Definition
from formsengine.inputs import Answers
from formsengine.models import FormAttachment, FormResponse
from formsengine.queries import attached
from memoryapp.doors.errors import Invalid, NotFound, TooLarge
from memoryapp.files.attachments import keeping
from memoryapp.ledger import dump, erasing, integrity, storing
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.forms.telling import Forms, verdicts
from tests.ledger.test_dump import empty_the_database
from tests.visiting import client_of

AT = "/w/harbour/forms/responses/"
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)


def inspection() -> Definition:
    form = FormBuilder("inspection", "A look at the pier")
    with form.step("seen", "What was seen"):
        form.asked("place", "Place")
        form.ask("photo", "gate", "A photo of the gate")
        form.ask("file", "report", "The report", sensitive=True)
        form.ask("audio", "noise", "How it sounds")
    return form.compile()


@pytest.fixture
def forms(operator: Principal) -> Forms:
    told = Forms(operator)
    told.published(inspection())
    return told


def attach(forms: Forms, response: Any, field: str, name: str, data: bytes, by: Principal | None = None) -> Any:
    kept = services.received(data, name)
    answers = Answers((), base=forms.row(response).lock)
    return forms.do(
        lambda w: services.attach(w, response.row.pk, field=field, name=name, kept=kept, answers=answers), by
    )


def test_a_file_answers_is_replaced_and_comes_back_with_an_undo(forms: Forms) -> None:
    opened = forms.opened("inspection")
    done, first = attach(forms, opened, "gate", "C:\\pictures\\gate.png", PNG)
    assert verdicts(done) == ["in-force"]
    assert (first.name, first.media_type) == ("gate.png", "image/png")
    _, second = attach(forms, opened, "gate", "later.gif", b"GIF89a-later")
    assert forms.view(opened, scope="field", id="gate")["value"]["id"] == str(second.pk)
    forms.write(opened, {"op": "undo"})
    kept = forms.view(opened, scope="field", id="gate")["value"]
    assert (kept["name"], kept["digest"]) == ("gate.png", first.digest)
    assert attached.bytes_of(attached.attachment(forms.by, forms.row(opened), second.pk)) == b"GIF89a-later"
    assert [check.name for check in integrity.checks() if list(check.run(forms.by.workspace))] == []


def test_the_same_bytes_again_are_the_same_answer_and_are_kept_once(forms: Forms) -> None:
    opened = forms.opened("inspection")
    attach(forms, opened, "gate", "gate.png", PNG)
    done, again = attach(forms, opened, "gate", "gate.png", PNG)
    assert (verdicts(done), again, FormAttachment.objects.count()) == (["corroborated"], None, 1)


@pytest.mark.parametrize(
    ("field", "name", "data", "code"),
    [
        ("gate", "gate.png", b"%PDF-1.4 not a picture", "wrong_media"),
        ("noise", "noise.mp3", PNG, "wrong_media"),
        ("place", "gate.png", PNG, "not_attached"),
        ("report", "run.exe", b"MZ\x00\x01\xff\xfe", "unknown_media"),
        ("report", "empty.txt", b"", "empty"),
    ],
)
def test_what_a_file_is_its_bytes_say_and_the_field_takes_it_or_not(
    forms: Forms, field: str, name: str, data: bytes, code: str
) -> None:
    opened = forms.opened("inspection")
    with pytest.raises(Invalid) as refused:
        attach(forms, opened, field, name, data)
    assert refused.value.violations[0].code == code
    assert (FormAttachment.objects.count(), forms.row(opened).lock) == (0, 0)


def test_a_file_of_twenty_mebibytes_and_a_byte_is_too_large() -> None:
    with pytest.raises(TooLarge):
        services.received(b"OggS" + bytes(keeping.LARGEST), "long.ogg")


def test_an_answer_names_only_what_was_sent_with_its_own_response(forms: Forms) -> None:
    mine, other = forms.opened("inspection"), forms.opened("inspection")
    _, sent = attach(forms, other, "gate", "gate.png", PNG)
    value = {"id": str(sent.pk), "digest": sent.digest}
    refused = forms.write(mine, {"op": "set", "field": "gate", "value": value})
    assert (verdicts(refused), refused.verdicts[0]["code"]) == (["rejected"], "attachment")
    with pytest.raises(NotFound):
        attached.attachment(forms.by, forms.row(mine), sent.pk)


def test_a_file_that_is_stored_answers_no_field_that_takes_another_kind(forms: Forms) -> None:
    """Named by a write it is refused as it would have been when it was sent, with what would be taken."""
    opened = forms.opened("inspection")
    _, sent = attach(forms, opened, "report", "report.txt", b"It leaks.")
    value = {"id": str(sent.pk), "digest": sent.digest}
    done = forms.write(opened, *({"op": "set", "field": one, "value": value} for one in ("gate", "noise")))
    assert [(one["verdict"], one["code"]) for one in done.verdicts] == [("rejected", "wrong_media")] * 2
    assert done.verdicts[0]["accepted"] == ["png, jpeg, gif or webp"]
    assert forms.view(opened, scope="field", id="gate")["state"] == "empty"


def test_an_agent_is_not_given_the_file_of_a_sensitive_field(forms: Forms, agent: Any, workspace: Any) -> None:
    opened = forms.opened("inspection")
    _, sent = attach(forms, opened, "report", "report.txt", b"It leaks.")
    with pytest.raises(NotFound):
        attached.attachment(agent(workspace, ["forms"]), forms.row(opened), sent.pk)


def test_sent_with_a_page_and_given_back_never_as_a_page_of_ours(forms: Forms, reviewer: Principal) -> None:
    """Without scripts: the page sends the file with any button, and what is wrong with it is said at the field."""
    staff, opened = client_of(reviewer), forms.opened("inspection")
    at = f"{AT}{opened.row.pk}/"
    page = staff.get(at).content.decode()
    assert 'enctype="multipart/form-data"' in page
    sent = {"base": "0", "step": "seen", "shown": ["place"], "f:place": "Pier 4"}
    answer = staff.post(at, sent | {"u:gate": SimpleUploadedFile("<i>gate.png", PNG), "go": "next"})
    assert answer.status_code == 302
    stored = FormAttachment.objects.get()
    assert "&lt;i&gt;gate.png" in staff.get(at).content.decode()
    given = staff.get(f"{at}files/{stored.pk}/")
    assert (given.content, given["Content-Type"]) == (PNG, "application/octet-stream")
    assert given["Content-Disposition"].startswith("attachment;")
    assert "sandbox" in given["Content-Security-Policy"]
    wrong = staff.post(at, sent | {"base": "2", "u:gate": SimpleUploadedFile("gate.png", b"%PDF-1.4")})
    assert wrong.status_code == 422
    assert "png, jpeg, gif or webp" in wrong.content.decode()
    staff.post(at, sent | {"base": "2", "act": "retract:gate"})
    assert "gate.png" not in staff.get(at).content.decode()
    assert len(queries.loaded(queries.response(reviewer, opened.row.pk)).revisions) == 3


@pytest.mark.django_db(transaction=True)
def test_nothing_of_a_file_is_left_when_its_response_is_erased(forms: Forms) -> None:
    opened = forms.opened("inspection")
    _, sent = attach(forms, opened, "gate", "Ines Ferro.png", PNG)
    name = erasing.preview(forms.by, "form_response", opened.row.pk)["name"]
    record(forms.by, "erase", lambda w: erasing.erase(w, "form_response", opened.row.pk, name=name), "Asked for.")
    left = FormAttachment.objects.get()
    assert (left.name, left.digest, storing.digest_of(sent.stored)) == ("", "", None)
    assert FormResponse.objects.get().state == "erased"


def test_a_dump_carries_the_bytes_of_what_answers(forms: Forms) -> None:
    opened = forms.opened("inspection")
    _, sent = attach(forms, opened, "gate", "gate.png", PNG)
    lines = dump.snapshot(forms.by.workspace)
    empty_the_database()
    keeping.let_go(sent.stored)
    restored = dump.restore(lines)
    assert keeping.read(sent.stored) == PNG
    assert dump.snapshot(restored) == lines
