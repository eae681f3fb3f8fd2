"""Responses as they are stored: each write is one commit, decided on what is there, and read again as it was."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from formsengine import queries, services
from formsengine.models import FormCommit, FormResponse
from formsengine.queries import loading
from memoryapp.doors.errors import Conflict, Invalid, NotFound, Stale
from memoryapp.graph.models import Node
from memoryapp.ledger import integrity
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.sources.inputs import ParticipantInput, ThreadInput, TurnInput
from memoryapp.sources.services import tell
from tests.forms.telling import Forms, verdicts
from tests.graph.nodes.telling import Graph
from tests.visiting import client_of


def forget() -> None:
    """As another process would begin: nothing is kept ready."""
    loading._responses.clear()
    loading._versions.clear()


def test_an_answer_to_a_later_step_is_in_force_in_the_same_commit(forms: Forms) -> None:
    """Q1 in storage: the patch is one commit, whatever is being asked."""
    opened = forms.opened()
    written = forms.write(
        opened, {"op": "set", "field": "pain", "value": "4"}, {"op": "set", "field": "Name", "value": "Ana"}
    )
    assert verdicts(written) == ["in-force", "in-force"]
    assert forms.row(opened).lock == 1
    assert forms.view(opened)["step"]["name"] == "who"
    assert forms.view(opened, scope="field", id="pain")["value"] == 4


def test_what_does_not_apply_is_held_and_is_back_in_a_process_of_its_own(forms: Forms) -> None:
    """Q2 in storage, and Q7: the log read again gives the same view."""
    opened = forms.opened()
    forms.answer(opened, name="Ana", works=True, employer="Ferro Studio")
    forms.answer(opened, works=False)
    held = forms.view(opened, scope="field", id="employer")
    assert (held["state"], held["value"]) == ("held", "Ferro Studio")
    forget()
    assert forms.view(opened, scope="field", id="employer") == held
    forms.answer(opened, works=True)
    assert forms.view(opened, scope="field", id="employer")["state"] == "filled"


def test_undo_is_a_move_in_the_log_and_never_brings_back_what_was_replaced(forms: Forms) -> None:
    """Q3 in storage: A, B, undo, C, undo gives A, each move a commit."""
    opened = forms.opened()
    for value in ("A", "B"):
        forms.answer(opened, name=value)
    forms.write(opened, {"op": "undo"})
    forms.answer(opened, name="C")
    forms.write(opened, {"op": "undo"})
    forget()
    assert forms.view(opened, scope="field", id="name")["value"] == "A"
    changes = [one for each in queries.history(forms.by, forms.row(opened))["commits"] for one in each["changes"]]
    assert [one["event"] for one in changes] == ["revised", "revised", "moved", "revised", "moved"]


def test_two_who_saw_the_same_merge_by_field_and_a_person_picks_where_they_disagree(
    forms: Forms, agent: Any, workspace: Any, reviewer: Principal
) -> None:
    """Q4 in storage."""
    opened = forms.opened()
    desk = agent(workspace, ["forms"])
    forms.write(opened, {"op": "set", "field": "name", "value": "Ana"}, by=reviewer, base=0)
    other = forms.write(
        opened,
        {"op": "set", "field": "pain", "value": 3},
        {"op": "set", "field": "name", "value": "Anna"},
        by=desk,
        base=0,
    )
    assert verdicts(other) == ["in-force", "candidate"]
    entry = forms.view(opened, scope="field", id="name")
    assert (entry["state"], entry["value"], entry["by"]) == ("conflict", "Ana", "Reviewer")
    assert [(each["value"], each["by"]) for each in entry["others"]] == [("Anna", "Desk")]
    pick = {"op": "resolve", "field": "name", "pick": entry["others"][0]["revision"]}
    assert verdicts(forms.write(opened, pick, by=desk)) == ["rejected"]
    assert verdicts(forms.write(opened, pick, by=reviewer)) == ["resolved"]
    assert forms.view(opened, scope="field", id="name")["value"] == "Anna"


def test_the_same_key_is_one_commit_and_another_body_is_refused(forms: Forms) -> None:
    opened = forms.opened()
    first = forms.write(opened, {"op": "set", "field": "name", "value": "Ana"}, key="call-1")
    again = forms.write(opened, {"op": "set", "field": "name", "value": "Ana"}, key="call-1")
    assert (again.repeated, again.verdicts) == (True, first.verdicts)
    assert FormCommit.objects.filter(response=opened.row).count() == 1
    with pytest.raises(Conflict) as refused:
        forms.write(opened, {"op": "set", "field": "name", "value": "Eva"}, key="call-1")
    assert refused.value.code == "key_reused"


def test_submitting_names_what_was_seen_and_is_done_once(forms: Forms) -> None:
    """Q5: explicit, on a named revision, idempotent; what is in the way is told, nothing of it is written."""
    opened = forms.opened()
    forms.answer(opened, pain=11)
    with pytest.raises(Invalid) as blocked:
        forms.submit(opened)
    assert {(each.path, each.code) for each in blocked.value.violations} == {("/name", "empty"), ("/pain", "invalid")}
    forms.answer(opened, name="Ana", pain=4)
    with pytest.raises(Stale) as stale:
        forms.submit(opened, base=1)
    assert {each.path for each in stale.value.violations} == {"/name", "/pain"}
    outcomes = forms.submit(opened)
    row = forms.row(opened)
    assert (row.state, row.submission) == ("submitted", 1)
    assert [one.pk for one in forms.submit(opened, base=row.lock - 1)] == [one.pk for one in outcomes]
    assert forms.row(opened).lock == row.lock


def test_the_life_of_a_response(forms: Forms, reviewer: Principal) -> None:
    opened = forms.opened()
    forms.answer(opened, name="Ana")
    forms.submit(opened)
    notes = [{"field": "Name", "note": "Her whole name, please."}]
    forms.settle(services.send_back, opened, by=reviewer, reason="Too short.", notes=notes)
    assert forms.view(opened, scope="field", id="name")["note"] == "Her whole name, please."
    forms.answer(opened, name="Ana Sousa")
    forms.submit(opened)
    forms.settle(services.accept, opened, by=reviewer)
    late = forms.write(opened, {"op": "set", "field": "name", "value": "Ana Reis"}, base=forms.row(opened).lock)
    assert verdicts(late) == ["candidate"]
    forms.settle(services.reopen, opened, by=reviewer, reason="She married.")
    assert forms.row(opened).state == "reopened"
    forms.settle(services.void, opened, by=reviewer, reason="Twice the same.")
    with pytest.raises(Conflict) as refused:
        forms.answer(opened, name="Ana Reis")
    assert refused.value.code == "void"
    forms.settle(services.revive, opened, by=reviewer, reason="It was not.")
    assert forms.row(opened).state == "reopened"


def test_a_response_about_whom_only_few_know_is_nothing_to_others(
    forms: Forms, operator: Principal, reviewer: Principal, viewer: Principal
) -> None:
    """R6: neither by the page, the lists, what is taken out nor the search; who opened it and who know see it."""
    zoe = ParticipantInput(key="zoe", role="user", name="Zoe Marsh", identity={"email": "zoe@sail.example"})
    said = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
    turn = TurnInput(speaker="user", by="zoe", content="Zoe here.", said_at=said, message_id="m-1")
    few = ThreadInput(external_id="few", title="Few", readers=(reviewer.actor.pk,))
    record(operator, "tell", lambda write: tell(write, few, [zoe], [turn]))
    opened = forms.opened(subject=Node.objects.get(known_to_all=False).pk, by=reviewer)
    own, others = client_of(reviewer), client_of(viewer)
    form = f"/w/harbour/forms/{opened.row.form_id}/"
    for page in ("/w/harbour/forms/responses/?q=Marsh", form, f"{form}export/csv/", "/w/harbour/search/?q=Marsh"):
        seen, unseen = (str(b"".join(client.get(page))) for client in (own, others))
        assert str(opened.row.pk) in seen
        assert str(opened.row.pk) not in unseen
        assert "Zoe Marsh" not in unseen
    assert others.get(f"/w/harbour/forms/responses/{opened.row.pk}/").status_code == 404
    assert own.get(f"/w/harbour/forms/responses/{opened.row.pk}/").status_code == 200


def test_a_response_of_a_narrower_audience_is_nothing_to_others(
    forms: Forms, reviewer: Principal, viewer: Principal
) -> None:
    opened = forms.opened(audience="named", readers=(reviewer.actor.pk,))
    assert queries.response(reviewer, opened.row.pk) == opened.row
    with pytest.raises(NotFound):
        queries.response(viewer, opened.row.pk)
    assert queries.standing(viewer) == []
    assert not queries.responses(viewer).exists()


def test_an_agent_is_not_shown_what_is_sensitive(forms: Forms, agent: Any, workspace: Any) -> None:
    opened = forms.opened()
    forms.answer(opened, address="Rua do Cais 4")
    desk = agent(workspace, ["forms"])
    assert "Cais" not in str(forms.view(opened, by=desk, scope="step", id="who"))
    assert "Cais" in str(forms.view(opened, scope="step", id="who"))


def test_a_node_is_named_by_its_name_when_only_one_is_called_so(
    forms: Forms, graph: Graph, reviewer: Principal
) -> None:
    definition = {
        "format": "form/1",
        "id": "call",
        "steps": [
            {
                "name": "who",
                "items": [
                    {
                        "kind": "field",
                        "name": "caller",
                        "type": "entity",
                        "label": {"en": "Caller"},
                        "parameters": "class=person",
                    }
                ],
            }
        ],
    }
    forms.published(definition)
    ines = graph.person("Ines Ferro")
    graph.upsert("person", name="Rui Dias", email="rui@one.example")
    graph.upsert("person", name="Rui Dias", email="rui@two.example")
    opened = forms.opened("call")
    several = forms.write(opened, {"op": "set", "field": "caller", "value": "rui dias"}).verdicts[0]
    assert (several["verdict"], len(several["accepted"])) == ("rejected", 2)
    staff, at = client_of(reviewer), f"/w/harbour/forms/responses/{opened.row.pk}/"
    sent = {"base": "1", "step": "who", "shown": "caller", "f:caller": "rui dias"}
    shown = staff.post(at, sent, headers={"HX-Request": "true"}).content.decode()
    chosen = re.findall(r'name="act" value="(choose:caller\|[0-9a-f-]{36})"', shown)
    assert len(chosen) == 2
    assert f'href="/w/harbour/nodes/{chosen[0][-36:]}/"' in shown
    assert staff.post(at, sent | {"base": "2", "act": chosen[1]}).status_code == 302
    assert forms.view(opened, scope="field", id="caller")["value"] == {"id": chosen[1][-36:], "label": "Rui Dias"}
    forms.write(opened, {"op": "retract", "field": "caller"}, base=forms.row(opened).lock)
    nobody = forms.write(opened, {"op": "set", "field": "caller", "value": "Nobody"}).verdicts[0]
    assert (nobody["verdict"], nobody["message"]) == ("rejected", "Nothing in memory is called so.")
    assert verdicts(forms.write(opened, {"op": "set", "field": "caller", "value": "Ines Ferro"})) == ["in-force"]
    assert forms.view(opened, scope="field", id="caller")["value"] == {"id": str(ines.pk), "label": "Ines Ferro"}


def test_a_log_that_was_tampered_with_is_found_out(forms: Forms, workspace: Any) -> None:
    """Q7: replayed, a log is the stored head; the database refuses to change a commit, and integrity finds a head."""
    opened = forms.opened()
    forms.answer(opened, name="Ana")
    checks = {check.name: check for check in integrity.checks()}
    assert list(checks["form responses"].run(workspace)) == []
    with pytest.raises(DatabaseError), transaction.atomic():
        FormCommit.objects.filter(response=opened.row).update(body={})
    with pytest.raises(DatabaseError), transaction.atomic():
        FormCommit.objects.filter(response=opened.row).delete()
    FormResponse.objects.filter(pk=opened.row.pk).update(state="accepted")
    assert [one.what for one in checks["form responses"].run(workspace)] == ["It is not as its log says."]


def test_what_no_database_stores_is_refused_with_its_place(forms: Forms) -> None:
    opened = forms.opened()
    with pytest.raises(Invalid) as refused:
        forms.write(opened, {"op": "set", "field": "name", "value": "A\x00"})
    assert (refused.value.code, refused.value.violations[0].path) == ("unreadable_text", "/ops/0/value")
    assert forms.row(opened).lock == 0
