"""A definition drawn from what was refused: what would have to be declared for all of it to be taken.

Deterministic: the same payloads in the same order give the same definition. People put it right before they approve.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from memoryapp.ontology.changeset import Change, read_changes
from memoryapp.ontology.compiled import Ontology
from memoryapp.ontology.compiled.declared import Gap
from memoryapp.ontology.schemas import formats

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,99}")
FORMATS = ("email", "date", "partial-date-time", "uri")
LENGTHS = (100, 300, 1000, 5000, 100_000)
IDENTIFYING = ("iri", "email", "url", "id", "code", "number", "key", "handle", "name")
"""Names of properties that usually tell things apart, the surest first."""


def can_be_declared(gap: Gap) -> bool:
    """Whether a name that is not declared could be."""
    names = [one for one in (gap.type, gap.name) if one]
    return all(NAME.fullmatch(name) for name in names)


def definition(ontology: Ontology, gap: Gap, payloads: Sequence[Any]) -> list[Change]:
    """The changes that would declare what is missing, as the payloads use it."""
    rows = [one for one in payloads if isinstance(one, Mapping)]
    return read_changes(list(_changes(ontology, gap, rows)))


def _changes(ontology: Ontology, gap: Gap, rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    if gap.part == "value":
        place = {"family": gap.family, "type": gap.type, "property": gap.name}
        yield {"change": "add_value", **place, "value": gap.value}
    elif gap.part == "property":
        yield _property(gap, rows)
    elif gap.part == "role":
        yield _role(ontology, gap, rows)
    else:
        makers = {
            "node_classes": _node_class,
            "belief_kinds": _belief_kind,
            "relationships": _relationship,
            "relation_kinds": _relation_kind,
            "episode_kinds": _episode_kind,
        }
        declaration = makers[gap.family](ontology, gap.name, rows)
        yield {"change": "add_type", "family": gap.family, "name": gap.name, "declaration": declaration}


def _property(gap: Gap, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    values = [value for row in rows for value in _under(row, gap.name)]
    place = {"family": gap.family, "type": gap.type, "name": gap.name}
    several = gap.family == "node_classes" and any(isinstance(value, list) for value in values)
    found: dict[str, Any] = {"change": "add_property", **place, "declaration": schema_of(_flat(values, several))}
    return found | ({"multi_valued": True} if several else {})


def _under(row: Mapping[str, Any], name: str) -> Iterator[Any]:
    """The values a row gives for a name, wherever a row names values."""
    for field in ("properties", "attributes", "qualifiers", "keys"):
        held = row.get(field)
        if isinstance(held, Mapping) and name in held:
            yield held[name]
    if row.get("predicate") == name and "value" in row:
        yield row["value"]
    for field in ("subject", "object"):
        node = row.get(field)
        if isinstance(node, Mapping) and isinstance(node.get("keys"), Mapping) and name in node["keys"]:
            yield node["keys"][name]


def _flat(values: Sequence[Any], several: bool) -> list[Any]:
    return [one for value in values for one in (value if several and isinstance(value, list) else [value])]


def schema_of(values: Sequence[Any]) -> dict[str, Any]:
    """The JSON Schema of one value that takes all of these: a type, a format all have, a length with room."""
    kinds = sorted({_kind(value) for value in values if value is not None})
    if kinds == ["integer", "number"]:
        kinds = ["number"]
    if not kinds:
        return {}
    if kinds != ["string"]:
        return {"type": kinds[0] if len(kinds) == 1 else kinds}
    texts = [value for value in values if isinstance(value, str)]
    for name in FORMATS:
        if all(text and formats.conforms(text, name) and _looks(text, name) for text in texts):
            return {"type": "string", "format": name}
    longest = max(map(len, texts))
    room = next((length for length in LENGTHS if longest * 2 <= length), LENGTHS[-1])
    return {"type": "string", "minLength": 1 if all(texts) else 0, "maxLength": room}


def _looks(text: str, name: str) -> bool:
    if name == "uri":
        return re.fullmatch(r"[a-z][a-z0-9+.-]*://\S+", text) is not None
    return name != "partial-date-time" or len(text) >= 7


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    for python, name in ((int, "integer"), (float, "number"), (str, "string"), (list, "array")):
        if isinstance(value, python):
            return name
    return "object"


def _properties(
    rows: Sequence[Mapping[str, Any]], field: str, known: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str], list[str]]:
    """Schemas of what the rows hold beyond what is inherited; which of it several values have; which all rows have."""
    held = [row[field] for row in rows if isinstance(row.get(field), Mapping)]
    names = list(dict.fromkeys(name for one in held for name in one if NAME.fullmatch(name) and name not in known))
    schemas, several, always = {}, [], []
    for name in names:
        values = [one[name] for one in held if name in one]
        many = any(isinstance(value, list) for value in values)
        schemas[name] = schema_of(_flat(values, many))
        several += [name] if many else []
        always += [name] if len(values) == len(rows) else []
    return schemas, several, always


def _node_class(ontology: Ontology, name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    parent = _root(ontology.document.node_classes)
    known = ontology.properties_of(parent) if parent else {}
    here = [_as_node(row, name) for row in rows]
    schemas, several, always = _properties(here, "properties", known)
    found: dict[str, Any] = {"title": _title(name), "parent": parent, "properties": schemas}
    inherited = {key for one in ontology.key_sets(parent) for key in one.properties} if parent else set()
    if keys := _keys(here, {*always, *_everywhere(here, known)} - inherited):
        found["keys"] = keys
    if several:
        found["multi_valued"] = several
    return {field: value for field, value in found.items() if value}


def _as_node(row: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """A row as the node of this class that it tells of: the row itself, or one that it names by its keys."""
    if row.get("class") == name and isinstance(row.get("properties"), Mapping):
        return row
    for found in _named(row):
        if found.get("class") == name and isinstance(found.get("keys"), Mapping):
            return {"properties": found["keys"]}
    return {"properties": {}}


def _named(value: Any) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)


def _everywhere(rows: Sequence[Mapping[str, Any]], known: Mapping[str, Any]) -> set[str]:
    return {name for name in known if rows and all(name in row["properties"] for row in rows)}


def _keys(rows: Sequence[Mapping[str, Any]], candidates: set[str]) -> list[list[str]]:
    """Properties that every row has and no two rows share, the likeliest first: at most two ways to identify."""

    def tells_apart(name: str) -> bool:
        values = [row["properties"].get(name) for row in rows]
        plain = all(isinstance(value, str | int) and value != "" for value in values)
        return plain and len({repr(value) for value in values}) == len(values)

    def rank(name: str) -> tuple[int, str]:
        words = re.split(r"_|(?<=[a-z])(?=[A-Z])", name)
        placed = [IDENTIFYING.index(word.lower()) for word in words if word.lower() in IDENTIFYING]
        return min(placed, default=len(IDENTIFYING)), name

    telling = [name for name in sorted(candidates, key=rank) if tells_apart(name) and rank(name)[0] < len(IDENTIFYING)]
    return [[name] for name in telling[:2]]


def _belief_kind(ontology: Ontology, name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    parent = _near(name, ontology.document.belief_kinds) or "memory"
    known = ontology.attributes_of(parent)
    schemas, _, always = _properties(rows, "attributes", known)
    found = {"title": _title(name), "parent": parent, "attributes": schemas}
    return {field: value for field, value in (found | {"required": always}).items() if value}


def _near(name: str, kinds: Mapping[str, Any]) -> str:
    """The kind of which the name is a sort: a name that ends like another is below it."""
    ends = [one for one in kinds if name.lower().endswith(f"_{one.lower()}") and not kinds[one].retired]
    return max(ends, key=len, default="")


def _relationship(ontology: Ontology, name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    root = _root(ontology.document.node_classes) or next(iter(ontology.document.node_classes), "thing")
    pairs = []
    for row in rows:
        ends = {side: _class_of(ontology, row.get(side)) or root for side in ("subject", "object")}
        if ends not in pairs:
            pairs.append(ends)
    schemas, _, _ = _properties(rows, "qualifiers", {})
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).lower()
    found = {
        "title": words,
        "pairs": pairs or [{"subject": root, "object": root}],
        "properties": {key: schema for key, schema in schemas.items() if key not in ("subject", "object")},
        "template": f"{{subject}} {words} {{object}}",
    }
    return {field: value for field, value in found.items() if value}


def _class_of(ontology: Ontology, node: Any) -> str:
    named = node.get("class") if isinstance(node, Mapping) else None
    return named if isinstance(named, str) and named in ontology.document.node_classes else ""


def _relation_kind(ontology: Ontology, name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    players = [[one for one in row.get("players", ()) if isinstance(one, Mapping)] for row in rows]
    names = list(dict.fromkeys(one["role"] for row in players for one in row if _is_name(one.get("role"))))
    roles = {}
    for role in names:
        counts = [sum(one.get("role") == role for one in row) for row in players]
        playing = [one for row in players for one in row if one.get("role") == role]
        roles[role] = _who(ontology, playing) | _numbers(counts)
    schemas, _, always = _properties(rows, "attributes", {})
    found = {"title": _title(name), "roles": roles or {"member": {"nodes": ["*"]}}, "attributes": schemas}
    return {field: value for field, value in (found | {"required": always}).items() if value}


def _numbers(counts: Sequence[int]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if min(counts, default=1) != 1:
        found["minimum"] = min(counts)
    if max(counts, default=1) > 1:
        found["maximum"] = None
    return found


def _who(ontology: Ontology, playing: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Who may play a role, as those do that were told of."""
    found: dict[str, Any] = {}
    for one in playing:
        if "belief" in one:
            found["beliefs"] = ["memory"]
        elif "source" in one:
            found["sources"] = ["*"]
        elif "relation" in one:
            found["relations"] = ["*"]
        else:
            found.setdefault("nodes", []).append(_class_of(ontology, one.get("node")) or "*")
    if "nodes" in found:
        found["nodes"] = ["*"] if "*" in found["nodes"] else sorted(set(found["nodes"]))
    return found or {"nodes": ["*"]}


