"""The room's pages as answers: who may see and do what, what a form says back, and how many queries it takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memoryapp.access.models import User
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.review.models import Case, Decision

pytestmark = pytest.mark.django_db

QUEUE = "/w/harbour/queue/"
SWAP = {"HX-Request": "true"}


@pytest.fixture
def client_of(workspace: Workspace, person: Callable[..., Principal]) -> Callable[[str], Client]:
    """`client_of("reviewer")`: the browser of a member with that role."""

    def open_client(role: str) -> Client:
        person(workspace, role)
        client = Client()
        client.force_login(User.objects.get(username=role))
        return client

    return open_client


@pytest.fixture
def reviewing(client_of: Callable[[str], Client]) -> Client:
    return client_of("reviewer")


def decide(client: Client, case: Case, verdict: str, *, swap: bool = False, **fields: Any) -> Any:
    fields = {"lock": case.lock} | fields | {"verdict": verdict}
    return client.post(f"{QUEUE}{case.pk}/decide/", fields, headers=SWAP if swap else {})


def test_an_unknown_kind_is_drawn_by_what_it_says(reviewing: Client, opened: Callable[..., Case]) -> None:
    opened("a|b")
    page = reviewing.get(QUEUE)
    assert page.status_code == 200
    assert "Two letters look alike." in page.content.decode()
    assert "a|b" in page.content.decode()


def test_one_address_serves_the_page_and_its_part(reviewing: Client, opened: Callable[..., Case]) -> None:
    address = f"{QUEUE}{opened().pk}/"
    whole, part = reviewing.get(address), reviewing.get(address, headers=SWAP)
    assert b"<html" in whole.content
    assert b"<html" not in part.content
    assert b'id="case"' in part.content
    assert {"HX-Request"} <= {name.strip() for name in part["Vary"].split(",")}


def test_deciding_goes_on_to_the_next_with_the_same_filters(reviewing: Client, opened: Callable[..., Case]) -> None:
    first, second = opened("a|b", priority=70), opened("c|d")
    answer = reviewing.post(
        f"{QUEUE}{first.pk}/decide/?kind=letter_pair", {"lock": first.lock, "verdict": "same"}, headers=SWAP
    )
    assert answer["HX-Push-Url"] == f"{QUEUE}{second.pk}/?kind=letter_pair"
    assert f"case-{first.pk}" in answer["HX-Trigger"]
    assert b"They say the same. 1 left." in answer.content


def test_the_last_one_leaves_a_clear_queue(reviewing: Client, opened: Callable[..., Case]) -> None:
    answer = decide(reviewing, opened(), "same", swap=True)
    assert b"The queue is clear" in answer.content
    assert answer["HX-Push-Url"] == QUEUE


def test_what_is_wrong_is_named_at_its_field_and_all_that_was_typed_comes_back(
    reviewing: Client, opened: Callable[..., Case]
) -> None:
    case = opened()
    answer = decide(
        reviewing,
        case,
        "at_times",
        swap=True,
        rationale="In spring.",
        **{"at_times.until": "someday", "at_times.text": "Other"},
    )
    text = answer.content.decode()
    assert answer.status_code == 422
    assert "“someday” is not a time." in text
    assert 'value="someday"' in text
    assert "In spring." in text
    assert "Other" in text
    assert not Decision.objects.exists()


def test_a_reason_that_is_required_is_asked_for(reviewing: Client, opened: Callable[..., Case]) -> None:
    answer = decide(reviewing, opened(), "different", swap=True)
    assert answer.status_code == 422
    assert "needs a reason" in answer.content.decode()


def test_no_verdict_decides_nothing(reviewing: Client, opened: Callable[..., Case]) -> None:
    """Enter in a field submits the form without a button; no verdict is taken from that."""
    answer = decide(reviewing, opened(), "")
    assert answer.status_code == 422
    assert "Choose one of the verdicts" in answer.content.decode()
    assert not Decision.objects.exists()


def test_a_form_without_its_lock_is_refused(reviewing: Client, opened: Callable[..., Case]) -> None:
    assert decide(reviewing, opened(), "same", lock="newest").status_code == 400


def test_a_verdict_that_asks_is_opened_by_the_server_where_there_are_no_scripts(
    reviewing: Client, opened: Callable[..., Case]
) -> None:
    answer = decide(reviewing, opened(), "ask:at_times", rationale="Kept.")
    text = answer.content.decode()
    assert answer.status_code == 200
    assert 'id="asks-at_times">' in text
    assert "Kept." in text
    assert not Decision.objects.exists()


def test_a_viewer_reads_and_may_not_decide(client_of: Callable[[str], Client], opened: Callable[..., Case]) -> None:
    viewing, case = client_of("viewer"), opened()
    assert b"You may read this case" in viewing.get(f"{QUEUE}{case.pk}/").content
    assert decide(viewing, case, "same").status_code == 403
    for verb in ("claim", "release", "snooze", "wake"):
        assert viewing.post(f"{QUEUE}{case.pk}/{verb}/", {"until": "hour"}).status_code == 403
    assert not Decision.objects.exists()


def test_a_stranger_finds_nothing(opened: Callable[..., Case], other_workspace: Workspace, person: Any) -> None:
    case = opened()
    person(other_workspace, "admin", "Olga")
    client = Client()
    client.force_login(User.objects.get(username="olga"))
    assert client.get(QUEUE).status_code == 404
    assert client.get(f"/w/lighthouse/queue/{case.pk}/").status_code == 404
    assert client.post(f"/w/lighthouse/queue/{case.pk}/decide/", {"lock": 1, "verdict": "same"}).status_code == 404


def test_a_filter_that_cannot_be_says_so(reviewing: Client, opened: Callable[..., Case]) -> None:
    opened()
    answer = reviewing.get(f"{QUEUE}?kind=nonsense")
    assert answer.status_code == 422
    assert "There is no kind of case “nonsense”" in answer.content.decode()
    assert reviewing.get(f"{QUEUE}?page=0&older=-3&q=%00&unknown=1").status_code == 200


def test_filtered_to_nothing_says_how_much_waits(reviewing: Client, opened: Callable[..., Case]) -> None:
    opened()
    text = reviewing.get(f"{QUEUE}?q=zebra").content.decode()
    assert "Nothing matches these filters" in text
    assert "1 case waits without them." in text


def test_snoozing_takes_a_time_that_is_offered(reviewing: Client, opened: Callable[..., Case]) -> None:
    case = opened()
    assert reviewing.post(f"{QUEUE}{case.pk}/snooze/", {"until": "never"}).status_code == 422
    assert reviewing.post(f"{QUEUE}{case.pk}/snooze/", {"until": "week"}).status_code == 302
    case.refresh_from_db()
    assert case.snoozed_until is not None
    assert case.snoozed_until.weekday() == 0


def test_decisions_are_listed_and_taken_back(reviewing: Client, opened: Callable[..., Case]) -> None:
    case = opened()
    decide(reviewing, case, "same", rationale="Letter for letter.")
    decision = Decision.objects.get()
    assert "Letter for letter." in reviewing.get(f"{QUEUE}decisions/?whose=me").content.decode()
    back = reviewing.post(f"{QUEUE}decisions/{decision.pk}/undo/", {"to": "decisions"})
    assert back["Location"] == f"{QUEUE}decisions/"
    text = reviewing.get(f"{QUEUE}decisions/").content.decode()
    assert "Taken back by Reviewer" in text
    case.refresh_from_db()
    assert case.state == "open"
    assert reviewing.post(f"{QUEUE}decisions/{decision.pk}/undo/").status_code == 409


def test_the_queue_takes_as_many_queries_for_fifty_cases_as_for_two(
    reviewing: Client, opened: Callable[..., Case]
) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert reviewing.get(QUEUE).status_code == 200
        return len(captured)

    opened("a|b")
    opened("c|d")
    queries()
    few = queries()
    for number in range(48):
        opened(f"{number}|x")
    assert queries() == few <= 24


def test_what_only_takes_what_a_form_sends_says_so(client_of: Callable[[str], Client]) -> None:
    client = client_of("admin")
    for address, method, words in (
        ("queue/many/", "GET", "there is no page at this address"),
        ("queue/", "POST", "nothing can be sent to it"),
        ("policies/", "DELETE", "a form can be sent to it; nothing else is taken"),
        ("policies/", "PUT", "a form can be sent to it; nothing else is taken"),
    ):
        answer = client.generic(method, f"/w/harbour/{address}")
        assert (answer.status_code, words in answer.content.decode()) == (405, True)
        assert answer.headers["Allow"]
        assert "Content-Security-Policy" in answer.headers
