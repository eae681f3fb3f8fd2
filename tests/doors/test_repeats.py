"""The same request sent again is done once."""

import threading
from typing import Any

import pytest
from django.db import connection

from memoryapp.ledger.models import Actor, IdempotencyKey, Write
from tests.api.calling import Caller


def stored() -> int:
    return Actor.objects.filter(kind=Actor.Kind.JOB).count()


@pytest.mark.django_db
def test_the_same_key_and_body_gets_the_same_answer_and_writes_once(notes: Caller) -> None:
    first = notes.post("notes", {"name": "a"}, Idempotency_Key="k1")
    again = notes.post("notes", {"name": "a"}, Idempotency_Key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    assert again["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first
    assert again["ETag"] == first["ETag"] == '"1"'
    assert stored() == 1
    assert Write.objects.filter(action="note").count() == 1


@pytest.mark.django_db
def test_the_same_key_with_another_body_is_refused(notes: Caller) -> None:
    notes.post("notes", {"name": "a"}, Idempotency_Key="k1")
    answer = notes.post("notes", {"name": "b"}, Idempotency_Key="k1")
    assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_key_reused")
    assert stored() == 1


@pytest.mark.django_db
def test_a_refused_request_leaves_nothing_and_may_be_repeated(notes: Caller) -> None:
    """Case 89: a failure is never a success, and half a write is never kept."""
    for _ in range(2):
        assert notes.post("notes", {"name": "refuse"}, Idempotency_Key="k1").status_code == 422
    assert stored() == 0
    assert not IdempotencyKey.objects.exists()
    assert not Write.objects.filter(action="note").exists()
    assert notes.post("notes", {"name": "a"}, Idempotency_Key="k1").status_code == 201


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 201, "ключ"])
def test_a_key_that_cannot_be_one_is_refused(notes: Caller, key: str) -> None:
    answer = notes.post("notes", {"name": "a"}, Idempotency_Key=key)
    assert answer.status_code == 400
    assert stored() == 0


@pytest.mark.django_db
def test_a_key_is_the_callers_own(notes: Caller) -> None:
    other = Caller(notes.workspace, ["curate"], "Other")
    notes.post("notes", {"name": "a"}, Idempotency_Key="k1")
    assert "Idempotency-Replayed" not in other.post("notes", {"name": "b"}, Idempotency_Key="k1")
    assert stored() == 2


@pytest.mark.sql
@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_runs_and_all_get_its_answer(notes: Caller) -> None:
    answers: list[Any] = []

    def send() -> None:
        answers.append(notes.post("notes", {"name": "a"}, Idempotency_Key="k1"))
        connection.close()

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [answer.status_code for answer in answers] == [201] * 8
    assert len({answer.content for answer in answers}) == 1
    assert stored() == 1
