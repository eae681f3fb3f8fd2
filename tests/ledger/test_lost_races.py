"""A writer that loses races waits for its turn, and says that the memory is busy only when it waited long."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import OperationalError

from memoryapp.doors.errors import Unavailable
from memoryapp.ledger import services
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal

pytestmark = pytest.mark.django_db


class Clock:
    """Seconds pass while one sleeps, and at no other time."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(services, "time", clock)
    return clock


def losing(times: float) -> tuple[list[int], Any]:
    tried: list[int] = []

    def act(write: Write) -> str:
        tried.append(1)
        if len(tried) <= times:
            raise OperationalError("database is locked")
        return "stored"

    return tried, act


def test_a_writer_that_loses_many_races_in_a_moment_waits_for_its_turn(operator: Principal, clock: Clock) -> None:
    tried, act = losing(12)
    assert services.record(operator, "test", act) == "stored"
    assert len(tried) == 13
    assert Write.objects.filter(action="test").count() == 1


def test_who_never_gets_a_turn_is_told_that_nothing_was_stored(operator: Principal, clock: Clock) -> None:
    tried, act = losing(float("inf"))
    with pytest.raises(Unavailable, match="Nothing was stored"):
        services.record(operator, "test", act)
    assert clock.now >= services.PATIENCE
    assert services.ATTEMPTS < len(tried) < 200
    assert not Write.objects.filter(action="test").exists()
