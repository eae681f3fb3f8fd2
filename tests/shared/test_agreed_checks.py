"""What was agreed is what is promised, and every kind of fault that could happen here is tried."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.contract.test_every_guarantee_is_proved import PROMISED, guarantees
from tests.shared.places import shared

pytestmark = pytest.mark.shared

TESTS = Path(__file__).resolve().parents[1]
AGREED = re.compile(r"^- \*\*([A-Z]\d+)\*\* (.*)$", re.MULTILINE)
CASE = re.compile(r"^\| (\d+) \|", re.MULTILINE)
NAMED = re.compile(r"\bcases? (\d+(?:(?:, | and )\d+)*)|_case_(\d+)_", re.IGNORECASE)

NOT_HERE = {103}
"""Numbers of the collected faults that the rooms as they stand cannot have: nothing is read anew by another prompt."""


def agreed() -> dict[str, str]:
    return dict(AGREED.findall(shared("contract", "checks.md").read_text("utf-8")))


def test_everything_promised_was_agreed_and_everything_agreed_for_these_rooms_is_promised() -> None:
    listed = {guarantee.number for guarantee in guarantees()}
    assert listed <= set(agreed())
    assert listed >= PROMISED


def test_what_was_agreed_to_hold_in_the_database_is_promised_of_the_database() -> None:
    promised = {guarantee.number for guarantee in guarantees() if "**(database)**" in guarantee.promise}
    assert {number for number, text in agreed().items() if "(DB)" in text} & PROMISED <= promised


def test_no_promise_is_copied() -> None:
    """The document says it in the project's own words."""
    for guarantee in guarantees():
        said, told = _words(guarantee.promise), _words(agreed()[guarantee.number])
        runs = {tuple(told[place : place + 9]) for place in range(len(told) - 8)}
        assert not any(tuple(said[place : place + 9]) in runs for place in range(len(said) - 8)), guarantee.number


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def test_every_fault_that_could_happen_here_is_named_by_a_test() -> None:
    collected = {int(number) for number in CASE.findall(shared("cases", "memory-faults.md").read_text("utf-8"))}
    tried: set[int] = set()
    for file in TESTS.rglob("test_*.py"):
        for several, one in NAMED.findall(file.read_text("utf-8")):
            tried |= {int(number) for number in re.findall(r"\d+", several or one)}
    assert sorted(collected - tried - NOT_HERE) == []
