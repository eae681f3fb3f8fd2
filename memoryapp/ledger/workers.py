"""How a worker takes a job, runs it, and how the jobs of dead workers are found again."""

from __future__ import annotations

import datetime as dt
import os
import random
import socket
import threading
import time
import traceback
import uuid
from pathlib import PurePath

import structlog
from django.db import close_old_connections, transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import Conflict, DomainError, Stale, Unavailable
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Actor, Job, JobAttempt, Worker
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import actor_named

log = structlog.get_logger(__name__)

SWEEP_SECONDS = 3.0
SWEEP_BATCH = 100
HEARTBEAT_SECONDS = 5.0
PATIENCE_SECONDS = 600.0
"""A living worker keeps the lease of a job for this long without a word from its handler."""
FORGET_WORKERS_AFTER = dt.timedelta(days=1)
WORTH_ANOTHER_TRY = (Conflict, Stale, Unavailable)

_running: dict[str, jobs.Run] = {}


def run(job_id: uuid.UUID, worker: str = "") -> bool:
    """Run one job if it is due and free. False when there was nothing to do. Never raises what a handler raised."""
    worker = worker or name_of_this_process("worker")
    taken = claim(job_id, worker)
    if taken is None:
        return False
    _running[taken.lease] = taken
    job = taken.job
    with structlog.contextvars.bound_contextvars(trace_id=taken.by.trace_id, job=str(job.pk), job_kind=job.kind):
        try:
            _handle(taken)
        finally:
            _running.pop(taken.lease, None)
    _wake_the_next(job)
    return True


def claim(job_id: uuid.UUID, worker: str) -> jobs.Run | None:
    """Take a job that is due, or one whose worker fell silent. Of many who try at once, one gets it."""
    now = timezone.now()
    with transaction.atomic():
        job = Job.objects.select_related("workspace", "write").filter(_due(now), pk=job_id).first()
        if job is None or _must_wait(job, now):
            return None
        mine = Job.objects.filter(_due(now), pk=job_id, attempts=job.attempts, leased_by=job.leased_by)
        if job.state == Job.State.RUNNING and job.attempts >= job.max_attempts:
            _give_up_on_silent(job, mine, now)
            return None
        lease = f"{worker}/{uuid.uuid4().hex[:8]}"
        if not mine.update(
            state=Job.State.RUNNING,
            attempts=job.attempts + 1,
            leased_by=lease,
            lease_until=now + jobs.LEASE,
            started_at=now,
        ):
            return None
        jobs.end_attempt(job, "lost", now, "The worker gave no sign for longer than its lease.")
        JobAttempt.objects.create(
            workspace=job.workspace,
            job=job,
            number=JobAttempt.objects.filter(job=job).count() + 1,
            worker=worker,
            started_at=now,
        )
    job.refresh_from_db()
    return jobs.Run(job=job, by=_principal(job), lease=lease)


def sweep() -> int:
    """Wake a worker for every job that is due or whose lease has ended, oldest first. Says how many were sent."""
    due = Job.objects.filter(_due(timezone.now())).order_by("run_after").values_list("pk", flat=True)[:SWEEP_BATCH]
    return sum(jobs.wake(job_id, expires=2 * SWEEP_SECONDS) for job_id in due)


def beat_once(name: str, role: str, started_at: dt.datetime) -> None:
    """Say that this process lives, and keep the leases of what it is running."""
    now = timezone.now()
    Worker.objects.update_or_create(name=name, defaults={"role": role, "started_at": started_at, "seen_at": now})
    for taken in list(_running.values()):
        if time.monotonic() - taken.alive_at < PATIENCE_SECONDS:
            jobs.held(taken).update(lease_until=now + jobs.LEASE)


def start_heartbeat(role: str) -> threading.Event:
    """Beat from a thread of this process until the returned event is set."""
    stop = threading.Event()
    name = name_of_this_process(role)
    started_at = timezone.now()

    def beat() -> None:
        forgotten = False
        while True:
            try:
                beat_once(name, role, started_at)
                forgotten = forgotten or _forget_workers(started_at)
            except Exception as error:
                log.warning("heartbeat_failed", error=type(error).__name__)
            close_old_connections()
            if stop.wait(HEARTBEAT_SECONDS):
                return

    threading.Thread(target=beat, name="heartbeat", daemon=True).start()
    return stop


def _forget_workers(now: dt.datetime) -> bool:
    """Forget who has not been seen for long. True when it is done."""
    Worker.objects.filter(seen_at__lt=now - FORGET_WORKERS_AFTER).delete()
    return True


def say_goodbye(role: str) -> None:
    """Take this process off the list of those that are seen, so that nobody waits for it."""
    Worker.objects.filter(name=name_of_this_process(role)).delete()


