"""Jobs: work asked for inside a write, and done by a worker afterwards.

The job row is the truth. It is inserted in the write's own transaction, so that work asked for is never lost and work
not committed is never done. The message to the broker is only a wake-up: when it is lost, late, doubled or refused, the
sweep finds the row (see `workers.py`).

A room names its kinds of job when it starts: `jobs.register("extract", handler, title="Extract candidates")`.
"""

from __future__ import annotations

import datetime as dt
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import structlog
from django.db import connection, transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import Conflict, NotFound
from memoryapp.ledger.models import Job, JobAttempt, Write
from memoryapp.ledger.principal import Principal

log = structlog.get_logger(__name__)

RUN_JOB = "ledger.run_job"
"""Name of the task that runs one job."""

LEASE = dt.timedelta(seconds=20)
"""How long a job belongs to a worker that gives no sign. A killed worker's job is taken over after this."""

PROGRESS_EVERY = dt.timedelta(milliseconds=500)
BROKER_PAUSE_SECONDS = 5.0
LONGEST_PAUSE = dt.timedelta(minutes=5)
"""Between two tries of a job that failed."""
OPEN_STATES = (Job.State.QUEUED, Job.State.RUNNING)


class LostLease(Exception):
    """The job is no longer this worker's: it was silent for longer than a lease, or a person cancelled the job."""


class Failed(Exception):
    """Raised by a handler that knows trying again cannot help. The text is shown to people: never what was said."""


class Later(Exception):
    """Raised by a handler to be run again after `seconds`, without counting this attempt as a failure."""

    def __init__(self, seconds: float, reason: str) -> None:
        super().__init__(reason)
        self.seconds = seconds


@dataclass
class Run:
    """One attempt at a job, as its handler sees it.

    `by` is the job itself as an actor; hand it to services. `finish` belongs inside the handler's last write
    (`record(run.by, ..., act)` with `act` calling `run.finish(...)`): then the work and the job's end are one
    transaction, and a job that is taken over cannot do its work twice. A handler that never calls it is finished with
    the mapping it returns.
    """

    job: Job
    by: Principal
    lease: str
    ended: bool = False
    alive_at: float = field(default_factory=time.monotonic)
    _told_at: dt.datetime | None = None

    def progress(self, done: int, total: int) -> None:
        """Say how far the job is (units of its own choosing) and keep the lease. Raises `LostLease` when it is gone."""
        self.alive_at = time.monotonic()
        now = timezone.now()
        if self._told_at and now - self._told_at < PROGRESS_EVERY and done < total:
            return
        self._told_at = now
        self._change(done=done, total=total, lease_until=now + LEASE)

    def finish(self, outcome: Mapping[str, Any] | None = None) -> None:
        """End the job well, all of it done. `outcome` holds counts and ids, never text. Raises `LostLease` when
        it is another's now."""
        now = timezone.now()
        with transaction.atomic():
            self._change(
                state=Job.State.SUCCEEDED,
                done=F("total"),
                outcome=dict(outcome or {}),
                finished_at=now,
                lease_until=None,
                leased_by="",
                error="",
            )
            end_attempt(self.job, "succeeded", now)
            transaction.on_commit(self._mark_ended)

    def _mark_ended(self) -> None:
        self.ended = True

    def _change(self, **columns: Any) -> None:
        if not held(self).update(**columns):
            raise LostLease(str(self.job.pk))


Handler = Callable[[Run], Mapping[str, Any] | None]


@dataclass(frozen=True)
class Subject:
    """What a job is about, for the pages: its words and the address of its page."""

    words: str
    url: str = ""


Subjects = Callable[[Principal, list[Job]], Mapping[uuid.UUID, Subject]]
"""What each of these jobs is about, by the job's id, in a fixed number of queries."""


def _untold(by: Principal, of: list[Job]) -> Mapping[uuid.UUID, Subject]:
    return {}


Hidden = Callable[[Principal], Sequence[QuerySet[Any, Any]]]
"""The ids of what somebody may not be served: jobs about these do not exist for them."""


def _nothing(by: Principal) -> Sequence[QuerySet[Any, Any]]:
    return ()


