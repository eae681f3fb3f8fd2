"""Forms of statements, kept in a process."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeVar

MOST_KEPT = 2000
"""Forms kept in a process. Far more than the product has: lists of values are filled up to a power of two."""
Kept = TypeVar("Kept")


def keep(plans: dict[Hashable, Kept], key: Hashable, plan: Kept) -> Kept:
    if len(plans) >= MOST_KEPT:
        plans.clear()
    plans[key] = plan
    return plan
