"""Limits that several web processes hold together, each with a memory of its own and one database."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from memoryapp.access import counting, rate
from memoryapp.access.models import Tally
from memoryapp.doors.errors import TooMany
from memoryapp.ledger.models import Workspace
from tests.api.calling import Caller

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def shared(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.SHARED_LIMITS = True
    monkeypatch.setattr("time.time", lambda: 1_790_000_010.0)
    another_process()


def another_process() -> None:
    """As it is for a process that has not counted anything yet."""
    rate._requests = counting.Lagging()
    cache.clear()


def test_processes_count_the_requests_of_a_key_together(workspace: Workspace, settings: Any) -> None:
    settings.KEY_REQUESTS_PER_MINUTE = 3
    caller = Caller(workspace, ["lookup"])
    for _ in range(3):
        assert caller.get("").status_code == 200
        another_process()
    refused = caller.get("")
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 61
    assert Caller(workspace, ["lookup"], "Other").get("").status_code == 200


def test_a_busy_key_is_written_down_in_steps_and_exceeds_its_limit_by_no_more(settings: Any) -> None:
    settings.KEY_REQUESTS_PER_MINUTE = 2000
    processes = [counting.Lagging() for _ in range(4)]
    done = 0
    with contextlib.suppress(TooMany):
        while done < 4000:
            rate._requests = processes[done % 4]
            rate.count("abc")
            done += 1
    assert 2000 <= done <= 2000 + 4 * 10
    assert Tally.objects.count() == 1


def test_wrong_passwords_count_together_and_end_with_a_right_one() -> None:
    for _ in range(rate.WRONG_PASSWORDS):
        rate.may_try_a_password("ines", "10.0.0.1")
        rate.wrong_password("ines", "10.0.0.1")
        another_process()
    with pytest.raises(TooMany):
        rate.may_try_a_password("ines", "10.0.0.1")
    assert Client().post("/sign-in/", {"username": "other", "password": "x"}).status_code == 200
    rate.right_password("ines", "10.0.0.1")
    rate.may_try_a_password("ines", "10.0.0.1")
