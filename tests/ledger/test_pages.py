"""Jobs in the console: what became of them, and another try by who may."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.visiting import client_of, tell_a_story

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broken_kind() -> Iterator[str]:
    def fail(run: jobs.Run) -> None:
        raise jobs.Failed("Page 3 is damaged.")

    jobs.register("read_page", fail, title="Reading of a page")
    yield "read_page"
    del jobs._kinds["read_page"]


@pytest.fixture
def failed(broken_kind: str, workspace: Workspace, operator: Principal, work: Callable[[], int]) -> Job:
    asked = record(operator, "ask", lambda write: jobs.enqueue(write, broken_kind, workspace.pk))
    work()
    asked.refresh_from_db()
    return asked


def text_of(response: Any) -> str:
    words: str = response.content.decode()
    return words


def test_a_job_says_what_it_read_and_what_came_of_it(
    curator_agent: Principal, viewer: Principal, work: Callable[[], int]
) -> None:
    tell_a_story(curator_agent, work)
    client = client_of(viewer)
    listed = text_of(client.get("/w/harbour/jobs/"))
    assert "Extraction from “Fewer emails”" in listed
    job = Job.objects.order_by("created_at").first()
    assert job is not None
    shown = text_of(client.get(f"/w/harbour/jobs/{job.pk}/"))
    assert "Setting up" in shown
    assert "Candidates" in shown
    assert "hx-trigger" not in shown


def test_a_failed_job_says_why_and_is_tried_again_by_a_curator(
    failed: Job, workspace: Workspace, person: Callable[..., Principal]
) -> None:
    client = client_of(person(workspace, "curator"))
    assert "Page 3 is damaged." in text_of(client.get(f"/w/harbour/jobs/{failed.pk}/"))
    assert "Reading of a page" in text_of(client.get("/w/harbour/jobs/?state=failed"))
    assert client.post(f"/w/harbour/jobs/{failed.pk}/retry/").status_code == 302
    failed.refresh_from_db()
    assert failed.state == "queued"
    again = client.post(f"/w/harbour/jobs/{failed.pk}/retry/")
    assert again.status_code == 409
    assert client.post(f"/w/harbour/jobs/{failed.pk}/cancel/").status_code == 302
    failed.refresh_from_db()
    assert failed.state == "cancelled"


def test_who_may_not_retry_sees_no_button_and_is_refused(failed: Job, reviewer: Principal) -> None:
    client = client_of(reviewer)
    assert "Try again" not in text_of(client.get(f"/w/harbour/jobs/{failed.pk}/")).split("<main")[1]
    assert client.post(f"/w/harbour/jobs/{failed.pk}/retry/").status_code == 403
    assert client.get(f"/w/harbour/jobs/{failed.pk}/retry/").status_code == 405


def test_a_state_that_does_not_exist_is_named(reviewer: Principal) -> None:
    refused = client_of(reviewer).get("/w/harbour/jobs/?state=asleep")
    assert refused.status_code == 422
    assert "There is no state" in text_of(refused)
