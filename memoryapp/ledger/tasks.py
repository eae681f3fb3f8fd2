"""What the broker can ask of a worker: run one job, look for jobs that nobody was woken for, or look at the tables."""

import uuid
from typing import Any

from celery import shared_task
from celery.signals import beat_init, worker_ready, worker_shutdown

from memoryapp.ledger import jobs, statistics, workers


@shared_task(name=jobs.RUN_JOB, ignore_result=True)  # type: ignore[untyped-decorator]
def run_job(job_id: str) -> None:
    """Run the job if it is due and no one else has it. Harmless when sent twice, late or for a job that has ended."""
    workers.run(uuid.UUID(job_id))


@shared_task(name="ledger.sweep", ignore_result=True)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Send every due job again, and every job whose worker fell silent."""
    workers.sweep()


@shared_task(name="ledger.gather_statistics", ignore_result=True)  # type: ignore[untyped-decorator]
def gather_statistics() -> None:
    """Let the planner know the tables as they are by now."""
    statistics.gather()


@worker_ready.connect  # type: ignore[untyped-decorator]
def worker_starts(**_: Any) -> None:
    workers.start_heartbeat("worker")


@worker_shutdown.connect  # type: ignore[untyped-decorator]
def worker_leaves(**_: Any) -> None:
    workers.say_goodbye("worker")


@beat_init.connect  # type: ignore[untyped-decorator]
def scheduler_starts(**_: Any) -> None:
    workers.start_heartbeat("scheduler")
