"""One command sets everything up and runs it; a second start keeps what is there; Ctrl-C leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.house.running import Running, alive

pytestmark = pytest.mark.slow


def curl_of(printed: str) -> str:
    found = re.search(r"^  (curl .+)$", printed, re.MULTILINE)
    assert found, printed
    return found.group(1)


def paste(line: str) -> dict[str, Any]:
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=True, timeout=60)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One installation for all tests of this file; each brings it into the state it needs."""
    product = Running(tmp_path_factory.mktemp("installation"))
    yield product
    product.stop()


@pytest.fixture(scope="module")
def first_start(installation: Running) -> str:
    """What the very first start printed."""
    return installation.start()


def test_the_first_start_says_how_to_sign_in_and_its_curl_works_as_pasted(
    installation: Running, first_start: str
) -> None:
    assert re.search(r"Sign in as +admin\n +Password +\S{19}\n", first_start)
    key = re.search(r"Agent key +(cpl_\S+)", first_start)
    assert key
    assert key.group(1) in curl_of(first_start)
    answer = paste(curl_of(first_start))
    assert [hit for hit in answer["hits"] if "weekly status emails" in hit["text"]], answer
    status = paste(f"curl -s {installation.url}/status")
    assert status["status"] == "ok", status


def test_secrets_of_the_machine_are_its_owners_alone(installation: Running, first_start: str) -> None:
    kept = installation.directory / "var" / "machine.env"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert not [value for value in re.findall(r"=(\S{20,})", kept.read_text()) if value in first_start]


TOLD = {
    "thread": {"external_id": "quay-1", "title": "At the quay"},
    "participants": [
        {"key": "mara", "role": "user", "name": "Mara Oliveira", "identity": {"email": "mara@quay.example"}}
    ],
    "turns": [
        {
            "message_id": "1",
            "speaker": "user",
            "by": "mara",
            "said_at": "2026-03-02T09:15:00+01:00",
            "content": "I prefer tea to coffee in the marlin room.",
        }
    ],
}


def test_what_an_agent_tells_is_read_by_a_worker_and_recalled_under_one_trace_that_the_log_shows(
    installation: Running, first_start: str
) -> None:
    installation.start()
    status, told = installation.ask("POST", "/api/v1/conversations", TOLD, X_Request_ID="trace-of-mara")
    assert status == 202, told
    installation.wait_for(
        lambda: installation.ask("GET", f"/api/v1/jobs/{told['job']}")[1]["state"] == "succeeded", "the job to succeed"
    )
    status, recalled = installation.ask("POST", "/api/v1/recall", {"question": "tea or coffee?"})
    assert status == 200
    assert "tea" in recalled["hits"][0]["text"], recalled
    lines = [json.loads(line) for line in installation.printed.splitlines() if line.startswith("{")]
    assert {line["event"] for line in lines if line.get("trace_id") == "trace-of-mara"} == {
        "request_finished",
        "job_succeeded",
    }
    assert "marlin" not in installation.printed


def test_a_killed_child_is_started_again(installation: Running) -> None:
    installation.start()
    for role in ("worker", "web", "scheduler"):
        before = installation.children()[role]
        os.kill(before, signal.SIGKILL)
        installation.wait_for(lambda role=role, before=before: installation.children()[role] != before, f"a new {role}")
    installation.wait_for(lambda: installation.answers("/healthz"), "the address to answer again")


def test_ctrl_c_leaves_no_process_and_the_next_start_keeps_the_data_and_prints_no_secret(
    installation: Running, first_start: str
) -> None:
    installation.start()
    children = installation.children()
    assert set(children) == {"web", "worker", "scheduler"}
    before = paste(curl_of(first_start))
    installation.stop(signal.SIGINT)
    assert installation.process is not None
    assert installation.process.returncode == 0
    assert not [pid for pid in children.values() if alive(pid)]

    second_start = installation.start()
    assert "Password" not in second_start
    assert "cpl_" not in second_start
    assert paste(curl_of(first_start)) == before
    assert paste(curl_of(second_start))["status"] == "ok"


def test_when_the_master_is_killed_outright_its_children_end_too(installation: Running) -> None:
    installation.start()
    children = installation.children()
    assert installation.process is not None
    installation.process.kill()
    installation.process.wait()
    until = time.monotonic() + 60
    while left := [role for role, pid in children.items() if alive(pid)]:
        assert time.monotonic() < until, left
        time.sleep(0.1)


def test_a_database_that_does_not_answer_is_named_in_one_sentence(running: Running) -> None:
    running.settings["DATABASE_URL"] = "postgres://somebody:marlin@127.0.0.1:1/nowhere"
    with pytest.raises(AssertionError) as ended:
        running.start()
    told = str(ended.value)
    assert "The database does not answer" in told
    assert "Traceback" not in told
    assert "marlin" not in told


def test_a_taken_port_is_refused_in_one_sentence_before_anything_is_made(tmp_path: Path) -> None:
    running = Running(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", running.port))
        other.listen()
        with pytest.raises(AssertionError, match=f"Try --port {running.port + 1}"):
            running.start()
    assert not list((running.directory / "var").glob("*.sqlite3"))
