"""A job asked for in a committed write is done, once, whatever happens to the worker, the broker or the clock."""

from __future__ import annotations

import datetime as dt
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import connection

from memoryapp.doors.errors import Conflict, Denied, Invalid, NotFound
from memoryapp.ledger import jobs, queries, workers
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Job, JobAttempt, Worker, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record


@pytest.fixture
def kind() -> Iterator[Callable[..., str]]:
    """Declare a kind of job for one test."""
    made: list[str] = []

    def declare(handler: jobs.Handler, *, in_order: bool = False) -> str:
        name = f"test_{new_id().hex[:8]}"
        jobs.register(name, handler, title="A test", in_order=in_order)
        made.append(name)
        return name

    yield declare
    for name in made:
        jobs._kinds.pop(name)


def ask(by: Principal, kind: str, **options: Any) -> Job:
    return record(by, "ask", lambda write: jobs.enqueue(write, kind, by.workspace.pk, **options))


def lapse(job: Job) -> None:
    """As if the job's lease had ended a minute ago."""
    Job.objects.filter(pk=job.pk).update(lease_until=job.created_at - dt.timedelta(minutes=1))


def test_a_job_runs_as_itself_with_the_trace_of_the_write_that_asked(
    operator: Principal, kind: Callable[..., str], work: Callable[[], int]
) -> None:
    seen: list[jobs.Run] = []

    def handler(run: jobs.Run) -> dict[str, int]:
        seen.append(run)
        return {"counted": 3}

    job = ask(operator.through(trace_id="trace-7"), kind(handler), arguments={"size": 2})
    assert work() == 1
    job.refresh_from_db()
    assert (job.state, job.outcome, job.attempts) == ("succeeded", {"counted": 3}, 1)
    by = seen[0].by
    assert (by.actor.kind, by.channel, by.trace_id) == ("job", "job", "trace-7")
    assert seen[0].job.arguments == {"size": 2}


def test_a_job_that_ended_well_is_done_in_full(
    operator: Principal, kind: Callable[..., str], work: Callable[[], int]
) -> None:
    """Also where its last step had nothing left to count."""

    def handler(run: jobs.Run) -> dict[str, int]:
        run.progress(2, 7)
        return {}

    job = ask(operator, kind(handler))
    assert work() == 1
    job.refresh_from_db()
    assert (job.state, job.done, job.total) == ("succeeded", 7, 7)


def test_a_job_of_a_write_that_was_not_committed_does_not_exist(
    operator: Principal, kind: Callable[..., str], work: Callable[[], int]
) -> None:
    name = kind(lambda run: None)

    def act(write: Any) -> None:
        jobs.enqueue(write, name, operator.workspace.pk)
        raise Invalid("no", code="no")

    with pytest.raises(Invalid):
        record(operator, "ask", act)
    assert not Job.objects.exists()
    assert work() == 0


def test_a_second_request_for_the_same_open_work_is_the_first(operator: Principal, kind: Callable[..., str]) -> None:
    name = kind(lambda run: None)
    first, second = ask(operator, name, dedupe="thread-1"), ask(operator, name, dedupe="thread-1")
    assert first.pk == second.pk
    assert ask(operator, name, dedupe="thread-2").pk != first.pk


