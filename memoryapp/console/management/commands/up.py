"""`manage.py up`: everything, with one command."""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError, OperationalError, connections

from memoryapp.console import firstrun
from memoryapp.console.supervisor import Child, Group
from memoryapp.ledger import queries

QUESTION = "How often does Ines want status emails?"
READ_WITHIN_TICKS = 600
"""How long the greeting waits for the demonstration to be read, in tenths of a second."""


class Command(BaseCommand):
    help = "Prepare the database, make the first-run data, and run web, worker and scheduler until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="Address to listen on (127.0.0.1).")
        parser.add_argument("--port", type=int, default=8000, help="Port to listen on (8000).")
        parser.add_argument(
            "--no-demonstration", action="store_true", help="Begin with an empty workspace: no conversations are told."
        )

    def handle(self, *args: Any, host: str, port: int, no_demonstration: bool, **options: Any) -> None:
        refuse_a_taken_port(host, port)
        self._say("Preparing the database ...")
        try:
            call_command("migrate", interactive=False, verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
            first = firstrun.prepare(demonstration=not no_demonstration)
        except OperationalError as error:
            raise CommandError(
                f"The database does not answer ({str(error).strip().splitlines()[-1]}). Is it running, and is "
                "DATABASE_URL what it should be?"
            ) from error
        connections.close_all()
        group = Group(children(host, port), say=self._say)
        group.start()
        greeting = Greeting(f"http://{'127.0.0.1' if host == '0.0.0.0' else host}:{port}", first)
        sys.exit(group.watch(lambda: greeting.given(self._say)))

    def _say(self, line: str) -> None:
        """Print a line; when there is nowhere left to print it, go on all the same."""
        with contextlib.suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()


class Greeting:
    """What is printed once the product answers and has read what it was told."""

    def __init__(self, address: str, first: firstrun.FirstRun) -> None:
        self.address = address
        self.first = first
        self.ticks = 0

    def given(self, say: Callable[[str], None]) -> bool:
        """Say the greeting when its time has come. Asked again and again until then."""
        self.ticks += 1
        late = self.ticks > READ_WITHIN_TICKS
        due = self._answers() and (late or self._settled())
        connections.close_all()
        if due:
            say(self.text())
        return due

    def text(self) -> str:
        lines = ["", f"Commonplace is running at {self.address}/", ""]
        if self.first.password:
            lines += [f"  Sign in as   {self.first.username}", f"  Password     {self.first.password}"]
        if self.first.key:
            lines += [f"  Agent key    {self.first.key}"]
        if self.first.password or self.first.key:
            lines += ["", "The password and the key are not kept and not shown again.", ""]
        return "\n".join(
            [*lines, "Try it from another terminal:", "", f"  {self.curl()}", "", "Ctrl-C stops everything."]
        )

    def curl(self) -> str:
        """One line that works as pasted: with the new key if there is one, else what needs none."""
        if not self.first.key:
            return f"curl -s {self.address}/status"
        asked = json.dumps({"question": QUESTION, "limit": 1})
        return (
            f"curl -s {self.address}/api/v1/recall -H 'Authorization: Bearer {self.first.key}' "
            f"-H 'Content-Type: application/json' -d '{asked}'"
        )

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.address}/healthz", timeout=2) as answer:
                return bool(answer.status == 200)
        except (OSError, urllib.error.URLError):
            return False

    def _settled(self) -> bool:
        """Whether somebody is at work, and the demonstration has been read."""
        try:
            return queries.status().attended and not ("demonstration" in self.first.made and queries.anything_to_do())
        except DatabaseError:
            return False


def children(host: str, port: int) -> list[Child]:
    """Web, worker and scheduler: one process each, so that a signal to it is a signal to all of it."""
    celery = [sys.executable, "-m", "celery", "-A", "memoryapp", "--quiet"]
    return [
        Child(
            "web",
            [
                *(sys.executable, "-m", "uvicorn", "memoryapp.asgi:application"),
                *("--host", host, "--port", str(port), "--log-level", "warning", "--no-access-log"),
                *("--no-server-header", "--lifespan", "off", "--timeout-graceful-shutdown", "5"),
            ],
        ),
        Child(
            "worker",
            [
                *celery,
                *("worker", "--pool", "threads", "--concurrency", str(settings.WORKER_THREADS)),
                *("--without-gossip", "--without-mingle", "--without-heartbeat", "--loglevel", "warning"),
            ],
        ),
        Child("scheduler", [*celery, "beat", "--pidfile", "", "--loglevel", "warning"]),
    ]


def refuse_a_taken_port(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            another = f"Try --port {port + 1}, or make up PORT={port + 1}."
            raise CommandError(f"Cannot listen on {host}:{port} ({error.strerror}). {another}") from error