def _role(ontology: Ontology, gap: Gap, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    place = {"change": "add_role", "family": gap.family, "type": gap.type, "name": gap.name}
    field = "players" if gap.family == "relation_kinds" else "participants"
    playing = [
        [one for one in row.get(field, ()) if isinstance(one, Mapping) and one.get("role") == gap.name] for row in rows
    ]
    who = _who(ontology, [one for row in playing for one in row])
    if gap.family == "episode_kinds":
        return place | {"declaration": who.get("nodes", ["*"])}
    most = {"maximum": None} if max(map(len, playing), default=1) > 1 else {}
    return place | {"declaration": who | {"minimum": 0} | most}


def _episode_kind(ontology: Ontology, name: str, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    kinds = ontology.document.episode_kinds
    parent = _near(name, kinds) or _root(kinds)
    known = ontology.episode_properties(parent) if parent else {}
    inherited = ontology.episode_roles(parent) if parent else {}
    schemas, _, always = _properties(rows, "properties", known)
    taking = [one for row in rows for one in row.get("participants", ()) if isinstance(one, Mapping)]
    roles = {
        role: _who(ontology, [one for one in taking if one.get("role") == role]).get("nodes", ["*"])
        for role in dict.fromkeys(one["role"] for one in taking if _is_name(one.get("role")))
        if role not in inherited
    }
    found = {"title": _title(name), "parent": parent, "properties": schemas, "required": always, "roles": roles}
    return {field: value for field, value in found.items() if value}


def _root(types: Mapping[str, Any]) -> str:
    return next((name for name, one in types.items() if not one.parent), "")


def _is_name(text: Any) -> bool:
    return isinstance(text, str) and NAME.fullmatch(text) is not None


def _title(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", name).strip().capitalize()
