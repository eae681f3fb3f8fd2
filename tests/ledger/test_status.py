"""An operator reads at one address how the product is doing; a load balancer asks at another whether it lives."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client
from django.utils import timezone

from memoryapp.ledger import jobs, queries, workers
from memoryapp.ledger.models import Job, Worker
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.browser import Browser, page_is_clean


def seen(role: str, seconds_ago: float = 1) -> None:
    at = timezone.now() - dt.timedelta(seconds=seconds_ago)
    Worker.objects.update_or_create(name=f"{role}@test", defaults={"role": role, "started_at": at, "seen_at": at})


def status(client: Client) -> Any:
    return client.get("/status", headers={"Accept": "application/json"}).json()


def test_all_is_well_when_database_broker_worker_and_scheduler_answer(db: None, client: Client) -> None:
    seen("worker")
    seen("scheduler")
    found = status(client)
    assert (found["status"], found["problems"]) == ("ok", [])
    assert client.get("/status").status_code == 200


def test_it_says_that_no_worker_has_been_seen_and_for_how_long(db: None, client: Client) -> None:
    """Case 74."""
    seen("scheduler")
    assert status(client)["problems"] == ["No worker has been seen. Jobs wait until one starts."]
    seen("worker", 75)
    found = status(client)
    assert found["status"] == "degraded"
    assert found["problems"] == [f"No worker seen for {found['worker_seen_seconds']} s. Jobs wait until one starts."]
    assert found["worker_seen_seconds"] >= 75
    assert client.get("/status").status_code == 503


def test_a_job_that_nobody_takes_and_a_job_that_failed_are_problems(operator: Principal, client: Client) -> None:
    def fails(run: jobs.Run) -> None:
        raise jobs.Failed("The file is not a transcript.")

    seen("worker")
    seen("scheduler")
    jobs.register("test_status", fails, title="A test")
    record(operator, "ask", lambda write: jobs.enqueue(write, "test_status", operator.workspace.pk))
    Job.objects.update(run_after=timezone.now() - dt.timedelta(minutes=10))
    found = status(client)
    assert found["oldest_due_job_seconds"] >= 600
    assert found["problems"] == [f"A job has been waiting for {found['oldest_due_job_seconds']} s."]
    assert client.get("/status").status_code == 503
    workers.run(Job.objects.get().pk)
    assert status(client)["problems"] == ["A job failed within the last hour. The Jobs page of its workspace says why."]
    jobs._kinds.pop("test_status")


def test_a_broker_that_does_not_answer_degrades_and_a_database_that_does_not_is_down(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen("worker")
    seen("scheduler")
    monkeypatch.setattr(queries, "broker_answers", lambda: False)
    assert (status(client)["status"], status(client)["broker"]) == ("degraded", "down")
    assert client.get("/status").status_code == 503

    def refuse(*_: Any) -> None:
        raise DatabaseError("the password is marlin")

    monkeypatch.setattr(queries, "_read_rows", refuse)
    answer = client.get("/status")
    assert answer.status_code == 503
    assert answer.json()["status"] == "down"
    assert "marlin" not in answer.content.decode()


def test_the_process_says_that_it_lives_without_asking_the_database(client: Client) -> None:
    assert client.get("/healthz").content == b"ok\n"
    assert client.post("/healthz").status_code == 405


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_status_page_can_be_read_by_everybody(live_server: Any, browser: Browser, theme: str) -> None:
    seen("worker", 75)
    page = browser.page(width=390, theme=theme)
    page.goto(live_server.url + "/status")
    assert "No worker seen for 7" in page.inner_text("main")
    page_is_clean(page)
