"""Proposals in the browser: everything to decide on one, and every verb people have."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import yaml
from django.test import Client

from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.ontology import services
from memoryapp.ontology.models import Proposal
from memoryapp.ontology.queries import current_ontology
from memoryapp.ontology.services import Draft
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph
from tests.ontology.proposing import VESSEL, Office
from tests.visiting import client_of

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script> {{ 7|add:7 }} \" onload='x' $(id)"


@pytest.fixture
def office(agent: Callable[..., Principal], administrator: Principal) -> Office:
    return Office(agent(administrator.workspace, ["curate", "propose"], "Quay"), administrator)


@pytest.fixture
def admin(office: Office) -> Client:
    return client_of(office.admin)


def address(proposal: Proposal, verb: str = "") -> str:
    return f"/w/harbour/proposals/{proposal.pk}/{verb}"


def act(client: Client, proposal: Proposal, place: str, verb: str, why: str = "", **more: str) -> int:
    lock = str(Proposal.objects.get(pk=proposal.pk).lock)
    said = {"verb": verb, "rationale": why, "lock": lock} | more
    return client.post(address(proposal, f"{place}/"), said).status_code


def test_a_proposal_is_approved_applied_and_rolled_back_on_its_page(office: Office, admin: Client) -> None:
    proposal = office.propose(VESSEL, why="Berths are booked for vessels.")
    listed = admin.get("/w/harbour/proposals/").content.decode()
    assert "Add the class vessel below thing" in listed
    shown = admin.get(address(proposal)).content.decode()
    for words in ("As it would be", "Berths are booked", "No stored row would change", "Not declared.", "<svg"):
        assert words in shown
    assert act(admin, proposal, "decide", "approve") == 302
    assert act(admin, proposal, "force", "apply") == 302
    assert "vessel" in current_ontology(office.admin).document.node_classes
    page = admin.get("/w/harbour/ontology/").content.decode()
    assert "since edition 2" in page
    assert address(proposal) in page
    assert "vessel" in admin.get("/w/harbour/ontology/compare/").content.decode()
    assert act(admin, proposal, "force", "roll_back", "It was a mistake.") == 302
    assert "vessel" not in current_ontology(office.admin).document.node_classes
    assert "Superseded" in admin.get(address(proposal)).content.decode()


def test_what_stands_in_the_way_is_listed_and_nothing_is_changed(
    office: Office, admin: Client, operator: Principal
) -> None:
    Graph(operator).node("person", name="Ines", email="ines@ferro.example", role="harbour master")
    declaration = {"type": "string", "maxLength": 5}
    change = {"change": "set_property", "family": "node_classes", "type": "person", "name": "role"}
    proposal = office.propose(change | {"declaration": declaration})
    shown = admin.get(address(proposal)).content.decode()
    assert "1 row would not fit" in shown
    assert "harbour master" in shown
    assert act(admin, proposal, "decide", "approve") == 409
    assert Proposal.objects.get().status == "proposed"


def test_it_is_asked_back_edited_tried_and_rejected(office: Office, admin: Client, reviewer: Principal) -> None:
    proposal = office.propose(VESSEL)
    assert "An administrator approves it" in client_of(reviewer).get(address(proposal)).content.decode()
    assert act(client_of(reviewer), proposal, "decide", "ask_back", "By what is one known?") == 302
    form = admin.get(address(proposal, "revise/")).content.decode()
    assert "name: vessel" in form
    text = yaml.safe_dump([VESSEL | {"name": "barge"}])
    tried = admin.post(address(proposal, "revise/"), {"verb": "try", "changes": text})
    assert "barge" in tried.content.decode()
    assert Proposal.objects.get().revision == 1
    wrong = admin.post(address(proposal, "revise/"), {"verb": "file", "changes": "- change: nothing"})
    assert (wrong.status_code, "Input tag" in wrong.content.decode()) == (422, True)
    saved = {"verb": "file", "changes": text, "rationale": "A barge.", "lock": str(Proposal.objects.get().lock)}
    assert admin.post(address(proposal, "revise/"), saved).status_code == 302
    assert Proposal.objects.get().status == "proposed"
    old = admin.post(address(proposal, "decide/"), {"verb": "approve", "lock": "1"})
    assert (old.status_code, "It has changed since" in old.content.decode()) == (409, True)
    assert act(admin, proposal, "decide", "reject") == 422
    assert act(admin, proposal, "decide", "reject", "No.") == 302
    assert act(client_of(reviewer), proposal, "force", "apply") == 403


def test_a_person_files_and_another_approves(office: Office, admin: Client, reviewer: Principal) -> None:
    filed = admin.post("/w/harbour/proposals/new/", {"verb": "file", "changes": yaml.safe_dump([VESSEL])})
    assert filed.status_code == 302
    proposal = Proposal.objects.get()
    assert "You filed it" in admin.get(address(proposal)).content.decode()
    assert act(admin, proposal, "decide", "approve") == 403
    assert act(admin, proposal, "withdraw", "withdraw", "Not needed.") == 302


def test_hostile_text_stays_text_on_every_page(office: Office, admin: Client) -> None:
    """A12: in a title, a description, a reason, an alternative and a payload."""
    declaration = VESSEL["declaration"] | {"title": HOSTILE, "description": HOSTILE}
    draft = Draft([VESSEL | {"declaration": declaration}], HOSTILE, (HOSTILE,))
    proposal = record(office.filer, "propose", lambda write: services.propose(write, draft))
    case = f"/w/harbour/queue/{Case.objects.get(key=str(proposal.pk)).pk}/"
    for page in ("/w/harbour/proposals/", address(proposal), address(proposal, "revise/"), case):
        shown = admin.get(page).content.decode()
        assert "<script>alert(1)" not in shown
        assert "{{ 7|add:7 }}" in shown or page.endswith("proposals/")
    office.approve(proposal)
    office.apply(proposal)
    assert "<script>alert(1)" not in admin.get("/w/harbour/ontology/").content.decode()


def test_the_types_are_taken_away_as_yaml_and_as_json_schema(office: Office, admin: Client) -> None:
    """What is exported is read again as the same document."""
    exported = admin.get("/w/harbour/ontology/export/?as=yaml")
    assert "attachment" in exported["Content-Disposition"]
    assert yaml.safe_load(exported.content.decode()) == current_ontology(office.admin).document.as_data()
    schema = json.loads(admin.get("/w/harbour/ontology/export/?as=json-schema").content)
    assert schema["$defs"]["node_classes/person"]["properties"]["email"]["type"] == "array"
    assert admin.get("/w/harbour/ontology/export/?as=pdf").status_code == 422
