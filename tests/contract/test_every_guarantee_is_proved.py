"""The document of guarantees is true: every number has tests, and each of them is there and names its number."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / "docs" / "guarantees.md"

PROMISED = {
    *(f"T{number}" for number in range(1, 44)),
    *(f"R{number}" for number in [*range(1, 18), 20, 21, 22, 23, *range(25, 29)]),
    *(f"C{number}" for number in range(1, 13)),
    *(f"V{number}" for number in range(1, 7)),
    *(f"L{number}" for number in range(1, 5)),
    *(f"A{number}" for number in range(1, 13)),
    *(f"E{number}" for number in range(1, 6)),
    *(f"F{number}" for number in range(1, 6)),
    *(f"Q{number}" for number in range(1, 8)),
    *(f"X{number}" for number in range(1, 3)),
}
"""What this product promises as it stands."""

ROW = re.compile(r"^\| (?P<number>[A-Z]\d+) \| (?P<promise>.+?) \| (?P<tests>.+) \|$")
TEST = re.compile(r"`([\w/]+\.py)::(\w+)`")


@dataclass(frozen=True)
class Guarantee:
    """A row of the document."""

    number: str
    promise: str
    tests: tuple[tuple[str, str], ...]


def guarantees() -> list[Guarantee]:
    rows = [ROW.match(line) for line in DOCUMENT.read_text("utf-8").splitlines()]
    return [Guarantee(row["number"], row["promise"], tuple(TEST.findall(row["tests"]))) for row in rows if row]


def source_of(path: str, name: str) -> str:
    """The test as it is written, with its parameters; empty when there is none of that name."""
    file = ROOT / "tests" / path
    if not file.is_file():
        return ""
    text = file.read_text("utf-8")
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return ""


def names(number: str, text: str) -> bool:
    return re.search(rf"(?<![a-z0-9]){number}(?![0-9])", text, re.IGNORECASE) is not None


def test_every_number_is_promised_once() -> None:
    listed = [guarantee.number for guarantee in guarantees()]
    assert len(listed) == len(set(listed))
    assert set(listed) == PROMISED


@pytest.mark.parametrize("guarantee", guarantees(), ids=lambda guarantee: guarantee.number)
def test_every_guarantee_has_tests_that_are_there_and_name_it(guarantee: Guarantee) -> None:
    assert guarantee.tests
    for path, name in guarantee.tests:
        written = source_of(path, name)
        assert written, f"tests/{path} has no {name}"
        assert names(guarantee.number, written), f"{path}::{name} does not name {guarantee.number}"


def test_no_listed_test_is_skipped_or_expected_to_fail() -> None:
    for guarantee in guarantees():
        for path, name in guarantee.tests:
            assert not re.search(r"mark\.(skip|skipif|xfail)|pytest\.skip\(", source_of(path, name)), (path, name)


def test_what_the_database_itself_refuses_is_tried_past_every_service() -> None:
    """A promise marked so has a test that runs on every database and expects the database's own refusal."""
    for guarantee in guarantees():
        if "**(database)**" not in guarantee.promise:
            continue
        tried = [source_of(path, name) for path, name in guarantee.tests]
        assert any("DatabaseError" in text for text in tried), guarantee.number
