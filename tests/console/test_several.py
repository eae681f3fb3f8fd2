"""Several cases at once: previewed, decided each by itself, reported, and taken back with one button."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import queries, services
from memoryapp.review.models import Case, Decision
from tests.browser import page_is_clean
from tests.graph.telling import Memory
from tests.visiting import client_of

pytestmark = pytest.mark.django_db(transaction=True)

SEVERAL = "/w/harbour/queue/several/"


@pytest.fixture
def cases(curator_agent: Principal, operator: Principal) -> list[Case]:
    """Four conflicts; the third and the fourth are about one belief."""
    memory = Memory(curator_agent, operator)
    for name in ("Ines", "Tomas", "Duarte"):
        owner = memory.node(name)
        memory.say("2026-03-02", f"{name} wants weekly letters", owner, topic="letters")
        memory.say("2026-06-01", f"{name} wants monthly letters", owner, topic="letters")
    memory.say("2026-07-01", "Duarte wants no letters", owner, topic="letters")
    return list(Case.objects.filter(kind="belief_conflict").order_by("opened_at", "pk"))


def outlook(by: Principal, cases: list[Case], verdict: str, rationale: str = "") -> dict[Any, str]:
    fresh = queries.some(by, [case.pk for case in cases])
    return {one.case.pk: one.why_not for one in queries.outlook(by, fresh, "belief_conflict", verdict, rationale)}


def decide(by: Principal, cases: list[Case], verdict: str) -> Any:
    seen = [f"{case.pk}/{case.lock}" for case in cases]
    return client_of(by).post(f"{SEVERAL}decide/", {"seen": seen, "verdict": f"belief_conflict/{verdict}"}, follow=True)


def state() -> dict[Any, str]:
    return dict(Case.objects.values_list("pk", "state"))


def test_v4_what_the_preview_says_is_what_happens_and_one_undo_takes_it_back(
    cases: list[Case], administrator: Principal
) -> None:
    """V4: what can be decided is, the exceptions are left and said why, and the batch is undone as one."""
    record(
        administrator,
        "decide",
        lambda write: services.decide(write, cases[0].pk, lock=cases[0].lock, verdict="older_stands"),
    )
    said = outlook(administrator, cases, "newer_replaces")
    will = [case for case in cases if not said[case.pk]]
    assert [bool(said[case.pk]) for case in cases] == [True, False, False, True]
    assert said[cases[0].pk] == "It is decided already."
    assert "another of these" in said[cases[3].pk]
    before = state()
    page = decide(administrator, will, "newer_replaces")
    decisions = Decision.objects.filter(batch_id__isnull=False)
    assert {decision.case_id for decision in decisions} == {case.pk for case in will}
    assert len({decision.batch_id for decision in decisions}) == 1
    assert f"{len(will)} decided together" in page.content.decode()
    batch = decisions[0].batch_id
    back = client_of(administrator).post(f"{SEVERAL}{batch}/undo/", follow=True)
    assert "2 taken back." in back.content.decode()
    assert before.items() <= state().items()


def test_v4_each_succeeds_or_says_by_itself_why_it_did_not(cases: list[Case], administrator: Principal) -> None:
    """V4: somebody was faster with one of them after the preview; the other is decided, and the report names both."""
    record(
        administrator,
        "decide",
        lambda write: services.decide(write, cases[0].pk, lock=cases[0].lock, verdict="older_stands"),
    )
    page = decide(administrator, cases[:2], "newer_replaces").content.decode()
    assert "1 decided together" in page
    assert "1 could not be done" in page
    assert "decided this already: older stands." in page


def test_a_verdict_that_asks_for_more_is_not_offered_for_several(cases: list[Case], administrator: Principal) -> None:
    offered = {verdict.key for _, verdicts in queries.verdicts_for(cases) for verdict in verdicts}
    assert "newer_replaces" in offered
    assert not {"merged", "both_at_different_times", "both_in_different_circumstances"} & offered
    assert set(outlook(administrator, cases, "merged").values()) == {"This verdict is given to one case at a time."}


def test_all_that_match_are_previewed_without_deciding_any(cases: list[Case], administrator: Principal) -> None:
    page = client_of(administrator).get(f"{SEVERAL}?all=yes&verdict=belief_conflict/newer_replaces&q=Ines")
    assert "1 will be decided so" in page.content.decode()
    assert not Decision.objects.exists()
    assert client_of(administrator).get(f"{SEVERAL}?case=nonsense").status_code == 200
    assert client_of(administrator).post(f"{SEVERAL}decide/", {"seen": "x/y"}).status_code == 422


@pytest.mark.browser
def test_cases_are_ticked_by_key_and_decided_together(
    cases: list[Case], signed_in: Callable[..., Any], live_server: Any
) -> None:
    page = signed_in()
    page.goto(f"{live_server.url}/w/harbour/queue/")
    page.wait_for_selector("html[data-ready]")
    page.keyboard.press("x")
    page.keyboard.press("j")
    page.keyboard.press("Shift+X")
    expect(page.locator("[data-selected]")).to_have_text("2")
    page.keyboard.press("b")
    page.wait_for_url("**/several/**")
    page_is_clean(page)
    page.get_by_role("button", name="Newer replaces older").click()
    expect(page.get_by_role("heading", name="2 will be decided so")).to_be_visible()
    page.get_by_role("button", name="Decide 2: Newer replaces older").click()
    expect(page.get_by_role("heading", name="2 decided together")).to_be_visible()
    page_is_clean(page)
    page.get_by_role("button", name="Take all 2 back").click()
    expect(page.locator("#toasts")).to_contain_text("2 taken back")
    assert Case.objects.filter(state="open").count() == 4
