"""Responses as a workbook: a sheet with a line for each response, and one for each list with a line for each row."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

from formsengine.definition.plan import Planned
from formsengine.models import Form
from formsengine.queries.exporting import FIXED, Told, as_csv, as_json, as_words, columns_of, each, fixed, number, runs
from memoryapp.files.attachments.keeping import XLSX
from memoryapp.ledger.principal import Principal

PIECE = 64 * 1024
LONGEST_CELL = 32_767
"""Characters that a cell of a workbook holds; of a longer answer the beginning."""
LONGEST_TITLE = 31
NUMBERS = {"integer", "decimal"}
EXACT_DIGITS = 15
OF_ROW = ("response", "row")


class _Sheets:
    """The sheets of a workbook, each written line by line to a file of its own."""

    def __init__(self, columns: dict[str, Planned]) -> None:
        self.book = Workbook(write_only=True)
        self.columns = columns
        self.main = [planned for planned in columns.values() if not planned.rows_of]
        self.lists: dict[str, list[Planned]] = {}
        for planned in columns.values():
            if planned.rows_of:
                self.lists.setdefault(planned.rows_of[-1], []).append(planned)
        self.titles: set[str] = set()
        self.responses = self._sheet("responses", [*FIXED, *(planned.name for planned in self.main)])
        self.rows = {
            repeat: self._sheet(repeat, [*OF_ROW, *(planned.name for planned in within)])
            for repeat, within in self.lists.items()
        }

    def _sheet(self, title: str, head: list[str]) -> Any:
        sheet = self.book.create_sheet(self._title(title))
        sheet.append([self._cell(sheet, name) for name in head])
        return sheet

    def _title(self, wanted: str) -> str:
        base = "".join("-" if each in "[]:*?/\\" else each for each in wanted)[:LONGEST_TITLE]
        title, number = base, 1
        while title.casefold() in self.titles:
            number += 1
            title = f"{base[: LONGEST_TITLE - 4]}-{number}"
        self.titles.add(title.casefold())
        return title

    def add(self, told: Told) -> None:
        line = [*fixed(told.row), *(self._value(planned, told.of(planned)[0]) for planned in self.main)]
        self.responses.append([self._cell(self.responses, value) for value in line])
        for repeat, within in self.lists.items():
            sheet = self.rows[repeat]
            for row in told.rows.get(repeat, ()):
                values = [self._value(planned, told.answers.get((planned.uid, row))) for planned in within]
                sheet.append([self._cell(sheet, value) for value in (str(told.row.pk), row, *values)])

    def _value(self, planned: Planned, kept: Any) -> Any:
        """A number where it is one exactly; what an older version of the field took is told as it was answered."""
        exact = number(kept) if planned.question.type in NUMBERS else None
        if exact is not None and len(exact.as_tuple().digits) <= EXACT_DIGITS:
            return float(exact)
        return as_words(kept)

    def _cell(self, sheet: Any, value: Any) -> Any:
        """A text that looks like something to work out is written as the text it is."""
        if not isinstance(value, str):
            return value
        text = ILLEGAL_CHARACTERS_RE.sub("", value)[:LONGEST_CELL]
        if not runs(text) and not text.startswith("#"):
            return text
        cell = WriteOnlyCell(sheet, value=text)
        cell.data_type = "s"
        cell.quotePrefix = True
        return cell


def as_xlsx(by: Principal, form: Form, **filters: Any) -> Iterator[bytes]:
    """The bytes of the workbook, a piece at a time; lines are kept on the disk meanwhile, never in memory."""
    sheets = _Sheets(columns_of(form))
    for told in each(by, form, **filters):
        sheets.add(told)
    with tempfile.TemporaryFile() as written:
        sheets.book.save(written)
        written.seek(0)
        while piece := written.read(PIECE):
            yield piece


TAKEN_OUT: dict[str, tuple[Callable[..., Iterator[str | bytes]], str, str]] = {
    "csv": (as_csv, "text/csv; charset=utf-8", "csv"),
    "json": (as_json, "application/x-ndjson", "ndjson"),
    "xlsx": (as_xlsx, XLSX, "xlsx"),
}
"""The formats: what takes responses out so, its media type, and how its file ends."""
