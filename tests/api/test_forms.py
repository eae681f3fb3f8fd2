"""Forms through the REST door: an agent collects by talking, a client of staff stores and settles."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from formsengine.api.attaching import PIXEL
from formsengine.definition.builder import FormBuilder
from formsengine.definition.stored import as_data
from formsengine.models import FormAttachment, FormCommit
from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.forms.telling import Forms, patient

pytestmark = pytest.mark.django_db


@pytest.fixture
def desk(workspace: Any, operator: Principal) -> Caller:
    """An agent that fills the form about a patient."""
    Forms(operator).published(patient())
    return Caller(workspace, ["forms"], "Desk")


@pytest.fixture
def steward(workspace: Any) -> Caller:
    return Caller(workspace, ["steward"], "Steward")


def test_an_agent_collects_by_talking_from_finding_to_submitting(desk: Caller) -> None:
    """Q1, Q5: any fields in one patch with a verdict each, a plan before, one submission however often it is sent."""
    found = desk.get("forms").json()
    assert [(one["name"], one["live_version"]) for one in found["items"]] == [("patient", 1)]
    opened = desk.post("forms/responses", {"form": "patient", "values": {"pain": "4"}})
    assert opened.status_code == 201
    response = opened.json()["response"]
    at = f"forms/responses/{response}"
    ops = [
        {"op": "set", "field": "nmae", "value": "Ines"},
        {"op": "set", "field": "Do you work?", "value": "yes"},
        {"op": "set", "field": "born", "value": "12/05/2026"},
        {"op": "decline", "field": "address", "reason": "refused"},
    ]
    written = desk.post(f"{at}/write", {"ops": ops, "base": 1}).json()
    assert [one["verdict"] for one in written["verdicts"]] == ["rejected", "in-force", "rejected", "declined"]
    assert written["verdicts"][0]["accepted"] == ["name: Name"]
    assert written["verdicts"][2]["accepted"] == ["2026-05-12", "2026-05", "2026"]
    blocked = desk.post(f"{at}/submit", {"base": written["commit"]})
    assert (blocked.status_code, blocked.json()["errors"][0]["path"]) == (422, "/name")
    now = desk.post(f"{at}/write", {"ops": [{"op": "set", "field": "name", "value": "Ines"}]}).json()
    assert desk.get("forms").json()["lines"] == [f"{response} {now['line']}"]
    looked = desk.post(f"{at}/submit", {"base": now["commit"], "dry_run": True}).json()
    assert (looked["state"], [one["act"] for one in looked["plan"]]) == ("ready", ["create"])
    sent = [desk.post(f"{at}/submit", {"base": now["commit"], "key": "s"}).json() for _ in range(2)]
    assert sent[0]["outcomes"] == sent[1]["outcomes"]
    assert (sent[0]["state"], sent[0]["submission"], sent[1]["commit"]) == ("submitted", 1, sent[0]["commit"])
    assert desk.get("forms").json()["lines"] == []


def test_a_view_says_what_changed_why_and_no_more_than_the_budget(desk: Caller) -> None:
    """Q6 through the door."""
    response = desk.post("forms/responses", {"form": "patient"}).json()["response"]
    at = f"forms/responses/{response}"
    desk.post(f"{at}/write", {"ops": [{"op": "set", "field": "name", "value": "Ines"}]})
    changed = desk.get(f"{at}?scope=changes&since=0").json()
    assert [one["field"] for one in changed["fields"]] == ["name"]
    field = desk.get(f"{at}?scope=field&id=employer").json()
    assert field["because"]["because"] == ["Employer does not apply."]
    assert len(desk.get(f"{at}?budget=100").content) < 900
    history = desk.get(f"{at}/history?field=name").json()
    assert [(one["value"], one["by"], one["in_force"]) for one in history["revisions"]] == [("Ines", "Desk", True)]
    assert desk.get(f"{at}/history").json()["commits"][0]["channel"] == "rest"
    wrong = desk.get(f"{at}?scope=changes&since=99")
    assert (wrong.status_code, wrong.json()["code"]) == (400, "since")
    unknown = desk.get(f"{at}?scope=field&id=nmae").json()
    assert unknown["errors"][0]["accepted"] == "name: Name"


def test_a_write_is_tried_before_it_is_made(desk: Caller) -> None:
    at = f"forms/responses/{desk.post('forms/responses', {'form': 'patient'}).json()['response']}"
    ops = [{"op": "set", "field": "name", "value": "Ines"}, {"op": "set", "field": "born", "value": "12/05/2026"}]
    tried = desk.post(f"{at}/write", {"ops": ops, "key": "one", "dry_run": True}).json()
    assert ([one["verdict"] for one in tried["verdicts"]], tried["commit"]) == (["in-force", "rejected"], 0)
    assert (tried["state"], FormCommit.objects.count()) == ("ready", 0)
    written = desk.post(f"{at}/write", {"ops": ops, "key": "one"}).json()
    assert (written["commit"], FormCommit.objects.count()) == (1, 1)


def test_the_same_request_twice_is_one_commit(desk: Caller) -> None:
    response = desk.post("forms/responses", {"form": "patient"}).json()["response"]
    body = {"ops": [{"op": "set", "field": "name", "value": "Ines"}]}
    answers = [desk.post(f"forms/responses/{response}/write", body, Idempotency_Key="one") for _ in range(2)]
    assert answers[0].json() == answers[1].json()
    assert FormCommit.objects.count() == 1


def test_a_client_of_staff_stores_previews_publishes_and_settles(desk: Caller, steward: Caller) -> None:
    definition = as_data(patient(version=1)) | {"title": {"en": "Another patient"}}
    stored = steward.post("forms/definitions", {"definition": definition}).json()
    assert (stored["number"], stored["state"]) == (2, "draft")
    at = f"forms/{stored['form_id']}/versions/2"
    answers = desk.get(at).json()["answers"]["properties"]
    assert (answers["pain"]["type"], answers["medicines"]["items"]["properties"]["dose"]["title"]) == (
        "integer",
        "Dose",
    )
    assert steward.post(f"{at}/publish", {"dry_run": True}).json()["impact"]["class"] == "compatible"
    assert steward.post(f"{at}/publish", {}).json()["state"] == "live"
    assert [one["number"] for one in desk.get(f"forms/{stored['form_id']}/versions").json()["items"]] == [2, 1]
    response = desk.post("forms/responses", {"form": "patient", "values": {"name": "Ines"}}).json()
    here = f"forms/responses/{response['response']}"
    desk.post(f"{here}/submit", {"base": response["commit"]})
    assert desk.post(f"{here}/accept", {}).status_code == 403
    notes = [{"field": "name", "note": "Whole name."}]
    assert steward.post(f"{here}/return", {"reason": "Too short.", "notes": notes}).json()["state"] == "ready"
    assert desk.get(f"{here}?scope=field&id=name").json()["note"] == "Whole name."
    withdrawn = steward.post(f"{at}/withdraw", {"reason": "A wrong title."})
    assert withdrawn.json()["state"] == "withdrawn"


def test_several_are_accepted_each_by_itself_with_a_report_and_taken_out(
    desk: Caller, steward: Caller, workspace: Any
) -> None:
    responses = []
    for name in ("Ana", "Rui", "Gil"):
        opened = desk.post("forms/responses", {"form": "patient", "values": {"name": name, "address": "Rua 4"}}).json()
        responses.append((opened["response"], opened["commit"]))
    sent = [desk.post(f"forms/responses/{one}/submit", {"base": base}).json()["commit"] for one, base in responses[:2]]
    items = [
        {"response": responses[0][0], "base": sent[0]},
        {"response": responses[1][0], "base": sent[1] - 1},
        {"response": responses[2][0], "base": responses[2][1]},
        {"response": str(uuid.uuid4()), "base": 1},
    ]
    assert desk.post("forms/responses/accept", {"items": items}).status_code == 403
    looked = steward.post("forms/responses/accept", {"items": items, "dry_run": True}).json()
    answers = [steward.post("forms/responses/accept", {"items": items}, Idempotency_Key="one") for _ in range(2)]
    assert [one.get("Idempotency-Replayed") for one in answers] == [None, "true"]
    assert answers[0].content == answers[1].content
    assert steward.post("forms/responses/accept", {"items": items[:1]}, Idempotency_Key="one").status_code == 409
    done = answers[0].json()
    for told, state in ((looked, "submitted"), (done, "accepted")):
        assert (told["accepted"], told["left"]) == (1, 3)
        codes = [one.get("code") for one in told["items"]]
        assert codes == [None, "changed", "not_accepted", "no_such_response"]
        assert (told["items"][0]["state"], told["items"][1]["state"]) == (state, "submitted")
    form = desk.get("forms").json()["items"][0]["id"]
    taken = desk.get(f"forms/{form}/export?state=accepted")
    lines = taken.json()
    assert [(one["state"], one["answers"]) for one in lines] == [
        ("accepted", {"name": "Ana", "address": "(not shown)"})
    ]
    table = desk.get(f"forms/{form}/export?format=csv").content.decode()
    assert [line.split(",")[1] for line in table.splitlines()] == ["state", "accepted", "submitted", "draft"]
    assert desk.get(f"forms/{form}/export?format=xlsx").content[:2] == b"PK"
    wrong = desk.get(f"forms/{form}/export?format=pdf")
    assert (wrong.status_code, wrong.json()["errors"][0]["accepted"]) == (400, "csv, json, xlsx")
    assert Caller(workspace, ["recall"], "Reader").get(f"forms/{form}/export").status_code == 403


def test_a_file_answers_over_rest_and_is_read_back_by_who_may_read_the_answer(
    workspace: Any, operator: Principal, desk: Caller
) -> None:
    form = FormBuilder("look", "A look")
    with form.step("seen", "Seen"):
        form.ask("photo", "gate", "The gate")
        form.ask("file", "letter", "The letter", sensitive=True)
    Forms(operator).published(form.compile())
    at = f"forms/responses/{desk.post('forms/responses', {'form': 'look'}).json()['response']}"
    body = {"field": "The gate", "name": "gate.png", "content": PIXEL, "base": 0, "key": "one"}
    sent = [desk.post(f"{at}/attachments", body).json() for _ in range(2)]
    assert [one["verdicts"][0]["verdict"] for one in sent] == ["in-force", "in-force"]
    value = desk.get(f"{at}?scope=field&id=gate").json()["value"]
    assert (value["name"], value["type"], sent[1]["commit"]) == ("gate.png", "image/png", 1)
    read = desk.get(f"{at}/attachments/{value['id']}").json()
    assert (read["content"], read["digest"]) == (PIXEL, value["digest"])
    assert Caller(workspace, ["recall"], "Reader").get(f"{at}/attachments/{value['id']}").status_code == 403
    for wrong, code in (
        (body | {"content": "?"}, "not_base64"),
        (body | {"field": "gate", "content": "JVBERi0="}, "wrong_media"),
    ):
        refused = desk.post(f"{at}/attachments", wrong | {"key": "two"})
        assert refused.json()["errors"][0]["code"] == code
    letter = desk.post(f"{at}/attachments", {"field": "letter", "name": "a.txt", "content": "SGVsbG8="}).json()
    kept = FormAttachment.objects.get(name="a.txt")
    assert letter["verdicts"][0]["verdict"] == "in-force"
    assert desk.get(f"{at}/attachments/{kept.pk}").status_code == 404
    assert FormAttachment.objects.count() == 2
