"""A step that is open: lists that narrow, values that are worked out, numbers as their writer writes them, and undo of
one field, each with the save that it follows from."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.test import Client

from formsengine.definition.builder import FormBuilder
from formsengine.models import FormResponse
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms
from tests.visiting import client_of

AT = "/w/harbour/forms/responses/"


@pytest.fixture
def forms(operator: Principal) -> Forms:
    form = FormBuilder("pier", "A pier")
    regions = form.choices("regions", {"north": "North", "south": "South"})
    places = [("quay", "Quay", "north"), ("cove", "Cove", "south")]
    listed = [{"code": code, "label": {"en": label}, "attributes": {"region": of}} for code, label, of in places]
    with form.step("one", "One"):
        region = form.choice("region", regions, "Region")
        form.choice("place", form.choices("places", listed), "Place", filter=f"region = {region}")
        length = form.decimal("length", "Length")
        form.computed("double", length * 2, "Twice the length")
        form.decimal("boards", "Boards", computed=f"{length} * 10", may_override=True)
    told = Forms(operator)
    told.published(form.compile())
    return told


class Page:
    """The step as one member has it open: each field is saved by itself."""

    def __init__(self, staff: Client, row: FormResponse) -> None:
        self.staff, self.at, self.base = staff, f"{AT}{row.pk}/", 0

    def save(self, **answers: str) -> str:
        sent: dict[str, Any] = {"base": self.base, "step": "one", "shown": list(answers)}
        sent |= {f"f:{name}": value for name, value in answers.items()}
        return self._shown(self.staff.post(self.at, sent, headers={"HX-Request": "true"}))

    def act(self, act: str) -> str:
        self.staff.post(self.at, {"base": self.base, "step": "one", "act": act})
        return self._shown(self.staff.get(self.at))

    def _shown(self, answer: Any) -> str:
        told = re.sub(r"\s+", " ", answer.content.decode())
        self.base = int(re.findall(r'name="base" value="(\d+)"', told)[0])
        return told


def slot(markup: str, name: str) -> str:
    """What the page has of this field."""
    found = re.search(rf'<div class="slot[^>]* id="slot-{name}".*?(?=<div class="slot[ "]|$)', markup)
    return found[0] if found else ""


@pytest.fixture
def page(forms: Forms, reviewer: Principal) -> Page:
    return Page(client_of(reviewer), forms.opened("pier", by=reviewer).row)


def test_a_list_narrows_with_the_answer_it_follows_and_says_what_it_no_longer_holds(page: Page) -> None:
    north = slot(page.save(region="north"), "place")
    assert ("Quay" in north, "Cove" in north) == (True, False)
    page.save(place="quay")
    south = slot(page.save(region="south"), "place")
    assert "Quay is not among the options for Place where Region is South." in south
    assert 'value="cove"' in south
    assert re.search(r'value="quay" checked', slot(page.save(region="north"), "place"))


def test_what_is_worked_out_follows_at_once_and_stands_beside_what_a_person_put_in_its_place(page: Page) -> None:
    followed = page.save(length="4")
    assert "<output>8</output>" in slot(followed, "double")
    assert "Worked out: <output>40</output>. An answer takes its place." in slot(followed, "boards")
    page.save(boards="37")
    followed = slot(page.save(length="5"), "boards")
    assert 'value="37"' in followed
    assert "Worked out: <output>50</output>. Empty the field to take it." in followed


def test_fault_15_a_comma_is_read_where_its_writer_declared_it_and_nowhere_else(page: Page) -> None:
    refused = slot(page.save(length="1,5"), "length")
    assert "A comma is read only when the language of numbers is declared." in refused
    assert 'value="1,5"' in refused
    shown = page.staff.get(page.at, headers={"Accept-Language": "pt-PT,pt;q=0.9,en;q=0.5"}).content.decode()
    assert "pt-PT: 1,5" in shown
    declared = page.staff.get(f"{page.at}?step=one&numbers=pt-PT").content.decode()
    assert re.search(r'numbers=pt-PT" aria-current="true"', declared)
    assert "<output>3</output>" in slot(page.save(length="1,5"), "double")
    page.staff.get(f"{page.at}?step=one&numbers=plain")
    assert "A comma is read only" in page.save(length="2,5")


def test_one_field_is_undone_and_done_again_and_the_rest_stays(page: Page) -> None:
    page.save(length="4")
    page.save(region="south")
    page.save(length="6")
    undone = page.act("undo:length")
    assert 'value="4"' in slot(undone, "length")
    assert re.search(r'value="south" checked', undone)
    assert 'value="6"' in slot(page.act("redo:length"), "length")


def test_what_was_begun_here_is_gone_on_with_on_another_device(page: Page, reviewer: Principal) -> None:
    page.save(length="4")
    elsewhere = client_of(reviewer)
    assert page.at in elsewhere.get("/w/harbour/forms/").content.decode()
    assert 'value="4"' in slot(re.sub(r"\s+", " ", elsewhere.get(page.at).content.decode()), "length")
