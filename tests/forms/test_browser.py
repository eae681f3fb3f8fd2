"""Filling in a real browser: saved as it is typed, by keyboard, in both themes and widths, by two at once."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine.examples.injury import injury_intake
from formsengine.models import FormResponse
from memoryapp.ledger.principal import Principal
from tests.browser import Browser, page_is_clean
from tests.forms.telling import Forms

pytestmark = pytest.mark.django_db(transaction=True)

LOOKS = [(1440, "light"), (390, "dark")]


@pytest.fixture
def intake(operator: Principal) -> Forms:
    forms = Forms(operator)
    forms.published(injury_intake())
    return forms


def entered(browser: Browser, live_server: Any, person: str, **look: Any) -> Any:
    """A page of this member, signed in."""
    page = browser.page(**look)
    page.goto(f"{live_server.url}/sign-in/?next=/w/harbour/forms/")
    page.fill("input[name=username]", person)
    page.fill("input[name=password]", "a long enough password")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "sign-in" not in url)
    return page


def is_clean(page: Any) -> None:
    """No fault on the page, once it has come whole."""
    page.wait_for_selector("html[data-ready]")
    page_is_clean(page)


def saved(page: Any, act: Any) -> None:
    """Do this, and wait until it is saved."""
    with page.expect_response(lambda answer: answer.request.method == "POST" and "/responses/" in answer.url) as answer:
        act()
    assert answer.value.ok, answer.value.status


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_from_the_list_to_submitted_saved_as_it_is_typed(
    browser: Browser, live_server: Any, intake: Forms, reviewer: Principal, width: int, theme: str
) -> None:
    """Q1, Q2 in a browser: every answer is saved at once, what applies appears, what is in the way leads to it."""
    page = entered(browser, live_server, "reviewer", width=width, theme=theme)
    is_clean(page)
    page.get_by_role("button", name="Fill Injury intake").click()
    page.wait_for_url("**/responses/**")
    is_clean(page)
    saved(page, lambda: (page.get_by_role("textbox", name="Whole name").fill("Ines Ferro"), page.keyboard.press("Tab")))
    saved(page, lambda: (page.get_by_role("textbox", name="Born").fill("1980-04"), page.keyboard.press("Tab")))
    assert page.get_by_role("textbox", name="Name of a parent or guardian").count() == 0
    minor = page.get_by_role("group", name="Are they under 18?")
    saved(page, lambda: minor.get_by_label("Yes").check())
    page.get_by_role("textbox", name="Name of a parent or guardian").wait_for()
    saved(page, lambda: minor.get_by_label("No", exact=True).check())
    page.get_by_role("textbox", name="Name of a parent or guardian").wait_for(state="detached")
    page.get_by_role("link", name="What happened").click()
    saved(
        page,
        lambda: (
            page.get_by_role("textbox", name="When did it happen?").fill("12/05/2026"),
            page.keyboard.press("Tab"),
        ),
    )
    page.locator(".field__error").get_by_text("12/05 may be May or December").wait_for()
    assert page.get_by_role("textbox", name="When did it happen?").input_value() == "12/05/2026"
    is_clean(page)
    saved(
        page,
        lambda: (
            page.get_by_role("textbox", name="When did it happen?").fill("2026-05-12"),
            page.keyboard.press("Tab"),
        ),
    )
    saved(page, lambda: page.get_by_role("radio", name="A fall").check())
    page.get_by_role("link", name="Check and submit").click()
    is_clean(page)
    page.get_by_role("link", name="Injuries: at least 1 are needed, there are 0.").wait_for()
    page.goto(page.url.replace("submit/", "?step=injury"))
    page.get_by_role("button", name="Add to Injuries").click()
    saved(page, lambda: page.get_by_role("combobox", name="Which part?").select_option("ankle"))
    is_clean(page)
    for group, said in (
        ("Does anything look or feel broken?", "Yes"),
        ("Were you unconscious, even for a moment?", "No"),
    ):
        answered = page.get_by_role("group", name=group).get_by_label(said, exact=True)
        saved(page, answered.check)
    page.get_by_role("link", name="Care so far").click()
    seen = page.get_by_role("group", name="Has a doctor seen it?")
    saved(page, lambda: seen.get_by_label("No", exact=True).check())
    page.get_by_role("link", name="Before it is sent").click()
    saved(page, lambda: page.get_by_label("Yes, this was read and agreed to").check())
    page.get_by_role("button", name="Save and check").click()
    page.get_by_role("heading", name="A nurse looks at it before it is sent").wait_for()
    is_clean(page)
    page.get_by_role("textbox", name="What was found").fill("No break.")
    page.get_by_role("button", name="Passed").press("Enter")
    page.get_by_text("Passed by Reviewer: No break.").wait_for()
    page.get_by_role("button", name="Submit what is shown").wait_for()
    is_clean(page)
    page.get_by_role("button", name="Submit what is shown").click()
    page.get_by_text("Submitted.").first.wait_for()
    is_clean(page)
    page.get_by_role("button", name="Accept").click()
    page.get_by_text("Accepted", exact=True).first.wait_for()
    row = FormResponse.objects.get()
    assert (row.state, row.submission) == ("accepted", 1)


def test_two_browsers_on_one_response_see_each_other_and_lose_nothing(
    browser: Browser, live_server: Any, intake: Forms, reviewer: Principal, administrator: Principal
) -> None:
    """Q4 in two browsers: what the other answered appears with one's next save; what is typed meanwhile stays."""
    opened = intake.opened("injury_intake")
    ana, eva = (entered(browser, live_server, name) for name in ("reviewer", "admin"))
    for page in (ana, eva):
        page.goto(f"{live_server.url}/w/harbour/forms/responses/{opened.row.pk}/?step=person")
    saved(ana, lambda: (ana.get_by_role("textbox", name="Whole name").fill("Ines Ferro"), ana.keyboard.press("Tab")))
    eva.get_by_role("textbox", name="Address").fill("Rua do Cais 4")
    saved(eva, lambda: (eva.get_by_role("textbox", name="Pronouns").fill("she"), eva.keyboard.press("Tab")))
    eva.wait_for_function("document.querySelector('#slot-name-in').value === 'Ines Ferro'")
    assert eva.get_by_role("textbox", name="Address").input_value() == "Rua do Cais 4"
    saved(ana, lambda: (ana.get_by_role("textbox", name="Email").fill("ines@ferro.example"), ana.keyboard.press("Tab")))
    saved(
        eva, lambda: (eva.get_by_role("textbox", name="Email").fill("i.ferro@other.example"), eva.keyboard.press("Tab"))
    )
    eva.get_by_role("button", name="Use this").wait_for()
    is_clean(eva)
    eva.get_by_role("button", name="Use this").click()
    eva.wait_for_function("document.querySelector('#slot-email-in').value === 'i.ferro@other.example'")
