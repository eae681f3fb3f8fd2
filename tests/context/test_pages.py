"""The context in the browser: written, pinned, put in order, restored and undone by people, without a script too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.context.models import Entry
from memoryapp.ledger.models import Served
from memoryapp.ledger.principal import Principal
from tests.browser import page_is_clean
from tests.context.telling import Context
from tests.visiting import client_of

pytestmark = pytest.mark.django_db

HOME = "/w/harbour/context/"
TYPED = {"section": "Writing", "title": "Tone", "content": "Short.\r\n\r\nPlain.", "pinned": "yes", "expires_at": ""}


def test_an_entry_is_written_changed_and_restored_by_forms_alone(reviewer: Principal) -> None:
    client = client_of(reviewer)
    assert client.post(f"{HOME}new/", TYPED).status_code == 302
    entry = Entry.objects.get()
    assert Context(reviewer).stands() == [("Writing", "Tone", "Short.\n\nPlain.")]
    again = client.post(f"{HOME}new/", TYPED | {"title": "tone", "content": "Other."})
    assert (again.status_code, "stands in this section already" in again.content.decode()) == (409, True)
    address = f"{HOME}{entry.pk}/"
    wrong = client.post(address, TYPED | {"expires_at": "soon", "content": "Kept words.", "lock": "1"})
    assert (wrong.status_code, "Kept words." in wrong.content.decode()) == (422, True)
    changed = TYPED | {"content": "Long.", "expires_at": "2040-05-01", "lock": "1", "reason": "It grew."}
    assert client.post(address, changed).status_code == 302
    stale = client.post(address, changed | {"content": "Longer."})
    assert (stale.status_code, "Longer." in stale.content.decode()) == (412, True)
    assert "It grew." in client.get(address).content.decode()
    assert client.post(f"{address}restore/", {"sequence": "1", "lock": "2"}).status_code == 302
    assert client.post(f"{address}unset/", {"lock": "3"}).status_code == 302
    assert "It is in no block" in client.get(address).content.decode()
    assert client.post(f"{address}unset/", {}).status_code == 422


def test_order_pins_and_undo_are_one_button_each(reviewer: Principal) -> None:
    mind, client = Context(reviewer), client_of(reviewer)
    for section, title in (("A", "one"), ("A", "two"), ("B", "three")):
        mind.set(title, section=section)
    two = Entry.objects.get(revisions__title="two")
    client.post(f"{HOME}{two.pk}/move/", {"where": "up"})
    client.post(f"{HOME}sections/move/", {"section": "B", "where": "up"})
    assert [title for _, title, _ in mind.stands()] == ["three", "two", "one"]
    lock = Entry.objects.get(pk=two.pk).lock
    client.post(f"{HOME}{two.pk}/pin/", {"lock": lock})
    assert [title for _, title, _ in mind.stands(pinned=False)] == ["two"]
    client.post(f"{HOME}acts/{two.revisions.get(sequence=lock + 1).write_id}/undo/")
    assert [title for _, title, _ in mind.stands(pinned=True)] == ["three", "two", "one"]
    page = client.get(f"{HOME}?budget=60").content.decode()
    assert "Left out for length" not in page
    assert client.get(f"{HOME}?budget=many").status_code == 200


def test_a_viewer_reads_and_is_shown_no_button_and_looking_is_not_serving(
    reviewer: Principal, viewer: Principal
) -> None:
    Context(reviewer).set("Tone", "Short.")
    page = client_of(viewer).get(HOME).content.decode()
    assert "- **Tone**: Short." in page
    assert "New entry" not in page
    assert "<button" not in page.split('id="section-1"')[1].split("</section>")[0]
    assert Served.objects.count() == 0


@pytest.mark.browser
@pytest.mark.django_db(transaction=True)
def test_a_section_is_written_and_taken_back_in_the_browser(
    operator: Principal, signed_in: Callable[..., Any], live_server: Any
) -> None:
    Context(operator).set("Seats", "By the window.", "Travel")
    page = signed_in("reviewer")
    page.goto(live_server.url + HOME)
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("n")
    page.get_by_label("Section").fill("Writing")
    page.get_by_label("Title").fill("Tone")
    page.get_by_label("What to keep in mind").fill("Short sentences.")
    page.get_by_role("button", name="Keep in mind").click()
    page.get_by_role("heading", name="Writing").wait_for()
    assert "- **Tone**: Short sentences." in page.locator("pre.block").inner_text()
    page_is_clean(page)
    page.get_by_role("button", name="Unset the section Writing").click()
    page.get_by_role("heading", name="Writing").wait_for(state="detached")
    page.get_by_role("button", name="Undo: Unset a section Tone").click()
    page.get_by_role("heading", name="Writing").wait_for()
    page_is_clean(page)
