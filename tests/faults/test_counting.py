"""What is counted after processes were killed can fail: each sort of loss and doubling is found, and nothing else."""

from __future__ import annotations

import copy
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from tests.faults.killing import Memory, what_is_wrong_with_what_was_decided, what_is_wrong_with_what_was_told

Rows = dict[str, list[dict[str, Any]]]
SOUND: Rows = {
    "sources.thread": [{"external_id": "told-1"}],
    "sources.source": [{"message_id": "1-0"}, {"message_id": "1-1"}],
    "ledger.job": [{"id": "j", "state": "succeeded", "error": ""}],
    "ledger.jobattempt": [{"job": "j", "ended_at": "2026-03-02"}],
    "graph.node": [{"label": "Person 1"}],
    "graph.belief": [
        {"id": "b1", "statement": "s1", "content": "weekly status emails", "status": "archived"},
        {"id": "b2", "statement": "s2", "content": "a monthly summary", "status": "activated"},
    ],
    "review.case": [{"id": "c", "kind": "belief_conflict", "state": "decided"}],
    "review.casesubject": [
        {"case": "c", "role": "older", "subject_id": "b1"},
        {"case": "c", "role": "newcomer", "subject_id": "b2"},
    ],
    "review.decision": [{"case": "c", "verdict": "newer_replaces"}],
    "graph.relationplayer": [{"kind": "supersession", "role": "superseded", "belief": "b1"}],
}


def wrong(rows: Rows) -> list[str]:
    memory: Memory = defaultdict(list, rows)
    told = what_is_wrong_with_what_was_told(memory, ["1-0", "1-1"])
    return told + what_is_wrong_with_what_was_decided(memory, {"c": "newer_replaces"})


def test_of_a_sound_memory_nothing_is_said() -> None:
    assert wrong(copy.deepcopy(SOUND)) == []


def lose(table: str) -> Callable[[Rows], Any]:
    return lambda rows: rows[table].pop()


def double(table: str) -> Callable[[Rows], None]:
    return lambda rows: rows[table].append(dict(rows[table][0]))


def change(table: str, **columns: Any) -> Callable[[Rows], None]:
    return lambda rows: rows[table][-1].update(columns)


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lose("sources.source"), "turn 1-1 is there 0 times"),
        (double("sources.source"), "turn 1-0 is there 2 times"),
        (double("graph.belief"), "belief s1 is there 2 times"),
        (lose("graph.belief"), "1 preferences, not 2"),
        (double("graph.node"), "2 people, not 1"),
        (change("ledger.job", state="running"), "job j running"),
        (change("ledger.job", state="failed", error="no"), "job j failed: no"),
        (change("ledger.jobattempt", ended_at=None), "an attempt at job j never ended"),
        (lose("review.decision"), "case c was acknowledged as newer_replaces"),
        (double("review.decision"), "case c has 2 decisions"),
        (double("graph.relationplayer"), "belief b1 is superseded 2 times"),
        (lose("graph.relationplayer"), "case c: newer_replaces, superseded: False"),
        (change("graph.belief", status="resolving"), "case c is decided and ['newcomer'] waits"),
        (change("review.case", state="open"), "case c is open with decision"),
    ],
)
def test_each_loss_and_each_doubling_is_said(damage: Callable[[Rows], None], said: str) -> None:
    rows = copy.deepcopy(SOUND)
    damage(rows)
    assert [one for one in wrong(rows) if said in one], wrong(rows)
