"""A draft of an earlier version in the browser: the live one is offered, its effect shown, and moved once seen."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from formsengine import queries
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.forms.telling import Forms
from tests.forms.test_versions import visit
from tests.visiting import client_of

AT = "/w/harbour/forms/responses/"
OFFER = "See what moving it would change"


@pytest.fixture
def visits(operator: Principal) -> Forms:
    forms = Forms(operator)
    forms.published(visit())
    return forms


@pytest.fixture
def staff(visits: Forms, reviewer: Principal) -> Client:
    return client_of(reviewer)


def text(staff: Client, address: str) -> str:
    answer = staff.get(address)
    assert answer.status_code == 200
    return re.sub(r"\s+", " ", answer.content.decode())


def test_a_tighter_version_is_offered_with_what_would_stand_otherwise(visits: Forms, staff: Client) -> None:
    opened = visits.opened("visit", values={"name": "Ana"})
    at = f"{AT}{opened.row.pk}/"
    assert OFFER not in text(staff, at)
    assert staff.get(f"{at}move/")["Location"] == at
    visits.published(visit(need=True))
    visits.published(visit(need=True, more=True))
    assert OFFER in text(staff, at)
    shown = text(staff, f"{at}move/")
    assert "“Place”: " in shown
    assert "to be confirmed" in shown
    visits.answer(opened, name="Eva")
    stale = staff.post(f"{at}move/", {"base": "1"})
    assert (stale.status_code, "It changed after you saw it." in stale.content.decode()) == (412, True)
    assert staff.post(f"{at}move/", {"base": visits.row(opened).lock})["Location"] == at
    assert (visits.row(opened).version.number, visits.view(opened)["state"]) == (3, "blocked")
    assert OFFER not in text(staff, at)


def test_an_answer_whose_field_is_gone_is_put_where_it_belongs(visits: Forms, staff: Client) -> None:
    opened = visits.opened("visit", values={"place": "Pier 4"})
    at = f"{AT}{opened.row.pk}/"
    visits.published(visit(drop=True, more=True))
    shown = text(staff, f"{at}move/")
    assert "The answer to “Place” belongs to" in shown
    assert staff.post(f"{at}move/", {"base": "1", "to:place": "nowhere"}).status_code in (409, 422)
    staff.post(f"{at}move/", {"base": "1", "to:place": "note"})
    assert visits.view(opened, scope="field", id="note")["value"] == "Pier 4"


def test_over_rest_a_move_is_looked_at_first(visits: Forms, workspace: Workspace) -> None:
    desk = Caller(workspace, ["forms"], "Desk")
    opened = visits.opened("visit", values={"name": "Ana", "place": "Pier 4"})
    at = f"forms/responses/{opened.row.pk}/move"
    visits.published(visit(drop=True))
    looked = desk.post(at, {"version": 2, "dry_run": True}).json()
    assert (looked["preview"]["class"], looked["preview"]["orphaned"]) == ("breaking", ["place"])
    assert looked["commit"] == 1
    refused = desk.post(at, {"version": 2, "confirmed": True, "moved": {"place": "name"}, "base": 0})
    assert (refused.status_code, refused.json()["code"]) == (412, "changed")
    moved = desk.post(at, {"version": 2, "confirmed": True, "moved": {"place": "name"}, "base": 1}).json()
    assert moved["commit"] == 2
    read = queries.loaded(visits.row(opened))
    assert "Pier 4" in {each.kept for each in read.revisions.values()}
