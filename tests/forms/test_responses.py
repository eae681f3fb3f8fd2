"""Responses looked through, accepted several at once, drawn, and beside the conversation they came from."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from formsengine import accepting, queries, services
from formsengine.models import FormResponse
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal
from memoryapp.sources.inputs import ThreadInput, TurnInput
from memoryapp.sources.models import Source
from memoryapp.sources.services import tell
from tests.forms.telling import Forms
from tests.graph.telling import at
from tests.visiting import DESK, INES, client_of

AT = "/w/harbour/forms/"


@pytest.fixture
def staff(forms: Forms, reviewer: Principal) -> Client:
    return client_of(reviewer)


def text(answer: Any) -> str:
    assert answer.status_code == 200, answer.status_code
    return re.sub(r"\s+", " ", answer.content.decode().split("<main")[1])


def submitted(forms: Forms, name: str, **more: Any) -> FormResponse:
    opened = forms.opened(values={"name": name, **more})
    forms.submit(opened)
    return forms.row(opened)


def test_the_table_is_narrowed_in_its_address_and_kept_as_a_view(forms: Forms, staff: Client) -> None:
    late = forms.opened(values={"name": "Ana"}, due_at=timezone.now() - dt.timedelta(days=1)).row
    done = submitted(forms, "Eva")

    def listed(query: str) -> set[str]:
        return set(re.findall(r"responses/([0-9a-f-]{36})/", text(staff.get(f"{AT}responses/?{query}"))))

    assert listed("") == {str(late.pk), str(done.pk)}
    assert listed("state=submitted") == {str(done.pk)}
    assert listed("which=late") == {str(late.pk)}
    assert listed(f"form={done.form_id}&whose=free&q=patient") == {str(late.pk), str(done.pk)}
    assert listed("whose=mine") == listed("which=disputed") == set()
    for wrong in ("state=unheard", "which=odd", "whose=x", "form=harbour"):
        assert staff.get(f"{AT}responses/?{wrong}").status_code == 422
    keep = {"place": "responses", "name": "Overdue", "query": "which=late", "shared": "yes"}
    assert staff.post("/w/harbour/views/", keep)["Location"] == f"{AT}responses/?which=late"
    assert "Overdue" in text(staff.get(f"{AT}responses/"))


def test_several_are_accepted_after_a_look_and_what_is_otherwise_is_named(forms: Forms, staff: Client) -> None:
    """Each stands for itself: one with a proposal that waits is left, and so is one that was returned meanwhile, or
    says something else than what was shown."""
    plain, other, disputed, anew = (submitted(forms, name) for name in ("Ana", "Eva", "Rui", "Bea"))
    forms.write(disputed.pk, {"op": "set", "field": "name", "value": "Rui Dias"}, base=disputed.lock)
    chosen: dict[str, Any] = {"response": [str(one.pk) for one in (plain, other, disputed, anew)]}
    shown = text(staff.post(f"{AT}responses/accept/", chosen | {"act": "preview"}))
    assert "Accept 3 responses?" in shown
    assert "1 proposed answer waits for a person" in shown
    assert not FormResponse.objects.filter(state="accepted").exists()
    forms.do(lambda write: services.send_back(write, other.pk, reason="Too short."))
    forms.do(lambda write: services.send_back(write, anew.pk, reason="Who?"))
    forms.write(anew.pk, {"op": "set", "field": "name", "value": "Gil"}, base=queries.response(forms.by, anew.pk).lock)
    lock = queries.response(forms.by, anew.pk).lock
    forms.do(lambda write: services.submit(write, anew.pk, base=lock))
    chosen |= {"act": "accept"}
    assert "0 accepted" in text(staff.post(f"{AT}responses/accept/", chosen))
    seen = dict(re.findall(r'name="(base:[0-9a-f-]{36})" value="([0-9]+)"', shown))
    report = text(staff.post(f"{AT}responses/accept/", chosen | seen))
    assert "1 accepted" in report
    assert "It changed after you saw it." in report
    assert queries.response(forms.by, anew.pk).state == "submitted"
    states = {one.pk: one.state for one in FormResponse.objects.all()}
    assert (states[plain.pk], states[other.pk], states[disputed.pk]) == ("accepted", "returned", "submitted")
    assert staff.post(f"{AT}responses/accept/", {}).status_code == 302
    assert staff.post(f"{AT}responses/accept/", {"response": ["x"]}).status_code == 422


def test_each_of_several_is_accepted_in_a_write_of_its_own_and_once_for_its_key(
    forms: Forms, reviewer: Principal
) -> None:
    """Whoever asks again after only some were done is told what became of each, as if all had been done at once."""
    rows = [submitted(forms, name) for name in ("Ana", "Eva")]
    wanted = [(row.pk, row.lock) for row in rows]
    accepting.accepted(reviewer, wanted[:1], key="one", rationale="Looked at.")
    told = [one.told() for one in accepting.accepted(reviewer, wanted, key="one")]
    assert [(one["accepted"], one["state"]) for one in told] == [(True, "accepted")] * 2
    writes = Write.objects.filter(action="accept_response").order_by("sequence")
    assert [one.rationale for one in writes] == ["Looked at.", ""]
    assert [one.told()["code"] for one in accepting.accepted(reviewer, wanted)] == ["changed"] * 2


def test_answers_are_drawn_with_their_numbers_and_never_what_is_sensitive(forms: Forms, staff: Client) -> None:
    for number in range(12):
        row = submitted(forms, f"Person {number}", pain=number % 3, works=number > 3, address="Rua do Cais 4")
    forms.opened(values={"name": "A draft", "pain": 9})
    shown = text(staff.get(f"{AT}{row.form_id}/answers/"))
    assert "All 12 submissions" in shown
    assert "From 0 to 2, in the middle 1." in shown
    drawn = re.findall(r'<th scope="row">(\w+)</th>.*?chart__fill" width="(\d+)".*?table__number">(\d+)<', shown)
    assert ("Yes", "100", "8") in drawn
    assert ("No", "50", "4") in drawn
    assert ("2", "100", "4") in drawn
    assert "Rua do Cais" not in shown
    assert "In words of their own." in shown


def test_an_agents_asking_and_the_words_that_answered_stand_beside_the_conversation(
    forms: Forms, staff: Client, reviewer: Principal, agent: Any, workspace: Any
) -> None:
    """What was asked, when and by whom, what was declined, what else was said; a person takes over in the middle."""
    desk = agent(workspace, ["forms"])
    said = [TurnInput("user", "My name is Ines Ferro, and it hurts like a seven.", at("2026-05-02"), by="ines")]
    told = forms.do(lambda write: tell(write, ThreadInput("call-7"), [INES, DESK], said))
    turn: Source = told.turns[0]
    opened = forms.opened(by=desk)
    quoted = [{"source": str(turn.pk), "quote": "Ines Ferro"}]
    forms.write(
        opened,
        {"op": "ask", "field": "pain", "words": "How bad is it?"},
        {"op": "set", "field": "name", "value": "Ines Ferro", "evidence": quoted, "speaker": "Ines Ferro"},
        {"op": "decline", "field": "address", "reason": "refused"},
        by=desk,
    )
    here = f"{AT}responses/{opened.row.pk}/"
    shown = text(staff.get(f"{here}beside/"))
    assert "“How bad is it?”" in shown
    assert "Declined: refused." in shown
    assert f'href="#turn-{turn.pk}">Ines Ferro</a>' in shown
    assert "it hurts like a seven" in shown
    taken = staff.post(f"{here}assign/", {"act": "take"})
    assert taken["Location"] == here
    assert forms.row(opened).assigned_to == reviewer.actor
    staff.post(f"{here}assign/", {"to": str(reviewer.actor.pk), "due": "2026-05-12T17:00"})
    assert "Was due" in text(staff.get(here))
    staff.post(f"{here}assign/", {"to": "", "due": ""})
    assert (forms.row(opened).assigned_to, forms.row(opened).due_at) == (None, None)
    for wrong in ({"to": "nobody"}, {"due": "tomorrow"}):
        assert staff.post(f"{here}assign/", wrong)["Location"] == f"{here}beside/"


def test_an_earlier_answer_is_brought_back_from_its_history(forms: Forms, staff: Client) -> None:
    opened = forms.opened(values={"name": "Ana"})
    forms.answer(opened, name="Eva")
    at = f"{AT}responses/{opened.row.pk}/"
    act = re.search(r'value="(restore:name\|[^"]+)"', text(staff.get(f"{at}history/?field=name")))
    assert act is not None
    staff.post(at, {"base": str(forms.row(opened).lock), "act": act[1]})
    assert forms.view(opened, scope="field", id="name")["value"] == "Ana"


def test_going_back_is_looked_at_first_and_is_a_write_of_what_was_seen(forms: Forms, staff: Client) -> None:
    opened = forms.opened(values={"name": "Ana"})
    forms.answer(opened, name="Eva", pain=4)
    forms.write(opened, {"op": "row-add", "repeat": "medicines", "values": {"medicine": "Zinc"}})
    at = f"{AT}responses/{opened.row.pk}/"
    assert "?back=1" in text(staff.get(f"{at}history/"))
    shown = text(staff.get(f"{at}history/?back=1"))
    assert "Name: <del>Eva</del> <ins>Ana</ins>" in shown
    assert "Pain: <del>4</del> <ins>no answer</ins>" in shown
    assert "1 row added or removed since." in shown
    assert forms.row(opened).lock == 3
    forms.answer(opened, pronouns="she")
    assert staff.post(at, {"base": "3", "act": "revert:1"}).status_code == 409
    staff.post(at, {"base": "4", "act": "revert:1"})
    values = {name: forms.view(opened, scope="field", id=name).get("value") for name in ("name", "pain", "pronouns")}
    assert (values, forms.row(opened).lock) == ({"name": "Ana", "pain": None, "pronouns": None}, 5)
    staff.post(at, {"base": "5", "act": "undo"})
    assert forms.view(opened, scope="field", id="name")["value"] == "Eva"
    for wrong in ("99", "x", "-1"):
        assert staff.get(f"{at}history/?back={wrong}").status_code in (200, 409, 422)


RECORDED = {"responses/": 5, "responses/?state=submitted": 5, "beside": 6, "answers": 7}


def test_every_page_of_responses_keeps_to_its_number_of_queries(forms: Forms, staff: Client) -> None:
    row = submitted(forms, "Ana")
    pages = {"beside": f"responses/{row.pk}/beside/", "answers": f"{row.form_id}/answers/"}

    def asked() -> dict[str, int]:
        found = {}
        for page in RECORDED:
            staff.get(AT + pages.get(page, page))
            with CaptureQueriesContext(connection) as made:
                assert staff.get(AT + pages.get(page, page)).status_code == 200
            found[page] = len(made)
        return found

    before = asked()
    for number in range(4):
        submitted(forms, f"Ana {number}")
    after = asked()
    assert before == after
    assert after == RECORDED, after
