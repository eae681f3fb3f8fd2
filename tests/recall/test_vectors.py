"""Recall by meaning as well as by words: within what may be served, and with the embedder's absence told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.graph.models import Node
from memoryapp.graph.services import give_way
from memoryapp.index.embedding import matrix
from memoryapp.index.models import Embedding
from memoryapp.ledger import erasing
from memoryapp.ledger.models import Served, Workspace
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import record
from memoryapp.recall.asked import Asked
from memoryapp.recall.queries import find
from memoryapp.sources.withdrawing import withdraw
from tests.api.calling import Caller
from tests.graph.telling import Memory, at
from tests.index.embedder import embedder, make_vectors
from tests.modelserver import ModelServer, Reply
from tests.visiting import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> Iterator[ModelServer]:
    matrix.forget()
    with embedder() as server:
        yield server


@pytest.fixture
def memory(operator: Principal, model: ModelServer) -> Memory:
    return Memory(operator)


@pytest.fixture
def ines(memory: Memory) -> Node:
    return memory.node("Ines Ferro")


def texts(by: Principal, question: str, **asked: Any) -> list[str]:
    return [hit.text for hit in find(by, Asked(question, **asked)).hits]


def test_an_answer_says_what_part_vectors_had_and_how_far_each_hit_is(
    workspace: Workspace, memory: Memory, ines: Node, model: ModelServer
) -> None:
    memory.say("2026-03-02", "Ines moors her boat at pier 4", ines)
    memory.say("2026-03-02", "Ines ploughs the field", ines)
    agent = Caller(workspace, ["recall"])
    assert agent.post("recall", {"question": "vessel"}).json()["vectors"] == "pending"
    make_vectors()
    answer = agent.post("recall", {"question": "vessel"}).json()
    assert (answer["vectors"], [hit["text"] for hit in answer["hits"]]) == ("used", ["Ines moors her boat at pier 4"])
    [hit] = answer["hits"]
    assert (hit["distance"], hit["parts"], hit["words"]) == (0.0, {"meaning": 0.5}, [])
    assert hit["provenance"].startswith("read in notes/")
    model.thinks = lambda asked: Reply("", status=500)
    down = agent.post("recall", {"question": "her vessel at the pier"}).json()
    assert (down["vectors"], [hit["text"] for hit in down["hits"]]) == (
        "unavailable",
        ["Ines moors her boat at pier 4"],
    )
    assert "distance" not in down["hits"][0]
    assert Served.objects.count() == 3


def test_without_an_embedder_the_answer_says_off(operator: Principal) -> None:
    memory = Memory(operator)
    memory.say("2026-03-02", "Ines moors her boat at pier 4", memory.node("Ines Ferro"))
    answer = find(operator, Asked("boat"))
    assert answer.shaped()["vectors"] == "off"
    assert answer.hits[0].distance is None


def test_only_what_is_current_is_found_by_meaning_unless_history_or_a_time_is_asked_for(
    operator: Principal, memory: Memory, ines: Node
) -> None:
    older = memory.say("2026-03-02", "Moors the boat at pier 4", ines).belief
    newer = memory.say("2026-06-01", "Berth nine it is", ines).belief
    memory.do(lambda write: give_way(write, older, to=newer, reason="She said so."))
    make_vectors()
    assert "Moors the boat at pier 4" not in texts(operator, "vessel")
    assert "Moors the boat at pier 4" in texts(operator, "vessel", history=True)
    assert texts(operator, "vessel", valid_at=at("2026-04-01")) == ["Moors the boat at pier 4"]
    assert texts(operator, "vessel", over="sources") == []


def test_what_somebody_may_not_see_changes_no_byte_of_the_answer(
    operator: Principal, viewer: Principal, reviewer: Principal, memory: Memory, ines: Node
) -> None:
    """R4 and R6."""
    memory.say("2026-03-02", "Moors the boat at pier 4", ines)
    memory.say("2026-03-02", "A vessel is dear at the pier", ines)
    source = memory.source("2026-04-02", "Said in private")
    make_vectors()
    questions = ("quay", "boat at the pier", "where is the vessel")
    before = [json.dumps(find(viewer, Asked(question)).shaped(), default=str) for question in questions]
    for number in range(6):
        content = f"The quay is sold secretly, part {number}"
        memory.say("2026-04-02", content, ines, source=source, audience="named", readers=(reviewer.actor.pk,))
    make_vectors()
    assert [json.dumps(find(viewer, Asked(question)).shaped(), default=str) for question in questions] == before
    assert any("secretly" in text for text in texts(reviewer, "quay"))


def test_what_is_taken_back_is_not_found_by_meaning_and_its_vectors_go(
    operator: Principal, memory: Memory, ines: Node
) -> None:
    """R13."""
    source = memory.source("2026-03-02", "The boat lies at pier 4")
    memory.say("2026-03-02", "Moors the boat at pier 4", ines, source=source)
    make_vectors()
    assert texts(operator, "vessel", over="all")
    memory.do(lambda write: withdraw(write, source=source.pk))
    assert texts(operator, "vessel", over="all") == []
    assert texts(operator, "vessel", over="all", history=True) == []
    assert not Embedding.objects.filter(entry__text__contains="boat").exists()


def test_an_erasure_takes_the_vectors_of_what_it_erases(operator: Principal, memory: Memory, ines: Node) -> None:
    """R16."""
    source = memory.source("2026-03-02", "The boat lies at pier 4")
    memory.source("2026-03-02", "The field is wet")
    make_vectors()
    held = Embedding.objects.count()
    record(
        operator,
        "erase",
        lambda write: erasing.erase(write, "source", source.pk, name=source.path),
        rationale="They asked for it.",
    )
    assert Embedding.objects.count() == held - 1
    assert texts(operator, "vessel", over="all") == []


def test_recall_with_vectors_asks_two_queries_more(operator: Principal, memory: Memory, ines: Node) -> None:
    for number in range(5):
        memory.say("2026-03-02", f"Moors boat {number} at the pier", ines)
    make_vectors()

    def asked(question: str) -> int:
        find(operator, Asked(question))
        with CaptureQueriesContext(connection) as queries:
            find(operator, Asked(question))
        return len(queries)

    with_vectors = asked("boat at the pier")
    memory.by.workspace.settings = {"model_tokens_per_day": 0}
    assert asked("boat at the pier") == with_vectors - 2


def test_the_lab_shows_what_part_vectors_had(viewer: Principal, memory: Memory, ines: Node, model: ModelServer) -> None:
    memory.say("2026-03-02", "Moors the boat at pier 4", ines)
    make_vectors()
    client = client_of(viewer)
    shown = client.get("/w/harbour/recall/?q=vessel").content.decode()
    assert "Texts were also found by meaning." in shown
    assert "<dt>distance</dt><dd>0.000</dd>" in shown
    assert "<dt>meaning</dt>" in shown
    asked = len(model.asked)
    client.get("/w/harbour/recall/?q=vessel")
    assert len(model.asked) == asked
    model.thinks = lambda asked: Reply("", status=500)
    shown = client.get("/w/harbour/recall/?q=a+boat").content.decode()
    assert "The embedder did not answer: found by words alone." in shown
