"""Whatever is said: no crash, exact spans, the same answer twice, and work that grows with length alone."""

import pathlib
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.extraction import rules
from memoryapp.extraction.proposals import Conversation
from memoryapp.extraction.rules import extract, sentences
from tests.extraction.rules.statements import FOUND, SILENT
from tests.extraction.rules.telling import ASSISTANT, INES, said, turn

ANYTHING = st.text(st.characters(), max_size=400)
SAYING = st.sampled_from([row[0] for row in FOUND] + list(SILENT))
GLUE = st.sampled_from([". ", "! ", "\n", " and ", ", but ", " ", "? ", '" ', "; ", " – ", "\r\n", "\u2028", "…"])


def _checked(text: str) -> None:
    found = said(text)
    assert found == said(text)
    for proposal in found:
        assert text[proposal.span.start : proposal.span.end] == proposal.span.quote != ""
        assert proposal.content.strip() == proposal.content != ""
        assert 0 <= proposal.confidence <= 100
        assert "\n" not in proposal.content


@settings(max_examples=100)
@given(ANYTHING)
def test_any_text_is_read_without_a_fault(text: str) -> None:
    _checked(text)


@settings(max_examples=100)
@given(st.lists(st.tuples(SAYING, GLUE, st.text(max_size=8)), max_size=6))
def test_statements_among_noise_keep_exact_spans(parts: list[tuple[str, str, str]]) -> None:
    _checked("".join(piece for part in parts for piece in part))


@pytest.mark.parametrize(
    "text",
    [
        "\ud800 I prefer window seats",
        "I prefer \udfff seats",
        "\0I live in Porto\0",
        "﷽" * 500,
        "I " * 3000,
        "(" * 5000,
        '"' * 5001,
        "> " * 4000,
        "⟦commonplace" * 2000,
    ],
)
def test_broken_text_is_no_fault(text: str) -> None:
    _checked(text)


def _searches(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many characters the clause cutter handed on, counted over one reading."""
    seen: Counter[str] = Counter()
    whole = sentences._clauses_of

    def counted(*given: Any) -> Any:
        seen["characters"] += given[3] - given[2]
        for clause in whole(*given):
            seen["clauses"] += 1
            seen["characters"] += len(clause.text)
            yield clause

    with monkeypatch.context() as patch:
        patch.setattr(sentences, "_clauses_of", counted)
        extract(Conversation((turn(text),), (INES, ASSISTANT)))
    return seen["characters"] + seen["clauses"]


@pytest.mark.parametrize(
    "unit", ["I love tea, but I hate it when you are late. ", "word ", "a, i ", "«", 'I said "no" and I ', "and i "]
)
def test_the_work_grows_with_the_length_alone(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed: ten times the text is at most about ten times the characters looked at. Every expression runs
    in RE2, which is linear in what it is given."""
    small, large = _searches(unit * 50, monkeypatch), _searches(unit * 500, monkeypatch)
    assert large <= 11 * small + 400


def test_every_expression_is_compiled_by_the_linear_engine() -> None:
    for module in pathlib.Path(rules.__path__[0]).glob("*.py"):
        lines = module.read_text().splitlines()
        assert not [line for line in lines if line.strip() in ("import re", "import regex")], module.name
