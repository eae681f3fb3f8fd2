"""From a spreadsheet form to a definition and a report of what became of each cell."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from formsengine.definition.model import Form
from formsengine.definition.plan import KINDS, plan
from formsengine.definition.stored import read
from formsengine.expressions.types import Kind
from formsengine.problems import Problem, Refused
from formsengine.xform.reading import is_xml, read_xform
from formsengine.xform.texts import Left
from formsengine.xlsform import columns
from formsengine.xlsform.lists import Lists
from formsengine.xlsform.places import item_at, name_of
from formsengine.xlsform.report import Report
from formsengine.xlsform.rules import NotReadable, default_rule, rewrite
from formsengine.xlsform.sheets import Line, Sheet, read_sheets
from formsengine.xlsform.steps import steps_of
from formsengine.xlsform.types import BLOCK, Typed, read_type

RULES = {"relevant": "relevant", "choice_filter": "filter", "repeat_count": "count"}
YES = {"yes", "true", "true()", "1", "y"}
NO = {"no", "false", "false()", "0", "n", ""}
SKIPPED = {"audit", "instanceid", "simserial", "subscriberid", "csv-external", "xml-external", "include"}
SURVEY = "survey"
CONDITIONS = {"create_if", "update_if"}
NAMED = re.compile(r"\$\{\s*([^{}\s]+)\s*\}")
DEEPEST = 10
"""Groups within each other: in JSON, which is read 32 deep, a form has two levels for each."""
RULE_KEYS = {"relevant", "required", "filter", "count", "default", "computed", "test"}


@dataclass(frozen=True, slots=True)
class Imported:
    """A definition and what became of the sheet. What was not understood is kept in the form and blocks publishing."""

    form: Form
    report: Report


def import_xlsform(
    content: bytes, *, id: str = "", otherwise: str = "", files: Mapping[str, bytes] | None = None
) -> Imported:
    """The form, out of a sheet or of an XForm's XML. `files` holds the sheets that choices come from, by name.

    It is called `id`, else as the sheet says, else `otherwise`.

    Raises Refused("import") for what is no form at all: no survey, a column twice, a group that never ends.
    """
    sheets, left = read_xform(content) if is_xml(content) else (read_sheets(content), [])
    if "survey" not in sheets:
        found = ", ".join(sorted(sheets)) or "nothing"
        raise _refused("survey", "no-survey", f"There is no sheet called survey, only {found}.")
    reader = _Reader(sheets, id, files or {}, otherwise)
    return reader.read(left)


def _refused(path: str, code: str, message: str, *accepted: str) -> Refused:
    return Refused("import", message, [Problem(path, code, message, accepted)])


class _Reader:
    def __init__(self, sheets: Mapping[str, Sheet], id: str, files: Mapping[str, bytes], otherwise: str) -> None:
        self.sheets = sheets
        self.report = Report()
        self.settings = self._settings()
        named = self.settings.get("default_language", "")
        self.default = columns.language_code(named) if named and named != "default" else ""
        self.languages: dict[str, None] = {}
        self.survey = sheets["survey"]
        self._languages()
        self.lists = Lists(sheets, self.report, self.default, self.settings, files)
        self.id = id or self.settings.get("form_id") or self.settings.get("id_string") or otherwise or "form"
        self.names: dict[str, str] = {}
        self.kinds: dict[str, Kind] = {}
        self.unread: list[dict[str, str]] = []
        self.places: dict[int, str] = {}
        self.strange: set[str] = set()

    def _settings(self) -> dict[str, str]:
        lines = self.sheets["settings"].lines if "settings" in self.sheets else ()
        return {key.lower().replace(" ", "_"): value for key, value in lines[0].cells.items()} if lines else {}

    def _languages(self) -> None:
        """The languages in the order in which headings name them; a bare `label` is in the default language."""
        for sheet in (self.survey, self.sheets.get("choices")):
            for column in sheet.columns if sheet else ():
                if (found := columns.split(column)) and found[1]:
                    self.languages[columns.language_code(found[1])] = None
        bare = "label" in {column.strip().lower() for column in self.survey.columns}
        if not self.default:
            self.default = "en" if bare or "en" in self.languages or not self.languages else next(iter(self.languages))
        self.languages = {self.default: None, **self.languages}

    def read(self, left: Sequence[Left]) -> Imported:
        for one in left:
            if one.blocks:
                self._leave(one.where, one.text, one.why)
            else:
                self.report.leave(one.where, one.text, one.why, blocks=False)
        self._names()
        steps = steps_of(self._tree())
        title = self.settings.get("form_title") or self.settings.get("title") or self.id
        version = re.sub(r"\D", "", self.settings.get("version", ""))[:9]
        data: dict[str, Any] = {
            "format": "form/1",
            "id": name_of(self.id),
            "version": max(1, int(version or 1)),
            "title": {self.default: title},
            "default_language": self.default,
            "languages": list(self.languages),
            "lists": self.lists.stored(),
            "steps": steps,
            "unread": self.unread,
        }
        self._bind(data)
        return Imported(self._checked(data), self.report)

    def _checked(self, data: dict[str, Any]) -> Form:
        """Rules that do not fit the form are taken out, kept as they were, and reported."""
        for _ in range(20):
            form = read(data)
            wrong = [each for each in plan(form).problems if each.path.rpartition("/")[2] in RULE_KEYS]
            if not wrong:
                return form
            for problem in wrong:
                self._take_out(data, problem)
        return form

    def _take_out(self, data: dict[str, Any], problem: Problem) -> None:
        parts = problem.path.split("/")
        at: Any = data
        for part in parts[:-1]:
            at = at[int(part)] if isinstance(at, list) else at[part]
        key = parts[-1]
        text = at.pop(key, None) if key != "test" else at["test"]
        if key == "test":
            at["test"] = "true()"
        if text is None:
            return
        why = f"{problem.message} (character {(problem.position or 0) + 1})"
        self._leave(problem.path, str(text), why, item_at(data, parts), key)
        data["unread"] = self.unread

    def _leave(self, where: str, text: str, why: str, item: str = "", key: str = "") -> None:
        self.report.leave(where, text, why)
        self.unread.append({"path": where, "text": text, "why": why, "item": item, "key": key})

    # Names and types come first, since rules name what stands below them.

    def _names(self) -> None:
        taken: set[str] = set()
        for line in self.survey.lines:
            text = self._cell(line, "type")
            typed = read_type(text)
            given = self._cell(line, "name")
            if text.lower().startswith(("end group", "end_group", "end repeat", "end_repeat")):
                continue
            name = name_of(given) if given else f"{name_of(text)}_{line.number}"
            if name in taken:
                name = f"{name}_{line.number}"
                self.report.change(line.at(SURVEY), given, name, "each name stands once in a form")
            elif given and name != given:
                self.report.change(line.at(SURVEY), given, name, "a name is a word of letters, digits and _")
            taken.add(name)
            self.places[line.number] = name
            self.names.setdefault(given, name)
            if typed is not None:
                kind = Kind.TEXT if typed.type == "computed" else KINDS.get(typed.type, Kind.TEXT)
                self.kinds[name] = kind
                if typed.type == "computed":
                    self.kinds.pop(name)

    def _cell(self, line: Line, meaning: str) -> str:
        for column, value in line.cells.items():
            found = columns.split(column)
            if found and found[0] == meaning and not found[1]:
                return value
        return ""

    def _texts(self, line: Line, meaning: str) -> dict[str, str]:
        made = {}
        for column, value in line.cells.items():
            found = columns.split(column)
            if found and found[0] == meaning and value != "-":
                made[columns.language_code(found[1]) if found[1] else self.default] = value
        return made

    # The tree.

    def _tree(self) -> list[dict[str, Any]]:
        top: list[dict[str, Any]] = []
        open_items: list[tuple[dict[str, Any], int]] = []
        for line in self.survey.lines:
            text = " ".join(self._cell(line, "type").split())
            if not text or self._cell(line, "disabled").lower() in YES:
                continue
            block = BLOCK.match(text)
            if block and block[1].lower() == "end":
                if not open_items:
                    raise _refused(line.at(SURVEY), "unopened", f"Row {line.number} ends what never began.")
                open_items.pop()
                continue
            item = self._block(line, block[2].lower()) if block else self._field(line, text)
            if item is None:
                continue
            (open_items[-1][0]["items"] if open_items else top).append(item)
            if block:
                if len(open_items) == DEEPEST:
                    raise _refused(line.at(SURVEY), "too-deep", f"Groups lie within each other at most {DEEPEST} deep.")
                open_items.append((item, line.number))
        if open_items:
            number = open_items[-1][1]
            raise _refused(f"{SURVEY}:{number}", "unclosed", f"What begins in row {number} never ends.")
        return top

    def _block(self, line: Line, kind: str) -> dict[str, Any]:
        is_repeat = kind == "repeat"
        if not is_repeat and kind != "group":
            self._leave(line.at(SURVEY), f"begin {kind}", "this kind of group has no meaning here")
        item: dict[str, Any] = {"kind": "repeat" if is_repeat else "section", "name": self.places[line.number]}
        if not self._cell(line, "name"):
            self.report.change(line.at(SURVEY), "", item["name"], "a group needs a name")
        self.report.take("repeats" if is_repeat else "groups")
        self._words(line, item)
        self._rules(line, item, {"relevant": "relevant"} | ({"repeat_count": "count"} if is_repeat else {}), None)
        if appearance := self._cell(line, "appearance"):
            item["appearance"] = appearance
        self._unknown(line)
        return {**item, "items": []}

    def _words(self, line: Line, item: dict[str, Any]) -> None:
        for meaning in ("label", "hint"):
            if texts := self._texts(line, meaning):
                item[meaning] = texts
        if guidance := self._texts(line, "guidance_hint"):
            item["hint"] = {**guidance, **item.get("hint", {})}
        media = {kind: texts for kind in ("image", "audio", "video", "big-image") if (texts := self._texts(line, kind))}
        if media and item["kind"] == "field":
            item["media"] = media

    def _field(self, line: Line, text: str) -> dict[str, Any] | None:
        where = line.at(SURVEY)
        if text.lower().split(" ")[0] == "include":
            raise _refused(where, "include", f"Row {line.number} includes another file: paste its rows here instead.")
        if text.lower() in SKIPPED:
            self.report.leave(where, text, "nothing here corresponds to it", blocks=False)
            return None
        typed = read_type(text)
        if typed is None:
            self._leave(where, text, "this type has no meaning here")
            return None
        item: dict[str, Any] = {"kind": "field", "name": self.places[line.number], "type": typed.type}
        if typed.why:
            self.report.change(where, text, typed.type, typed.why)
        self.report.take("fields")
        self._words(line, item)
        self._choose(line, item, typed)
        if (hidden := self._cell(line, "sensitive")).lower() not in NO:
            item["sensitive"] = True
            self.report.change(where, hidden, "sensitive", "agents see that it is answered, not what")
        self._answers(line, item)
        if appearance := self._cell(line, "appearance"):
            item["appearance"] = appearance
            if appearance.strip() == "multiline" and item["type"] == "text":
                item["type"] = "longtext"
            if appearance.strip() == "signature" and item["type"] == "photo":
                item["type"] = "signature"
        if parameters := self._cell(line, "parameters"):
            item["parameters"] = parameters
        if typed.stamp:
            item["meta"] = typed.stamp
        if text.lower() == "range":
            self._range(line, item)
        self._unknown(line)
        return item

    def _choose(self, line: Line, item: dict[str, Any], typed: Typed) -> None:
        if not typed.list_name:
            return
        item["choices"] = self.lists.use(typed, line.at(SURVEY))
        if typed.other:
            item["other"] = True
            words = columns.OTHER_WORDS
            item["other_label"] = {each: words.get(each, words["en"]) for each in self.languages}
            self.report.change(line.at(SURVEY), "or other", "other", "the other and its text are one answer")

    def _answers(self, line: Line, item: dict[str, Any]) -> None:
        """Everything that decides about the answer."""
        where, name = line.at(SURVEY), item["name"]
        self._rules(line, item, {"relevant": "relevant", "choice_filter": "filter"}, None)
        required = self._cell(line, "required")
        if required.lower() in YES:
            item["required"] = True
            self.report.take("required")
        elif required.lower() not in NO:
            self._rules(line, item, {"required": "required"}, None)
        if texts := self._texts(line, "required_message"):
            item["required_message"] = texts
        if self._cell(line, "constraint"):
            made: dict[str, Any] = {}
            self._rules(line, made, {"constraint": "test"}, self.kinds.get(name))
            if made:
                item["constraints"] = [{**made, "message": self._texts(line, "constraint_message")}]
        self._rules(line, item, {"calculation": "computed"}, None)
        if trigger := self._cell(line, "trigger"):
            named = [self.names.get(each, each) for each in NAMED.findall(trigger)]
            item["recompute_on"] = named
            if "computed" in item and item["type"] == "computed":
                item["type"] = "text"
        if default := self._cell(line, "default"):
            self._one(line, where, item, "default", default_rule(default, item["type"]), default, None)
        self._once(where, item)
        if self._cell(line, "read_only").lower() in YES and "computed" not in item and item["type"] != "note":
            self.report.leave(where, "read only", "a field that is never written is a note or computed", blocks=False)
        if item["type"] == "computed" and "computed" not in item:
            if "default" in item:
                item["type"] = "text"
            else:
                self._leave(where, name, "a calculation without a calculation")
                item["computed"] = "''"

    def _once(self, where: str, item: dict[str, Any]) -> None:
        """What is worked out once is a default."""
        rule = item.get("computed", "")
        if rule.startswith("once(") and "default" not in item:
            item["default"] = item.pop("computed")
            item["type"] = "text" if item["type"] == "computed" else item["type"]
            self.report.change(where, rule, "default", "what is worked out once is a default")

    def _rules(self, line: Line, item: dict[str, Any], wanted: Mapping[str, str], own: Kind | None) -> None:
        for column, key in wanted.items():
            if text := self._cell(line, column):
                self._one(line, f"{line.at(SURVEY)}/{column}", item, key, text, text, own)

    def _one(
        self, line: Line, where: str, item: dict[str, Any], key: str, text: str, was: str, own: Kind | None
    ) -> None:
        try:
            written = rewrite(self._renamed(text), self.kinds, own, counts=key == "count")
        except NotReadable as wrong:
            self._leave(where, was, str(wrong), self.places[line.number], key)
            return
        item[key] = written.text
        self.report.take("rules")
        for why in dict.fromkeys(written.why):
            self.report.change(where, was, written.text, why)

    def _renamed(self, text: str) -> str:
        def named(match: re.Match[str]) -> str:
            return "${" + self.names.get(match[1], match[1]) + "}"

        return NAMED.sub(named, text)

    def _range(self, line: Line, item: dict[str, Any]) -> None:
        given = dict(re.findall(r"(\w+)\s*=\s*(-?[\d.]+)", self._cell(line, "parameters")))
        low, high = given.get("start", "0"), given.get("end", "10")
        if all("." not in each for each in (low, high, given.get("step", "1"))):
            item["type"] = "integer"
        test = {"test": f". >= {low} and . <= {high}", "message": {self.default: f"{low} to {high}"}}
        item["constraints"] = [*item.get("constraints", []), test]

    def _unknown(self, line: Line) -> None:
        """Columns without a meaning here are named, once each."""
        for column in line.cells:
            if columns.split(column) is None and column not in self.strange:
                self.strange.add(column)
                why = "this column has no meaning here"
                self.report.leave(f"{SURVEY}/{column}", line.cells[column], why, blocks=False)

    def _bind(self, data: dict[str, Any]) -> None:
        """Entities that the form makes become bindings, to be looked at by whoever publishes."""
        sheet = self.sheets.get("entities")
        saved = {self.places[line.number]: property for line in self.survey.lines
                 if (property := self._cell(line, "save_to")) and line.number in self.places}  # fmt: skip
        for line in sheet.lines if sheet else ():
            cells = {key.lower().replace(" ", "_"): value for key, value in line.cells.items()}
            dataset = cells.get("list_name") or cells.get("dataset") or "entity"
            kept = {**{name: text for name, text in cells.items() if name not in CONDITIONS}, "properties": saved}
            self._conditions(line, cells, kept)
            binding = {"name": name_of(dataset), "into": "entity", "fields": list(saved), "data": kept}
            data.setdefault("bindings", []).append(binding)
            self.report.take("entities")

    def _conditions(self, line: Line, cells: Mapping[str, str], kept: dict[str, Any]) -> None:
        """When an entity is made is a rule of its binding; when it is changed has no meaning here."""
        where = line.at("entities")
        if text := cells.get("create_if"):
            try:
                kept["create_if"] = rewrite(self._renamed(text), self.kinds).text
            except NotReadable as wrong:
                self._leave(f"{where}/create_if", text, str(wrong))
        if text := cells.get("update_if"):
            self._leave(f"{where}/update_if", text, "what is there already is changed by the policy of each binding")
