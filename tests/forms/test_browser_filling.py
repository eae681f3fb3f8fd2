"""Filling in a real browser, the rest: offline, by keyboard, files, languages, disputes at the field, and all pages."""

from __future__ import annotations

from typing import Any

import pytest

from formsengine import services
from formsengine.definition.builder import FormBuilder
from formsengine.definition.model import Form as Definition
from formsengine.models import FormAttachment, FormCommit
from memoryapp.ledger.principal import Principal
from tests.browser import Browser
from tests.forms.telling import Forms
from tests.forms.test_browser import LOOKS, entered, is_clean, saved
from tests.forms.test_files import PNG

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

AT = "/w/harbour/forms/"


def survey(tighter: bool = False) -> Definition:
    form = FormBuilder("survey", {"en": "A survey", "pt": "Um inquérito"}, languages=("en", "pt"))
    with form.step("one", {"en": "One", "pt": "Um"}):
        form.asked("name", {"en": "Name", "pt": "Nome"})
        form.integer("pain", {"en": "Pain", "pt": "Dor"}, required=tighter)
        form.ask("photo", "gate", {"en": "The gate", "pt": "O portão"})
        with form.repeat("kids", {"en": "Kids", "pt": "Filhos"}, row_label="kid"):
            form.asked("kid", {"en": "Kid", "pt": "Filho"})
    return form.compile()


@pytest.fixture
def forms(operator: Principal) -> Forms:
    told = Forms(operator)
    told.published(survey())
    return told


def at(page: Any, live_server: Any, place: str) -> Any:
    page.goto(f"{live_server.url}{AT}{place}")
    page.wait_for_selector("html[data-ready]")
    return page


def type_in(page: Any, name: str, text: str) -> None:
    page.get_by_role("textbox", name=name, exact=True).fill(text)
    page.keyboard.press("Tab")


def said(commits: int) -> list[Any]:
    bodies = FormCommit.objects.order_by("number").values_list("body", flat=True)
    return [event["kept"] for body in bodies for event in body["events"] if event["event"] == "revised"][-commits:]


def test_what_is_typed_while_the_connection_is_gone_is_kept_over_a_reload_and_sent_in_its_order(
    browser: Browser, live_server: Any, forms: Forms, reviewer: Principal
) -> None:
    opened = forms.opened("survey")
    page = entered(browser, live_server, "reviewer")
    at(page, live_server, f"responses/{opened.row.pk}/")
    posts = lambda route: route.abort() if route.request.method == "POST" else route.continue_()  # noqa: E731
    page.route("**/responses/**", posts)
    type_in(page, "Name", "Ana")
    type_in(page, "Pain", "4")
    type_in(page, "Name", "Ana Sousa")
    page.get_by_text("3 not sent yet").wait_for()
    assert FormCommit.objects.count() == 0
    page.get_by_role("textbox", name="Pain", exact=True).fill("5")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.get_by_role("textbox", name="Name", exact=True).input_value() == "Ana Sousa"
    assert page.get_by_role("textbox", name="Pain", exact=True).input_value() == "5"
    page.unroute("**/responses/**", posts)
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.locator("#base[value='4']").wait_for(state="attached")
    assert said(4) == ["Ana", 4, "Ana Sousa", 5]
    assert page.evaluate("JSON.parse(localStorage.getItem(`filling:${answers.dataset.response}`)).queue.length") == 0
    assert forms.row(opened).progress["conflict"] == 0
    is_clean(page)


def test_rows_are_added_named_and_removed_and_taken_back_by_keyboard(
    browser: Browser, live_server: Any, forms: Forms, reviewer: Principal
) -> None:
    opened = forms.opened("survey")
    page = entered(browser, live_server, "reviewer", width=390, theme="dark")
    at(page, live_server, f"responses/{opened.row.pk}/")

    def press(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).focus()
        with page.expect_navigation():
            page.keyboard.press("Enter")
        page.wait_for_selector("html[data-ready]")

    press("Add to Kids")
    saved(page, lambda: type_in(page, "Kid", "Rui"))
    is_clean(page)
    press("Remove 1. Rui") if page.get_by_role("button", name="Remove 1. Rui").count() else press("Remove Kids 1")
    assert page.get_by_role("textbox", name="Kid", exact=True).count() == 0
    press("Undo my last")
    assert page.get_by_role("textbox", name="Kid", exact=True).input_value() == "Rui"
    press("Redo")
    assert page.get_by_role("textbox", name="Kid", exact=True).count() == 0


