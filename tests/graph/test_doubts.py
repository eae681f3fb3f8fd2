"""A model that doubts: what it takes for a contradiction waits for a person; the older belief stays."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings

from memoryapp.graph import doubts
from memoryapp.graph.models import Belief, Relation, RelationState
from memoryapp.index.models import ModelCall
from memoryapp.ledger import jobs, workers
from memoryapp.ledger.models import Job
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.review import services as review
from memoryapp.review.models import Case
from tests.graph.nodes.telling import Graph
from tests.modelserver import ModelServer, completion

pytestmark = pytest.mark.django_db

OLD, NEW = "Eats no meat at all", "Has steak for lunch every Friday"


@pytest.fixture
def model() -> Iterator[ModelServer]:
    server = ModelServer()
    with override_settings(MODEL_URL=server.url, MODEL_NAME="small-one", MODEL_SECONDS=5):
        yield server
    server.stop()


def run_jobs() -> Any:
    """Run what the model is asked to doubt; the last of these jobs, if there is any."""
    for job in Job.objects.filter(kind=doubts.KIND, state=Job.State.QUEUED).order_by("created_at", "pk"):
        workers.run(job.pk, "worker@test")
    return Job.objects.filter(kind=doubts.KIND).order_by("created_at", "pk").last()


def two(by: Principal) -> tuple[Belief, Belief]:
    """Two free statements of one person that no rule sees a bearing between."""
    graph = Graph(by)
    ines = graph.person("Ines Ferro")
    older = graph.say(OLD, ines, said_at="2026-03-02")
    run_jobs()
    return older, graph.say(NEW, ines, said_at="2026-06-02")


def thinks(model: ModelServer, *bearings: dict[str, Any]) -> None:
    model.thinks = lambda asked: completion({"bearings": list(bearings)})


CONTRADICTS = {"number": 0, "bearing": "contradicts", "reason": "Steak is meat."}


def test_what_the_model_takes_for_a_contradiction_waits_and_the_older_one_stays(
    curator_agent: Principal, model: ModelServer
) -> None:
    thinks(model, CONTRADICTS)
    older, newer = two(curator_agent)
    job = run_jobs()
    older.refresh_from_db()
    newer.refresh_from_db()
    assert (older.status, newer.status, job.state) == ("activated", "resolving", "succeeded")
    case = Case.objects.get(kind="belief_conflict")
    assert "Steak" not in case.reason
    relation = Relation.objects.get(kind="conflict")
    state = RelationState.objects.get(relation=relation)
    assert "Steak is meat." in state.reason
    assert (relation.write.model, relation.write.prompt_version) == ("small-one", doubts.VERSION)
    assert json.loads(model.asked[-1]["messages"][1]["content"].split("\n")[1])["held"] == OLD


@pytest.mark.parametrize("bearing", ["extends", "derives", "unrelated"])
def test_every_other_bearing_changes_nothing(curator_agent: Principal, model: ModelServer, bearing: str) -> None:
    thinks(model, CONTRADICTS | {"bearing": bearing})
    _, newer = two(curator_agent)
    assert run_jobs().state == "succeeded"
    newer.refresh_from_db()
    assert newer.status == "activated"
    assert not Case.objects.exists()


def test_a_number_that_was_not_shown_and_one_named_twice_do_no_harm(
    curator_agent: Principal, model: ModelServer
) -> None:
    """Case 8: what the judge names is taken by its place among what was shown, or not at all."""
    thinks(model, CONTRADICTS | {"number": 7}, CONTRADICTS, CONTRADICTS | {"bearing": "extends"})
    two(curator_agent)
    run_jobs()
    assert Case.objects.filter(kind="belief_conflict").count() == 1
    assert "7" in ModelCall.objects.latest("at").raw


def test_what_was_ruled_no_conflict_is_not_raised_again(
    curator_agent: Principal, reviewer: Principal, model: ModelServer
) -> None:
    """V3: a pair that a person ruled on stays ruled on, whatever the model thinks."""
    thinks(model, CONTRADICTS)
    _, newer = two(curator_agent)
    run_jobs()
    case = Case.objects.get(kind="belief_conflict")
    record(reviewer, "decide", lambda write: review.decide(write, case.pk, lock=case.lock, verdict="not_a_conflict"))
    record(curator_agent, "again", lambda write: jobs.enqueue(write, doubts.KIND, newer.pk, _of(newer)))
    run_jobs()
    newer.refresh_from_db()
    assert newer.status == "activated"
    assert Case.objects.filter(kind="belief_conflict", state="open").count() == 0


def test_what_a_person_writes_is_not_doubted_by_a_model(
    curator_agent: Principal, administrator: Principal, model: ModelServer
) -> None:
    thinks(model, CONTRADICTS)
    two(administrator)
    assert not Job.objects.filter(kind=doubts.KIND).exists()
    assert model.asked == []


def test_a_model_that_is_down_leaves_what_is_held(curator_agent: Principal, model: ModelServer) -> None:
    model.stop()
    _, newer = two(curator_agent)
    job = run_jobs()
    newer.refresh_from_db()
    assert (newer.status, job.state) == ("activated", "queued")
    assert ModelCall.objects.get().code == "model_unreachable"


def _of(belief: Belief) -> dict[str, list[str]]:
    return {"beliefs": [str(belief.pk)]}
