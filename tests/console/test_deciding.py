"""A person decides, in a real browser: by keyboard and by button, undone, edited, and when somebody was faster."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from memoryapp.graph import services as graph
from memoryapp.graph.models import Belief, Relation
from memoryapp.graph.services import conflict
from memoryapp.graph.statements import Quoted
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services
from memoryapp.review.models import Case, Decision
from memoryapp.sources.models import Source
from tests.browser import Browser, page_is_clean
from tests.console.conftest import PASSWORD
from tests.console.story import MONTHLY, say, tell_story

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.browser]

QUEUE = "/w/harbour/queue/"
LISTEN = """
const root = document.documentElement;
delete root.dataset.settled;
document.body.addEventListener('htmx:afterSettle', () => { root.dataset.settled = 'yes'; }, {once: true});
"""


@pytest.fixture
def told(curator_agent: Principal, work: Callable[[], int]) -> Case:
    """The story is told; the conflict is what waits first."""
    tell_story(curator_agent, work)
    return Case.objects.get(kind="belief_conflict", state="open")


@pytest.fixture
def at_queue(signed_in: Callable[..., Any], live_server: Any, told: Case) -> Callable[..., Any]:
    """`at_queue(...)`: a reviewer who has gone to the queue by the keyboard."""

    def go(**options: Any) -> Any:
        page = signed_in(**options)
        page.keyboard.press("g")
        page.keyboard.press("q")
        page.wait_for_url(f"**{QUEUE}")
        page.wait_for_selector("html[data-ready]")
        return page

    return go


def answered(page: Any, act: Callable[[], Any]) -> int:
    """Do something that asks the server, and wait until its answer is in place. Says the status."""
    page.evaluate(LISTEN)
    with page.expect_response(is_asked) as response:
        act()
    page.wait_for_selector("html[data-settled]:not([data-deciding])")
    return int(response.value.status)


def is_asked(response: Any) -> bool:
    """An answer to what somebody did; what is fetched ahead is none."""
    asked = response.request
    return QUEUE in response.url and (asked.method == "POST" or "hx-target" in asked.headers)


def press(page: Any, key: str) -> int:
    return answered(page, lambda: page.keyboard.press(key))


def heading(page: Any) -> str:
    """The words of what has the focus."""
    return str(page.evaluate("document.activeElement.textContent")).strip()


def heads() -> dict[Any, Any]:
    """The heads of every belief, relation and case."""
    found: dict[Any, Any] = {
        belief.pk: (belief.content, belief.status, belief.standing, belief.valid_from, belief.valid_to, belief.audience)
        for belief in Belief.objects.all()
    }
    relations = {one.pk: (one.kind, one.state, one.valid_from, one.valid_to) for one in Relation.objects.all()}
    return found | relations | {case.pk: case.state for case in Case.objects.all()}


def held() -> list[str]:
    """What is held or waits to be."""
    return sorted(Belief.objects.filter(status__in=["activated", "resolving"]).values_list("content", flat=True))


def test_march_and_june_are_settled_by_keyboard_alone(at_queue: Callable[..., Any]) -> None:
    """R25: one key archives March with June as its successor; the next case is in front, and is said so."""
    page = at_queue()
    assert "reporting" in page.locator("#case-title").inner_text()
    assert page.locator("#case del").count()
    assert page.locator("#case ins").count()
    assert page.locator("#case mark").all_inner_texts() == [
        "I prefer weekly status emails",
        "A monthly summary is enough now",
    ]
    assert press(page, "1") == 200
    march, june = Belief.objects.filter(kind="preference").order_by("valid_from")
    assert (march.status, march.valid_to, june.status) == ("archived", june.valid_from, "activated")
    assert "invoices" in heading(page)
    assert page.locator("#toasts .toast").inner_text().startswith("Newer replaces older. 1 left.")
    expect(page.locator("#live")).to_contain_text("Newer replaces older")
    assert page.locator(".case-item").count() == 1
    page_is_clean(page)


VERDICTS = [
    ("1", "newer_replaces", ""),
    ("2", "older_stands", ""),
    ("3", "both_at_different_times", "Enter"),
    ("4", "both_in_different_circumstances", "while building"),
    ("5", "merged", "Control+Enter"),
    ("6", "not_a_conflict", ""),
    ("7", "neither", ""),
    ("8", "newer_replaces", ""),
]


def test_every_verdict_has_its_key_and_undo_leaves_everything_as_it_was(
    at_queue: Callable[..., Any], told: Case
) -> None:
    """V1: after `u` the heads of every belief, relation and case are what they were before the verdict."""
    page = at_queue()
    before, held_before = heads(), held()
    for key, verdict, then in VERDICTS:
        if then:
            page.keyboard.press(key)
            if "Enter" not in then:
                page.keyboard.type(then)
                then = "Enter"
            press(page, then)
        else:
            press(page, key)
        decision = Decision.objects.filter(case=told).latest("decided_at")
        assert decision.verdict == verdict, page.locator("#case").inner_text()
        assert not before.items() <= heads().items()
        press(page, "u")
        assert before.items() <= heads().items(), verdict
        assert held() == held_before
        assert heading(page) == page.locator("#case-title").inner_text()
    assert Decision.objects.filter(case=told, undoes__isnull=True).count() == len(VERDICTS)


def test_every_verdict_has_its_button(at_queue: Callable[..., Any], told: Case) -> None:
    page = at_queue(width=390)
    answered(page, lambda: page.locator(".case-item").first.click())
    for number, (_, verdict, then) in enumerate(VERDICTS):
        button = page.locator(".verdicts button").nth(number)
        if then:
            button.click()
            if "Enter" not in then:
                page.get_by_label("The newcomer holds").fill(then)
            answered(page, page.locator(".asks:not([hidden]) [data-decides]").click)
        else:
            answered(page, button.click)
        assert Decision.objects.filter(case=told).latest("decided_at").verdict == verdict
        answered(page, page.locator("#toasts").get_by_role("button", name="Undo").click)
    told.refresh_from_db()
    assert told.state == "open"


def test_words_are_put_right_before_the_verdict(at_queue: Callable[..., Any], told: Case) -> None:
    page = at_queue()
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("Ines Ferro finds a monthly summary enough")
    page.keyboard.press("Escape")
    page.keyboard.press("r")
    page.keyboard.type("In her own words.")
    page.keyboard.press("Escape")
    press(page, "1")
    decision = Decision.objects.get(case=told)
    assert decision.edits == {"newcomer_text": "Ines Ferro finds a monthly summary enough"}
    assert decision.rationale == "In her own words."
    current = Belief.objects.get(kind="preference", status="activated")
    assert (current.content, current.write.actor.name) == ("Ines Ferro finds a monthly summary enough", "Nadia")


def test_the_second_of_two_reviewers_is_told_and_keeps_the_draft(at_queue: Callable[..., Any], told: Case) -> None:
    """V2: 409 with the first's decision; nothing of the second's is applied, and all that was typed is there."""
    first, second = at_queue(), at_queue(name="Anna")
    second.keyboard.press("r")
    second.keyboard.type("She told me on the phone.")
    second.keyboard.press("Escape")
    press(first, "c")
    second.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(second.locator("#case, #queue-list").get_by_text("Nadia is on this").first).to_be_visible()
    press(first, "1")
    assert press(second, "2") == 409
    alert = second.get_by_role("alert").filter(has_text="Already decided")
    assert "Already decided: Newer replaces older" in alert.inner_text()
    assert "Nadia" in alert.inner_text()
    assert "Already decided" in heading(second)
    assert second.locator("#kept").input_value() == "She told me on the phone."
    page_is_clean(second)
    assert Decision.objects.filter(case=told).count() == 1

    press(first, "u")
    second.reload()
    second.wait_for_selector("html[data-ready]")
    expect(second.locator("#rationale")).to_have_value("She told me on the phone.")
    press(second, "2")
    assert Decision.objects.filter(case=told).latest("decided_at").rationale == "She told me on the phone."


def test_a_case_that_changed_meanwhile_is_shown_again_with_the_draft(
    at_queue: Callable[..., Any], told: Case, reviewer: Principal
) -> None:
    """A lock that is no longer current is refused with 412; the second try decides on what is seen."""
    page = at_queue()
    page.locator("#rationale").fill("As she said.")
    page.keyboard.press("Escape")
    subject = told.subjects.get(role="older").subject_id
    record(reviewer, "test", lambda write: services.subject_changed(write, [subject], "It was said once more."))
    assert press(page, "1") == 412
    assert "It was said once more." in heading(page)
    assert page.locator("#rationale").input_value() == "As she said."
    assert press(page, "1") == 200
    assert Decision.objects.get(case=told).rationale == "As she said."


def test_what_was_ruled_no_conflict_and_no_twins_is_never_asked_again(
    at_queue: Callable[..., Any], told: Case, curator_agent: Principal, work: Callable[[], int], live_server: Any
) -> None:
    """V3: the pair stays settled when it is told again, and the dismissed merge when the name is met again."""

    def meet(name: str) -> None:
        quoted = Quoted(Source.objects.first())  # type: ignore[arg-type]
        record(
            curator_agent, "upsert", lambda write: graph.upsert_node(write, "organization", {"name": name}, (quoted,))
        )

    meet("Quay and Sons")
    meet("QuayandSons")
    page = at_queue()
    press(page, "6")
    page.goto(f"{live_server.url}{QUEUE}?kind=merge_suggestion")
    page.wait_for_selector("html[data-ready]")
    press(page, "2")
    assert "Nothing matches" in heading(page)

    meet("QuayandSons")
    say(
        curator_agent,
        "In July",
        dt.datetime(2026, 7, 1, 9, tzinfo=dt.UTC),
        ("ines", "A monthly summary is enough now."),
    )
    work()
    monthly = Belief.objects.get(content__icontains=MONTHLY)
    record(curator_agent, "look", lambda write: conflict.reconsider(write, [monthly]))
    assert not Case.objects.filter(kind__in=["belief_conflict", "merge_suggestion"], state="open").exists()
    assert Belief.objects.filter(kind="preference", status="activated").count() == 2


def test_a_held_candidate_is_accepted_in_other_words_or_turned_away(
    at_queue: Callable[..., Any], live_server: Any
) -> None:
    page = at_queue()
    page.goto(f"{live_server.url}{QUEUE}?kind=held_candidate")
    page.wait_for_selector("html[data-ready]")
    press(page, "3")
    assert "Nothing matches" in heading(page)
    press(page, "u")
    page.keyboard.press("e")
    page.keyboard.press("Control+a")
    page.keyboard.type("Invoices go to billing@ferro.example")
    press(page, "Control+Enter")
    belief = Belief.objects.get(content="Invoices go to billing@ferro.example")
    assert belief.status == "activated"


def test_claim_and_snooze_by_key(at_queue: Callable[..., Any], told: Case) -> None:
    page = at_queue()
    press(page, "c")
    told.refresh_from_db()
    assert told.claimed_by is not None
    assert page.locator(".case__meta").get_by_text("You are on this").is_visible()
    page.keyboard.press("s")
    page_is_clean(page)
    press(page, "Enter")
    told.refresh_from_db()
    assert told.snoozed_until is not None
    assert "invoices" in heading(page)
    press(page, "u")
    told.refresh_from_db()
    assert told.snoozed_until is None


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_every_case_is_clean_and_never_wider_than_the_screen(
    at_queue: Callable[..., Any], live_server: Any, width: int, theme: str
) -> None:
    page = at_queue(width=width, theme=theme)
    addresses = [f"{QUEUE}{case.pk}/" for case in Case.objects.filter(state="open")]
    for address in [QUEUE, f"{QUEUE}?q=nowhere", f"{QUEUE}decisions/", *addresses]:
        page.goto(live_server.url + address)
        page.wait_for_selector("html[data-ready]")
        page_is_clean(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("2")
    page_is_clean(page)
    page.goto(f"{live_server.url}{QUEUE}")
    page.emulate_media(media="print")
    assert page.locator("#case-title").is_visible()
    assert page.locator("#case mark").first.is_visible(), "the words that it stands on are on paper"
    assert not any(page.locator(part).first.is_visible() for part in (".decide", ".panes__list", ".sidebar", ".button"))


def test_without_scripts_a_verdict_is_asked_and_carried_out(
    browser: Browser, live_server: Any, told: Case, person: Callable[..., Principal]
) -> None:
    person(told.workspace, "reviewer", "Nadia")
    page = browser.page(java_script_enabled=False)
    page.goto(f"{live_server.url}/sign-in/?next={QUEUE}")
    page.get_by_label("User name").fill("nadia")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("button", name="Both, in different circumstances").click()
    page.get_by_label("The newcomer holds").fill("While building.")
    page.locator("#rationale").fill("Both are hers.")
    page.get_by_role("button", name="Decide: Both, in different circumstances").click()
    assert "Both, in different circumstances." in page.locator("#toasts").inner_text()
    decision = Decision.objects.get(case=told)
    assert (decision.edits, decision.rationale) == ({"condition": "While building."}, "Both are hers.")
    page.get_by_role("button", name="Undo").click()
    told.refresh_from_db()
    assert told.state == "open"


def test_what_was_said_of_a_case_does_not_come_back_as_half_written(at_queue: Callable[..., Any]) -> None:
    page = at_queue()
    page.get_by_role("link", name="Talk").click()
    words = page.get_by_label("Say something")
    words.fill("Is this still so?")
    page.reload()
    assert words.input_value() == "Is this still so?"
    page.get_by_role("button", name="Say it").click()
    page.get_by_text("Is this still so?").wait_for()
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert words.input_value() == ""
