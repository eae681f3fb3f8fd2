"""Writing a form in a real browser: by keyboard, saved as it is typed, in both themes and widths, by two at once."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.models import Form, FormDraft, FormVersion
from memoryapp.ledger.principal import Principal
from tests.browser import Browser
from tests.forms.telling import Forms
from tests.forms.test_browser import LOOKS, entered, is_clean

pytestmark = pytest.mark.django_db(transaction=True)


def inside(browser: Browser, live_server: Any, **look: Any) -> Any:
    """A page of the list of forms, come whole."""
    page = entered(browser, live_server, "admin", **look)
    page.get_by_role("heading", name="Forms", level=1).wait_for()
    return page


def kept(page: Any, act: Any, to: str = "/edit/") -> None:
    """Do this, and wait until the draft has it."""
    with page.expect_response(
        lambda answer: answer.request.method == "POST" and answer.url.split("?")[0].endswith(to)
    ) as answer:
        act()
    assert answer.value.ok, answer.value.status


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_a_form_is_written_tried_and_published_by_keyboard(
    browser: Browser, live_server: Any, administrator: Principal, width: int, theme: str
) -> None:
    page = inside(browser, live_server, width=width, theme=theme)
    page.get_by_role("link", name="New form").first.press("Enter")
    page.get_by_role("textbox", name="Title").fill("Boat visit")
    is_clean(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**/edit/**")
    page.get_by_role("textbox", name="What is asked, or its title").fill("Draught")
    page.get_by_label("Kind").select_option("decimal")
    kept(page, lambda: page.get_by_role("button", name="Add", exact=True).press("Enter"))
    page.get_by_role("heading", name="Draught").wait_for()
    is_clean(page)
    page.locator("#p-relevant").fill("${draght} > 1")
    page.get_by_text("There is no field 'draght'. (character 1) Accepted: ${draught}.").wait_for()
    is_clean(page)
    kept(page, lambda: page.keyboard.press("Tab"))
    page.get_by_text("1 in the way of publishing").wait_for()
    page.locator("#p-relevant").fill("")
    kept(page, lambda: page.keyboard.press("Tab"))
    page.get_by_text("in the way of publishing").wait_for(state="detached")
    page.locator("#p-constraints-0").fill(". > 0")
    kept(page, lambda: page.keyboard.press("Tab"))
    page.locator("#p-constraints-0-en").fill("More than nothing")
    kept(page, lambda: page.locator("#try-slot-draught").press_sequentially("-2"))
    assert page.locator("#try-slot-draught").input_value() == "-2"
    kept(page, lambda: page.keyboard.press("Tab"), to="/attempt/")
    page.locator("#preview").get_by_text("More than nothing").wait_for()
    is_clean(page)
    page.get_by_role("textbox", name="What is asked, or its title").fill("Name of the boat")
    kept(page, lambda: page.get_by_role("button", name="Add", exact=True).press("Enter"))
    page.get_by_role("heading", name="Name of the boat").wait_for()
    page.keyboard.press("Escape")
    kept(page, lambda: page.keyboard.press("Alt+ArrowUp"))
    page.get_by_text("Moved “Name of the boat” up").first.wait_for()
    page.get_by_role("link", name="Check and publish").press("Enter")
    page.get_by_role("button", name="Publish as version 1").wait_for()
    is_clean(page)
    page.get_by_role("button", name="Publish as version 1").press("Enter")
    page.get_by_text("Version 1 is live.").first.wait_for()
    is_clean(page)
    stored = FormVersion.objects.get().definition
    assert [one["name"] for one in stored["steps"][0]["items"]] == ["name_of_the_boat", "draught"]
    page.goto(f"{live_server.url}/w/harbour/forms/import/")
    is_clean(page)
    sheet = b"| survey |\n| | type | name | label | relevant |\n| | text | a | A | pulldata('x', 'y') |\n"
    page.locator("input[type=file]").set_input_files({"name": "call.csv", "mimeType": "text/csv", "buffer": sheet})
    page.get_by_role("button", name="Import").press("Enter")
    page.get_by_text("What became of the sheet").first.wait_for()
    is_clean(page)


def test_two_who_edit_one_part_are_told_and_what_was_typed_stays(
    browser: Browser, live_server: Any, forms: Forms, administrator: Principal
) -> None:
    at = f"{live_server.url}/w/harbour/forms/{Form.objects.get().pk}/edit/?part=item:pain"
    one, other = (inside(browser, live_server) for _ in range(2))
    for page in (one, other):
        page.goto(at)
    one.get_by_label("What is asked", exact=True).fill("How bad is the pain?")
    kept(one, lambda: one.keyboard.press("Tab"))
    other.get_by_label("What is asked", exact=True).fill("Pain, 0 to 10")
    other.keyboard.press("Tab")
    other.get_by_text("was faster").wait_for()
    is_clean(other)
    assert other.get_by_label("What is asked", exact=True).input_value() == "Pain, 0 to 10"
    kept(other, lambda: other.get_by_role("button", name="Save").last.press("Enter"))
    other.get_by_text("was faster").wait_for(state="detached")
    definition = FormDraft.objects.get().definition
    assert definition["steps"][2]["items"][0]["label"] == {"en": "Pain, 0 to 10"}
    kept(other, lambda: (other.keyboard.press("Escape"), other.keyboard.press("z")))
    other.get_by_text("How bad is the pain?").first.wait_for()
    kept(other, lambda: (other.keyboard.press("Escape"), other.keyboard.press("y")))
    other.get_by_text("Done again: Changed").first.wait_for()
