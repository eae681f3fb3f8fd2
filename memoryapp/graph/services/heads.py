"""The heads of many beliefs changed at once: what `change_state` does to one, in a few statements however many."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import F

from memoryapp.graph.models import Belief, BeliefState
from memoryapp.graph.referring import chunks
from memoryapp.graph.services.beliefs import HEAD, state_of
from memoryapp.ledger import prepared
from memoryapp.ledger.models import Write


def change_heads(write: Write, heads: Mapping[uuid.UUID, Mapping[str, Any]], *, reason: str) -> list[Belief]:
    """Change each belief's head as told, and keep the state it then has. Those that are so already stay untouched.

    Returns all of them as they are then. Nothing is checked of what is told: for changes that follow from others.
    """
    found: list[Belief] = []
    changed: list[Belief] = []
    states: list[BeliefState] = []
    for some in chunks(sorted(heads)):
        several = list(Belief.objects.filter(pk__in=some).order_by("pk"))
        latest = {
            state.belief_id: state for state in BeliefState.objects.filter(belief__in=some, sequence=F("belief__lock"))
        }
        found += several
        for belief in several:
            head = heads[belief.pk]
            if all(getattr(belief, name) == value for name, value in head.items()):
                continue
            for name, value in head.items():
                setattr(belief, name, value)
            belief.lock += 1
            state = state_of(write, belief, latest[belief.pk].owners, reason)
            state.recorded_at = max(write.recorded_at, latest[belief.pk].recorded_at)
            states.append(state)
            changed.append(belief)
    prepared.insert(states)
    store_heads(changed, {name for head in heads.values() for name in head})
    return found


def store_heads(beliefs: Iterable[Belief], names: Iterable[str]) -> None:
    """Write the locks and these parts of the heads as they are in memory: those that are alike in one statement."""
    columns = sorted(names)
    if unknown := set(columns) - set(HEAD):
        raise TypeError(f"not part of a belief's head: {sorted(unknown)}")
    alike: dict[tuple[Any, ...], list[uuid.UUID]] = defaultdict(list)
    for belief in beliefs:
        alike[tuple(getattr(belief, name) for name in columns)].append(belief.pk)
    for values, ids in alike.items():
        for some in chunks(sorted(ids)):
            Belief.objects.filter(pk__in=some).update(lock=F("lock") + 1, **dict(zip(columns, values, strict=True)))
