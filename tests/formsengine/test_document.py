"""The document of forms is true: its examples run in the order in which they are read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from formsengine.expressions.functions import FUNCTIONS, SPECIAL
from formsengine.log.response import replay
from formsengine.log.writing import OPERATIONS

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "forms.md"


def test_the_examples_of_the_document_run() -> None:
    text = DOCUMENT.read_text("utf-8")
    known: dict[str, Any] = {}
    examples = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(examples) == 4
    for example in examples:
        exec(example, known)
    again = replay("response-1", known["ready"], known["stored"])
    assert again.snapshots == known["sent"].response.snapshots


def test_the_document_names_every_operation_and_only_functions_that_are_there() -> None:
    text = DOCUMENT.read_text("utf-8")
    for name in set(OPERATIONS) - {"attach"}:
        assert re.search(rf"(?<![\w-]){name}(?![\w-])", text), name
    for name in ("sum", "previous", "lookup", "format-date", "count-selected"):
        assert name in FUNCTIONS or name in SPECIAL
