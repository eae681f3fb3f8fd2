"""From the XML of a form to rows of a sheet, of which the reader of sheets makes a definition.

A path is a name here: each field has one of its own, whichever group it stands in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from formsengine.problems import Problem, Refused
from formsengine.xform.choosing import Choosing
from formsengine.xform.texts import Left, Texts, local
from formsengine.xlsform.places import name_of
from formsengine.xlsform.sheets import LARGEST, MOST_CELLS, Line, Sheet

TYPES = {
    **{"string": "text", "int": "integer", "decimal": "decimal", "boolean": "boolean", "date": "date"},
    **{"time": "time", "dateTime": "datetime", "geopoint": "geopoint", "geotrace": "geotrace"},
    **{"geoshape": "geoshape", "barcode": "barcode", "binary": "file"},
}
OF_CALCULATED = {"int", "decimal", "boolean", "date", "time", "dateTime"}
"""Types that what is calculated is declared to have; anything else has the type of its rule."""
CONTROLS = {"input", "select", "select1", "upload", "trigger", "range", "rank", "secret"}
MEDIA = {"image": "image", "audio": "audio", "video": "video"}
PRELOADED = {"start": "start", "end": "end", "today": "today", "deviceid": "deviceid", "username": "username"}
AT_FIRST = {"odk-instance-first-load", "xforms-ready", "odk-new-repeat"}
PATH = re.compile(r"(?<![\w.)\]/])(?:current\(\)/)?(?P<up>(?:\.\./)+)(?P<below>[\w.-]+(?:/[\w.-]+)*)"
                  r"|(?<![\w.)\]*/])(?P<root>/[\w.-]+(?:/[\w.-]+)+)")  # fmt: skip
STRINGS = re.compile(r"'[^']*'|\"[^\"]*\"")


def is_xml(content: bytes) -> bool:
    """Whether these bytes are a form in XML."""
    return isinstance(content, bytes | bytearray) and content.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def read_xform(content: bytes) -> tuple[dict[str, Sheet], list[Left]]:
    """The sheets, and what no sheet says.

    Raises Refused("import") for what is no XForm. Nothing outside the bytes is opened, and no entity is resolved.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if len(content) > LARGEST:
        raise _refused("too-large", f"A form has at most {LARGEST} bytes.")
    try:
        root = fromstring(bytes(content), forbid_dtd=True)
    except (ParseError, DefusedXmlException, ValueError, LookupError) as wrong:
        raise _refused("unreadable", f"This looks like XML and cannot be read: {type(wrong).__name__}.") from None
    if sum(1 for _ in root.iter()) > MOST_CELLS:
        raise _refused("too-large", f"This form has more than {MOST_CELLS} elements.")
    model, body = _found(root, "model"), _found(root, "body")
    instance = _found(model, "instance") if model is not None else None
    if model is None or body is None or instance is None or not len(instance):
        raise _refused("no-survey", "An XForm has a model with an instance, and a body.")
    return _Form(root, model, body, instance[0]).sheets()


def _refused(code: str, message: str) -> Refused:
    return Refused("import", message, [Problem("", code, message)])


def _found(root: Element | None, name: str) -> Element | None:
    return next((each for each in root.iter() if local(each) == name), None) if root is not None else None


