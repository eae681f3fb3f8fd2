"""The fields of a declared class: the JSON Schema of each, and what its marks say of it."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar, get_args

from pydantic import BaseModel, Field

from memoryapp.doors.errors import Invalid
from memoryapp.ontology.document import NormaliserName

Mark = TypeVar("Mark")


@dataclass(frozen=True)
class Searchable:
    """The property is searched by its words."""


@dataclass(frozen=True)
class Normalised:
    """How values of the property are compared: two that are equal after it are one value, and one key."""

    by: NormaliserName


@dataclass(frozen=True)
class Said:
    """The property as a sentence, with {subject} and {value}."""

    template: str


Email = Annotated[str, Field(max_length=320, json_schema_extra={"format": "email"}), Normalised("email")]
Iri = Annotated[str, Field(max_length=1000, json_schema_extra={"format": "iri"}), Normalised("iri")]
Hostname = Annotated[str, Field(max_length=253, json_schema_extra={"format": "hostname"}), Normalised("domain")]
Date = Annotated[str, Field(json_schema_extra={"format": "partial-date-time"})]
"""A time as precise as it is known: 2026, 2026-05, 2026-05-03 or an instant with its zone."""

SAID_ELSEWHERE = ("title", "default")
"""What Pydantic writes into a schema that a declaration says otherwise, or not at all."""
DEEPEST = 20


@dataclass(frozen=True)
class Property:
    """One field of a class, as a declaration has it."""

    name: str
    schema: dict[str, Any]
    several: bool
    required: bool
    marks: tuple[Any, ...]

    def mark(self, sort: type[Mark]) -> Mark | None:
        """The mark of this sort, the last one where there are several."""
        return next((one for one in reversed(self.marks) if isinstance(one, sort)), None)


def properties_of(model: type[BaseModel]) -> list[Property]:
    """The fields that the class itself declares; what it inherits is declared by its parent."""
    own = [name for name in inspect.get_annotations(model) if name in model.model_fields]
    if not own:
        return []
    whole = model.model_json_schema()
    return [_property(model, name, whole) for name in own]


def _property(model: type[BaseModel], name: str, whole: dict[str, Any]) -> Property:
    field = model.model_fields[name]
    schema = _plain(whole["properties"][name], whole.get("$defs", {}), f"{model.__name__}.{name}", 0)
    chosen = [one for one in schema.get("anyOf", []) if one != {"type": "null"}]
    if len(chosen) == 1 and len(schema["anyOf"]) == 2:
        schema = {key: value for key, value in schema.items() if key != "anyOf"} | chosen[0]
    several = schema.get("type") == "array" and "items" in schema
    return Property(
        name=name,
        schema=schema["items"] if several else schema,
        several=several,
        required=field.is_required(),
        marks=(*_inner_marks(field.annotation), *field.metadata),
    )


def _inner_marks(annotation: Any) -> tuple[Any, ...]:
    """Marks within `list[Email]` or `Email | None`, which stand for the property as well."""
    found: tuple[Any, ...] = tuple(getattr(annotation, "__metadata__", ()))
    for inner in get_args(annotation):
        found += _inner_marks(inner)
    return found


def _plain(schema: Any, known: dict[str, Any], where: str, depth: int) -> Any:
    """The schema without references and without what is said elsewhere."""
    if depth > DEEPEST:
        message = f"{where} is a type within itself; a declared property holds a plain value."
        raise Invalid.at("/" + where.replace(".", "/"), "malformed_schema", message, "a plain value")
    if isinstance(schema, list):
        return [_plain(one, known, where, depth + 1) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        there = known[schema["$ref"].rpartition("/")[2]]
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _plain(there | beside, known, where, depth + 1)
    return {
        key: {name: _plain(one, known, where, depth + 1) for name, one in value.items()}
        if key == "properties"
        else _plain(value, known, where, depth + 1)
        for key, value in schema.items()
        if key not in SAID_ELSEWHERE
    }
