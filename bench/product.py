"""The running product for a benchmark: started as `manage.py up` starts it, and spoken to over REST."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memoryapp.ledger.models import Workspace

ROOT = Path(__file__).resolve().parents[1]
START_WITHIN = 300.0


@contextmanager
def running() -> Iterator[Product]:
    """Web, worker and scheduler over the database of `DATABASE_URL`, with their files in `COMMONPLACE_VAR` (or
    var/bench). Django may be set up in this process once it runs: both then have the same secrets."""
    os.environ.pop("DEBUG", None)
    var = Path(os.environ.setdefault("COMMONPLACE_VAR", str(ROOT / "var" / "bench")))
    var.mkdir(parents=True, exist_ok=True)
    port = _free_port()
    with (var / "product.log").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--no-demonstration", "--port", str(port)],
            cwd=ROOT,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        _wait_until_it_answers(process, port)
        yield Product(port, process.pid)
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)


@dataclass(frozen=True)
class Product:
    """The running product: where it answers, and the session its processes belong to."""

    port: int
    session: int

    def memory(self) -> float:
        """Megabytes that all its processes hold alone, with their part of what they share."""
        held = 0
        for process in Path("/proc").iterdir():
            try:
                if process.name.isdecimal() and os.getsid(int(process.name)) == self.session:
                    told = (process / "smaps_rollup").read_text()
                    held += int(re.search(r"^Pss:\s+(\d+) kB", told, re.MULTILINE)[1])  # type: ignore[index]
            except (OSError, TypeError):
                continue  # It ended meanwhile.
        return held / 1024


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_it_answers(process: subprocess.Popen[bytes], port: int) -> None:
    until = time.monotonic() + START_WITHIN
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            answers = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            answers.request("GET", "/healthz")
            if answers.getresponse().status == 200:
                return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("The product did not start; see product.log in COMMONPLACE_VAR.")


class Agent:
    """An agent of a new workspace, or of this one, with its key, over one connection that is kept open."""

    def __init__(self, port: int, name: str, workspace: Workspace | None = None) -> None:
        from memoryapp.access import services
        from memoryapp.ledger.models import Write
        from memoryapp.ledger.services import record
        from memoryapp.ontology.services import found_workspace

        slug = f"{name}-{uuid.uuid4().hex[:8]}"
        self.workspace = workspace or found_workspace(slug, name, "UTC", "default")

        def make(write: Write) -> Any:
            agent = services.create_agent(write, name=slug, surfaces=["lookup", "recall", "curate", "steward"])
            return services.issue_key(write, agent=agent)

        self.key: str = record(services.operator(self.workspace), "create_agent", make).text
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer of `/api/v1/<path>`. Any failure ends the benchmark."""
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"} | headers
        content = None if body is None else json.dumps(body).encode()
        self.connection.request(method, f"/api/v1/{path}", content, headers)
        answer = self.connection.getresponse()
        told = json.loads(answer.read())
        if answer.status >= 400:
            raise SystemExit(f"{method} {path}: {answer.status} {told}")
        return told

    def wait_for(self, job: str) -> str:
        """The state in which a job ended."""
        while (state := str(self.ask("GET", f"jobs/{job}")["state"])) in ("queued", "running"):
            time.sleep(0.2)
        return state
