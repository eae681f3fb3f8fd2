"""One key, and the next case is in front: before the server has answered, and never at the price of what was typed."""

from __future__ import annotations

import datetime as dt
import gzip
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from memoryapp.graph.models import Belief
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services
from memoryapp.review.models import Case, Decision
from tests.browser import Browser, page_is_clean
from tests.console.conftest import PASSWORD
from tests.graph.telling import Memory

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

QUEUE = "/w/harbour/queue/"
AHEAD = "html[data-ahead]:not([data-deciding])"


@pytest.fixture
def conflicts(memory: Memory) -> Callable[[int], list[Case]]:
    """`conflicts(3)`: so many people who wanted a thing weekly and now want it monthly."""

    def make(number: int) -> list[Case]:
        for place in range(number):
            owner = memory.node(f"Person {place:03}")
            memory.say("2026-03-02", f"Person {place:03} wants weekly letters", owner, topic="letters")
            memory.say("2026-06-01", f"Person {place:03} wants monthly letters", owner, topic="letters")
        return list(Case.objects.filter(state="open").order_by("opened_at"))

    return make


@pytest.fixture
def memory(curator_agent: Principal, operator: Principal) -> Memory:
    return Memory(curator_agent, operator)


@pytest.fixture
def at_queue(signed_in: Callable[..., Any], live_server: Any) -> Callable[..., Any]:
    def go(**options: Any) -> Any:
        page = signed_in(**options)
        page.goto(f"{live_server.url}{QUEUE}")
        page.wait_for_selector("html[data-ready]")
        return page

    return go


def test_v6_a_hundred_conflicts_are_settled_with_a_hundred_keystrokes(
    conflicts: Callable[[int], list[Case]], at_queue: Callable[..., Any]
) -> None:
    """V6: each digit decides one conflict and brings the next; after a hundred of them nothing waits."""
    cases = conflicts(100)
    page = at_queue()
    for left in range(99, -1, -1):
        if left:
            page.wait_for_selector(AHEAD)
        page.keyboard.press("1")
        page.wait_for_selector(".panes__count >> text=" + (f"{left} waiting" if left else "Nothing waits"))
    expect(page.locator("#case h1")).to_have_text("The queue is clear")
    assert Decision.objects.filter(case__in=cases, verdict="newer_replaces").count() == 100
    assert Belief.objects.filter(status="activated", content__contains="monthly").count() == 100


def let_go(page: Page, held: list[Any]) -> None:
    """Let the verdict that was held up on its way go on, once the browser has told of it."""
    for _ in range(200):
        if held:
            break
        page.wait_for_timeout(50)
    held[0].continue_()


def test_the_next_case_is_in_front_before_the_server_has_answered(
    conflicts: Callable[[int], list[Case]], at_queue: Callable[..., Any]
) -> None:
    """A key held down, and the second of two clicks, decide nothing of what has come to the front meanwhile."""
    first, second, third, fourth = conflicts(4)
    page = at_queue()
    page.wait_for_selector(AHEAD)
    held: list[Any] = []
    page.route("**/decide/", lambda route: held.append(route))
    page.keyboard.press("1")
    expect(page.locator("#case")).to_have_attribute("data-case", str(second.pk))
    assert page.evaluate("document.activeElement.id") == "case-title"
    assert page.url.endswith(f"{second.pk}/")
    expect(page.locator(f"#item-{second.pk}")).to_have_attribute("aria-current", "true")
    assert not Decision.objects.exists()
    let_go(page, held)
    page.wait_for_selector(AHEAD)
    assert Decision.objects.get().case == first
    expect(page.locator("#case")).to_have_attribute("data-case", str(second.pk))
    expect(page.locator(".case-item")).to_have_count(3)
    page.unroute("**/decide/")
    page.keyboard.down("2")
    expect(page.locator("#case")).to_have_attribute("data-case", str(third.pk))
    page.wait_for_selector(AHEAD)
    page.keyboard.down("2")
    page.keyboard.up("2")
    page.locator(".verdicts button").first.dblclick()
    page.wait_for_selector(".panes__count >> text=1 waiting")
    expect(page.locator("#case")).to_have_attribute("data-case", str(fourth.pk))
    assert Decision.objects.count() == 3


def test_what_is_refused_comes_back_to_the_front_with_all_that_was_typed(
    conflicts: Callable[[int], list[Case]], at_queue: Callable[..., Any], administrator: Principal
) -> None:
    """V2: somebody was faster while the next case was in front already; the draft of the first is kept."""
    first, _, _ = conflicts(3)
    page = at_queue()
    page.wait_for_selector(AHEAD)
    record(
        administrator,
        "decide",
        lambda write: services.decide(write, first.pk, lock=first.lock, verdict="older_stands"),
        "Asked her.",
    )
    page.keyboard.press("r")
    page.keyboard.type("She told me on the phone.")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.get_by_role("alert").filter(has_text="Already decided")).to_be_visible()
    assert page.locator("#kept").input_value() == "She told me on the phone."
    assert page.url.rstrip("/").endswith(QUEUE.rstrip("/")) or str(first.pk) in page.url
    assert Decision.objects.count() == 1


