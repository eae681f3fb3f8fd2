"""Search by meaning: beside the words, within the same scope, exactly, and never without saying so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import override_settings
from django.test.utils import CaptureQueriesContext

from memoryapp.index import services
from memoryapp.index.embedding import matrix, meaning
from memoryapp.index.embedding.meaning import meaning_of
from memoryapp.index.models import IndexEntry, VectorModel
from memoryapp.index.queries import Found, Scope, alike
from tests.index.conftest import NOTE, Shelf, note
from tests.index.embedder import LAND, SEA, embedder, make_vectors
from tests.modelserver import ModelServer, Reply, by_meaning, embeddings

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> Iterator[ModelServer]:
    matrix.forget()
    with embedder() as server:
        yield server


def ask(shelf: Shelf, question: str, **more: Any) -> Found:
    return shelf.search(question, meaning=meaning_of(shelf.workspace, question), **more)


def ids(found: Found) -> list[Any]:
    return [hit.target_id for hit in found.hits]


def test_a_text_without_a_word_in_common_is_found_by_meaning(shelf: Shelf, model: ModelServer) -> None:
    quay, field, _ = shelf.notes("The quay is closed", "The field is wet", "Something else entirely")
    make_vectors()
    found = ask(shelf, "vessel")
    assert ids(found) == [quay]
    [hit] = found.hits
    assert (hit.distance, hit.words, hit.share) == (0.0, [], 0.0)
    assert sum(hit.parts.values()) == pytest.approx(hit.score)
    assert ids(shelf.search("vessel")) == []
    assert ids(ask(shelf, "tractor")) == [field]


def test_candidates_of_both_kinds_are_united(shelf: Shelf, model: ModelServer) -> None:
    code, quay, field = shelf.notes("E4042 on the pump", "The quay is closed", "The field is wet")
    make_vectors()
    found = ask(shelf, "E4042 vessel")
    assert set(ids(found)) == {code, quay}
    assert field not in ids(found)


def test_words_and_meaning_weigh_the_same(shelf: Shelf, model: ModelServer) -> None:
    both, words, only = shelf.notes("a boat at the pier", "the pier in the field", "the vessel")
    make_vectors()
    found = ask(shelf, "pier quay")
    assert ids(found)[0] == both
    assert set(ids(found)) == {both, words, only}
    by_id = {hit.target_id: hit for hit in found.hits}
    assert by_id[words].distance == 1.0
    assert by_id[only].parts.keys() == {"meaning"}
    assert by_id[both].parts["text"] == pytest.approx(by_id[both].parts["meaning"])


def test_what_has_no_vector_yet_is_found_by_its_words_at_their_whole_worth(shelf: Shelf, model: ModelServer) -> None:
    (quay,) = shelf.notes("The quay is closed")
    make_vectors()
    (late,) = shelf.notes("The quay opens")
    found = ask(shelf, "quay opens")
    assert ids(found)[0] == late
    assert set(ids(found)) == {late, quay}
    assert found.hits[0].distance is None


def test_nothing_near_is_an_empty_answer(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed", "The field is wet")
    make_vectors()
    assert ask(shelf, "invoice").hits == []
    assert ask(shelf, "").hits == []


def test_a_question_of_small_words_alone_has_a_meaning(shelf: Shelf, model: ModelServer) -> None:
    (quay, _) = shelf.notes("The quay is closed", "The field is wet")
    make_vectors()
    model.thinks = by_meaning({"what is it": SEA}, LAND)
    assert ids(ask(shelf, "what is it")) == [quay]


def test_what_is_out_of_scope_changes_no_byte(
    shelf: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alike, "CHUNKS", (2, 4))
    mine = [note(f"boat {n} at the pier") for n in range(3)] + [note("the field"), note("a vessel")]
    shelf.put(*mine)
    make_vectors()

    def answer(question: str) -> bytes:
        found = ask(shelf, question)
        return json.dumps([[str(h.target_id), h.score, h.parts, h.distance] for h in found.hits]).encode()

    before = [answer(question) for question in ("quay", "pier quay", "boat 1")]
    shelf.put(*[note(f"a quay of somebody else, {n}", audience="named") for n in range(12)])
    make_vectors()
    assert [answer(question) for question in ("quay", "pier quay", "boat 1")] == before


def test_the_order_of_arrival_changes_no_byte(shelf: Shelf, next_door: Shelf, model: ModelServer) -> None:
    texts = [note(f"boat {n}, berth {n % 3}") for n in range(20)] + [note("the field"), note("an invoice")]
    shelf.put(*texts)
    next_door.put(*reversed(texts))
    make_vectors()
    answers = [
        [(hit.target_id, hit.score, hit.parts, hit.distance) for hit in ask(one, "vessel at berth 2").hits]
        for one in (shelf, next_door)
    ]
    assert answers[0] == answers[1]
    assert len(answers[0]) == 20


def test_another_workspaces_vectors_are_not_there(shelf: Shelf, next_door: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    next_door.notes("A boat next door")
    make_vectors()
    assert len(ask(shelf, "vessel").hits) == 1


def test_the_question_is_embedded_once_and_by_the_model_whose_vectors_there_are(
    shelf: Shelf, model: ModelServer
) -> None:
    (quay,) = shelf.notes("The quay is closed")
    make_vectors()
    asked = len(model.asked)
    ask(shelf, "a vessel")
    ask(shelf, "a vessel")
    assert [one["input"] for one in model.asked[asked:]] == [["a vessel"]]
    with override_settings(EMBEDDING_NAME="large"):
        assert ids(ask(shelf, "another vessel")) == [quay]
        assert model.asked[-1]["model"] == "small"
        model.thinks = lambda asked: embeddings(*[[1.0, 0.0] for _ in asked["input"]])
        shelf.notes("The field is wet")
        make_vectors()
        assert VectorModel.objects.get().name == "large"
        assert ask(shelf, "a third vessel").hits
        assert model.asked[-1]["model"] == "large"


NO_ANSWERS: list[Reply] = [
    Reply("", status=503),
    Reply("", status=429, headers={"Retry-After": "1"}),
    Reply("", status=401),
    embeddings([1.0, 2.0]),
    embeddings([1.0, float("nan"), 0.0]),
    embeddings(),
    Reply("no"),
    Reply(hang=True),
    Reply(json.dumps({"data": []}), pause=0.6),
]


@pytest.mark.parametrize("reply", NO_ANSWERS, ids=range(len(NO_ANSWERS)))
def test_an_embedder_that_is_down_or_talks_nonsense_leaves_an_answer_by_words_that_says_so(
    shelf: Shelf, model: ModelServer, reply: Reply
) -> None:
    quay, _ = shelf.notes("The quay is closed", "The field is wet")
    make_vectors()
    model.thinks = lambda asked: reply
    with override_settings(EMBEDDING_QUESTION_SECONDS=0.2):
        found = meaning_of(shelf.workspace, "the quay")
    assert found.state == meaning.UNAVAILABLE
    assert ids(shelf.search("the quay", meaning=found)) == [quay]
    assert shelf.search("the quay", meaning=found) == shelf.search("the quay")


def test_an_embedder_that_did_not_answer_is_left_alone_for_a_while(
    shelf: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.notes("The quay is closed")
    make_vectors()
    usual, model.thinks = model.thinks, lambda asked: Reply("", status=500)
    assert meaning_of(shelf.workspace, "one").state == meaning.UNAVAILABLE
    model.thinks = usual
    asked = len(model.asked)
    assert meaning_of(shelf.workspace, "two").state == meaning.UNAVAILABLE
    assert len(model.asked) == asked
    monkeypatch.setattr(meaning, "_silent_until", {})
    assert meaning_of(shelf.workspace, "two").state == meaning.USED


def test_the_state_says_what_part_vectors_have(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    assert meaning_of(shelf.workspace, "quay").state == meaning.PENDING
    make_vectors()
    assert meaning_of(shelf.workspace, "quay").state == meaning.USED
    matrix.forget()
    with override_settings(EMBEDDING_MEMORY_MB=0):
        assert meaning_of(shelf.workspace, "quay").state == meaning.TOO_MANY
    shelf.workspace.settings = {"model_tokens_per_day": 0}
    assert meaning_of(shelf.workspace, "quay").state == meaning.OFF
    with override_settings(EMBEDDING_URL="", EMBEDDING_NAME=""):
        assert meaning_of(shelf.workspace, "quay").state == meaning.OFF


def test_vectors_are_read_once_and_then_only_what_changed(
    shelf: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "SMALL", 2)
    texts = shelf.notes(*[f"boat {n}" for n in range(5)])
    make_vectors()
    assert set(ids(ask(shelf, "vessel"))) == set(texts)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        meaning_of(shelf.workspace, "vessel")
    assert len(queries) == 1
    shelf.write(lambda write: services.remove(write, [(NOTE, texts[0]), (NOTE, texts[3])]))
    texts += shelf.notes("boat 6", "boat 7")
    make_vectors()
    assert set(ids(ask(shelf, "vessel"))) == set(texts) - {texts[0], texts[3]}
    held = meaning_of(shelf.workspace, "vessel").matrix
    assert held is not None
    kept = [id for block in held.blocks for id in block.ids.tolist()]
    assert kept == list(IndexEntry.objects.order_by("pk").values_list("pk", flat=True))


def test_memory_is_given_to_the_workspace_that_was_asked_last(
    shelf: Shelf, next_door: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for one in (shelf, next_door):
        one.notes("The quay is closed")
    make_vectors()
    monkeypatch.setattr(matrix.Matrix, "bytes", property(lambda self: 400 * 1024 * 1024))
    for one in (shelf, next_door):
        assert len(ask(one, "vessel").hits) == 1
    assert len(matrix._kept) == 1


def test_a_scope_narrows_what_is_found_by_meaning(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed", kind="note/short")
    (other,) = shelf.notes("A boat came in", kind="memory")
    make_vectors()
    scope = Scope(shelf.workspace, {NOTE: None}, kinds=("memory",))
    assert ids(ask(shelf, "vessel", scope=scope)) == [other]
    assert ids(ask(shelf, "vessel", scope=Scope(shelf.workspace, {"other": None}))) == []
