"""One command sets everything up and runs it; a second start keeps what is there; Ctrl-C leaves nothing behind."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import stat
import subprocess

import pytest

from tests.house.running import Running, alive

pytestmark = pytest.mark.slow


def curl_of(printed: str) -> str:
    found = re.search(r"^  (curl .+)$", printed, re.MULTILINE)
    assert found, printed
    return found.group(1)


def paste(line: str) -> dict[str, object]:
    done = subprocess.run(line, shell=True, capture_output=True, text=True, check=True, timeout=60)
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def test_the_first_start_says_how_to_sign_in_and_its_curl_works_as_pasted(running: Running) -> None:
    printed = running.start()
    assert re.search(r"Sign in as +admin\n +Password +\S{19}\n", printed)
    key = re.search(r"Agent key +(cpl_\S+)", printed)
    assert key
    assert key.group(1) in curl_of(printed)
    answer = paste(curl_of(printed))
    assert "status" not in answer, answer
    status = paste(f"curl -s {running.url}/status")
    assert status["status"] == "ok", status


def test_a_second_start_keeps_the_data_and_the_key_and_prints_no_secret(running: Running) -> None:
    first = running.start()
    pasted = curl_of(first)
    before = paste(pasted)
    running.stop()
    second = running.start()
    assert "Password" not in second
    assert "cpl_" not in second
    assert paste(pasted) == before
    assert paste(curl_of(second))["status"] == "ok"


def test_ctrl_c_leaves_no_process(running: Running) -> None:
    running.start()
    children = running.children()
    assert set(children) == {"web", "worker", "scheduler"}
    running.stop(signal.SIGINT)
    assert running.process is not None
    assert running.process.returncode == 0
    assert not [pid for pid in children.values() if alive(pid)]


def test_a_killed_child_is_started_again(running: Running) -> None:
    running.start()
    for role in ("worker", "web", "scheduler"):
        before = running.children()[role]
        os.kill(before, signal.SIGKILL)
        running.wait_for(lambda role=role, before=before: running.children()[role] != before, f"a new {role}")
    running.wait_for(lambda: running.answers("/healthz"), "the address to answer again")


def test_when_the_master_is_killed_outright_its_children_end_too(running: Running) -> None:
    running.start()
    children = running.children()
    assert running.process is not None
    running.process.kill()
    running.process.wait()
    for role, pid in children.items():
        for _ in range(300):
            if not alive(pid):
                break
            signal.sigtimedwait([], 0.1)
        assert not alive(pid), role


def test_a_taken_port_is_refused_in_one_sentence(running: Running) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", running.port))
        other.listen()
        with pytest.raises(AssertionError, match=f"Try --port {running.port + 1}"):
            running.start()


def test_secrets_of_the_machine_are_its_owners_alone(running: Running) -> None:
    running.start("--no-demonstration")
    kept = running.directory / "var" / "machine.env"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert "SECRET_KEY" not in running.printed
    assert kept.read_text().count("=") == 4
