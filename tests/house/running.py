"""The whole product as processes of its own: what `manage.py up` starts, on a free port with its own data."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_WITHIN = 240.0


class Running:
    """One installation in a directory of its own. `start` may be called again after `stop`: the data stays."""

    def __init__(self, directory: Path, settings: dict[str, str] | None = None) -> None:
        self.directory = directory
        self.settings = settings or {}
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.output = directory / "output.txt"
        self.process: subprocess.Popen[bytes] | None = None
        self.password = ""
        self.key = ""

    @property
    def database(self) -> Path:
        """The file of an installation on SQLite."""
        return self.directory / "var" / "commonplace.sqlite3"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "VIRTUAL_ENV")}
        return kept | {"COMMONPLACE_VAR": str(self.directory / "var"), "PYTHONUNBUFFERED": "1"} | self.settings

    def start(self, *options: str) -> str:
        """Start everything, unless it runs, and wait until it greets. Returns what was printed so far."""
        if self.process is not None and self.process.poll() is None:
            return self.printed
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "manage.py", "up", "--port", str(self.port), *options],
                cwd=ROOT,
                env=self.environment,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.wait_for(lambda: "curl" in self.printed and self.answers("/healthz"), "the address to answer")
        self._keep_what_is_printed_once()
        return self.printed

    def _keep_what_is_printed_once(self) -> None:
        """The password of the administrator (`admin`) and the key of the agent, of this installation."""
        if found := re.search(r"Password +(\S+)", self.printed):
            self.password = found.group(1)
        if found := re.search(r"Agent key +(cpl_\S+)", self.printed):
            self.key = found.group(1)

    @property
    def printed(self) -> str:
        return re.sub(r"\x1b\[[0-9;]*m", "", self.output.read_text(encoding="utf-8", errors="replace"))

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        """One request of the agent, e.g. `ask("POST", "/api/v1/conversations", {...})`: status and parsed answer."""
        sent = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"} | {
            name.replace("_", "-"): value for name, value in headers.items()
        }
        if method == "POST":
            sent.setdefault("Idempotency-Key", uuid.uuid4().hex)
        content = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=content, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def sign_in(self, page: Any) -> None:
        """Sign the administrator in, in a browser's page."""
        page.goto(self.url + "/")
        page.get_by_label("User name").fill("admin")
        page.get_by_label("Password").fill(self.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_load_state()

    def answers(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(self.url + path, timeout=5) as response:
                return bool(response.status == 200)
        except OSError:
            return False

    def wait_for(self, condition: Any, what: str, within: float = START_WITHIN) -> None:
        """Wait for something that will come; fail with the printed output when the product died or it never came."""
        until = time.monotonic() + within
        while not condition():
            dead = self.process is None or self.process.poll() is not None
            assert not dead, f"The product ended while waiting for {what}:\n{self.printed}"
            assert time.monotonic() < until, f"Waited in vain for {what}:\n{self.printed}"
            time.sleep(0.1)

    def command(self, *arguments: str, **settings: str) -> str:
        """Run a management command against the same data."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment | settings,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def children(self) -> dict[str, int]:
        """Process ids by role, as the product printed them last."""
        return {role: int(pid) for role, pid in re.findall(r"(web|worker|scheduler) +started, pid (\d+)", self.printed)}

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop it as a person would: Ctrl-C to the master alone."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(timeout=60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def alive(pid: int) -> bool:
    """Whether a process runs; one that only waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
