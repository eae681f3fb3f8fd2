"""Applying changes to a document: another document, and what stored rows have to follow."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, get_args

from pydantic import ValidationError

from memoryapp.doors.errors import DomainError, Invalid, Violation
from memoryapp.doors.nearest import nearest
from memoryapp.ontology.changeset.changes import (
    PROPERTIES,
    AddProperty,
    AddRole,
    AddType,
    AddValue,
    Change,
    Merge,
    Rename,
    Retire,
    SetField,
    SetKeys,
    SetProperty,
    SetRole,
    Split,
)
from memoryapp.ontology.changeset.moves import MERGED, Move, rooted
from memoryapp.ontology.changeset.references import renamed_part, renamed_type
from memoryapp.ontology.consistency import check
from memoryapp.ontology.document import OntologyDocument, read

NOT_SET = {"node_classes": {"properties", "keys"}, "relationships": {"properties"}}
"""Fields that have a change of their own."""


@dataclass(frozen=True)
class Changed:
    """The document after the changes, and the moves of stored rows in their order."""

    document: OntologyDocument
    moves: tuple[Move, ...]


def apply(document: OntologyDocument, changes: Sequence[Change]) -> Changed:
    """The document with the changes, in their order. Raises Invalid with every change that cannot be made, and with
    everything that does not fit together afterwards."""
    working = _Working(copy.deepcopy(document.model_dump(mode="json")))
    wrong: list[Violation] = []
    for place, change in enumerate(changes):
        working.path = f"/changes/{place}"
        try:
            _make(change, working)
        except DomainError as error:
            wrong += error.violations
    if wrong:
        raise Invalid.all(wrong)
    after = read(working.data)
    check(after)
    return Changed(after, tuple(working.moves))


class _Working:
    """The document while it is changed."""

    def __init__(self, data: dict[str, Any]) -> None:
        self.data = data
        self.moves: list[Move] = []
        self.path = ""

    def family(self, name: str) -> dict[str, Any]:
        if name not in OntologyDocument.model_fields:
            raise Invalid.at(f"{self.path}/family", "no_such_family", f"There are no {name} here.", "another family")
        found: dict[str, Any] = self.data.setdefault(name, {})
        return found

    def one(self, family: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self._known(self.family(family), name, "type", family.replace("_", " "))
        return found

    def properties(self, family: str, name: str) -> dict[str, Any]:
        declared = self.one(family, name)
        if family not in PROPERTIES:
            message = f"The {family.replace('_', ' ')} have no properties."
            raise Invalid.at(f"{self.path}/part", "no_parts", message, "a change of the whole")
        found: dict[str, Any] = declared[PROPERTIES[family]]
        return found

    def settle(self, family: str, name: str, step: str) -> None:
        """Read what a type has become. Raises Invalid with every place that cannot be read, so that what comes after
        finds a declaration."""
        types = self.family(family)
        types[name] = _whole(self, family, types[name], step)

    def schema(self, family: str, type: str, name: str, step: str = "name") -> dict[str, Any]:
        found: dict[str, Any] = self._known(self.properties(family, type), name, step, f"properties of {type}")
        return found

    def roles(self, family: str, name: str) -> dict[str, Any]:
        found: dict[str, Any] = self.one(family, name)["roles"]
        return found

    def new(self, known: dict[str, Any], name: str, step: str = "name") -> None:
        if name in known:
            raise Invalid.at(f"{self.path}/{step}", "declared_already", f"{name} is declared already.", "another name")

    def below(self, family: str, name: str) -> tuple[str, ...]:
        """The type and every one below it."""
        types, found = self.family(family), [name]
        for one in found:
            found += [child for child, it in types.items() if it.get("parent") == one and child not in found]
        return tuple(found)

    def _known(self, known: dict[str, Any], name: str, step: str, what: str) -> Any:
        if name in known:
            return known[name]
        close = nearest(name, known)
        meant = f" Did you mean {close}?" if close else ""
        accepted = ", ".join(sorted(known)[:60])
        raise Invalid.at(f"{self.path}/{step}", "undeclared", f"There is no {name} among the {what}.{meant}", accepted)


@singledispatch
def _make(change: Any, on: _Working) -> None:
    raise TypeError(f"{type(change).__name__} is no change.")


@_make.register
def _(change: AddType, on: _Working) -> None:
    types = on.family(change.family)
    on.new(types, change.name)
    _refuse_former(on, change.family, change.name)
    types[change.name] = _whole(on, change.family, change.declaration, "declaration")


@_make.register
def _(change: AddProperty, on: _Working) -> None:
    known = on.properties(change.family, change.type)
    on.new(known, change.name)
    known[change.name] = dict(change.declaration)
    declared = on.one(change.family, change.type)
    extra = {
        "multi_valued": change.multi_valued,
        "searchable": change.searchable,
        "normalisers": change.normaliser,
        "templates": change.template,
    }
    for field, value in extra.items():
        if not value:
            continue
        if change.family != "node_classes":
            message = f"Only properties of node classes are {field.replace('_', '-')}."
            raise Invalid.at(f"{on.path}/{field}", "not_taken_here", message, "leave it out")
        if isinstance(declared[field], dict):
            declared[field][change.name] = value
        else:
            declared[field].append(change.name)
    if change.required:
        if "required" not in declared:
            message = f"No property is required of {change.family.replace('_', ' ')}."
            raise Invalid.at(f"{on.path}/required", "not_taken_here", message, "leave it out")
        declared["required"].append(change.name)


@_make.register
def _(change: AddValue, on: _Working) -> None:
    schema = on.schema(change.family, change.type, change.property, "property")
    if not isinstance(schema.get("enum"), list):
        message = f"{change.property} of {change.type} has no list of values."
        raise Invalid.at(f"{on.path}/property", "no_list_of_values", message, "a property that lists its values")
    if change.value in schema["enum"]:
        raise Invalid.at(f"{on.path}/value", "declared_already", "This value is allowed already.", "another value")
    schema["enum"].append(change.value)


@_make.register
def _(change: AddRole, on: _Working) -> None:
    roles = on.roles(change.family, change.type)
    on.new(roles, change.name)
    roles[change.name] = copy.deepcopy(change.declaration)
    on.settle(change.family, change.type, "declaration")


@_make.register
def _(change: SetProperty, on: _Working) -> None:
    on.schema(change.family, change.type, change.name)
    on.properties(change.family, change.type)[change.name] = dict(change.declaration)


@_make.register
def _(change: SetRole, on: _Working) -> None:
    roles = on.roles(change.family, change.type)
    on._known(roles, change.name, "name", f"roles of {change.type}")
    roles[change.name] = copy.deepcopy(change.declaration)
    on.settle(change.family, change.type, "declaration")


@_make.register
def _(change: SetField, on: _Working) -> None:
    declared = on.one(change.family, change.type)
    known = set(declared) - NOT_SET.get(change.family, {PROPERTIES.get(change.family, ""), "roles"})
    known -= {"formerly", "renamed"}
    if change.field not in known:
        message = f"{change.field} is no field that is set like this."
        raise Invalid.at(f"{on.path}/field", "no_such_field", message, ", ".join(sorted(known)))
    declared[change.field] = copy.deepcopy(change.value)
    on.settle(change.family, change.type, "value")


@_make.register
def _(change: SetKeys, on: _Working) -> None:
    on.one("node_classes", change.type)["keys"] = [list(one) for one in change.keys]


@_make.register
def _(change: Rename, on: _Working) -> None:
    if change.part:
        _rename_part(on, change.family, change.type, change.part, change.name, change.to)
        return
    if change.family == "file_roots":
        _move_root(on, change)
        return
    types = on.family(change.family)
    declared = on.one(change.family, change.type)
    on.new(types, change.to, "to")
    if change.to not in declared["formerly"]:
        _refuse_former(on, change.family, change.to, "to")
    declared["formerly"] = [*(one for one in declared["formerly"] if one != change.to), change.type]
    on.data[change.family] = {change.to if name == change.type else name: one for name, one in types.items()}
    renamed_type(on.data, change.family, change.type, change.to)
    on.moves.append(Move(change.family, change.type, change.to))


def _move_root(on: _Working, change: Rename) -> None:
    """Another path for a root, and for every root within it. The old one may be declared again."""
    roots = on.family("file_roots")
    on.one("file_roots", change.type)
    on.new(roots, change.to, "to")
    if change.to.startswith(f"{change.type}/"):
        message = f"{change.to} lies within {change.type}."
        raise Invalid.at(f"{on.path}/to", "circular", message, "a path outside of it")
    moved = {path: rooted(path, change.type, change.to) for path in roots}
    for path, there in moved.items():
        if there != path:
            on.new({one: None for one, stays in moved.items() if one == stays}, there, "to")
    on.data["file_roots"] = {moved[path]: one for path, one in roots.items()}
    on.moves.append(Move("file_roots", change.type, change.to))


def _rename_part(on: _Working, family: str, type: str, part: str, name: str, to: str) -> None:
    parts = on.properties(family, type) if part == "property" else _roles_of(on, family, type)
    on._known(parts, name, "name", f"{'properties' if part == 'property' else 'roles'} of {type}")
    on.new(parts, to, "to")
    field = PROPERTIES[family] if part == "property" else "roles"
    declared = on.one(family, type)
    declared[field] = {to if one == name else one: schema for one, schema in parts.items()}
    former = {old: to if now == name else now for old, now in declared["renamed"].items() if old != to}
    declared["renamed"] = former | {name: to}
    types = on.below(family, type)
    renamed_part(on.data, family, types, part, name, to)
    on.moves.append(Move(family, type, to, part, name, types))


def _roles_of(on: _Working, family: str, type: str) -> dict[str, Any]:
    if family not in ("relation_kinds", "episode_kinds"):
        message = f"The {family.replace('_', ' ')} have no roles."
        raise Invalid.at(f"{on.path}/part", "no_roles", message, "property")
    return on.roles(family, type)


@_make.register
def _(change: Retire, on: _Working) -> None:
    declared = on.one(change.family, change.type)
    if not change.part:
        if change.into:
            _merge(on, change.family, change.type, change.into)
        elif "retired" in declared:
            declared["retired"] = True
        else:
            on.family(change.family).pop(change.type)
    elif change.part == "value":
        schema = on.schema(change.family, change.type, change.name)
        if not isinstance(schema.get("enum"), list) or change.value not in schema["enum"]:
            raise Invalid.at(f"{on.path}/value", "undeclared", "This value is not allowed anyway.", "an allowed value")
        schema["enum"].remove(change.value)
    else:
        _retire_part(on, change)


def _retire_part(on: _Working, change: Retire) -> None:
    family, type, name = change.family, change.type, change.name
    parts = on.properties(family, type) if change.part == "property" else _roles_of(on, family, type)
    on._known(parts, name, "name", f"parts of {type}")
    declared = on.one(family, type)
    if change.into:
        on._known(parts, change.into, "into", f"parts of {type}")
        types = on.below(family, type)
        declared["renamed"] = {old: change.into if now == name else now for old, now in declared["renamed"].items()} | {
            name: change.into
        }
        on.moves.append(Move(family, type, change.into, change.part, name, types))
    parts.pop(name)
    for field in ("required", "multi_valued", "searchable"):
        if field in declared:
            declared[field] = [one for one in declared[field] if one != name]
    for field in ("normalisers", "templates"):
        declared.get(field, {}).pop(name, None)


@_make.register
def _(change: Merge, on: _Working) -> None:
    for name, to in change.properties.items():
        types = on.below(change.family, change.type)
        on._known(on.properties(change.family, change.type), name, f"properties/{name}", f"properties of {change.type}")
        on.moves.append(Move(change.family, change.type, to, "property", name, types))
    _merge(on, change.family, change.type, change.into, change.properties)


def _merge(on: _Working, family: str, type: str, into: str, properties: dict[str, str] | None = None) -> None:
    gone, kept = on.one(family, type), on._known(on.family(family), into, "into", family.replace("_", " "))
    if "formerly" not in gone:
        message = f"Nothing becomes part of another among the {family.replace('_', ' ')}."
        raise Invalid.at(f"{on.path}/into", "no_mapping", message, "retire it once nothing uses it")
    if into in on.below(family, type):
        message = f"{into} is {type}, or below it."
        raise Invalid.at(f"{on.path}/into", "circular", message, "a type that is not below it")
    on.family(family).pop(type)
    kept["formerly"] = [*kept["formerly"], type, *gone["formerly"]]
    if "renamed" in kept:
        kept["renamed"] = kept["renamed"] | gone["renamed"] | (properties or {})
    renamed_type(on.data, family, type, into)
    on.moves.append(Move(family, type, into, types=MERGED))


@_make.register
def _(change: Split, on: _Working) -> None:
    classes = on.family("node_classes")
    on.one("node_classes", change.type)
    by_value: list[tuple[Any, str]] = []
    for place, part in enumerate(change.into):
        on.new(classes, part.name, f"into/{place}/name")
        taken = {repr(value) for value, _ in by_value}
        if again := [value for value in part.values if repr(value) in taken]:
            message = f"{again[0]!r} is named twice."
            raise Invalid.at(f"{on.path}/into/{place}/values", "declared_twice", message, "each value once")
        by_value += [(value, part.name) for value in part.values]
    for part in change.into:
        declaration = {"parent": change.type, **part.declaration}
        classes[part.name] = _whole(on, "node_classes", declaration, "into")
    on.moves.append(Move("node_classes", change.type, "", "split", change.property, (), tuple(by_value)))


def _whole(on: _Working, family: str, declaration: dict[str, Any], step: str) -> dict[str, Any]:
    """A declaration with what it leaves at its default. Raises Invalid with every place that cannot be read."""
    model = get_args(OntologyDocument.model_fields[family].annotation)[1]
    try:
        whole: dict[str, Any] = model.model_validate(declaration).model_dump(mode="json")
    except ValidationError as error:
        raise Invalid.all(
            Violation("/".join([on.path, step, *map(str, one["loc"])]), "malformed_ontology", one["msg"])
            for one in error.errors(include_url=False, include_input=False)
        ) from error
    return whole


def _refuse_former(on: _Working, family: str, name: str, step: str = "name") -> None:
    """A name by which something else was known may not come to mean another thing."""
    for now, one in on.family(family).items():
        if name in one.get("formerly", ()):
            message = f"{name} is what {now} was called before, and is still read as that."
            raise Invalid.at(f"{on.path}/{step}", "former_name", message, "another name")
