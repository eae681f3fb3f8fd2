"""How the benchmarks of rooms measure: so many runs, the median and the 95th of a hundred, in milliseconds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from typing import Any


def measured(act: Callable[[], Any], runs: int = 20) -> str:
    """Two columns: the median and the 95th percentile by the clock, in ms."""
    times = []
    for _ in range(runs):
        begun = time.perf_counter()
        act()
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    return f"{statistics.median(times):9.1f} {times[min(len(times) - 1, int(len(times) * 0.95))]:9.1f}"
