"""One trace id from the request to the job to the belief, in the log and in what is stored."""

from __future__ import annotations

import json

import pytest

from tests.house.running import Running

pytestmark = pytest.mark.slow

TRACE = "trace-of-one-request"
TOLD = {
    "thread": {"external_id": "traced", "title": "Traced"},
    "participants": [{"key": "mara", "role": "user", "name": "Mara", "identity": {"email": "mara@quay.example"}}],
    "turns": [
        {
            "speaker": "user",
            "by": "mara",
            "said_at": "2026-03-02T09:15:00+01:00",
            "content": "I prefer the berth report by email.",
        }
    ],
}
WRITES = (
    "from memoryapp.graph.models import Belief; "
    "print([belief.write.trace_id for belief in Belief.objects.filter(content__contains='berth report')])"
)


def test_the_trace_of_a_request_is_on_its_lines_its_jobs_lines_and_its_beliefs(running: Running) -> None:
    running.start("--no-demonstration")
    status, told = running.ask("POST", "/api/v1/conversations", TOLD, X_Request_ID=TRACE)
    assert status == 202
    running.wait_for(
        lambda: running.ask("GET", f"/api/v1/jobs/{told['job']}")[1]["state"] == "succeeded", "the job to be done"
    )
    assert running.command("shell", "--no-imports", "--command", WRITES).strip() == str([TRACE])
    lines = [json.loads(line[line.index("{") :]) for line in running.printed.splitlines() if TRACE in line]
    assert {line["event"] for line in lines} >= {"request_finished", "job_succeeded"}
    assert all(line["trace_id"] == TRACE for line in lines)
    assert next(line for line in lines if line["event"] == "job_succeeded")["job"] == told["job"]
    assert "prefer the berth" not in running.printed