GivenUp = Callable[[Job], None]
"""What is done about what a job left behind when it is cancelled."""


def _leave(job: Job) -> None:
    pass


@dataclass(frozen=True)
class JobKind:
    """A declared kind of job: what runs it, what people call it, what its actor may do, what its jobs are about, and
    which of these are out of somebody's sight.

    `given_up` is called within the write that cancels a job of the kind.

    Jobs of a kind `in_order` run one after another within a workspace, in the order they were asked for; one that waits
    to be tried again lets the others pass.
    """

    name: str
    handler: Handler
    title: str
    capabilities: frozenset[str] = frozenset()
    in_order: bool = False
    subjects: Subjects = _untold
    hidden: Hidden = _nothing
    given_up: GivenUp = _leave


Spending = Callable[[Principal, Job], Mapping[str, Any]]
"""What a job has cost beside time, as named figures; nothing when it cost nothing."""

_spending: list[Spending] = []


def register_spending(spending: Spending) -> None:
    """Show these figures with every job. Called by the room that spends when it starts."""
    if spending not in _spending:
        _spending.append(spending)


def spent(by: Principal, job: Job) -> dict[str, Any]:
    """What a job has cost beside time."""
    return {name: value for spending in _spending for name, value in spending(by, job).items()}


_kinds: dict[str, JobKind] = {}


def register(
    kind: str,
    handler: Handler,
    *,
    title: str,
    capabilities: Iterable[str] = (),
    in_order: bool = False,
    subjects: Subjects = _untold,
    hidden: Hidden = _nothing,
    given_up: GivenUp = _leave,
) -> None:
    """Declare a kind of job. Called by its room when it starts; a name belongs to one handler."""
    known = _kinds.get(kind)
    if known and known.handler is not handler:
        raise ValueError(f"The job kind {kind} is already another handler's.")
    _kinds[kind] = JobKind(kind, handler, title, frozenset(capabilities), in_order, subjects, hidden, given_up)


def kinds() -> dict[str, JobKind]:
    """Every declared kind by name."""
    return dict(_kinds)


def title_of(kind: str) -> str:
    """What people call jobs of this kind."""
    return _kinds[kind].title if kind in _kinds else kind.replace("_", " ").capitalize()


def subjects(by: Principal, of: list[Job]) -> dict[uuid.UUID, Subject]:
    """What each job is about, by the job's id, where its room says so."""
    found: dict[uuid.UUID, Subject] = {}
    for kind in _kinds.values():
        if mine := [job for job in of if job.kind == kind.name]:
            found.update(kind.subjects(by, mine))
    return found


def enqueue(
    write: Write,
    kind: str,
    subject_id: uuid.UUID,
    arguments: Mapping[str, Any] | None = None,
    *,
    dedupe: str = "",
    delay: dt.timedelta = dt.timedelta(0),
) -> Job:
    """Ask for work within a write; a worker is woken when the write commits.

    `arguments` are ids and settings, never what a person said. With `dedupe`, an open job of the kind for the same word
    is returned in place of a second one; its handler must look for its work again in the write that finishes it, so
    that what is asked for while it runs is not missed.
    """
    _require_open_transaction()
    if kind not in _kinds:
        raise ValueError(f"No room has declared the job kind {kind}.")
    if dedupe:
        waiting = Job.objects.filter(workspace=write.workspace, kind=kind, dedupe=dedupe, state__in=OPEN_STATES).first()
        if waiting:
            return waiting
    job = Job.objects.create(
        workspace=write.workspace,
        kind=kind,
        subject_id=subject_id,
        arguments=dict(arguments or {}),
        dedupe=dedupe,
        run_after=write.recorded_at + delay,
        created_at=write.recorded_at,
        write=write,
    )
    if not delay:
        wake_on_commit(job.pk)
    return job


def at_work(write: Write, kind: str, dedupe: str) -> bool:
    """Whether a job of this kind for this word waits or runs."""
    return Job.objects.filter(workspace=write.workspace, kind=kind, dedupe=dedupe, state__in=OPEN_STATES).exists()