def name_of_this_process(role: str) -> str:
    return f"{role}@{socket.gethostname()[:60]}:{os.getpid()}"


def _handle(taken: jobs.Run) -> None:
    kind = jobs.kinds().get(taken.job.kind)
    try:
        if kind is None:
            raise jobs.Failed(f"This worker knows no job of the kind {taken.job.kind}.")
        outcome = kind.handler(taken)
        if not taken.ended:
            taken.finish(outcome)
        log.info("job_succeeded")
    except jobs.LostLease:
        log.info("job_lease_lost")
    except jobs.Later as later:
        _put_off(taken, later)
    except Exception as error:
        _put_down(taken, error)


def _put_off(taken: jobs.Run, later: jobs.Later) -> None:
    now = timezone.now()
    with transaction.atomic():
        if jobs.held(taken).update(
            state=Job.State.QUEUED,
            attempts=taken.job.attempts - 1,
            leased_by="",
            lease_until=None,
            run_after=now + dt.timedelta(seconds=later.seconds),
            error=str(later),
        ):
            jobs.end_attempt(taken.job, "put off", now, str(later))
    log.info("job_put_off", seconds=later.seconds)


def _put_down(taken: jobs.Run, error: Exception) -> None:
    """A failed attempt: queue the job again after a growing pause, or fail it for a person to see."""
    now = timezone.now()
    reason = _reason(error)
    hopeless = isinstance(error, jobs.Failed) or (
        isinstance(error, DomainError) and not isinstance(error, WORTH_ANOTHER_TRY)
    )
    again = not hopeless and taken.job.attempts < taken.job.max_attempts
    columns = {
        "state": Job.State.QUEUED if again else Job.State.FAILED,
        "error": reason,
        "leased_by": "",
        "lease_until": None,
        "run_after": now + _pause(taken.job.attempts) if again else taken.job.run_after,
        "finished_at": None if again else now,
    }
    with transaction.atomic():
        if jobs.held(taken).update(**columns):
            jobs.end_attempt(taken.job, "failed", now, reason)
    log.warning("job_attempt_failed", reason=reason, again=again, at=_frames(error))


def _in_order(kind: str) -> bool:
    declared = jobs.kinds().get(kind)
    return declared is not None and declared.in_order


def _must_wait(job: Job, now: dt.datetime) -> bool:
    """Whether an older job of the same workspace goes first."""
    if not _in_order(job.kind):
        return False
    earlier = Q(created_at__lt=job.created_at) | Q(created_at=job.created_at, pk__lt=job.pk)
    ahead = Q(state=Job.State.RUNNING) | jobs.waits(now)
    return Job.objects.filter(earlier, ahead, workspace=job.workspace_id, kind=job.kind).exists()


def _wake_the_next(job: Job) -> None:
    if not _in_order(job.kind):
        return
    waiting = Job.objects.filter(jobs.waits(timezone.now()), workspace=job.workspace_id, kind=job.kind)
    following = waiting.order_by("created_at", "pk").first()
    if following is not None:
        jobs.wake(following.pk)


def _give_up_on_silent(job: Job, mine: QuerySet[Job], now: dt.datetime) -> None:
    reason = f"Its worker died or fell silent {job.attempts} times."
    if mine.update(state=Job.State.FAILED, error=reason, leased_by="", lease_until=None, finished_at=now):
        jobs.end_attempt(job, "lost", now, reason)


def _due(now: dt.datetime) -> Q:
    return jobs.waits(now) | jobs.lapsed(now)


def _pause(attempts: int) -> dt.timedelta:
    seconds = 2.0**attempts * random.uniform(0.8, 1.2)
    return min(dt.timedelta(seconds=seconds), jobs.LONGEST_PAUSE)


def _principal(job: Job) -> Principal:
    """The job as an actor: what it writes carries the trace of the write that asked for it."""
    kind = jobs.kinds().get(job.kind)
    return Principal(
        workspace=job.workspace,
        actor=actor_named(job.workspace, Actor.Kind.JOB, job.kind, jobs.title_of(job.kind)),
        channel="job",
        capabilities=kind.capabilities if kind else frozenset(),
        trace_id=job.write.trace_id,
    )


def _reason(error: Exception) -> str:
    """What went wrong, in words that cannot carry what a person said: exception texts often quote their input."""
    if isinstance(error, jobs.Failed):
        return str(error)
    if isinstance(error, DomainError):
        return f"{error.title} ({error.code})"
    return f"{type(error).__name__} at {_frames(error)[-1:] or ['an unknown place']}".replace("['", "").replace(
        "']", ""
    )


def _frames(error: Exception) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames[-6:]]
