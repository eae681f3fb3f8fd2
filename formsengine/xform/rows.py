"""Rows of a sheet as an XForm gives them, no more of them than a sheet may have."""

from __future__ import annotations

from formsengine.problems import Problem, Refused
from formsengine.xlsform.sheets import LARGEST, MOST_CELLS, MOST_COLUMNS, MOST_ROWS, Line, Sheet


class Rows:
    """Each row with the place in the form that it comes from. A text in many languages is a cell in each of them:
    a short form may say far more than it holds."""

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self.columns: dict[str, None] = {}
        self.cells = self.characters = 0

    def add(self, row: dict[str, str], place: str) -> None:
        """Raises Refused("import") where it is more than a form needs."""
        cells = {column: value for column, value in row.items() if value}
        self.cells += len(cells)
        self.characters += sum(map(len, cells.values()))
        self.columns |= dict.fromkeys(row)
        self.lines.append(Line(len(self.lines) + 2, cells, place))
        for count, most, what in (
            (len(self.lines), MOST_ROWS, "rows"),
            (len(self.columns), MOST_COLUMNS, "columns"),
            (self.cells, MOST_CELLS, "cells"),
            (self.characters, LARGEST, "characters"),
        ):
            if count > most:
                message = f"Written as a sheet, this form has more than {most} {what}."
                raise Refused("import", message, [Problem(place, "too-large", message)])

    def sheet(self) -> Sheet:
        return Sheet(tuple(self.columns), tuple(self.lines))
