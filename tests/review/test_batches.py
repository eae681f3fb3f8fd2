"""All cases that match at once: looked at by a job, decided when told to, reported one by one, taken back as one."""

from __future__ import annotations

import sys
from collections.abc import Callable

import pytest

from memoryapp.doors.errors import Conflict, Invalid, NotFound
from memoryapp.ledger import jobs
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import batching, queries, services
from memoryapp.review.models import Batch, BatchItem, Case, Decision
from tests.graph.telling import Memory
from tests.visiting import client_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]
MANY = "/w/harbour/queue/many/"
VERDICT = "belief_conflict/newer_replaces"


@pytest.fixture
def cases(curator_agent: Principal, operator: Principal) -> list[Case]:
    """Five conflicts; the last two are about one belief."""
    memory = Memory(curator_agent, operator)
    for name in ("Ines", "Tomas", "Rui", "Duarte"):
        owner = memory.node(name)
        memory.say("2026-03-02", f"{name} wants weekly letters", owner, topic="letters")
        memory.say("2026-06-01", f"{name} wants monthly letters", owner, topic="letters")
    memory.say("2026-07-01", "Duarte wants no letters", owner, topic="letters")
    return list(Case.objects.filter(kind="belief_conflict").order_by("opened_at", "pk"))


@pytest.fixture(autouse=True)
def in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batching, "AT_ONCE", 2)


def look(by: Principal, query: str = "") -> Batch:
    return record(
        by,
        "look_at_many",
        lambda write: services.look_at_many(write, kind="belief_conflict", verdict="newer_replaces", query=query),
        "One rule for all.",
    )


def carry_out(by: Principal, batch: Batch) -> None:
    record(by, "carry_out", lambda write: services.carry_out(write, batch.pk))


def states(batch: Batch) -> dict[str, int]:
    return {state: count for state, count in queries.counted(batch).items() if count}


def test_v4_a_batch_does_what_it_said_reports_each_and_is_taken_back_as_one(
    cases: list[Case], administrator: Principal, work: Callable[[], int]
) -> None:
    """V4: what was looked at is what happens, except where somebody was faster; one undo takes all of it back."""
    batch = look(administrator)
    work()
    batch.refresh_from_db()
    assert (batch.phase, states(batch)) == ("ready", {"will": 4, "left": 1})
    assert not Decision.objects.exists()
    left = BatchItem.objects.get(batch=batch, state="left")
    assert "another of these" in left.why_not
    faster = BatchItem.objects.filter(batch=batch, state="will").earliest("number")
    record(
        administrator,
        "decide",
        lambda write: services.decide(write, faster.case_id, lock=faster.lock, verdict="older_stands"),
    )
    carry_out(administrator, batch)
    work()
    batch.refresh_from_db()
    assert (batch.phase, states(batch)) == ("done", {"decided": 3, "failed": 1, "left": 1})
    faster.refresh_from_db()
    assert "older stands" in faster.why_not
    given = Decision.objects.filter(batch_id=batch.pk)
    assert {(one.decided_by, one.rationale) for one in given} == {(administrator.actor, "One rule for all.")}
    record(administrator, "take_back", lambda write: services.take_back(write, batch.pk))
    work()
    batch.refresh_from_db()
    assert (batch.phase, states(batch)["undone"]) == ("undone", 3)
    assert not Decision.objects.filter(batch_id=batch.pk, undone_by__isnull=True, undoes__isnull=True).exists()


def test_a_batch_goes_on_where_its_job_was_stopped(
    cases: list[Case], administrator: Principal, work: Callable[[], int]
) -> None:
    batch = look(administrator, "q=wants")
    work()
    carry_out(administrator, batch)
    first = BatchItem.objects.filter(batch=batch, state="will").earliest("number")
    record(
        administrator,
        "decide",
        lambda write: services.decide(
            write, first.case_id, lock=first.lock, verdict="newer_replaces", batch_id=batch.pk
        ),
    )
    BatchItem.objects.filter(pk=first.pk).update(state="decided")
    Job.objects.filter(subject_id=batch.pk, state="queued").update(state="cancelled")
    carry_out(administrator, batch)
    work()
    assert states(batch)["decided"] == Decision.objects.filter(batch_id=batch.pk).count() == 4


def test_a_worker_whose_job_was_stopped_decides_nothing_more(
    cases: list[Case], administrator: Principal, operator: Principal, work: Callable[[], int]
) -> None:
    """What another worker goes on with is decided once, and noted as what became of it."""
    batch = look(administrator)
    work()
    carry_out(administrator, batch)
    job = Job.objects.get(subject_id=batch.pk, state="queued")
    slow = jobs.Run(job, operator, "slow")
    Job.objects.filter(pk=job.pk).update(state="running", leased_by="slow")
    record(administrator, "cancel_job", lambda write: jobs.cancel(write, job))
    carry_out(administrator, batch)
    with pytest.raises(jobs.LostLease):
        batching.run(slow)
    assert not Decision.objects.exists()
    work()
    assert states(batch) == {"decided": 4, "left": 1}


def test_a_batch_is_its_makers_alone_and_asks_for_a_verdict_that_several_may_have(
    cases: list[Case], administrator: Principal, reviewer: Principal, work: Callable[[], int]
) -> None:
    batch = look(administrator)
    assert queries.batch_of(reviewer, batch.pk) is None
    with pytest.raises(NotFound):
        record(reviewer, "carry_out", lambda write: services.carry_out(write, batch.pk))
    with pytest.raises(Conflict):
        carry_out(administrator, batch)
    for kind, verdict in (("belief_conflict", "merged"), ("nothing", "newer_replaces")):
        with pytest.raises(Invalid):
            record(
                administrator,
                "look_at_many",
                lambda write, k=kind, v=verdict: services.look_at_many(write, kind=k, verdict=v, query=""),
            )


def test_the_pages_of_a_batch_say_what_will_happen_before_it_does(
    cases: list[Case], administrator: Principal, work: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(administrator)
    monkeypatch.setattr(sys.modules["memoryapp.review.pages.several"], "MOST", 3)
    asked = client.get("/w/harbour/queue/several/?all=yes&q=wants").content.decode()
    assert "One verdict for all 5 that match" in asked
    assert f"{MANY}?q=wants" in asked
    begun = client.post(f"{MANY}?q=wants", {"verdict": VERDICT, "rationale": "Newest first."}, follow=True)
    assert "Looking at each" in begun.content.decode()
    here = begun.request["PATH_INFO"]
    work()
    ready = client.get(here).content.decode()
    assert "Nothing is decided yet" in ready
    assert "Decide 4: Newer replaces older" in ready
    assert "Left as they are 1" in ready
    assert "another of these" in client.get(f"{here}?show=left").content.decode()
    client.post(f"{here}decide/")
    work()
    done = client.get(here).content.decode()
    assert "Take all 4 back" in done
    batch = Batch.objects.get()
    assert client.get(f"/w/harbour/queue/several/{batch.pk}/").headers["Location"] == here
    client.post(f"{here}undo/")
    work()
    assert "It was taken back." in client.get(here).content.decode()
    assert client.post(MANY, {"verdict": "belief_conflict/merged"}).status_code == 422