def test_a_photo_is_sent_as_it_is_chosen_and_its_field_names_it(
    browser: Browser, live_server: Any, forms: Forms, reviewer: Principal
) -> None:
    opened = forms.opened("survey")
    page = entered(browser, live_server, "reviewer")
    at(page, live_server, f"responses/{opened.row.pk}/")
    chosen = page.get_by_label("The gate", exact=True)
    saved(page, lambda: chosen.set_input_files({"name": "gate.png", "mimeType": "image/png", "buffer": PNG}))
    page.get_by_role("link", name="gate.png").wait_for()
    is_clean(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="gate.png").click()
    assert download.value.suggested_filename == "gate.png"
    wrong = {"name": "gate.png", "mimeType": "image/png", "buffer": b"%PDF-1.4"}
    saved(page, lambda: page.get_by_label("The gate", exact=True).set_input_files(wrong))
    page.locator(".field__error").get_by_text("png, jpeg, gif or webp").wait_for()
    assert FormAttachment.objects.count() == 1


def test_two_at_once_see_each_other_and_a_dispute_stands_at_its_field_with_what_was_typed(
    browser: Browser, live_server: Any, forms: Forms, reviewer: Principal, administrator: Principal
) -> None:
    """Q4 in two browsers: what one is typing is not taken away by what the other saved."""
    opened = forms.opened("survey")
    ana, eva = (entered(browser, live_server, name) for name in ("reviewer", "admin"))
    for page in (ana, eva):
        at(page, live_server, f"responses/{opened.row.pk}/")
    eva.get_by_role("textbox", name="Name", exact=True).press_sequentially("Ev")
    saved(ana, lambda: type_in(ana, "Name", "Ana"))
    eva.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    eva.locator("#base[value='1']").wait_for(state="attached")
    assert eva.get_by_role("textbox", name="Name", exact=True).input_value() == "Ev"
    eva.get_by_role("textbox", name="Name", exact=True).press_sequentially("a")
    saved(eva, lambda: eva.keyboard.press("Tab"))
    others = eva.get_by_role("list", name="Other answers to Name")
    others.get_by_text("Eva", exact=True).wait_for()
    others.get_by_text("Ana", exact=True).wait_for()
    is_clean(eva)
    ana.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    ana.get_by_role("button", name="Use this").wait_for()


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_every_page_of_responses_is_clean_in_any_width_and_theme(
    browser: Browser, live_server: Any, forms: Forms, reviewer: Principal, width: int, theme: str
) -> None:
    rows = []
    for number in range(3):
        opened = forms.opened("survey", values={"name": f"Person {number}", "pain": number})
        forms.write(opened, {"op": "ask", "field": "pain", "words": "How bad?"})
        forms.submit(opened)
        rows.append(forms.row(opened))
    forms.do(lambda write: services.send_back(write, rows[0].pk, reason="Look again."))
    page = entered(browser, live_server, "reviewer", width=width, theme=theme)
    is_clean(at(page, live_server, "responses/"))
    is_clean(at(page, live_server, f"{rows[0].form_id}/answers/"))
    is_clean(at(page, live_server, f"responses/{rows[0].pk}/history/?field=name"))
    is_clean(at(page, live_server, f"responses/{rows[0].pk}/?language=pt"))
    assert page.get_by_role("textbox", name="Nome").input_value() == "Person 0"
    is_clean(at(page, live_server, f"responses/{rows[0].pk}/beside/"))
    page.get_by_role("button", name="Take it over").press("Enter")
    page.get_by_text("It is yours now.").first.wait_for()
    at(page, live_server, "responses/?state=submitted")
    for box in page.get_by_role("checkbox", name="Choose").all():
        box.press("Space")
    page.get_by_role("button", name="Accept those chosen").press("Enter")
    page.get_by_role("heading", name="Accept 2 responses?").wait_for()
    is_clean(page)
    page.get_by_role("button", name="Accept 2").press("Enter")
    page.get_by_role("heading", name="2 accepted").wait_for()
    is_clean(page)
    forms.published(survey(tighter=True))
    is_clean(at(page, live_server, f"responses/{rows[0].pk}/"))
    page.get_by_role("link", name="See what moving it would change").press("Enter")
    page.get_by_role("heading", name="Move to version 2").wait_for()
    is_clean(page)
    page.get_by_role("button", name="Move it to version 2").press("Enter")
    page.get_by_text("It is filled under version 2 now.").first.wait_for()
    is_clean(at(page, live_server, f"{rows[0].form_id}/versions/"))
    is_clean(at(page, live_server, f"{rows[0].form_id}/hand-out/"))
