"""Every input that broke another form system is named by a test, so that none of them is passed over."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shared.places import shared

pytestmark = pytest.mark.shared

TESTS = Path(__file__).resolve().parents[1]


def test_each_row_of_the_faults_is_named_by_a_test() -> None:
    rows = re.findall(r"^\| (\d+) \|", shared("cases", "forms-faults.md").read_text("utf-8"), re.MULTILINE)
    named: set[str] = set()
    for room in ("formsengine", "forms"):
        for path in sorted((TESTS / room).glob("test_*.py")):
            for name in re.findall(r"def test_faults?_((?:\d+_(?:and_)?)+)", path.read_text("utf-8")):
                named |= set(re.findall(r"\d+", name))
    assert len(rows) > 20
    assert [row for row in rows if row not in named] == []
