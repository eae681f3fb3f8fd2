"""Processes killed outright while agents tell and people decide: what was acknowledged is kept, and nothing twice."""

from __future__ import annotations

import pytest

from tests.faults import killing
from tests.house.running import Running

pytestmark = pytest.mark.slow

SEED = 20261130


def test_web_and_worker_killed_at_any_moment_lose_nothing_acknowledged_and_do_nothing_twice(product: Running) -> None:
    """Cases 25 and 101."""
    killed, turns = killing.tell_under_fire(product, seed=SEED, conversations=12, kills=5)
    assert killed["web"] >= 2
    assert killed["worker"] >= 2
    killing.wait_for_every_job(product)
    told = killing.memory(product)
    assert killing.what_is_wrong_with_what_was_told(told, turns) == []

    killed, verdicts = killing.decide_under_fire(product, killing.open_conflicts(told), seed=SEED, kills=3)
    assert killed["web"] >= 1
    assert verdicts
    decided = killing.memory(product)
    assert killing.what_is_wrong_with_what_was_decided(decided, verdicts) == []
    product.command("integrity")
