"""A Celery application like the product's, with a kind of job that waits for a file, and with a short lease.

`celery -A tests.ledger.patient worker` is a process of a test: what a kill does to a job is seen on a real one only.
"""

from __future__ import annotations

import datetime as dt
import os
import time
from pathlib import Path
from typing import Any

import django

django.setup()

from memoryapp.celery import app as app  # noqa: E402
from memoryapp.ledger import jobs, tasks, workers  # noqa: E402
from memoryapp.ledger.services import record  # noqa: E402

KIND = "wait_for_file"
DIRECTORY = Path(os.environ["COMMONPLACE_VAR"])

jobs.LEASE = dt.timedelta(seconds=2)
workers.HEARTBEAT_SECONDS = 0.5
assert tasks.run_job


def wait_for_file(run: jobs.Run) -> None:
    """Say that it has begun, wait until it may go on, and do its work and its end in one write."""
    with (DIRECTORY / "begun").open("a", encoding="utf-8") as file:
        file.write(f"{os.getpid()}\n")
    while not (DIRECTORY / "go").exists():
        run.progress(0, 1)
        time.sleep(0.1)

    def act(write: Any) -> None:
        run.finish({"by": os.getpid()})

    record(run.by, "waited", act)


jobs.register(KIND, wait_for_file, title="Wait for a file")
