"""Making vectors: by a job, a batch a write, whatever the embedder does; nothing waits for it and nothing is lost."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings
from django.utils import timezone

from memoryapp.index import services, texts, vectors
from memoryapp.index.embedding import client, making
from memoryapp.index.models import Embedding, IndexEntry, ModelCall, VectorModel
from memoryapp.index.texts import Text
from memoryapp.ledger import workers
from memoryapp.ledger.models import Job, JobAttempt, Write
from tests.index.conftest import NOTE, Shelf, named
from tests.index.embedder import LAND, SEA, embedder, make_vectors
from tests.modelserver import ModelServer, Reply, embeddings

pytestmark = pytest.mark.django_db


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with embedder() as server:
        yield server


def held() -> list[tuple[str, list[float]]]:
    """Every text that has a vector, with it."""
    rows = Embedding.objects.select_related("entry", "model").order_by("entry")
    return [(one.entry.text, list(struct.unpack(f"<{one.model.dimensions}f", bytes(one.vector)))) for one in rows]


def test_what_is_written_gets_a_vector_by_a_job_and_every_call_is_noted(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed", "The field is wet", label="Ines, 5 March 2026")
    job = make_vectors()
    assert (job.state, job.outcome) == ("succeeded", {"embedded": 2, "refused": 0})
    assert (job.done, job.total) == (2, 2)
    assert held() == [("The quay is closed", SEA), ("The field is wet", LAND)]
    [asked] = model.asked
    assert (asked["path"], asked["model"]) == ("/v1/embeddings", "small")
    assert asked["input"][0] == "Ines, 5 March 2026\nThe quay is closed"
    assert model.headers[0]["Authorization"] == "Bearer key-of-it"
    call = ModelCall.objects.get()
    assert (call.purpose, call.model, call.outcome, call.tokens_in, call.job) == ("embed", "small", "used", 7, job)
    write = call.write
    assert (write.action, write.model, write.prompt_version) == ("embed", "small", making.FORM)


def test_texts_that_are_found_by_words_only_are_sent_to_no_embedder(
    shelf: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(texts._shelves, "answer", texts.Shelf(lambda _: iter(()), lambda *_: (), by_words_only=True))
    assert texts.by_words_only() == ["answer", "form_response"]
    shelf.put(Text("answer", named("a"), "Nobody else may know"))
    assert not Job.objects.filter(kind=vectors.KIND).exists()
    assert not vectors.neglected(shelf.workspace)
    shelf.notes("The quay is closed")
    shelf.put(Text("answer", named("b"), "Nor of this"))
    assert make_vectors().outcome == {"embedded": 1, "refused": 0}
    assert [asked["input"] for asked in model.asked] == [["The quay is closed"]]
    assert not vectors.neglected(shelf.workspace)
    assert not vectors.pending(shelf.workspace, VectorModel.objects.get()).exists()


def test_without_an_embedder_there_is_no_job(shelf: Shelf) -> None:
    shelf.notes("The quay is closed")
    assert not Job.objects.filter(kind=vectors.KIND).exists()
    assert making.catch_up() == 0


def test_a_workspace_that_keeps_models_away_keeps_the_embedder_away(shelf: Shelf, model: ModelServer) -> None:
    shelf.workspace.settings = {"model_tokens_per_day": 0}
    shelf.workspace.save(update_fields=["settings"])
    shelf.notes("The quay is closed")
    assert making.catch_up() == 0
    assert not Job.objects.filter(kind=vectors.KIND).exists()


def test_many_texts_go_in_batches_with_progress_and_what_is_made_stays_made(
    shelf: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "BATCH", 2)
    shelf.notes("quay 1", "quay 2", "field 3", "field 4", "quay 5")
    usual = model.thinks
    model.thinks = lambda asked: Reply("away", status=500) if "quay 5" in asked["input"] else usual(asked)
    job = Job.objects.get(kind=vectors.KIND)
    Job.objects.update(run_after=timezone.now())
    workers.run(job.pk, "worker@test")
    job.refresh_from_db()
    assert (job.state, job.done, job.total, len(held())) == ("queued", 4, 5, 4)
    model.thinks = usual
    assert make_vectors().state == "succeeded"
    assert [text for text, _ in held()] == ["quay 1", "quay 2", "field 3", "field 4", "quay 5"]
    assert [asked["input"] for asked in model.asked].count(["quay 1", "quay 2"]) == 1


BAD: list[tuple[str, Reply]] = [
    ("embedding_wrong_count", embeddings(SEA)),
    ("embedding_wrong_length", embeddings(SEA, [1.0, 2.0])),
    ("embedding_wrong_length", embeddings([], [])),
    ("embedding_not_a_number", embeddings(SEA, [1.0, float("nan"), 0.0])),
    ("embedding_not_a_number", embeddings(SEA, [1.0, float("inf"), 0.0])),
    ("embedding_not_a_number", embeddings(SEA, [1.0, 1e39, 0.0])),
    ("embedding_not_understood", Reply('{"data": 3}')),
    ("embedding_not_understood", Reply('{"data": [{"index": 0}, {"index": 1}]}')),
    ("embedding_not_understood", Reply("The quay is closed, is it?")),
    ("model_failed", Reply("The quay is closed, is it?", status=503)),
]


@pytest.mark.parametrize(("code", "reply"), BAD, ids=range(len(BAD)))
def test_a_bad_answer_stores_nothing_and_ends_as_a_failure_that_repeats_no_text(
    shelf: Shelf, model: ModelServer, code: str, reply: Reply
) -> None:
    shelf.notes("The quay is closed", "The field is wet")
    model.thinks = lambda asked: reply
    job = make_vectors()
    assert (job.state, job.attempts, held()) == ("failed", 5, [])
    assert code in job.error
    assert {(call.outcome, call.code, call.raw) for call in ModelCall.objects.all()} == {("none", code, "")}
    told = json.dumps([job.error, *JobAttempt.objects.values_list("error", flat=True)])
    assert "quay" not in told


def test_a_refusal_of_the_key_fails_at_once(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    model.thinks = lambda asked: Reply("no such key", status=401)
    job = make_vectors()
    assert (job.state, job.attempts, job.error) == ("failed", 1, "The model's server refuses the request (401).")


def test_after_a_failure_writes_ask_for_no_second_one_until_a_person_or_time_does(
    shelf: Shelf, model: ModelServer
) -> None:
    usual = model.thinks
    model.thinks = lambda asked: Reply("", status=401)
    shelf.notes("The quay is closed")
    failed = make_vectors()
    shelf.notes("The field is wet")
    assert making.catch_up() == 0
    assert Job.objects.filter(kind=vectors.KIND).count() == 1
    model.thinks = usual
    Job.objects.filter(pk=failed.pk).update(finished_at=timezone.now() - vectors.REST)
    assert making.catch_up() == 1
    make_vectors()
    assert len(held()) == 2


def test_an_embedder_that_never_answers_fails_the_job_and_nothing_else(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    model.thinks = lambda asked: Reply(hang=True)
    with override_settings(EMBEDDING_SECONDS=0.1):
        job = make_vectors()
    assert (job.state, "model_" in job.error) == ("failed", True)
    assert shelf.found("quay") == [IndexEntry.objects.get().target_id]


def test_an_embedder_that_asks_to_wait_is_left_alone_for_so_long(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    model.replies = [Reply("slow down", status=429, headers={"Retry-After": "30"})]
    job = Job.objects.get(kind=vectors.KIND)
    Job.objects.update(run_after=timezone.now())
    workers.run(job.pk, "worker@test")
    job.refresh_from_db()
    assert (job.state, job.attempts, job.error) == ("queued", 0, "The model asks to wait 30 s.")
    assert make_vectors().state == "succeeded"


def test_one_text_that_the_embedder_refuses_is_left_out_and_the_others_are_not(
    shelf: Shelf, model: ModelServer
) -> None:
    shelf.notes("The quay is closed", "cursed words", "The field is wet")
    usual = model.thinks
    model.thinks = lambda asked: Reply("", status=400) if "cursed words" in asked["input"] else usual(asked)
    job = make_vectors()
    assert job.outcome == {"embedded": 2, "refused": 1}
    assert dict(held())["cursed words"] == [0.0, 0.0, 0.0]
    shelf.notes("cursed words", kind="memory")
    assert make_vectors().outcome == {"embedded": 0, "refused": 1}


def test_an_embedder_that_refuses_everything_is_a_failure(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed", "The field is wet")
    model.thinks = lambda asked: Reply("", status=400)
    job = make_vectors()
    assert (job.state, job.error, held()) == ("failed", "The embedder refuses every text.", [])


def test_another_length_under_the_same_name_is_a_failure_that_says_what_to_do(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    make_vectors()
    model.thinks = lambda asked: embeddings([1.0, 0.0])
    shelf.notes("The field is wet")
    job = make_vectors()
    assert job.state == "failed"
    assert "EMBEDDING_NAME" in job.error


def test_the_budget_of_the_day_puts_the_job_off(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed")
    with override_settings(EMBEDDING_TOKENS_PER_DAY=2):
        job = make_vectors(rounds=1)
    assert job.state == "queued"
    assert "budget of 2 tokens" in job.error
    assert not model.asked


def test_what_is_written_while_vectors_are_made_is_embedded_by_the_same_job(
    shelf: Shelf, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.notes("The quay is closed")
    job = Job.objects.get(kind=vectors.KIND)
    Job.objects.update(run_after=timezone.now())
    embed = client.embed

    def meanwhile(texts: list[str], name: str, seconds: float) -> Any:
        monkeypatch.undo()
        shelf.notes("The field is wet")
        return embed(texts, name, seconds)

    monkeypatch.setattr(client, "embed", meanwhile)
    workers.run(job.pk, "worker@test")
    assert Job.objects.filter(kind=vectors.KIND).count() == 1
    assert len(held()) == 2


def test_a_restored_index_is_embedded_when_the_scheduler_looks(shelf: Shelf, model: ModelServer) -> None:
    with override_settings(EMBEDDING_URL="", EMBEDDING_NAME=""):
        shelf.notes("The quay is closed")
    assert making.catch_up() == 1
    assert making.catch_up() == 0, "the job is open"
    make_vectors()
    writes = Write.objects.count()
    assert (making.catch_up(), Write.objects.count()) == (0, writes)
    assert len(held()) == 1


@pytest.mark.django_db(transaction=True)
def test_under_another_name_the_new_vectors_are_made_before_the_old_ones_go(shelf: Shelf, model: ModelServer) -> None:
    shelf.notes("The quay is closed", "The field is wet")
    make_vectors()
    with override_settings(EMBEDDING_NAME="large"):
        usual = model.thinks
        seen = []

        def longer(asked: dict[str, list[str]]) -> Reply:
            seen.append(sorted(VectorModel.objects.values_list("name", flat=True)))
            return embeddings(*[[0.5, 0.5, 0.5, 0.5] for _ in asked["input"]])

        model.thinks = longer
        assert making.catch_up() == 1
        make_vectors()
        assert seen == [["small"]]
        assert [(one.name, one.embeddings.count()) for one in VectorModel.objects.all()] == [("large", 2)]
        model.thinks = usual


def test_a_text_that_goes_takes_its_vector_along(shelf: Shelf, model: ModelServer) -> None:
    (quay, _) = shelf.notes("The quay is closed", "The field is wet")
    make_vectors()
    shelf.write(lambda write: services.erase(write, [(NOTE, quay)]))
    assert [text for text, _ in held()] == ["The field is wet"]
    assert named("nothing") not in {entry.target_id for entry in IndexEntry.objects.all()}
