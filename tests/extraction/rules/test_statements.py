"""Every row of the table: what is found is one statement with its slot and its exact words; the rest stays silent."""

import pytest

from tests.extraction.rules.statements import FOUND, SILENT
from tests.extraction.rules.telling import said, slot


@pytest.mark.parametrize(("words", "rule", "statement", "where"), FOUND, ids=[row[0] for row in FOUND])
def test_a_statement_becomes_one_proposal(words: str, rule: str, statement: str, where: str) -> None:
    found = said(words)
    assert [proposal.rule for proposal in found] == [rule]
    assert found[0].content.replace("’", "'") == statement.replace("’", "'")
    assert slot(found[0]) == where
    assert words[found[0].span.start : found[0].span.end] == found[0].span.quote


@pytest.mark.parametrize("words", SILENT, ids=[row or "nothing" for row in SILENT])
def test_what_states_nothing_yields_nothing(words: str) -> None:
    assert said(words) == []


def test_the_table_is_large_enough_to_mean_something() -> None:
    assert len(FOUND) + len(SILENT) >= 250
    assert len(set(SILENT)) == len(SILENT)
    assert len({row[0] for row in FOUND}) == len(FOUND)