def retry(write: Write, job: Job) -> Job:
    """Queue a failed or cancelled job once more, as if never tried. Raises `Conflict` in another state."""
    _require_right(write, job)
    changed = Job.objects.filter(
        pk=job.pk, workspace=write.workspace, state__in=[Job.State.FAILED, Job.State.CANCELLED]
    ).update(state=Job.State.QUEUED, attempts=0, run_after=timezone.now(), finished_at=None, error="")
    if not changed:
        raise Conflict("Only a job that failed or was cancelled can be tried again.", code="job_not_failed")
    wake_on_commit(job.pk)
    job.refresh_from_db()
    return job


def cancel(write: Write, job: Job) -> Job:
    """Give up a job that has not ended well. What it already committed stays; a running attempt loses its lease."""
    _require_right(write, job)
    now = timezone.now()
    changed = (
        Job.objects.filter(pk=job.pk, workspace=write.workspace)
        .exclude(state__in=[Job.State.SUCCEEDED, Job.State.CANCELLED])
        .update(state=Job.State.CANCELLED, finished_at=now, lease_until=None, leased_by="")
    )
    if not changed:
        raise Conflict("The job has already ended.", code="job_ended")
    end_attempt(job, "cancelled", now)
    if job.kind in _kinds:
        _kinds[job.kind].given_up(job)
    job.refresh_from_db()
    return job


def keep(run: Run, *, done: int, total: int) -> None:
    """Say how far the job is within a transaction that stores part of its work: both are committed, or neither.
    Raises `LostLease` when the job is no longer this worker's."""
    run.alive_at = time.monotonic()
    if not held(run).update(done=done, total=total, lease_until=timezone.now() + LEASE):
        raise LostLease(str(run.job.pk))


def held(run: Run) -> Any:
    """The job's row, for as long as it is this run's."""
    return Job.objects.filter(pk=run.job.pk, state=Job.State.RUNNING, leased_by=run.lease)


def end_attempt(job: Job, ending: str, at: dt.datetime, error: str = "") -> None:
    """Close the open attempt of a job, if there is one."""
    JobAttempt.objects.filter(job=job, ended_at=None).update(ended_at=at, ending=ending, error=error)


def wake_on_commit(job_id: uuid.UUID) -> None:
    transaction.on_commit(partial(wake, job_id), robust=True)


def waits(now: dt.datetime) -> Q:
    """A queued job whose time has come.

    What was asked for without a delay is due at once, and a pause ends, also when the clock was set back since: times
    of the ledger never go back, and the clock of a machine may.
    """
    at_once = Q(attempts=0, run_after__lte=F("created_at"))
    from_ahead = Q(attempts__gt=0, run_after__gt=now + 2 * LONGEST_PAUSE)
    return Q(state=Job.State.QUEUED) & (Q(run_after__lte=now) | at_once | from_ahead)


def lapsed(now: dt.datetime) -> Q:
    """A running job whose worker gave no sign for a lease, or holds a longer one than there is: its clock was ahead."""
    over = Q(lease_until__lt=now) | Q(lease_until__gt=now + 2 * LEASE)
    return Q(state=Job.State.RUNNING) & over


_broker_silent_until = 0.0


def wake(job_id: uuid.UUID, *, expires: float | None = None) -> bool:
    """Tell the workers that a job is due. False when the broker could not be told; the sweep will see to the job.

    A broker that does not answer is left alone for a few seconds, so that writes do not each wait for it.
    """
    global _broker_silent_until
    if time.monotonic() < _broker_silent_until:
        return False
    from celery import current_app

    try:
        current_app.send_task(RUN_JOB, args=[str(job_id)], expires=expires, retry=False, ignore_result=True)
    except Exception as error:
        _broker_silent_until = time.monotonic() + BROKER_PAUSE_SECONDS
        log.warning("broker_unreachable", error=type(error).__name__, job=str(job_id))
        return False
    return True


def _require_right(write: Write, job: Job) -> None:
    _require_open_transaction()
    write.by.require("retry_jobs")
    if job.workspace_id != write.workspace_id:
        raise NotFound(f"No job {job.pk} in {write.workspace.name}.", code="no_such_job")


def _require_open_transaction() -> None:
    if not connection.in_atomic_block:
        raise transaction.TransactionManagementError("A job is asked for inside a write.")
