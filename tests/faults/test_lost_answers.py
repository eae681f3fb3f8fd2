"""The answer to a write is lost on the way from the database: nobody claims to know, and asking again does it once."""

from __future__ import annotations

from unittest.mock import Mock

import pytest
from django.db import OperationalError, connection

from memoryapp.doors import problems
from memoryapp.ledger import services
from memoryapp.ledger.models import Workspace
from memoryapp.sources.models import Source
from tests.api.calling import Caller
from tests.api.telling import WEEKLY, conversation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sql]


@pytest.mark.parametrize("stored", [True, False])
def test_a_write_whose_commit_was_not_answered_is_repeated_by_its_key_and_done_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, stored: bool
) -> None:
    curator = Caller(workspace, ["curate"])
    commit = connection._commit  # type: ignore[attr-defined]

    def unanswered() -> None:
        if stored:
            commit()
        raise OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patched:
        patched.setattr(services, "connection", Mock(wraps=connection, vendor="postgresql"))
        patched.setattr(connection, "_commit", unanswered)
        answer = curator.post("conversations", conversation(WEEKLY), Idempotency_Key="one")
    assert (answer.status_code, answer.json()["code"]) == (503, "outcome_unknown")
    assert "Idempotency-Key" in answer.json()["detail"]
    assert int(answer["Retry-After"]) > 0
    assert Source.objects.count() == stored

    again = curator.post("conversations", conversation(WEEKLY), Idempotency_Key="one")
    assert again.status_code == 202
    assert again.get("Idempotency-Replayed") == ("true" if stored else None)
    assert Source.objects.count() == 1


class _FromTheServer(Exception):
    def __init__(self, sqlstate: str) -> None:
        super().__init__()
        self.sqlstate = sqlstate


@pytest.mark.parametrize(
    ("words", "state", "status"),
    [
        ("database or disk is full", "", 507),
        ("disk I/O error", "", 507),
        ("could not extend file", "53100", 507),
        ("unable to open database file", "", 503),
        ("the connection is closed", "08006", 503),
        ("terminating connection due to administrator command", "57P01", 503),
        ("sorry, too many clients already", "53300", 503),
    ],
)
def test_full_and_away_are_told_apart(words: str, state: str, status: int) -> None:
    error = OperationalError(words)
    error.__cause__ = _FromTheServer(state) if state else None
    assert problems.as_domain_error(error).status == status
