"""What holds a response until somebody has looked: seen with its owner and its time, and settled in the browser."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from formsengine.definition.builder import FormBuilder
from memoryapp.ledger.principal import Principal
from tests.forms.telling import Forms
from tests.visiting import client_of

AT = "/w/harbour/forms/responses/"


@pytest.fixture
def forms(operator: Principal) -> Forms:
    form = FormBuilder("fall", "A fall")
    with form.step("what", "What"):
        broken = form.boolean("broken", "Is anything broken?")
    form.gate("seen", f"{broken}", title="A nurse looks at it", owner="reviewer", due_hours=4)
    told = Forms(operator)
    told.published(form.compile())
    return told


def page(client: Client, address: str) -> str:
    return re.sub(r"\s+", " ", client.get(address).content.decode())


def test_a_gate_is_seen_with_its_owner_and_its_time_and_is_settled_on_the_page(
    forms: Forms, reviewer: Principal, viewer: Principal
) -> None:
    staff = client_of(reviewer)
    opened = forms.opened("fall", values={"broken": True})
    at = f"{AT}{opened.row.pk}/"
    assert f"responses/{opened.row.pk}/" in page(staff, f"{AT}?which=held")
    waits = forms.view(opened)["waits_for"][0]
    assert (waits["gate"], waits["title"], waits["owner"]) == ("seen", "A nurse looks at it", "reviewer")
    assert waits["since"] < waits["due"]
    assert ", 1 held" in forms.view(opened)["line"]
    shown = page(staff, f"{at}submit/")
    assert "Waits for reviewer since" in shown
    assert "Due " in shown
    assert 'href="#gate-seen"' in shown
    gate = {"verb": "gate", "gate": "seen"}
    staff.post(f"{at}settle/", gate | {"outcome": "failed", "reason": "No X-ray."})
    assert "Failed by Reviewer: No X-ray." in page(staff, f"{at}submit/")
    staff.post(f"{at}settle/", gate | {"outcome": "waived"})
    assert "Say why." in page(staff, f"{at}submit/")
    assert client_of(viewer).post(f"{at}settle/", gate | {"outcome": "passed"}).status_code == 403
    drawn = re.findall(r'name="base" value="([0-9]+)"', page(staff, f"{at}submit/"))
    assert len(set(drawn)) == 1
    staff.post(f"{at}settle/", gate | {"outcome": "passed", "base": int(drawn[0]) - 1})
    shown = page(staff, f"{at}submit/")
    assert "It changed after you saw it. Look at it again." in shown
    assert "Passed by Reviewer." not in shown
    staff.post(f"{at}settle/", gate | {"outcome": "passed", "base": drawn[0]})
    shown = page(staff, f"{at}submit/")
    assert "Passed by Reviewer." in shown
    assert "Submit what is shown" in shown
    assert f"responses/{opened.row.pk}/" not in page(staff, f"{AT}?which=held")
