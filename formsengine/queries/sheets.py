"""Responses as a workbook: a sheet with a line for each response, and one for each list with a line for each row."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from xlsxwriter import Workbook

from formsengine.definition.plan import Planned
from formsengine.models import Form
from formsengine.queries.exporting import FIXED, Told, as_csv, as_json, as_words, columns_of, each, fixed, number, runs
from memoryapp.files.attachments.keeping import XLSX
from memoryapp.ledger.principal import Principal

PIECE = 64 * 1024
LONGEST_CELL = 32_767
"""Characters that a cell of a workbook holds; of a longer answer the beginning."""
MOST_LINES = 1_048_576
"""Lines that a sheet holds; what is beyond goes on in another."""
LONGEST_TITLE = 31
NUMBERS = {"integer", "decimal"}
EXACT_DIGITS = 15
OF_ROW = ("response", "row")
UNWRITABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
"""What no cell holds."""


class _Sheet:
    """A sheet that is written line by line."""

    def __init__(self, of: _Sheets, title: str, head: list[str]) -> None:
        self.of, self.title, self.head = of, title, head
        self._begin()

    def _begin(self) -> None:
        self.sheet = self.of.book.add_worksheet(self.of.free_title(self.title))
        self.line = 0
        self.add(self.head)

    def add(self, cells: list[Any]) -> None:
        """A text that looks like something to work out is written as the text it is."""
        if self.line == MOST_LINES:
            self._begin()
        for place, cell in enumerate(cells):
            if not isinstance(cell, str):
                self.sheet.write_number(self.line, place, cell)
            elif cell:
                quoted = self.of.quoted if cell[0] == "#" or runs(cell) else None
                text = cell if cell.isprintable() else UNWRITABLE.sub("", cell)
                self.sheet.write_string(self.line, place, text[:LONGEST_CELL], quoted)
        self.line += 1


class _Sheets:
    """The sheets of a workbook, whose lines are kept in files of `place` meanwhile."""

    def __init__(self, columns: dict[str, Planned], written: Any, place: str) -> None:
        self.book = Workbook(written, {"constant_memory": True, "tmpdir": place})
        self.quoted = self.book.add_format({"quote_prefix": True})
        self.titles: set[str] = set()
        self.main = [planned for planned in columns.values() if not planned.rows_of]
        self.lists: dict[str, list[Planned]] = {}
        for planned in columns.values():
            if planned.rows_of:
                self.lists.setdefault(planned.rows_of[-1], []).append(planned)
        self.responses = _Sheet(self, "responses", [*FIXED, *(planned.name for planned in self.main)])
        self.rows = {
            repeat: _Sheet(self, repeat, [*OF_ROW, *(planned.name for planned in within)])
            for repeat, within in self.lists.items()
        }

    def free_title(self, wanted: str) -> str:
        base = "".join("-" if each in "[]:*?/\\'" else each for each in wanted)[:LONGEST_TITLE]
        title, number = base, 1
        while title.casefold() in self.titles:
            number += 1
            title = f"{base[: LONGEST_TITLE - 4]}-{number}"
        self.titles.add(title.casefold())
        return title

    def add(self, told: Told) -> None:
        self.responses.add([*fixed(told.row), *(_value(planned, told.of(planned)[0]) for planned in self.main)])
        for repeat, within in self.lists.items():
            for row in told.rows.get(repeat, ()):
                values = [_value(planned, told.answers.get((planned.uid, row))) for planned in within]
                self.rows[repeat].add([str(told.row.pk), row, *values])


def _value(planned: Planned, kept: Any) -> Any:
    """A number where it is one exactly; what an older version of the field took is told as it was answered."""
    if type(kept) is int and abs(kept) < 10**EXACT_DIGITS and planned.question.type in NUMBERS:
        return float(kept)
    exact = number(kept) if planned.question.type in NUMBERS else None
    if exact is not None and len(exact.as_tuple().digits) <= EXACT_DIGITS:
        return float(exact)
    return as_words(kept)


def as_xlsx(by: Principal, form: Form, **filters: Any) -> Iterator[bytes]:
    """The bytes of the workbook, a piece at a time; lines are kept on the disk meanwhile, never in memory."""
    with tempfile.TemporaryDirectory() as place, tempfile.TemporaryFile(dir=place) as written:
        sheets = _Sheets(columns_of(form), written, place)
        for told in each(by, form, **filters):
            sheets.add(told)
        sheets.book.close()
        written.seek(0)
        while piece := written.read(PIECE):
            yield piece


EXPORTS: dict[str, tuple[Callable[..., Iterator[str | bytes]], str, str]] = {
    "csv": (as_csv, "text/csv; charset=utf-8", "csv"),
    "json": (as_json, "application/x-ndjson", "ndjson"),
    "xlsx": (as_xlsx, XLSX, "xlsx"),
}
"""The formats: what takes responses out so, its media type, and how its file ends."""
