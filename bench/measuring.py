"""How the benchmarks of rooms measure: so many runs, the median and the 95th of a hundred, in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any


def p95(values: Sequence[float]) -> float:
    """The value that 95 of a hundred do not exceed."""
    return sorted(values)[min(len(values) - 1, int(len(values) * 0.95))]


def measured(act: Callable[[], Any], runs: int = 20) -> str:
    """Two columns: the median and the 95th percentile by the clock, in ms."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        act()
        times.append((time.perf_counter() - begun) * 1000)
    return f"{statistics.median(times):9.1f} {p95(times):9.1f}"


def measured_twice(act: Callable[[], Any], runs: int = 20) -> str:
    """Three columns: the median and the 95th percentile by the clock, and the median of this thread's processor time,
    which says more where the machine is shared."""
    act()
    times, own = [], []
    for _ in range(runs):
        begun, worked = time.perf_counter(), time.thread_time()
        act()
        times.append((time.perf_counter() - begun) * 1000)
        own.append((time.thread_time() - worked) * 1000)
    return f"{statistics.median(times):9.1f} {p95(times):9.1f} {statistics.median(own):9.1f}"