class _Form:
    """What is gathered while the form is walked through."""

    def __init__(self, root: Element, model: Element, body: Element, instance: Element) -> None:
        self.root, self.model, self.body, self.instance = root, model, body, instance
        self.left: list[Left] = []
        self.rows: list[dict[str, str]] = []
        self.texts = Texts(model, self._output)
        self.top = f"/{local(instance)}"
        self.nodes: dict[str, Element] = {}
        self.names: dict[str, str] = {}
        self._name(instance, self.top)
        self.binds = {self._path(each.get("nodeset", ""), self.top): each
                      for each in model.iter() if local(each) == "bind"}  # fmt: skip
        asked = (each.get("ref", "") for each in body.iter() if local(each) in CONTROLS)
        self.asked = {self._path(each, self.top) for each in asked}
        self.choosing = Choosing(model, self.texts, self.left)
        self.defaults: dict[str, str] = {}
        self._settings()

    def _name(self, at: Element, path: str) -> None:
        """A name for each node below: its own, or with that of its group where another has it."""
        for node in at:
            below = f"{path}/{local(node)}"
            if below in self.names:
                self.left.append(Left(below, local(node), "rows that a form begins with are not made", blocks=False))
            if local(node) == "meta" or below in self.names:
                continue
            name = name_of(local(node))
            taken = set(self.names.values())
            if name in taken:
                name = name_of("_".join(below.split("/")[2:]))
            while name in taken:
                name = f"{name}_2"
            self.names[below], self.nodes[below] = name, node
            self._name(node, below)

    def _settings(self) -> None:
        """Values that are set when the form is opened are defaults."""
        for each in self.root.iter():
            if local(each) != "setvalue":
                continue
            ref, events = self._path(each.get("ref", ""), self.top), set(_attribute(each, "event").split())
            value = each.get("value", "") or f"'{(each.text or '').strip()}'"
            if events and events <= AT_FIRST:
                self.defaults[ref] = self._rule(value, ref)
            else:
                self.left.append(Left(ref, value, "a value that is set by an event has no meaning here"))

    def sheets(self) -> tuple[dict[str, Sheet], list[Left]]:
        placed: set[str] = set()
        self._walk(self.body, self.top, placed)
        self._unseen(self.top, placed)
        title = next((each.text or "" for each in self.root.iter() if local(each) == "title"), "").strip()
        settings = {
            "form_title": title,
            "form_id": self.instance.get("id", "") or local(self.instance),
            "version": _attribute(self.instance, "version"),
            "default_language": self.texts.default,
        }
        made = {"survey": _sheet(self.rows), "settings": _sheet([settings])}
        return made | ({"choices": _sheet(self.choosing.rows)} if self.choosing.rows else {}), self.left

    # What a person sees, in its order.

    def _walk(self, at: Element, context: str, placed: set[str]) -> None:
        for each in at:
            kind = local(each)
            if kind == "group":
                self._group(each, context, placed)
            elif kind == "repeat":
                self._block("repeat", each, context, placed, {})
            elif kind in CONTROLS:
                self._control(kind, each, context, placed)
            elif kind not in ("label", "hint", "help", "setvalue"):
                self.left.append(Left(context, kind, "this part of a form has no meaning here"))

    def _group(self, group: Element, context: str, placed: set[str]) -> None:
        """A group around nothing but a repeat is that repeat, under the group's label."""
        inner = [each for each in group if local(each) not in ("label", "hint")]
        if len(inner) == 1 and local(inner[0]) == "repeat":
            same = self._path(group.get("ref", ""), context) in ("", self._path(inner[0].get("nodeset", ""), context))
            if same:
                self._block("repeat", inner[0], context, placed, self.texts.of(group))
                return
        self._block("group", group, context, placed, {})

    def _block(self, kind: str, at: Element, context: str, placed: set[str], words: dict[str, str]) -> None:
        path = self._path(at.get("nodeset") or at.get("ref") or "", context)
        placed.add(path)
        row = {"type": f"begin {kind}", "name": self.names.get(path, "")} | self.texts.of(at) | words
        row |= self._bound(path, ("relevant",))
        if count := _attribute(at, "count"):
            row["repeat_count"] = self._rule(count, path)
        if appearance := at.get("appearance"):
            row["appearance"] = appearance
        self.rows.append(row)
        self._walk(at, path or context, placed)
        if path:
            self._unseen(path, placed)
        self.rows.append({"type": f"end {kind}"})

    def _control(self, kind: str, control: Element, context: str, placed: set[str]) -> None:
        path = self._path(control.get("ref", ""), context)
        if path not in self.names:
            self.left.append(Left(path, kind, "this question asks for nothing that is in the instance"))
            return
        placed.add(path)
        bind = self.binds.get(path)
        row = {"name": self.names[path]} | self.texts.of(control)
        row |= self._bound(path, ("relevant", "required", "constraint", "calculation"))
        row["type"] = self._type(kind, control, bind, path, row)
        if appearance := control.get("appearance"):
            row["appearance"] = appearance
        if kind == "range":
            limits = {name: control.get(name, "") for name in ("start", "end", "step")}
            row["parameters"] = " ".join(f"{name}={value}" for name, value in limits.items() if value)
        if row["type"] not in ("calculate", "note") and (default := self._default(path)):
            row["default"] = default
        self.rows.append(row)

    def _type(self, kind: str, control: Element, bind: Element | None, path: str, row: dict[str, str]) -> str:
        given = _declared(bind)
        if kind in ("select", "select1", "rank"):
            named, chosen = self.choosing.of(control, row["name"], lambda text: self._rule(text, path))
            if chosen:
                row["choice_filter"] = chosen
            return {"select": "select_multiple", "select1": "select_one", "rank": "rank"}[kind] + f" {named}"
        if kind == "upload":
            return MEDIA.get(control.get("mediatype", "").partition("/")[0], "file")
        if kind == "trigger":
            return "acknowledge"
        if kind == "range":
            return "range"
        if row.get("calculation"):
            return _calculated(bind)
        if bind is not None and bind.get("readonly", "").startswith("true"):
            return "note"
        if given and given not in TYPES:
            self.left.append(Left(path, given, "this type has no meaning here: it is asked as a text"))
        return TYPES.get(given, "text")

    def _unseen(self, below: str, placed: set[str]) -> None:
        """What stands below and is in no question."""
        for path, node in self.nodes.items():
            if path.startswith(f"{below}/") and path not in placed | self.asked and not len(node):
                placed.add(path)
                self._hidden(path, node)

    def _hidden(self, path: str, node: Element) -> None:
        """What is in no question: calculated, stamped by the device, or a value that comes with the form."""
        bind = self.binds.get(path)
        if bind is None:
            return
        row = {"name": self.names[path]} | self._bound(path, ("relevant", "calculation"))
        stamped = PRELOADED.get(_attribute(bind, "preloadParams"), "")
        if row.get("calculation"):
            row["type"] = _calculated(bind)
        elif stamped:
            row["type"] = stamped
        elif default := self._default(path):
            row |= {"type": "calculate", "calculation": default}
        else:
            self.left.append(Left(path, local(node), "nothing asks for it, and nothing gives it a value"))
            return
        self.rows.append(row)

    # Rules.

    def _bound(self, path: str, wanted: tuple[str, ...]) -> dict[str, str]:
        bind = self.binds.get(path)
        if bind is None:
            return {}
        found = {}
        for name in wanted:
            if text := bind.get({"calculation": "calculate"}.get(name, name), ""):
                found[name] = self._rule(text, path)
        for name, column in (("constraintMsg", "constraint_message"), ("requiredMsg", "required_message")):
            if text := _attribute(bind, name):
                found |= self.texts.told(text, column)
        return found

    def _default(self, path: str) -> str:
        return self.defaults.get(path) or (self.nodes[path].text or "").strip()

    def _rule(self, text: str, context: str) -> str:
        """The rule with names in place of paths, and what stands in quotes as it is."""
        parts, last = [], 0
        for match in STRINGS.finditer(text):
            parts += [self._named(text[last : match.start()], context), match.group()]
            last = match.end()
        return "".join([*parts, self._named(text[last:], context)]).strip()

    def _named(self, text: str, context: str) -> str:
        def named(match: re.Match[str]) -> str:
            path = self._path(match[0].removeprefix("current()/"), context)
            return "${" + self.names[path] + "}" if path in self.names else match[0]

        return PATH.sub(named, text)

    def _output(self, value: str) -> str:
        """What an <output> in a text shows: a field by its name."""
        rule = self._rule(value, self.top)
        if not rule.startswith("${"):
            self.left.append(Left("output", value, "a text shows answers of fields alone", blocks=False))
            return ""
        return rule

    def _path(self, text: str, context: str) -> str:
        """An absolute path; what is relative begins at `context`."""
        if not text or text.startswith("/"):
            return text
        steps = context.split("/")
        for step in text.split("/"):
            if step == "..":
                steps.pop()
            elif step != ".":
                steps.append(step)
        return "/".join(steps)


def _declared(bind: Element | None) -> str:
    return (bind.get("type", "") if bind is not None else "").rpartition(":")[2]


def _calculated(bind: Element | None) -> str:
    given = _declared(bind)
    return TYPES[given] if given in OF_CALCULATED else "calculate"


def _attribute(element: Element, name: str) -> str:
    """An attribute by its name, whatever namespace it is in."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _sheet(rows: list[dict[str, Any]]) -> Sheet:
    columns = dict.fromkeys(key for row in rows for key in row)
    lines = [Line(number, {key: value for key, value in row.items() if value}) for number, row in _numbered(rows)]
    return Sheet(tuple(columns), tuple(lines))


def _numbered(rows: list[dict[str, Any]]) -> Iterator[tuple[int, dict[str, Any]]]:
    yield from enumerate(rows, start=2)
