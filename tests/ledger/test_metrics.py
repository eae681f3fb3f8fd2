"""What a monitor reads, who may read it, and that it tells the truth also when things are down."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client, override_settings
from prometheus_client.parser import text_string_to_metric_families

from memoryapp.ledger import queries
from memoryapp.ledger.models import Workspace
from memoryapp.ledger.principal import Principal
from tests.api.calling import Caller
from tests.ledger.test_status import seen
from tests.visiting import tell_a_story

TOKEN = "token-of-the-monitor"
Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def read(client: Client) -> tuple[Samples, str]:
    """Every sample by its name and labels, and the page as it is."""
    with override_settings(METRICS_TOKEN=TOKEN):
        answer = client.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    text = answer.content.decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }, text


def of(samples: Samples, name: str, **labels: str) -> float:
    return samples.get((name, tuple(sorted(labels.items()))), 0.0)


def test_without_a_token_there_is_no_such_page_and_with_one_it_must_be_sent(db: None, client: Client) -> None:
    assert client.get("/metrics").status_code == 404
    with override_settings(METRICS_TOKEN=TOKEN):
        for sent in ("", "Bearer wrong", f"Basic {TOKEN}", "Bearer", "Bearer tökèn"):
            answer = client.get("/metrics", headers={"Authorization": sent} if sent else {})
            assert answer.status_code == 401, sent
            assert b"commonplace_" not in answer.content
        assert client.post("/metrics", headers={"Authorization": f"Bearer {TOKEN}"}).status_code == 405


def test_requests_recalls_tools_and_jobs_are_counted(
    client: Client, workspace: Workspace, curator_agent: Principal, work: Callable[[], int]
) -> None:
    from memoryapp.mcp import server

    caller = Caller(workspace, ["recall", "lookup"], "Monitor")
    before, _ = read(client)
    caller.post("recall", {"question": "harbour"})
    caller.get("beliefs/01890a5d-ac96-774b-bcce-b302099a8057")
    headers = {"authorization": f"Bearer {caller.key}", "x-request-id": "one"}
    server.result("memory_current", {}, headers)
    tell_a_story(curator_agent, work)
    after, text = read(client)

    def more(name: str, **labels: str) -> float:
        return of(after, name, **labels) - of(before, name, **labels)

    assert more("commonplace_requests_total", method="POST", route="/api/v1/recall", status="200") == 1
    one = "/api/v1/beliefs/<uuid:belief_id>"
    assert more("commonplace_requests_total", method="GET", route=one, status="404") == 1
    assert more("commonplace_request_seconds_count", route="/api/v1/recall") == 1
    assert more("commonplace_recall_seconds_count", form="recall") == 1
    assert more("commonplace_tool_calls_total", tool="memory_current", status="200") == 1
    assert of(after, "commonplace_jobs", kind="extract", state="succeeded") > 0
    assert "01890a5d" not in text
    assert "harbour" not in text.casefold()


def test_health_is_told_in_numbers(db: None, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    seen("worker", 75)
    seen("scheduler")
    samples, _ = read(client)
    assert of(samples, "commonplace_up") == 0
    assert of(samples, "commonplace_database_up") == 1
    assert of(samples, "commonplace_seen_seconds", role="worker") >= 75
    seen("worker")
    assert of(read(client)[0], "commonplace_up") == 1

    def refuse(*_: Any) -> None:
        raise DatabaseError("gone")

    monkeypatch.setattr(queries, "_read_rows", refuse)
    samples, _ = read(client)
    assert (of(samples, "commonplace_up"), of(samples, "commonplace_database_up")) == (0, 0)
    assert ("commonplace_jobs", ()) not in samples
