"""The folder of the broker goes, or the worker does: it is said, and what waited is done when they are back."""

from __future__ import annotations

import datetime as dt
import shutil
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from memoryapp.ledger import jobs, workers
from memoryapp.ledger.models import Job, Worker
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.faults.killing import fresh, wait_for_every_job
from tests.house.running import Running, alive


@pytest.mark.slow
def test_a_broker_that_goes_and_comes_back_delays_jobs_and_fails_nothing(product: Running) -> None:
    broker = product.directory / "var" / "broker"
    workers_before = product.children()["worker"]
    shutil.rmtree(broker)
    broker.write_text("not a folder")
    for _ in range(3):
        status, told = product.ask("POST", "/api/v1/conversations", fresh())
        assert status == 202, told

    def degraded() -> bool:
        status, told = product.ask("GET", "/status")
        return bool((status, told["broker"]) == (503, "down"))

    product.wait_for(degraded, "the status to say that the broker is away", within=30)
    assert "The broker does not answer." in " ".join(product.ask("GET", "/status")[1]["problems"])
    assert product.ask("GET", f"/api/v1/jobs/{told['job']}")[1]["state"] == "queued"
    broker.unlink()
    wait_for_every_job(product)
    assert product.ask("GET", f"/api/v1/jobs/{told['job']}")[1]["state"] == "succeeded"
    assert product.children()["worker"] == workers_before, "the worker waited, and did not have to be started again"
    assert alive(workers_before)
    product.wait_for(lambda: product.answers("/status"), "the status to be well", within=30)


@pytest.mark.django_db
def test_when_no_worker_has_been_there_for_an_hour_monitors_and_people_are_told_and_one_that_returns_does_it(
    operator: Principal, client: Client
) -> None:
    """Case 74."""
    ran: list[Any] = []
    jobs.register("test_hour", lambda run: ran.append(run.job.pk), title="A test")
    try:
        job = record(operator, "ask", lambda write: jobs.enqueue(write, "test_hour", operator.workspace.pk))
        hour = timezone.now() - dt.timedelta(hours=1)
        Job.objects.update(run_after=hour)
        Worker.objects.create(name="worker@gone", role="worker", started_at=hour, seen_at=hour)
        workers.beat_once("scheduler@here", "scheduler", hour)

        answer = client.get("/status")
        assert answer.status_code == 503
        told = answer.json()
        assert told["status"] == "degraded"
        assert told["worker_seen_seconds"] >= 3600
        assert told["problems"][0] == f"No worker seen for {told['worker_seen_seconds']} s. Jobs wait until one starts."
        assert told["problems"][1].startswith("A job has been waiting for 36")
        page = client.get("/status", headers={"Accept": "text/html"})
        assert page.status_code == 503
        assert "No worker seen for 36" in page.content.decode()
        assert client.get("/healthz").status_code == 200, "the process itself lives"

        workers.beat_once("worker@back", "worker", timezone.now())
        assert workers.run(job.pk, "worker@back")
        assert ran == [job.pk]
        assert client.get("/status").status_code == 200
    finally:
        jobs._kinds.pop("test_hour")
