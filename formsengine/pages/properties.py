"""What of each part of a form is edited in a page, and how it stands there: the one list behind the page and what it
sends back."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from formsengine.definition.model import ATTACHED, CHOOSING, FieldType
from formsengine.editing.parts import WHOLE, Data, items

TYPES: tuple[str, ...] = FieldType.__args__  # type: ignore[attr-defined]
TYPE_WORDS = {
    "text": "Text, one line", "longtext": "Text, several lines", "integer": "Whole number", "decimal": "Exact number",
    "quantity": "Quantity with a unit", "money": "Money", "boolean": "Yes or no", "date": "Date, whole or partial",
    "time": "Time of day", "datetime": "Date and time", "range": "From and to", "choice": "One of a list",
    "choices": "Several of a list", "rank": "A list in order", "entity": "Somebody or something in memory",
    "row": "One of the rows", "email": "Email address", "phone": "Telephone", "url": "Web address", "point": "Place",
    "line": "Line on a map", "area": "Area on a map", "file": "File", "photo": "Photo", "audio": "Recording",
    "signature": "Signature", "consent": "Consent to a text", "note": "Words to read", "computed": "Worked out",
    "meta": "Stamp",
}  # fmt: skip
HOLDER_WORDS = {"section": "Section", "repeat": "List of rows", "step": "Step", "list": "List of choices",
                "gate": "Gate", "binding": "Binding into memory"}  # fmt: skip
INTO = ("property", "entity", "relation", "episode", "context", "resource")
DATA_KEYS = {
    "property": ("of", "class", "property"),
    "entity": ("class", "field", "properties", "create_if"),
    "relation": ("of", "relationship", "to"),
    "episode": ("kind", "when", "text", "participants"),
    "context": ("section", "title", "text"),
    "resource": ("path", "text"),
}
UNTEXT = {"note", "computed", "meta"}


@dataclass(frozen=True, slots=True)
class Property:
    """One thing to edit. `kind` says how it is typed and read; `options` are its values, with their words."""

    key: str
    kind: str
    label: str
    group: str = ""
    help: str = ""
    options: tuple[tuple[str, str], ...] = ()


RULE = "A rule: ${age} >= 18 and ${works}"


def of_part(form: Data, part_id: str, data: Data) -> list[Property]:
    """Everything that is edited of this part."""
    kind = part_id.partition(":")[0]
    if part_id == WHOLE:
        return list(_whole())
    if kind == "item":
        return list(_question(form, data) if data["kind"] == "field" else _container(form, data))
    return list({"step": _step, "list": _list, "gate": _gate, "binding": _binding}[kind](form, data))


def _whole() -> Iterator[Property]:
    yield Property("title", "texts", "Title")
    yield Property("languages", "words", "Languages", help="Codes, the first is the form's own: en, pt, ru")
    yield Property("checks", "constraints", "What must hold of the whole form", "Checks")


def _named(label: str = "Label", key: str = "label") -> Iterator[Property]:
    yield Property(key, "texts", label)
    yield Property("name", "name", "Known to rules and programs as", help="Letters, digits and _. Rules follow.")


def _step(form: Data, data: Data) -> Iterator[Property]:
    yield from _named("Title", "title")
    yield Property("ask_when", "rule", "Asked for when", "When", "Advice, never a lock. Empty: in its turn.")


def _list(form: Data, data: Data) -> Iterator[Property]:
    yield Property("name", "name", "Name")
    yield Property("choices", "choices", "Choices")
    yield Property("repeated_codes", "flag", "The same code may stand under several attributes", "More")


def _gate(form: Data, data: Data) -> Iterator[Property]:
    yield from _named("Title", "title")
    kinds = (("hold", "Hold it until somebody has looked"), ("end", "End the response"))
    yield Property("kind", "select", "What it does", options=kinds)
    yield Property("when", "rule", "When", help=RULE)
    yield Property("reason", "line", "Reason that is kept when it ends", "More")
    yield Property("owner", "line", "Who looks: a role", "More", "reviewer")
    yield Property("due_hours", "whole", "Within how many hours", "More")
    yield Property("holds_steps", "words", "Steps that wait for it", "More", "Names of steps")


def _binding(form: Data, data: Data) -> Iterator[Property]:
    yield Property("name", "name", "Name")
    yield Property("into", "select", "What it writes", options=tuple((each, each.capitalize()) for each in INTO))
    ways = (("review", "A person decides"), ("supersede", "It takes the place of what was"), ("append", "It is added"))
    yield Property("policy", "select", "When memory says otherwise", options=ways)
    yield Property("fields", "words", "From the fields", help="Names, with commas")
    for key in DATA_KEYS.get(str(data.get("into")), ()):
        kind = {"properties": "pairs", "participants": "lines", "text": "long"}.get(key, "line")
        yield Property(f"data.{key}", kind, DATA_WORDS[key], "What and where", DATA_HELP.get(key, ""))


DATA_WORDS = {
    "of": "About", "class": "Class of node", "property": "Property", "field": "Field that names it",
    "properties": "Properties and the fields they come from", "relationship": "Relationship", "to": "To",
    "kind": "Kind of episode", "when": "Field that says when", "text": "Text", "participants": "Who took part",
    "section": "Section of the context", "title": "Title of the entry", "path": "Path of the file",
    "create_if": "Made only when",
}  # fmt: skip
DATA_HELP = {
    "of": "subject, or the name of an entity binding",
    "to": "the name of an entity binding",
    "properties": "One a line: name = employer_name",
    "participants": "One a line: subject, or the name of an entity binding",
    "text": "Fields in braces: {reason}",
    "path": "Fields in braces: /reports/{site}.md",
    "create_if": "A rule. One that is there already is meant in any case. Empty: always.",
}


def _container(form: Data, data: Data) -> Iterator[Property]:
    yield from _named()
    yield Property("hint", "texts", "Hint")
    yield Property("relevant", "rule", "Applies when", "Rules", f"{RULE}. Empty: always.")
    if data["kind"] == "repeat":
        yield Property("count", "rule", "How many rows", "Rules", "${children}. Empty: as many as are added.")
        yield Property("min_rows", "whole", "At least so many rows", "Rules")
        yield Property("max_rows", "whole", "At most so many rows", "Rules")
        inside = tuple((each["name"], each["name"]) for each in data.get("items", ()) if each["kind"] == "field")
        yield Property("row_label", "select", "A row is called after", "Rules", options=(("", "Its number"), *inside))
    yield Property("checks", "constraints", "What must hold of its answers together", "Checks")


def _question(form: Data, data: Data) -> Iterator[Property]:
    kind = str(data["type"])
    yield Property("type", "select", "Type", options=tuple((each, TYPE_WORDS[each]) for each in TYPES))
    yield from _named("What is asked" if kind not in UNTEXT else "Words")
    yield Property("hint", "texts", "Hint")
    if kind in CHOOSING:
        yield from _choosing(form)
    if kind == "row":
        rows = tuple((one, one) for one in _repeats(form))
        yield Property("rows_of", "select", "Of which list of rows", options=(("", "None"), *rows))
    if kind == "consent":
        yield Property("statement", "texts", "The text that is agreed to")
    if kind == "quantity":
        yield Property("units", "words", "Units", help="kg, g")
    yield Property("relevant", "rule", "Asked when", "Rules", f"{RULE}. Empty: always.")
    if kind not in UNTEXT:
        yield Property("required", "required", "Needed", "Rules")
        yield Property("constraints", "constraints", "What the answer must be", "Rules", ". >= 0 and . <= 10")
    if kind in CHOOSING:
        yield Property("filter", "rule", "Choices offered", "Rules", "By their attributes: region = ${region}")
    if kind != "note":
        yield Property("computed", "rule", "Worked out as", "Rules", "sum(${amount}) * 2")
    if kind not in UNTEXT | ATTACHED:
        yield Property("default", "rule", "Stands there at first", "Rules", "'none', 0, today()")
    yield from _more(kind)


def _choosing(form: Data) -> Iterator[Property]:
    lists = tuple((each["name"], f"{each['name']} ({len(each.get('choices', ()))})") for each in form.get("lists", ()))
    yield Property("choices", "list", "Choices from the list", options=(("", "None"), *lists))
    yield Property("other", "flag", "Another answer may be written")


def _more(kind: str) -> Iterator[Property]:
    if kind not in UNTEXT:
        yield Property("may_override", "flag", "What is worked out may be corrected", "More")
        yield Property("may_not_decline", "flag", "It may not be declined", "More")
        yield Property("sensitive", "flag", "Agents see that it is answered, not what", "More")
        yield Property("write_roles", "words", "Who may answer: roles", "More", "Empty: everybody")
        yield Property("prefill", "prefill", "What memory may know already", "More")
    if kind == "meta":
        stamps = tuple((each, each.capitalize()) for each in ("started", "submitted", "device", "user"))
        yield Property("meta", "select", "What is stamped", options=stamps)
    yield Property("appearance", "line", "Appearance", "More", "A word for programs that draw the form")


def _repeats(form: Data) -> list[str]:
    return [str(each["name"]) for each in items(form) if each["kind"] == "repeat"]


def shown(value: Any, kind: str) -> str:
    """A value as its input holds it."""
    if value is None:
        return ""
    if kind == "words":
        return ", ".join(str(each) for each in value)
    if kind == "pairs":
        return "\n".join(f"{key} = {each}" for key, each in value.items())
    if kind == "lines":
        return "\n".join(str(each.get("node", "")) if isinstance(each, dict) else str(each) for each in value)
    return str(value)