def test_of_twenty_workers_that_take_one_job_at_once_one_runs_it(
    transactional_db: None, kind: Callable[..., str]
) -> None:
    from memoryapp.access.services import operator
    from memoryapp.ledger.services import create_workspace

    ran: list[str] = []
    job = ask(operator(create_workspace("harbour", "Harbour")), kind(lambda run: ran.append(run.lease)))
    line = threading.Barrier(20)
    took: list[bool] = []

    def take() -> None:
        line.wait()
        try:
            took.append(workers.run(job.pk, "worker@test"))
        finally:
            connection.close()

    threads = [threading.Thread(target=take) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(took) == [False] * 19 + [True]
    assert len(ran) == 1
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("succeeded", 1)


def test_jobs_of_an_ordered_kind_run_in_the_order_they_were_asked_for_and_one_that_waits_lets_others_pass(
    operator: Principal, kind: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []
    fails = {"first"}

    def handler(run: jobs.Run) -> None:
        ran.append(run.job.dedupe)
        if run.job.dedupe in fails:
            raise RuntimeError

    name = kind(handler, in_order=True)
    first, second, third = (ask(operator, name, dedupe=word) for word in ("first", "second", "third"))
    woken: list[Any] = []
    monkeypatch.setattr(jobs, "wake", lambda job_id, **_: woken.append(job_id))
    assert not workers.run(third.pk, "worker@test")
    assert not workers.run(second.pk, "worker@test")
    assert workers.run(first.pk, "worker@test")
    assert woken == [second.pk]
    assert not workers.run(third.pk, "worker@test")
    assert workers.run(second.pk, "worker@test")
    assert workers.run(third.pk, "worker@test")
    assert ran == ["first", "second", "third"]
    assert woken == [second.pk, third.pk]


def test_an_attempt_that_fails_is_repeated_after_a_pause_and_then_fails_for_people_to_see(
    operator: Principal, kind: Callable[..., str]
) -> None:
    def handler(run: jobs.Run) -> None:
        raise RuntimeError("the sentence somebody said in private")

    job = ask(operator, kind(handler))
    pauses = []
    for attempt in range(1, job.max_attempts + 1):
        Job.objects.filter(pk=job.pk).update(run_after=job.created_at)
        assert workers.run(job.pk)
        job.refresh_from_db()
        assert job.attempts == attempt
        pauses.append(job.run_after)
    assert job.state == "failed"
    assert pauses[0] < pauses[2]
    assert "RuntimeError" in job.error
    assert "private" not in job.error
    tries = queries.attempts(operator, job)
    assert [each.ending for each in tries] == ["failed"] * 5
    assert not any("private" in each.error for each in tries)


@pytest.mark.parametrize("error", [jobs.Failed("The file is not a transcript."), Invalid("bad words", code="bad_kind")])
def test_a_failure_that_another_try_cannot_mend_is_final(
    operator: Principal, kind: Callable[..., str], work: Callable[[], int], error: Exception
) -> None:
    def handler(run: jobs.Run) -> None:
        raise error

    job = ask(operator, kind(handler))
    work()
    job.refresh_from_db()
    assert (job.state, job.attempts) == ("failed", 1)
    assert job.error in ("The file is not a transcript.", "Not valid (bad_kind)")


def test_a_person_can_have_a_failed_job_tried_again(
    operator: Principal, viewer: Principal, kind: Callable[..., str], work: Callable[[], int]
) -> None:
    broken = [True]

    def handler(run: jobs.Run) -> None:
        if broken[0]:
            raise jobs.Failed("The model server is not set.")

    job = ask(operator, kind(handler))
    work()
    broken[0] = False
    with pytest.raises(Denied):
        record(viewer, "retry_job", lambda write: jobs.retry(write, job))
    record(operator, "retry_job", lambda write: jobs.retry(write, job))
    assert work() == 1
    job.refresh_from_db()
    assert (job.state, job.error) == ("succeeded", "")
    with pytest.raises(Conflict):
        record(operator, "retry_job", lambda write: jobs.retry(write, job))


def test_a_silent_workers_job_is_taken_over_and_its_late_finish_changes_nothing(
    operator: Principal, kind: Callable[..., str]
) -> None:
    job = ask(operator, kind(lambda run: {"by": run.lease.partition("/")[0]}))
    slow = workers.claim(job.pk, "worker@first")
    assert slow is not None
    assert workers.claim(job.pk, "worker@second") is None
    lapse(job)
    assert workers.run(job.pk, "worker@second")
    with pytest.raises(jobs.LostLease):
        slow.finish({"by": "worker@first"})
    with pytest.raises(jobs.LostLease):
        slow.progress(1, 2)
    job.refresh_from_db()
    assert job.outcome == {"by": "worker@second"}
    assert [each.ending for each in queries.attempts(operator, job)] == ["lost", "succeeded"]


def test_work_and_the_jobs_end_are_one_transaction(operator: Principal, kind: Callable[..., str]) -> None:
    job = ask(operator, kind(lambda run: None))
    slow = workers.claim(job.pk, "worker@first")
    assert slow is not None
    lapse(job)
    assert workers.run(job.pk, "worker@second")

    def act(write: Any) -> None:
        Workspace.objects.filter(pk=operator.workspace.pk).update(name="Changed by the late worker")
        slow.finish()

    with pytest.raises(jobs.LostLease):
        record(slow.by, "work", act)
    operator.workspace.refresh_from_db()
    assert operator.workspace.name == "Harbour"


def test_a_job_whose_workers_keep_dying_fails_in_the_end(operator: Principal, kind: Callable[..., str]) -> None:
    job = ask(operator, kind(lambda run: None))
    for _ in range(job.max_attempts):
        assert workers.claim(job.pk, "worker@doomed")
        lapse(job)
    assert workers.claim(job.pk, "worker@doomed") is None
    job.refresh_from_db()
    assert job.state == "failed"
    assert "fell silent 5 times" in job.error


def test_a_living_worker_keeps_the_lease_of_a_job_that_says_nothing(
    operator: Principal, kind: Callable[..., str]
) -> None:
    seen: list[bool] = []

    def handler(run: jobs.Run) -> None:
        lapse(run.job)
        workers.beat_once("worker@test", "worker", run.job.created_at)
        seen.append(workers.claim(run.job.pk, "worker@other") is None)

    ask_and_run(operator, kind(handler))
    assert seen == [True]
    assert Worker.objects.get(name="worker@test").role == "worker"


def test_a_job_may_ask_to_be_run_later(operator: Principal, kind: Callable[..., str]) -> None:
    def handler(run: jobs.Run) -> None:
        raise jobs.Later(3600, "The other file is still being read.")

    job = ask_and_run(operator, kind(handler))
    assert (job.state, job.attempts, job.error) == ("queued", 0, "The other file is still being read.")
    assert job.run_after > job.created_at + dt.timedelta(minutes=50)


def test_a_cancelled_job_is_not_run_and_a_running_one_cannot_finish(
    operator: Principal, kind: Callable[..., str], work: Callable[[], int]
) -> None:
    job = ask(operator, kind(lambda run: None))
    taken = workers.claim(job.pk, "worker@test")
    assert taken is not None
    record(operator, "cancel_job", lambda write: jobs.cancel(write, job))
    with pytest.raises(jobs.LostLease):
        taken.finish()
    assert work() == 0
    with pytest.raises(Conflict):
        record(operator, "cancel_job", lambda write: jobs.cancel(write, job))


def test_a_broker_that_is_down_does_not_fail_the_write_and_the_sweep_finds_the_job(
    operator: Principal,
    kind: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    from celery import current_app

    sent: list[Any] = []
    name = kind(lambda run: None)

    def refuse(*_: Any, **__: Any) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr(jobs, "_broker_silent_until", 0.0)
    monkeypatch.setattr(current_app, "send_task", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        job = ask(operator, name)
    assert queries.job(operator, job.pk).state == "queued"
    assert workers.sweep() == 0

    monkeypatch.setattr(jobs, "_broker_silent_until", 0.0)
    monkeypatch.setattr(current_app, "send_task", lambda task, args, **_: sent.append((task, args)))
    assert workers.sweep() == 1
    assert sent == [("ledger.run_job", [str(job.pk)])]


def test_the_sweep_leaves_alone_what_is_not_due(operator: Principal, kind: Callable[..., str]) -> None:
    ask(operator, kind(lambda run: None), delay=dt.timedelta(hours=1))
    assert workers.sweep() == 0


def test_an_unknown_kind_cannot_be_asked_for(operator: Principal) -> None:
    with pytest.raises(ValueError, match="no_such_kind"):
        ask(operator, "no_such_kind")


def test_a_job_is_due_from_the_moment_its_write_was_recorded(operator: Principal, kind: Callable[..., str]) -> None:
    job = ask(operator, kind(lambda run: None))
    assert job.write.action == "ask"
    assert job.run_after == job.created_at == job.write.recorded_at


def test_jobs_of_another_workspace_are_out_of_sight(
    operator: Principal, other_workspace: Workspace, kind: Callable[..., str]
) -> None:
    from memoryapp.access.services import operator as operator_of

    job = ask(operator, kind(lambda run: None))
    stranger = operator_of(other_workspace)
    assert not queries.jobs(stranger).exists()
    with pytest.raises(NotFound):
        queries.job(stranger, job.pk)
    with pytest.raises(NotFound):
        record(stranger, "cancel_job", lambda write: jobs.cancel(write, job))
    with pytest.raises(NotFound):
        record(stranger, "retry_job", lambda write: jobs.retry(write, job))


def ask_and_run(by: Principal, kind: str) -> Job:
    job = ask(by, kind)
    assert workers.run(job.pk, "worker@test")
    job.refresh_from_db()
    assert JobAttempt.objects.filter(job=job, ended_at=None).count() == 0
    return job
