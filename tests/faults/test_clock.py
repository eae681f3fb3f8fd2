"""The machine's clock is set back: what was recorded stays in order, what is known is served, what waits is done."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import time_machine
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from memoryapp.graph.queries import views
from memoryapp.ledger import jobs, queries, workers
from memoryapp.ledger.models import Job, Worker, Write
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from tests.graph.nodes.telling import Graph

pytestmark = pytest.mark.django_db

HOUR = dt.timedelta(hours=1)
KIND = "test_clock"


@contextmanager
def an_hour_earlier() -> Iterator[None]:
    with time_machine.travel(timezone.now() - HOUR, tick=True):
        yield


@pytest.fixture
def ran() -> Iterator[list[str]]:
    """A kind of job, and the attempts at it."""
    made: list[str] = []
    jobs.register(KIND, lambda run: made.append(run.lease), title="A test")
    yield made
    jobs._kinds.pop(KIND)


def ask(by: Principal) -> Job:
    return record(by, "ask", lambda write: jobs.enqueue(write, KIND, by.workspace.pk))


def test_no_write_is_recorded_before_an_earlier_one_and_what_it_says_is_current_at_once(operator: Principal) -> None:
    graph = Graph(operator)
    ines = graph.person("Ines")
    graph.say("Ines likes tea", ines)
    with an_hour_earlier():
        graph.say("Ines likes figs", ines)
        known = {belief.content for belief in views.current(operator, views.Scope(kinds=("preference",)))}
        before = views.as_of(operator, views.Scope(kinds=("preference",)))
        assert known == {"Ines likes tea", "Ines likes figs"} == {belief.content for belief in before}
    graph.say("Ines likes plums", ines)
    writes = list(Write.objects.filter(workspace=operator.workspace).order_by("sequence"))
    times = [write.recorded_at for write in writes]
    assert times == sorted(set(times)), "later writes have later times, each its own"


def test_what_is_asked_for_after_the_clock_was_set_back_is_done_at_once(operator: Principal, ran: list[str]) -> None:
    ask(operator)
    with an_hour_earlier():
        job = ask(operator)
        assert workers.run(job.pk, "worker@test")
        assert queries.status().oldest_due_job_seconds == 0
    assert len(ran) == 1


def test_what_waited_when_the_clock_was_set_back_does_not_wait_for_the_hour(
    operator: Principal, ran: list[str]
) -> None:
    waits, paused, running = ask(operator), ask(operator), ask(operator)
    now = timezone.now()
    Job.objects.filter(pk=paused.pk).update(attempts=2, run_after=now + dt.timedelta(minutes=1))
    Job.objects.filter(pk=running.pk).update(
        state=Job.State.RUNNING, attempts=1, leased_by="worker@dead/1", lease_until=now + jobs.LEASE
    )
    assert not workers.run(paused.pk, "worker@test"), "its pause has not ended"
    assert not workers.run(running.pk, "worker@test"), "it has a worker"
    with an_hour_earlier():
        for job in (waits, paused, running):
            assert workers.run(job.pk, "worker@test"), job.state
    assert len(ran) == 3


def test_a_living_worker_keeps_its_job_over_a_clock_set_back(operator: Principal, ran: list[str]) -> None:
    job = ask(operator)
    taken = workers.claim(job.pk, "worker@test")
    assert taken is not None
    workers._running[taken.lease] = taken
    try:
        with an_hour_earlier():
            workers.beat_once("worker@test", "worker", timezone.now())
            assert workers.claim(job.pk, "worker@other") is None
            taken.finish({})
    finally:
        workers._running.pop(taken.lease)
    job.refresh_from_db()
    assert job.state == "succeeded"


def test_a_worker_that_starts_while_the_database_is_away_is_seen_when_it_is_back(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    seen = threading.Event()

    def away_at_first(name: str, role: str, started_at: dt.datetime) -> None:
        said.append(name)
        if len(said) < 3:
            raise OperationalError("the database is away")
        seen.set()

    monkeypatch.setattr(workers, "HEARTBEAT_SECONDS", 0.01)
    monkeypatch.setattr(workers, "beat_once", away_at_first)
    monkeypatch.setattr(workers, "_forget_workers", lambda now: True)
    monkeypatch.setattr(workers, "close_old_connections", lambda: None)
    stop = workers.start_heartbeat("worker")
    try:
        assert seen.wait(60)
    finally:
        stop.set()


def test_a_worker_that_died_before_the_clock_was_set_back_is_not_taken_to_live(db: None, client: Client) -> None:
    now = timezone.now()
    for role in ("worker", "scheduler"):
        Worker.objects.create(name=f"{role}@test", role=role, started_at=now, seen_at=now)
    with an_hour_earlier():
        assert queries.status().problems[:1] == ["No worker has been seen. Jobs wait until one starts."]
        workers.beat_once("worker@other", "worker", timezone.now())
        assert queries.status().worker_seen_seconds == 0
