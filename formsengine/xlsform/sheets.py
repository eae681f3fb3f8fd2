"""Sheets out of bytes: what a file is, is told by its content, and nothing outside the bytes is ever opened."""

from __future__ import annotations

import csv
import io
import itertools
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from formsengine.problems import Problem, Refused

LARGEST = 10_000_000
EXPANDED = 40_000_000
MOST_PARTS = 500
PIECE = 1_000_000
MOST_ROWS = 20_000
MOST_COLUMNS = 400
MOST_CELLS = 300_000
"""Cells of all sheets that hold something: reading more would keep everybody waiting."""
MOST_TAGS = 6 * MOST_CELLS
"""Tags in all parts of a workbook; a cell has two to six."""
LONGEST_GAP = 1000
"""Empty rows after which a sheet has ended."""
LONGEST_CELL = 32_767


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a sheet, counted from 1 as spreadsheets do, with what each named column holds.

    `place` is where it stands in a form that is no sheet.
    """

    number: int
    cells: dict[str, str]
    place: str = ""

    def at(self, sheet: str) -> str:
        """Where a report says that it stands."""
        return self.place or f"{sheet}:{self.number}"


@dataclass(frozen=True, slots=True)
class Sheet:
    columns: tuple[str, ...]
    lines: tuple[Line, ...]


def read_sheets(content: bytes) -> dict[str, Sheet]:
    """The sheets by name in lower case. Raises Refused("import") for what is none, too large, or has a column twice."""
    if not isinstance(content, bytes | bytearray):
        raise _refused("content", "A form is given by its content, never by the name of a file.")
    if len(content) > LARGEST:
        raise _refused("too-large", f"A sheet has at most {LARGEST} bytes.")
    if content[:2] == b"PK":
        raw = dict(_xlsx(bytes(content)))
    elif content[:4] == b"\xd0\xcf\x11\xe0":
        raw = dict(_xls(bytes(content)))
    else:
        raw = _text(bytes(content))
    return {name: _sheet(name, rows) for name, rows in raw.items()}


def _refused(code: str, message: str, path: str = "") -> Refused:
    return Refused("import", message, [Problem(path, code, message)])


def cell(value: Any) -> str:
    """A cell as text: whole numbers without a point, yes and no as XLSForm writes them."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return str(int(value)) if value.is_integer() else repr(value)
        case datetime() | date() | time():
            return value.isoformat()
    return str(value).replace("\u00a0", " ").strip()[:LONGEST_CELL]


Rows = list[tuple[int, list[str]]]
"""Rows that hold something, each with its number."""


def _xlsx(content: bytes) -> Iterator[tuple[str, Rows]]:
    import openpyxl

    try:
        with zipfile.ZipFile(io.BytesIO(content)) as parts:
            _measured(parts)
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
    except Refused:
        raise
    except Exception:
        message = "This looks like an .xlsx workbook and is damaged, or something else in the same wrapping."
        raise _refused("unreadable", message) from None
    counted = _Counted()
    for sheet in book.worksheets:
        rows = sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS)
        yield sheet.title.strip().lower(), _filled(rows, sheet.title, counted)


def _measured(parts: zipfile.ZipFile) -> None:
    """Refuse what takes long before it is read: a workbook of 200 KB may say millions of cells."""
    found = parts.infolist()
    if len(found) > MOST_PARTS or sum(each.file_size for each in found) > EXPANDED:
        raise _refused("too-large", "This workbook expands without measure.")
    tags = 0
    for each in found:
        with parts.open(each) as part:
            while piece := part.read(PIECE):
                tags += piece.count(b"<")
                if tags > MOST_TAGS:
                    raise _refused("too-large", f"This workbook has more than {MOST_CELLS} cells.")