def test_a_connection_that_drops_brings_the_case_back(
    conflicts: Callable[[int], list[Case]], at_queue: Callable[..., Any]
) -> None:
    first, _ = conflicts(2)
    page = at_queue()
    page.wait_for_selector(AHEAD)
    page.route("**/decide/", lambda route: route.abort())
    page.keyboard.press("r")
    page.keyboard.type("She told me on the phone.")
    page.keyboard.press("Escape")
    page.keyboard.press("1")
    expect(page.locator("#offline")).to_be_visible()
    expect(page.locator("#case")).to_have_attribute("data-case", str(first.pk))
    expect(page.locator("#rationale")).to_have_value("She told me on the phone.")
    page.unroute("**/decide/")
    page.keyboard.press("1")
    page.wait_for_selector(".panes__count >> text=1 waiting")
    assert Decision.objects.get().rationale == "She told me on the phone."


def test_an_ended_session_is_said_and_the_verdict_is_given_after_signing_in_again(
    conflicts: Callable[[int], list[Case]], at_queue: Callable[..., Any]
) -> None:
    """The page stays as it is, with what was typed; signed in again in another tab, the same key decides."""
    first, _ = conflicts(2)
    page = at_queue()
    page.wait_for_selector(AHEAD)
    page.keyboard.press("r")
    page.keyboard.type("She told me on the phone.")
    page.keyboard.press("Escape")
    page.context.clear_cookies(name="sessionid")
    page.keyboard.press("1")
    dialog = page.locator("#signed-out")
    dialog.wait_for(state="visible")
    expect(page.locator("#case")).to_have_attribute("data-case", str(first.pk))
    page_is_clean(page)
    with page.context.expect_page() as opened:
        dialog.get_by_role("link", name="Sign in in a new tab").click()
    other = opened.value
    other.get_by_label("User name").fill("nadia")
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    other.wait_for_selector(".shell")
    other.close()
    dialog.get_by_role("button", name="Back to the page").click()
    expect(page.locator("#rationale")).to_have_value("She told me on the phone.")
    page.keyboard.press("1")
    page.wait_for_selector(".panes__count >> text=1 waiting")
    assert Decision.objects.get().rationale == "She told me on the phone."


def test_a_second_key_before_the_first_answer_decides_the_second_case(
    conflicts: Callable[[int], list[Case]], at_queue: Callable[..., Any]
) -> None:
    first, second, third = conflicts(3)
    page = at_queue()
    page.wait_for_selector(AHEAD)
    held: list[Any] = []
    page.route("**/decide/", lambda route: held.append(route))
    page.keyboard.press("1")
    expect(page.locator("#case")).to_have_attribute("data-case", str(second.pk))
    page.wait_for_selector("html[data-ahead]")
    page.keyboard.press("2")
    expect(page.locator("#case")).to_have_attribute("data-case", str(third.pk))
    let_go(page, held)
    page.unroute("**/decide/")
    page.wait_for_selector(".panes__count >> text=1 waiting")
    assert dict(Decision.objects.values_list("case", "verdict")) == {
        first.pk: "newer_replaces",
        second.pk: "older_stands",
    }


def test_the_first_load_stays_light(
    conflicts: Callable[[int], list[Case]], signed_in: Callable[..., Any], browser: Browser, live_server: Any
) -> None:
    """Compressed, everything that the queue with a case brings, faces and all, stays under 150 KB. Fonts are compressed
    already; text is measured so."""
    conflicts(2)
    page = browser.page(storage_state=signed_in().context.storage_state())
    bodies: dict[str, bytes] = {}
    page.on("response", lambda response: bodies.update({response.url: response.body()}))
    page.goto(f"{live_server.url}{QUEUE}")
    page.wait_for_selector(AHEAD)
    page.evaluate("document.fonts.ready")
    weight = sum(len(body) if url.endswith(".woff2") else len(gzip.compress(body)) for url, body in bodies.items())
    assert sum(url.endswith(".woff2") for url in bodies) == 2
    assert weight < 150_000, {url: len(body) for url, body in bodies.items()}


def test_how_far_a_conflict_reaches_is_kept_when_it_opens(memory: Memory) -> None:
    owner = memory.node("Ines Ferro")
    weekly = memory.say("2026-03-02", "Ines wants weekly letters", owner, topic="letters").belief
    first = memory.conclude("Ines reads every Monday", weekly)
    memory.conclude("Write to Ines on Sunday", first)
    memory.say("2026-06-01", "Ines wants monthly letters", owner, topic="letters")
    assert Case.objects.get(kind="belief_conflict").reach == 2
    assert dt.timedelta(0) <= Case.objects.get(kind="belief_conflict").opened_at - first.recorded_at
