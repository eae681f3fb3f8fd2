"""The choices of a spreadsheet form, from its own sheet or from files beside it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

from formsengine.problems import Problem, Refused, nearest
from formsengine.xlsform import columns
from formsengine.xlsform.report import Report
from formsengine.xlsform.sheets import MOST_ROWS, Line, Sheet, cell
from formsengine.xlsform.types import Typed


class Lists:
    """Lists by name. A list from a file that was not given is there without choices, and blocks publishing."""

    def __init__(
        self,
        sheets: Mapping[str, Sheet],
        report: Report,
        default: str,
        settings: Mapping[str, str],
        files: Mapping[str, bytes],
    ) -> None:
        self.report = report
        self.default = default
        self.files = files
        self.repeated = settings.get("allow_choice_duplicates", "").lower() in ("yes", "true", "1")
        self.found: dict[str, list[dict[str, Any]]] = {}
        self.used: dict[str, dict[str, Any]] = {}
        for name in ("choices", "external_choices", "columns"):
            for line in sheets[name].lines if name in sheets else ():
                self._line(line, name)

    def _line(self, line: Line, sheet: str) -> None:
        made: dict[str, Any] = {"label": {}, "attributes": {}, "media": {}}
        list_name = ""
        for column, value in line.cells.items():
            meaning, language = columns.split(column) or ("", "")
            code = columns.language_code(language) if language else self.default
            match meaning:
                case "list_name":
                    list_name = value
                case "name":
                    made["code"] = value
                case "label":
                    made["label"][code] = value
                case "image" | "audio" | "video" | "big-image":
                    made["media"].setdefault(meaning, {})[code] = value
                case "comment":
                    continue
                case _:
                    made["attributes"][column] = value
        if list_name and "code" in made:
            self.found.setdefault(list_name, []).append({key: value for key, value in made.items() if value})
            self.report.take("choices")
        elif list_name or "code" in made:
            self.report.leave(line.at(sheet), str(line.cells), "a choice has a list and a name", blocks=False)

    def use(self, typed: Typed, where: str) -> str:
        """The stored list's name. Raises Refused when the sheet has no such list."""
        name = typed.list_name
        stored = "".join(each if each.isalnum() or each in "_.-" else "_" for each in name)
        stored = stored if stored[:1].isalpha() or stored[:1] == "_" else f"l_{stored}"
        if stored in self.used:
            return stored
        if typed.file:
            self.used[stored] = self._from_file(stored, typed.file, where)
        elif name in self.found:
            self.used[stored] = {"name": stored, "choices": self.found[name], **self._repeats(name)}
        else:
            message = f"There is no list {name!r} among the choices."
            raise Refused(
                "import", message, [Problem(where, "unknown-list", message, tuple(nearest(name, self.found)))]
            )
        return stored

    def _repeats(self, name: str) -> dict[str, bool]:
        codes = [choice["code"] for choice in self.found[name]]
        return {"repeated_codes": True} if self.repeated and len(set(codes)) < len(codes) else {}

    def _from_file(self, stored: str, file: str, where: str) -> dict[str, Any]:
        content = self.files.get(file)
        if content is None:
            self.report.change(where, file, stored, "the choices come from this file, which was not given yet")
            return {"name": stored, "choices": [], "file": file}
        choices = []
        for row in list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))[:MOST_ROWS]:
            cells = {key.strip(): cell(value) for key, value in row.items() if key and value}
            code = cells.pop("name", "")
            if code:
                label = cells.pop("label", code)
                choices.append({"code": code, "label": {self.default: label}, "attributes": cells})
                self.report.take("choices")
        codes = [choice["code"] for choice in choices]
        repeated = {"repeated_codes": True} if len(set(codes)) < len(codes) else {}
        return {"name": stored, "choices": choices, "file": file, **repeated}

    def stored(self) -> list[dict[str, Any]]:
        unused = [name for name in self.found if name not in self.used]
        kept = [{"name": name, "choices": self.found[name], **self._repeats(name)} for name in unused
                if name.isidentifier()]  # fmt: skip
        return [*self.used.values(), *kept]
