"""Reads of the ledger: jobs, and how the product itself is doing."""

from __future__ import annotations

import datetime as dt
import os
import time
import uuid
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Min, Q, QuerySet
from django.utils import timezone

from memoryapp.doors.errors import NotFound
from memoryapp.ledger.jobs import kinds, waits
from memoryapp.ledger.models import Job, JobAttempt, Worker
from memoryapp.ledger.principal import Principal

SILENT_AFTER = dt.timedelta(seconds=20)
"""A worker or scheduler not seen for this long is taken to be gone."""
LATE_AFTER = dt.timedelta(minutes=2)
BROKER_CHECKED_EVERY = 5.0


def jobs(by: Principal, *, state: str = "", kind: str = "", subject_id: uuid.UUID | None = None) -> QuerySet[Job]:
    """Jobs of the caller's workspace about what they may be served, newest first, with who asked for them."""
    found = Job.objects.filter(workspace=by.workspace).select_related("write__actor").order_by("-created_at", "-id")
    for declared in kinds().values():
        for hidden in declared.hidden(by):
            found = found.exclude(kind=declared.name, subject_id__in=hidden)
    if state:
        found = found.filter(state=state)
    if kind:
        found = found.filter(kind=kind)
    if subject_id:
        found = found.filter(subject_id=subject_id)
    return found


def job(by: Principal, job_id: uuid.UUID) -> Job:
    """One job of the caller's workspace, or `NotFound`."""
    found = jobs(by).filter(pk=job_id).first()
    if found is None:
        raise NotFound(f"No job {job_id} in {by.workspace.name}.", code="no_such_job")
    return found


def attempts(by: Principal, of: Job) -> QuerySet[JobAttempt]:
    """Every try at a job, oldest first."""
    return JobAttempt.objects.filter(workspace=by.workspace, job=of).order_by("number")


def anything_to_do() -> bool:
    """Whether a job of any workspace is running or due. For the commands of this machine, never for a door."""
    return Job.objects.filter(waits(timezone.now()) | Q(state=Job.State.RUNNING)).exists()


@dataclass
class Status:
    """How the running product is doing. `problems` are sentences for an operator; none means all is well."""

    database: str = "up"
    broker: str = "up"
    worker_seen_seconds: int | None = None
    scheduler_seen_seconds: int | None = None
    oldest_due_job_seconds: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def word(self) -> str:
        """ok, degraded, or down when the memory can be neither read nor written."""
        if self.database != "up":
            return "down"
        return "degraded" if self.problems else "ok"

    @property
    def well(self) -> bool:
        """Whether everything that work needs is there: what a monitor is told by the status code."""
        in_time = self.oldest_due_job_seconds <= LATE_AFTER.total_seconds()
        return self.database == "up" and self.broker == "up" and self.attended and in_time

    @property
    def attended(self) -> bool:
        """Whether a worker and a scheduler have been seen just now."""
        longest = SILENT_AFTER.total_seconds()
        return all(
            seen is not None and seen <= longest for seen in (self.worker_seen_seconds, self.scheduler_seen_seconds)
        )

    def as_dict(self) -> dict[str, Any]:
        return {
            "status": self.word,
            "database": self.database,
            "broker": self.broker,
            "worker_seen_seconds": self.worker_seen_seconds,
            "scheduler_seen_seconds": self.scheduler_seen_seconds,
            "oldest_due_job_seconds": self.oldest_due_job_seconds,
            "problems": self.problems,
        }


def status() -> Status:
    """Database, broker, workers and the oldest job that should have been taken. Says nothing of any workspace."""
    found = Status()
    try:
        _read_rows(found, timezone.now())
    except DatabaseError as error:
        found.database = "down"
        found.problems.append(f"The database does not answer ({type(error).__name__}).")
        return found
    if not broker_answers():
        found.broker = "down"
        found.problems.append("The broker does not answer. Writes are kept; jobs wait until it does.")
    return found


def _read_rows(found: Status, now: dt.datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    found.worker_seen_seconds = _last_seen("worker", now)
    found.scheduler_seen_seconds = _last_seen("scheduler", now)
    for role, seconds in (("worker", found.worker_seen_seconds), ("scheduler", found.scheduler_seen_seconds)):
        if seconds is None:
            found.problems.append(f"No {role} has been seen. Jobs wait until one starts.")
        elif seconds > SILENT_AFTER.total_seconds():
            found.problems.append(f"No {role} seen for {seconds} s. Jobs wait until one starts.")
    oldest = Job.objects.filter(waits(now)).aggregate(at=Min("run_after"))["at"]
    if oldest and oldest < now:
        found.oldest_due_job_seconds = int((now - oldest).total_seconds())
        if now - oldest > LATE_AFTER:
            found.problems.append(f"A job has been waiting for {found.oldest_due_job_seconds} s.")
    if Job.objects.filter(state=Job.State.FAILED, finished_at__gt=now - dt.timedelta(hours=1)).exists():
        found.problems.append("A job failed within the last hour. The Jobs page of its workspace says why.")


def _last_seen(role: str, now: dt.datetime) -> int | None:
    """Seconds since one said that it lives. What was said by a clock that was set back since says nothing."""
    told = Worker.objects.filter(role=role, seen_at__lte=now + SILENT_AFTER).order_by("-seen_at")
    seen = told.values_list("seen_at", flat=True).first()
    return max(0, int((now - seen).total_seconds())) if seen else None


_broker: tuple[float, bool] = (-BROKER_CHECKED_EVERY, False)


def broker_answers() -> bool:
    """Whether a message could be sent now. Asked at most once in a few seconds."""
    global _broker
    asked_at, answer = _broker
    if time.monotonic() - asked_at > BROKER_CHECKED_EVERY:
        answer = _ask_broker()
        _broker = (time.monotonic(), answer)
    return answer


def _ask_broker() -> bool:
    if settings.CELERY_BROKER_URL.startswith("filesystem:"):
        messages = settings.BROKER_DIR / "messages"
        return messages.is_dir() and os.access(messages, os.W_OK | os.X_OK)
    from celery import current_app

    try:
        with current_app.connection_for_write(connect_timeout=2) as broker:
            broker.ensure_connection(max_retries=0, timeout=2)
    except Exception:
        return False
    return True
