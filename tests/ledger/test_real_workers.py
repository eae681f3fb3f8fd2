"""What only real processes show: a worker killed outright in the middle of a job, and a broker that goes away."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.running import ROOT

pytestmark = pytest.mark.slow

ASK = """
from memoryapp.access.services import operator
from memoryapp.ledger import jobs, services
from memoryapp.ledger.models import Workspace
from tests.ledger import patient
workspace = Workspace.objects.filter(slug="harbour").first() or services.create_workspace("harbour", "Harbour")
by = operator(workspace)
job = services.record(by, "ask", lambda write: jobs.enqueue(write, patient.KIND, workspace.pk))
print(job.pk)
"""
LOOK = """
import json
from memoryapp.ledger.models import Job, JobAttempt, Write
job = Job.objects.get()
print(json.dumps({
    "state": job.state,
    "outcome": job.outcome,
    "endings": [each.ending for each in JobAttempt.objects.order_by("number")],
    "writes": Write.objects.filter(action="waited").count(),
}))
"""


class Workshop:
    """A database, a broker and real workers of one test."""

    application = "tests.ledger.patient"

    def __init__(self, directory: Path, empty_database: Path) -> None:
        self.directory = directory
        self.environment = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ} | {
            "COMMONPLACE_VAR": str(directory),
            "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
            "DEBUG": "1",
            "PYTHONPATH": str(ROOT),
        }
        self.processes: list[subprocess.Popen[bytes]] = []
        shutil.copy(empty_database, directory / "commonplace.sqlite3")

    def run(self, *arguments: str, **settings: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=ROOT,
            env=self.environment | settings,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    def ask(self, **settings: str) -> str:
        return self.run("manage.py", "shell", "--no-imports", "-c", ASK, **settings)

    def look(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.run("manage.py", "shell", "--no-imports", "-c", LOOK))
        return found

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        with (self.directory / "output.txt").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "celery", "-A", self.application, *arguments],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.processes.append(process)
        return process

    def worker(self) -> subprocess.Popen[bytes]:
        return self.start("worker", "--pool", "threads", "--concurrency", "2", "--without-gossip", "--without-mingle")

    def scheduler(self) -> subprocess.Popen[bytes]:
        return self.start("beat", "--pidfile", "")

    def begun(self) -> list[int]:
        """Process ids of the workers that have begun the job, in order."""
        path = self.directory / "begun"
        return [int(line) for line in path.read_text().split()] if path.exists() else []

    def let_go(self) -> None:
        (self.directory / "go").touch()

    def wait_for(self, condition: Callable[[], bool], what: str, within: float = 120) -> None:
        until = time.monotonic() + within
        while not condition():
            assert time.monotonic() < until, f"Waited in vain for {what}:\n" + (
                self.directory / "output.txt"
            ).read_text(errors="replace")
            time.sleep(0.2)

    def close(self) -> None:
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()


@pytest.fixture
def workshop(tmp_path: Path, empty_database: Path) -> Iterator[Workshop]:
    made = Workshop(tmp_path, empty_database)
    yield made
    made.close()


def test_a_worker_killed_in_the_middle_of_a_job_loses_it_to_another_which_does_it_once(workshop: Workshop) -> None:
    """Case 101."""
    workshop.ask()
    workshop.scheduler()
    doomed = workshop.worker()
    workshop.wait_for(lambda: workshop.begun() == [doomed.pid], "the first worker to begin")
    doomed.send_signal(signal.SIGKILL)
    doomed.wait()
    heir = workshop.worker()
    workshop.wait_for(lambda: workshop.begun() == [doomed.pid, heir.pid], "the second worker to take over")
    workshop.let_go()
    workshop.wait_for(lambda: workshop.look()["state"] == "succeeded", "the job to succeed")
    assert workshop.look() == {
        "state": "succeeded",
        "outcome": {"by": heir.pid},
        "endings": ["lost", "succeeded"],
        "writes": 1,
    }


@pytest.mark.parametrize("broker", ["amqp://127.0.0.1:1//", "redis://127.0.0.1:1/0"])
def test_a_job_asked_for_while_the_broker_is_away_is_done_when_there_is_one(workshop: Workshop, broker: str) -> None:
    """Case 77: by a worker alone, with no page open."""
    workshop.let_go()
    workshop.ask(CELERY_BROKER_URL=broker)
    assert workshop.look()["state"] == "queued"
    workshop.scheduler()
    workshop.worker()
    workshop.wait_for(lambda: workshop.look()["state"] == "succeeded", "the job to succeed")
    assert workshop.look()["writes"] == 1
