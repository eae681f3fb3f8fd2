"""Public spreadsheet forms, imported as they are and filled in a real browser from their first step to submitted."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine import services
from formsengine.definition.stored import as_data
from formsengine.models import FormResponse
from formsengine.xlsform.importing import import_xlsform
from memoryapp.ledger.principal import Principal
from tests.browser import Browser, page_is_clean
from tests.forms.telling import Forms
from tests.forms.test_browser import entered
from tests.forms.test_files import PNG
from tests.shared.places import shared

pytestmark = [pytest.mark.shared, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

MOST = 60
"""What is in the way of submitting is looked at so often at most."""
SAID = {
    "integer": "12",
    "decimal": "3.5",
    "date": "2026-05-12",
    "time": "09:30",
    "datetime": "2026-05-12T09:30",
    "point": "-8.61 36.15",
    "leader_number": "2125550199",
}


def published(forms: Forms, name: str) -> dict[str, str]:
    """The form published, with a choice in each list whose own file does not lie beside it. Types by field."""
    found = import_xlsform(shared("cases", "forms", "xlsform", name).read_bytes(), id="public").form
    data = as_data(found)
    for each in data["lists"]:
        each.setdefault("choices", [])
        if not each["choices"]:
            same = {"region_id": "one", "district_id": "one", "village": "one", "plant_phase": "2022"}
            codes = {"one": "The first", "other": "Another"}
            each["choices"] = [{"code": c, "label": {"en": said}, "attributes": same} for c, said in codes.items()]
    version = forms.stored(data)
    forms.do(lambda write: services.publish(write, version))
    from formsengine.queries import ready

    return {one.name: one.question.type for one in ready(version).plan.fields}


@pytest.mark.parametrize("name", ["specify_other.md", "UCL_Biomass_Plot_Form.xlsx"])
def test_a_public_form_is_filled_from_its_first_step_to_submitted(
    browser: Browser, live_server: Any, operator: Principal, reviewer: Principal, name: str
) -> None:
    forms = Forms(operator)
    types = published(forms, name)
    opened = forms.opened("public")
    page = entered(browser, live_server, "reviewer")
    at = f"{live_server.url}/w/harbour/forms/responses/{opened.row.pk}/"
    for step in forms.row(opened).version.definition["steps"]:
        page.goto(f"{at}?step={step['name']}")
        page.wait_for_selector("html[data-ready]")
        page_is_clean(page)
        answer_all(page, types)
    for _ in range(MOST):
        page.goto(f"{at}submit/")
        if page.get_by_role("button", name="Submit what is shown").count():
            break
        page.locator("section[aria-labelledby=way-title] a").first.click()
        page.wait_for_selector("html[data-ready]")
        answer_all(page, types)
    page.get_by_role("button", name="Submit what is shown").click()
    page.get_by_text("Submitted.").first.wait_for()
    page_is_clean(page)
    assert FormResponse.objects.get().state == "submitted"


def answer_all(page: Any, types: dict[str, str]) -> None:
    """Everything that is needed on this page and has no answer yet, one after the other as it appears."""
    tried: set[str] = set()
    while True:
        needed = page.locator(".slot:visible:has(.slot__needed)").evaluate_all("all => all.map(one => one.id)")
        left = [one for one in needed if one not in tried]
        if not left:
            return
        tried.add(left[0])
        answer(page, page.locator(f"[id='{left[0]}']"), types)


def answer(page: Any, slot: Any, types: dict[str, str]) -> None:
    """One answer, in the way its field takes it, and saved."""
    path = slot.get_attribute("data-path")
    name = path.rpartition("/")[2]
    slot.locator("input:not([type=hidden]), select, textarea").first.wait_for()

    def act() -> None:
        if slot.locator("input[type=file]").count():
            photo = {"name": "tree.png", "mimeType": "image/png", "buffer": PNG}
            slot.locator("input[type=file]").set_input_files(photo)
        elif slot.locator("select").count():
            slot.locator("select").select_option(index=1)
        elif slot.locator("input[type=radio], input[type=checkbox]").count():
            slot.locator("input[type=radio], input[type=checkbox]").first.check()
        else:
            slot.locator("input[type=text], textarea").first.fill(SAID.get(name) or SAID.get(types[name], "Words"))
            page.keyboard.press("Tab")

    with page.expect_response(lambda one: one.request.method == "POST" and "/responses/" in one.url) as saved:
        act()
    assert saved.value.ok, (path, saved.value.status)
    page.wait_for_timeout(50)
