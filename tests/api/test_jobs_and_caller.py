"""Who am I, the jobs, and what every answer of the REST door has in common."""

from typing import Any

import pytest
from django.test import Client

from memoryapp.ledger import jobs
from memoryapp.ledger.identifiers import new_id
from memoryapp.ledger.models import Job
from memoryapp.ledger.services import record
from tests.api.calling import Caller

pytestmark = pytest.mark.django_db


def queue(caller: Caller, count: int = 1) -> list[Job]:
    """Jobs of the caller's workspace."""
    if "testing" not in jobs.kinds():
        jobs.register("testing", lambda run: None, title="Do nothing")
    return [
        record(caller.operator, "q", lambda write: jobs.enqueue(write, "testing", new_id(), {}, dedupe=""))
        for _ in range(count)
    ]


def test_a_key_says_who_it_is(reader: Caller) -> None:
    answer = reader.get("")
    assert answer.status_code == 200
    told = answer.json()
    assert told["agent"]["name"] == "Reader"
    assert told["workspace"]["slug"] == "harbour"
    assert set(told["surfaces"]) == {"lookup", "recall"}
    assert "recall" in told["capabilities"]
    assert "remember" not in told["capabilities"]
    assert answer["Commonplace-Workspace"] == "harbour"
    assert reader.key not in answer.content.decode()


def test_jobs_are_paged_newest_first_and_each_once(curator: Caller, stranger: Caller) -> None:
    made = [str(job.pk) for job in queue(curator, 5)]
    queue(stranger, 2)
    seen: list[str] = []
    cursor = ""
    while True:
        answer = curator.get(f"jobs?page_size=2{cursor}")
        assert answer.status_code == 200
        page = answer.json()
        seen += [job["id"] for job in page["items"]]
        if not page["next"]:
            break
        cursor = f"&cursor={page['next']}"
    assert seen == list(reversed(made))


def test_a_cursor_belongs_to_its_question(curator: Caller, stranger: Caller) -> None:
    queue(curator, 3)
    cursor = curator.get("jobs?page_size=1").json()["next"]
    assert curator.get(f"jobs?page_size=2&cursor={cursor}").status_code == 200
    for address in (f"jobs?state=queued&cursor={cursor}", f"jobs?cursor={cursor}x", "jobs?cursor=abc"):
        assert curator.get(address).json()["code"] == "cursor_not_valid"
    assert stranger.get(f"jobs?cursor={cursor}").json()["code"] == "cursor_not_valid"


def test_a_job_of_another_workspace_does_not_exist(curator: Caller, stranger: Caller) -> None:
    job = queue(curator)[0]
    assert curator.get(f"jobs/{job.pk}").json()["title"] == "Do nothing"
    assert stranger.get(f"jobs/{job.pk}").status_code == 404


@pytest.mark.parametrize(
    ("query", "code", "place"),
    [
        ("staet=queued", "unknown_parameter", "staet"),
        ("state=gone", "not_a_choice", "state"),
        ("state=queued&state=failed", "repeated_parameter", "state"),
        ("page_size=0", "min_value", "page_size"),
        ("page_size=1.0", "wrong_type", "page_size"),
        ("page_size=9999", "max_value", "page_size"),
        ("subject_id=harbour", "not_an_id", "subject_id"),
        ("workspace=lighthouse", "unknown_parameter", "workspace"),
    ],
)
def test_a_parameter_that_is_not_taken_is_named_with_what_is(
    curator: Caller, query: str, code: str, place: str
) -> None:
    """Case 115: a misspelt filter never searches everything."""
    answer = curator.get(f"jobs?{query}")
    assert answer.status_code == 400
    [error] = answer.json()["errors"]
    assert (error["code"], error["path"]) == (code, place)
    assert error["accepted"]


def test_the_nearest_parameter_is_offered(curator: Caller) -> None:
    assert "Did you mean “state”?" in curator.get("jobs?staet=queued").json()["detail"]


@pytest.mark.parametrize(
    "query", ["state=%00", "state=%ff", "state=%ed%a0%80", "&".join(f"kind{n}=" for n in range(500))]
)
def test_a_query_that_cannot_be_read_is_refused(curator: Caller, query: str) -> None:
    assert curator.get(f"jobs?{query}").status_code == 400


def test_a_verb_that_is_not_there_is_405_with_those_that_are(curator: Caller) -> None:
    answer = curator.post("jobs", {})
    assert answer.status_code == 405
    assert "GET" in answer["Allow"]


def test_an_address_that_is_not_there_is_a_problem(curator: Caller) -> None:
    for address in ("/api/v1/jbos", "/api/v2/", "/api/", "/api/v1/jobs/", "/api/v1/jobs/not-an-id"):
        assert curator.get(address).json()["code"] == "no_such_endpoint"


def test_a_body_where_none_is_taken_is_refused(curator: Caller) -> None:
    assert curator.send("GET", "jobs", b'{"state": "queued"}').json()["code"] == "body_not_taken"


def test_the_trace_id_is_the_callers_when_it_sends_one(curator: Caller) -> None:
    assert curator.get("jobs?x=1", X_Request_ID="run-7").json()["trace_id"] == "run-7"
    forged = curator.get("jobs?x=1", X_Request_ID="a b\tc").json()["trace_id"]
    assert " " not in forged


def test_a_crash_is_a_problem_that_shows_nothing(curator: Caller, monkeypatch: Any) -> None:
    from memoryapp.ledger import queries

    def breaks(*args: Any, **options: Any) -> Any:
        raise RuntimeError("the secret inside")

    monkeypatch.setattr(queries, "jobs", breaks)
    answer = curator.get("jobs")
    assert answer.status_code == 500
    assert answer.json()["code"] == "internal"
    assert "secret" not in answer.content.decode()


def test_a_key_that_asks_too_often_is_told_when_to_come_back(curator: Caller, settings: Any) -> None:
    settings.KEY_REQUESTS_PER_MINUTE = 3
    answers = [curator.get("") for _ in range(8)]
    refused = [answer for answer in answers if answer.status_code == 429]
    assert refused
    assert int(refused[0]["Retry-After"]) > 0


def test_the_schema_and_its_page_are_open_and_complete() -> None:
    client = Client()
    schema = client.get("/api/v1/openapi.json").json()
    assert schema["openapi"].startswith("3.1")
    assert {"/api/v1/", "/api/v1/jobs", "/api/v1/jobs/{job_id}"} <= set(schema["paths"])
    for path, operations in schema["paths"].items():
        for verb, operation in operations.items():
            assert operation["summary"], (path, verb)
            assert "default" in operation["responses"], (path, verb)
            assert operation["security"] == [{"agentKey": []}], (path, verb)
    page = client.get("/api/docs")
    assert page.status_code == 200
    assert "<style" not in page.content.decode()
    assert "script-src" in page["Content-Security-Policy"] or "default-src" in page["Content-Security-Policy"]