def _xls(content: bytes) -> Iterator[tuple[str, Rows]]:
    import xlrd

    try:
        book = xlrd.open_workbook(file_contents=content)
    except Exception:
        message = "This looks like an .xls workbook and is damaged, locked by a password, or another kind of document."
        raise _refused("unreadable", message) from None
    counted = _Counted()
    for sheet in book.sheets():
        rows = (
            [bool(each.value) if each.ctype == xlrd.XL_CELL_BOOLEAN else each.value for each in sheet.row(number)]
            for number in range(sheet.nrows)
        )
        yield sheet.name.strip().lower(), _filled(rows, sheet.name, counted)


class _Counted:
    """How many cells that hold something were read, over all sheets, and how much they say."""

    def __init__(self) -> None:
        self.cells = self.characters = 0

    def add(self, row: Sequence[str]) -> None:
        """Raises Refused("import") where it is more than a form needs."""
        self.cells += sum(map(bool, row))
        if self.cells > MOST_CELLS:
            raise _refused("too-large", f"These sheets have more than {MOST_CELLS} cells.")
        self.characters += sum(map(len, row))
        if self.characters > LARGEST:
            raise _refused("too-large", f"These sheets hold more than {LARGEST} characters.")


def _filled(rows: Iterable[Iterable[Any]], name: str, counted: _Counted) -> Rows:
    """Rows with something in them; a sheet that is empty for long has ended, however many rows it claims."""
    found: Rows = []
    for number, row in enumerate(rows, start=1):
        cells = _trimmed(cell(value) for value in itertools.islice(row, MOST_COLUMNS))
        counted.add(cells)
        if cells:
            found.append((number, cells))
        elif number - (found[-1][0] if found else 0) > LONGEST_GAP:
            break
        _few(found, name)
    return found


def _text(content: bytes) -> dict[str, Rows]:
    """Sheets written as CSV or as a table of bars: a first cell names the sheet, its rows follow with an empty one."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise _refused("unreadable", "CSV and XForms are in UTF-8; a workbook is .xlsx or .xls.") from None
    rows = _bars(text) if text.lstrip().startswith("|") else _commas(text)
    found: dict[str, Rows] = {}
    current: Rows | None = None
    number, counted = 0, _Counted()
    for row in rows:
        counted.add(row)
        number += 1
        if row and row[0]:
            current, number = found.setdefault(row[0].strip().lower(), []), 0
        elif current is not None and any(row):
            current.append((number, _trimmed(row[1:])))
            _few(current, "text")
    return found


def _bars(text: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("|"):
            parts = line.strip("|").replace("\\|", "\0").split("|")
            cells = [part.strip().replace("\0", "|") for part in parts]
            if not all(set(each) <= set("-: ") and each for each in cells):
                yield cells


def _commas(text: str) -> Iterator[list[str]]:
    csv.field_size_limit(LONGEST_CELL * 4)
    try:
        for row in csv.reader(io.StringIO(text)):
            yield [cell(value) for value in row]
    except csv.Error as wrong:
        raise _refused("unreadable", f"This is no CSV: {wrong}.") from None


def _trimmed(cells: Iterable[str]) -> list[str]:
    found = list(cells)
    while found and not found[-1]:
        found.pop()
    return found


def _few(rows: Rows, name: str) -> None:
    if len(rows) > MOST_ROWS:
        raise _refused("too-large", f"The sheet {name} has more than {MOST_ROWS} rows.")


def _sheet(name: str, rows: Rows) -> Sheet:
    """The first row names the columns; empty rows are left out and still counted."""
    header = [" ".join(each.split()) for each in rows[0][1]] if rows else []
    seen = set[str]()
    for column in header:
        folded = column.lower().replace(" ", "_")
        if column and folded in seen:
            raise _refused("repeated-column", f"The sheet {name} has the column {column!r} twice.", f"{name}/{column}")
        seen.add(folded)
    lines = []
    for number, row in rows[1:]:
        cells = {column: value for column, value in zip(header, row, strict=False) if column and value}
        if cells:
            lines.append(Line(number, cells))
    return Sheet(tuple(column for column in header if column), tuple(lines))
