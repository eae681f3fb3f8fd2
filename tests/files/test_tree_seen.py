"""The tree and the upload in a real browser: with the arrow keys, in place, without scripts, by dropping and by key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memoryapp.access.services import operator
from memoryapp.files.services import placing
from memoryapp.ledger.models import Workspace
from tests.browser import Browser, page_is_clean
from tests.console.conftest import signed_in as signed_in
from tests.files.telling import Tree

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

FILES = "/w/harbour/files/"


@pytest.fixture
def tree(workspace: Workspace) -> Tree:
    tree = Tree(operator(workspace))
    for path in ("/notes/harbour/north", "/notes/law", "/projects/kestrel/plans"):
        tree.mkdir(path)
    tree.write("/notes/harbour/berths.md", "# Berths")
    tree.do(lambda write: placing.make_directories(write, ["/archive", *(f"/archive/{n:03}" for n in range(130))]))
    return tree


def focused(page: Any) -> str:
    return str(page.evaluate("document.activeElement.textContent.trim()"))


def test_the_tree_is_walked_with_the_arrow_keys_and_opens_in_place(
    tree: Tree, signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in("curator")
    page.goto(f"{live_server.url}{FILES}?path=/notes/harbour/berths.md")
    page.wait_for_selector("[role=tree]")
    side = page.get_by_role("tree", name="Directories")
    assert side.get_by_role("treeitem").all_inner_texts() == [
        "Files", "archive", "notes", "harbour", "north", "law", "projects"
    ]  # fmt: skip
    side.locator("[aria-current]").focus()
    said = [focused(page)]
    for key in ("ArrowRight", "ArrowLeft", "ArrowLeft", "ArrowLeft", "End", "ArrowUp", "Home"):
        page.keyboard.press(key)
        said.append(focused(page))
    assert said == ["harbour", "north", "harbour", "harbour", "notes", "projects", "law", "Files"]
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    side.get_by_role("treeitem", name="kestrel").wait_for()
    page.keyboard.press("ArrowRight")
    assert focused(page) == "kestrel"
    assert side.locator('[tabindex="0"]').all_inner_texts() == ["kestrel"]
    page_is_clean(page)
    page.keyboard.press("Enter")
    page.wait_for_url("**path=%2Fprojects%2Fkestrel")
    assert page.locator("[aria-current=page][role=treeitem]").inner_text() == "kestrel"


def test_a_level_of_many_is_brought_a_page_at_a_time(
    tree: Tree, signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in("viewer", width=390, theme="dark")
    page.goto(f"{live_server.url}{FILES}")
    side = page.get_by_role("tree", name="Directories")
    side.get_by_role("treeitem", name="archive").locator(".branch__turn").click()
    more = side.get_by_role("treeitem", name="More directories")
    more.wait_for()
    assert side.get_by_role("treeitem", name="099").count() == 1
    assert side.get_by_role("treeitem", name="100").count() == 0
    more.click()
    side.get_by_role("treeitem", name="129").wait_for()
    assert focused(page) == "100"
    assert more.count() == 0
    page_is_clean(page)


def test_without_scripts_the_tree_is_links(
    tree: Tree, signed_in: Callable[..., Any], browser: Browser, live_server: Any
) -> None:
    state = signed_in("viewer").context.storage_state()
    page = browser.page(java_script_enabled=False, storage_state=state)
    page.goto(f"{live_server.url}{FILES}")
    side = page.get_by_role("navigation", name="Directories")
    for name in ("notes", "harbour"):
        side.get_by_role("link", name=name).click()
    page.get_by_role("link", name="berths.md").wait_for()
    assert side.locator("[aria-current=page]").inner_text() == "harbour"
    side.get_by_role("link", name="archive").click()
    side.get_by_role("link", name="More directories").click()
    page.get_by_role("link", name="More", exact=True).click()
    page.get_by_role("rowheader", name="129").wait_for()


DROP = """
place => {
  const carried = new DataTransfer();
  carried.items.add(new File(["High water at 04:10."], "tides.txt", {type: "text/plain"}));
  for (const kind of ["dragover", "drop"]) {
    place.dispatchEvent(new DragEvent(kind, {dataTransfer: carried, bubbles: true, cancelable: true}));
  }
}
"""


def test_files_are_dropped_on_a_directory_and_chosen_by_key(
    tree: Tree, signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in("curator")
    page.add_init_script("addEventListener('click', event => { window.__asked = event.target.type === 'file'; })")
    page.goto(f"{live_server.url}{FILES}?path=/notes/law")
    page.wait_for_selector("html[data-ready]")
    page.locator(".files__main").evaluate(DROP)
    page.get_by_role("link", name="tides.txt").wait_for()
    assert tree.text("/notes/law/tides.txt") == "High water at 04:10."
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("u")
    page.wait_for_function("window.__asked")
    page.locator("input[type=file]").set_input_files(
        {"name": "winds.md", "mimeType": "text/markdown", "buffer": b"North."}
    )
    page.get_by_role("button", name="Upload").press("Enter")
    page.get_by_role("link", name="winds.md").wait_for()
    assert tree.ls("/notes/law") == ["/notes/law/tides.txt", "/notes/law/winds.md"]
