"""From the XML of a form to rows of a sheet, of which the reader of sheets makes a definition.

A path is a name here: each field has one of its own, whichever group it stands in.
"""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element, ParseError

from formsengine.problems import Problem, Refused
from formsengine.xform.choosing import Choosing
from formsengine.xform.instance import Instance
from formsengine.xform.rows import Rows
from formsengine.xform.texts import Left, Texts, local
from formsengine.xlsform.sheets import LARGEST, MOST_CELLS, MOST_ROWS, Sheet

DEEPEST = 64
"""Elements within each other."""

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
    root = _parsed(content)
    _measure(root)
    model, body = _found(root, "model"), _found(root, "body")
    instance = _found(model, "instance") if model is not None else None
    if model is None or body is None or instance is None or not len(instance):
        raise _refused("no-survey", "An XForm has a model with an instance, and a body.")
    sheets, left = _Form(root, model, body, instance[0]).sheets()
    if len(left) > MOST_ROWS:
        raise _refused("too-large", f"More than {MOST_ROWS} parts of this form have no meaning here.")
    return sheets, left


def _parsed(content: bytes) -> Element:
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    if len(content) > LARGEST:
        raise _refused("too-large", f"A form has at most {LARGEST} bytes.")
    try:
        root: Element = fromstring(bytes(content), forbid_dtd=True)
    except ParseError as wrong:
        line, column = wrong.position
        says = f"This looks like XML and is not well-formed at line {line}, column {column + 1}."
        raise _refused("unreadable", says) from None
    except DefusedXmlException:
        says = "This looks like XML and declares a document type, which no form does here: leave its DOCTYPE out."
        raise _refused("unreadable", says) from None
    except (ValueError, LookupError):
        says = "This looks like XML in an encoding that is not read here: save it in UTF-8."
        raise _refused("unreadable", says) from None
    return root


def _measure(root: Element) -> None:
    """Refuse what is larger or deeper than a form, before anything walks through it."""
    count, level, depth = 1, [root], 1
    while level := [inner for each in level for inner in each]:
        count, depth = count + len(level), depth + 1
        if count > MOST_CELLS:
            raise _refused("too-large", f"This form has more than {MOST_CELLS} elements.")
        if depth > DEEPEST:
            raise _refused("too-deep", f"The elements of this form lie more than {DEEPEST} deep.")


def _refused(code: str, message: str) -> Refused:
    return Refused("import", message, [Problem("", code, message)])


def _found(root: Element | None, name: str) -> Element | None:
    return next((each for each in root.iter() if local(each) == name), None) if root is not None else None


class _Form:
    """What is gathered while the form is walked through."""

    def __init__(self, root: Element, model: Element, body: Element, instance: Element) -> None:
        self.root, self.model, self.body, self.instance = root, model, body, instance
        self.left: list[Left] = []
        self.rows = Rows()
        self.texts = Texts(model, self._output)
        self.read = Instance(instance, self.left)
        self.top, self.names, self.nodes = self.read.top, self.read.names, self.read.nodes
        self.placed: set[str] = set()
        self.astray: set[tuple[str, str]] = set()
        self.binds = {self._path(each.get("nodeset", ""), self.top): each
                      for each in model.iter() if local(each) == "bind"}  # fmt: skip
        asked = (each.get("ref", "") for each in body.iter() if local(each) in CONTROLS)
        self.asked = {self._path(each, self.top) for each in asked}
        self.choosing = Choosing(model, self.texts, self.left)
        self.defaults: dict[str, str] = {}
        self._settings()

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
        self._walk(self.body, self.top)
        self._unseen(self.top)
        title = next((each.text or "" for each in self.root.iter() if local(each) == "title"), "").strip()
        settings = {
            "form_title": title,
            "form_id": self.instance.get("id", "") or local(self.instance),
            "version": _attribute(self.instance, "version"),
            "default_language": self.texts.default,
        }
        only = Rows()
        only.add(settings, "settings")
        made = {"survey": self.rows.sheet(), "settings": only.sheet()}
        return made | ({"choices": self.choosing.rows.sheet()} if self.choosing.rows.lines else {}), self.left

    # What a person sees, in its order.

    def _walk(self, at: Element, context: str) -> None:
        for each in at:
            kind = local(each)
            if kind == "group":
                self._group(each, context)
            elif kind == "repeat":
                self._block("repeat", each, context, {})
            elif kind in CONTROLS:
                self._control(kind, each, context)
            elif kind not in ("label", "hint", "help", "setvalue"):
                self.left.append(Left(context, kind, "this part of a form has no meaning here"))

    def _group(self, group: Element, context: str) -> None:
        """A group around nothing but a repeat is that repeat, under the group's label."""
        inner = [each for each in group if local(each) not in ("label", "hint")]
        if len(inner) == 1 and local(inner[0]) == "repeat":
            same = self._path(group.get("ref", ""), context) in ("", self._path(inner[0].get("nodeset", ""), context))
            if same:
                self._block("repeat", inner[0], context, self.texts.of(group))
                return
        self._block("group", group, context, {})

    def _block(self, kind: str, at: Element, context: str, words: dict[str, str]) -> None:
        path = self._path(at.get("nodeset") or at.get("ref") or "", context)
        self.placed.add(path)
        row = {"type": f"begin {kind}", "name": self.names.get(path, "")} | self.texts.of(at) | words
        row |= self._bound(path, ("relevant",))
        if count := _attribute(at, "count"):
            row["repeat_count"] = self._rule(count, path)
        if appearance := at.get("appearance"):
            row["appearance"] = appearance
        self.rows.add(row, path or context)
        self._walk(at, path if path.startswith("/") else context)
        if path:
            self._unseen(path)
        self.rows.add({"type": f"end {kind}"}, path or context)

    def _control(self, kind: str, control: Element, context: str) -> None:
        path = self._path(control.get("ref", ""), context)
        if path not in self.names:
            self.left.append(Left(path, kind, "this question asks for nothing that is in the instance"))
            return
        self.placed.add(path)
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
        if kind == "secret":
            row["sensitive"] = kind
        self.rows.add(row, path)

    def _type(self, kind: str, control: Element, bind: Element | None, path: str, row: dict[str, str]) -> str:
        given = _declared(bind)
        if kind in ("select", "select1", "rank"):
            named, chosen = self.choosing.of(control, row["name"], path, lambda text: self._rule(text, path))
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

    def _unseen(self, below: str) -> None:
        """What stands below and is in no question."""
        for path in self.read.leaves(below):
            if path not in self.placed and path not in self.asked:
                self.placed.add(path)
                self._hidden(path, self.nodes[path])

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
        self.rows.add(row, path)

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
                if len(steps) < 2:
                    return self._leads_out(text, context)
                steps.pop()
            elif step != ".":
                steps.append(step)
        return "/".join(steps)

    def _leads_out(self, text: str, context: str) -> str:
        if (text, context) not in self.astray:
            self.astray.add((text, context))
            self.left.append(Left(context, text, "this path leads out of the form"))
        return text


def _declared(bind: Element | None) -> str:
    return (bind.get("type", "") if bind is not None else "").rpartition(":")[2]


def _calculated(bind: Element | None) -> str:
    given = _declared(bind)
    return TYPES[given] if given in OF_CALCULATED else "calculate"


def _attribute(element: Element, name: str) -> str:
    """An attribute by its name, whatever namespace it is in."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
