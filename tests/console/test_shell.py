"""The frame of every page in a real browser: clean in both themes and widths, by keyboard, and through bad weather."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.models import User
from tests.browser import Browser, page_is_clean

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

ADDRESSES = ["/w/harbour/", "/w/harbour/settings/", "/design/"]


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_every_page_is_clean_and_never_wider_than_the_screen(
    signed_in: Callable[..., Any], live_server: Any, width: int, theme: str
) -> None:
    page = signed_in(staff=True, width=width, theme=theme)
    for address in ADDRESSES:
        page.goto(live_server.url + address)
        page.wait_for_selector("html[data-ready]")
        page_is_clean(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_signing_in_signing_out_and_getting_lost_are_clean(
    browser: Browser, live_server: Any, signed_in: Callable[..., Any], theme: str
) -> None:
    page = browser.page(theme=theme)
    page.goto(f"{live_server.url}/sign-in/")
    page_is_clean(page)
    page.get_by_label("User name").fill("nobody")
    page.get_by_label("Password").fill("nothing")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()
    page_is_clean(page)
    page.goto(f"{live_server.url}/no/such/page/")
    page_is_clean(page)
    inside = signed_in(theme=theme)
    inside.goto(f"{live_server.url}/w/harbour/nowhere/")
    page_is_clean(inside)


def test_twice_the_size_loses_nothing(signed_in: Callable[..., Any], live_server: Any) -> None:
    """200 % zoom of a 1280 pixel window is a 640 pixel window of the same text."""
    page = signed_in(staff=True, width=640, height=450)
    page.goto(f"{live_server.url}/design/")
    assert page.evaluate("document.documentElement.scrollWidth") <= 640


def test_the_first_tab_offers_to_skip_to_the_content(signed_in: Callable[..., Any]) -> None:
    page = signed_in()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_the_theme_changes_at_once_and_is_kept(signed_in: Callable[..., Any]) -> None:
    page = signed_in(theme="light")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator(".menu--person summary").click()
    with page.expect_response("**/preferences/"):
        page.get_by_role("button", name="Dark").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != ground
    page.reload()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert User.objects.get(username="nadia").preferences == {"theme": "dark"}


def test_keys_press_buttons_do_nothing_in_a_field_and_can_be_switched_off(
    signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in(staff=True)
    page.goto(f"{live_server.url}/design/")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("?")
    help_shown = page.locator("#keyboard-help")
    assert help_shown.is_visible()
    page_is_clean(page)
    page.keyboard.press("Escape")
    assert not help_shown.is_visible()

    page.keyboard.press("r")
    page.keyboard.type("just a ? mark")
    assert not help_shown.is_visible()
    page.keyboard.press("Escape")

    page.locator(".menu--person summary").click()
    with page.expect_response("**/preferences/"):
        page.get_by_role("button", name="Off").click()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert not help_shown.is_visible()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("?")
    assert not help_shown.is_visible()


def test_j_and_k_walk_the_list(signed_in: Callable[..., Any], live_server: Any) -> None:
    page = signed_in(staff=True)
    page.goto(f"{live_server.url}/design/")
    page.wait_for_selector("html[data-ready]")
    walked = []
    for key in ["j", "j", "j", "j", "k"]:
        page.keyboard.press(key)
        walked.append(page.evaluate("document.activeElement.id"))
    assert walked == ["item-2", "item-3", "item-4", "item-4", "item-3"]


def test_a_half_written_reason_survives_a_reload_and_the_way_back(
    signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in(staff=True)
    page.goto(f"{live_server.url}/design/")
    page.wait_for_selector("html[data-ready]")
    page.locator("#design-rationale").fill("She says so herself")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#design-rationale").input_value() == "She says so herself"
    assert page.get_by_text("Kept from before").is_visible()
    page.goto(f"{live_server.url}/w/harbour/settings/")
    page.go_back()
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#design-rationale").input_value() == "She says so herself"


def test_a_dead_connection_is_said_and_heals(signed_in: Callable[..., Any]) -> None:
    page = signed_in()
    banner = page.locator("#offline")
    page.context.set_offline(True)
    page.evaluate("htmx.ajax('GET', location.href, {target: '#live', swap: 'none'}).catch(() => {})")
    banner.wait_for(state="visible")
    page_is_clean(page)
    page.context.set_offline(False)
    page.evaluate("htmx.ajax('GET', location.href, {target: '#live', swap: 'none'})")
    banner.wait_for(state="hidden")


def test_a_message_is_shown_spoken_and_can_be_closed(signed_in: Callable[..., Any]) -> None:
    page = signed_in()
    page.evaluate("htmx.trigger(document.body, 'toast', {message: 'Newer replaces older.'})")
    page.wait_for_function("document.getElementById('live').textContent === 'Newer replaces older.'")
    toast = page.locator("#toasts .toast")
    assert toast.is_visible()
    page_is_clean(page)
    toast.get_by_role("button", name="Close").click()
    assert toast.count() == 0


def test_pages_read_without_javascript(browser: Browser, live_server: Any, signed_in: Callable[..., Any]) -> None:
    signed = signed_in()
    state = signed.context.storage_state()
    page = browser.page(java_script_enabled=False, storage_state=state)
    page.goto(f"{live_server.url}/w/harbour/settings/")
    assert page.get_by_role("heading", name="Settings").is_visible()
    page.locator("main").get_by_role("button", name="Dark").click()
    assert page.locator("html").get_attribute("data-theme") == "dark"
    assert page.url.endswith("/w/harbour/settings/")


def test_on_a_narrow_screen_one_button_names_the_room_and_opens_all_of_them(signed_in: Callable[..., Any]) -> None:
    page = signed_in(width=390)
    rooms = page.get_by_role("navigation", name="Rooms")
    assert not rooms.is_visible()
    page.get_by_role("button", name="Overview and all rooms").click()
    assert rooms.is_visible()
    page_is_clean(page)
    page.keyboard.press("Escape")
    assert not rooms.is_visible()
    page.get_by_role("button", name="Overview and all rooms").click()
    rooms.get_by_role("link", name="Timeline").click()
    page.wait_for_url("**/timeline/")
    assert page.get_by_role("button", name="Timeline and all rooms").is_visible()
