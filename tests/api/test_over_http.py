"""The REST door over a real socket: what only a real server shows."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.browser import Browser, faults_of
from tests.house.running import ROOT, free_port
from tests.kept_schema import copy_to

MAKE_A_WORKSPACE = "from memoryapp.ledger.services import create_workspace; create_workspace('harbour', 'Harbour')"

pytestmark = pytest.mark.slow


@dataclass
class Server:
    """The product's web process alone, on data of its own, with a curator's key."""

    port: int
    key: str

    def ask(self, verb: str, address: str, body: Any = None, **options: Any) -> tuple[int, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        connection.request(verb, address, body, headers, **options)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, json.loads(content) if content else None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    directory: Path = tmp_path_factory.mktemp("server")
    environment = os.environ | {"DEBUG": "1", "COMMONPLACE_VAR": str(directory), "DATABASE_URL": ""}
    environment = {name: value for name, value in environment.items() if value}
    environment["DJANGO_SETTINGS_MODULE"] = "memoryapp.settings"

    def command(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=200,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    if not copy_to(directory / "commonplace.sqlite3"):
        command("migrate", "--verbosity", "0")
    command("shell", "--no-imports", "--command", MAKE_A_WORKSPACE)
    printed = command("create_agent", "harbour", "Clerk", "--role", "curator")
    found = re.search(r"cpl_\w+", printed)
    assert found
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "uvicorn", "memoryapp.asgi:application", "--port", str(port), "--log-level", "warning"],
        cwd=ROOT,
        env=environment,
    )
    try:
        _wait_for(port, process)
        yield Server(port, found.group())
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while True:
        assert process.poll() is None, "The server ended."
        assert time.monotonic() < until, "The server never answered."
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.1)


def test_a_key_from_the_command_line_opens_the_door(server: Server) -> None:
    status, told = server.ask("GET", "/api/v1/")
    assert (status, told["workspace"]["slug"]) == (200, "harbour")


def test_a_chunked_body_is_seen_as_a_body(server: Server) -> None:
    """A body without a length is read like any other: here, refused where none is taken."""
    status, problem = server.ask("GET", "/api/v1/jobs", iter([b'{"state"', b': "queued"}']), encode_chunked=True)
    assert (status, problem["code"]) == (400, "body_not_taken")


def test_ten_megabytes_are_refused_however_they_are_sent(server: Server) -> None:
    part = b"a" * (1024 * 1024)
    assert server.ask("POST", "/api/v1/jobs", part * 10)[0] in (405, 413)
    status, problem = server.ask("GET", "/api/v1/jobs", iter([part] * 10), encode_chunked=True)
    assert (status, problem["code"]) == (413, "body_too_large")


def test_a_host_that_is_not_ours_is_a_problem(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    connection.request("GET", "/api/v1/", headers={"Host": "elsewhere.example"})
    answer = connection.getresponse()
    assert answer.status == 400
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert "Traceback" not in answer.read().decode()


@pytest.mark.browser
def test_the_documentation_page_renders_under_the_strict_policy(server: Server, browser: Browser) -> None:
    page = browser.page()
    page.goto(f"http://127.0.0.1:{server.port}/api/docs")
    page.get_by_text("Who am I?").first.wait_for()
    assert faults_of(page) == []
