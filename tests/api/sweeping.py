"""Wrong bodies for every POST, made from the schema: each is the operation's own example with one thing wrong."""

from __future__ import annotations

import copy
import json
import uuid
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.test import Client

Path = tuple[str | int, ...]
NAIVE = "2026-05-03T14:30:00"
VALUES: list[tuple[Any, str]] = [
    (12, "integer"),
    (True, "boolean"),
    ("no\u2028such", "string"),
    ([[]], "array"),
    ({"": 1}, "object"),
    (None, "null"),
]
"""A value of each type of JSON."""


@dataclass(frozen=True)
class Operation:
    """A POST with its example, its schema, and an address in which every id is one of nothing."""

    name: str
    address: str
    body: Any
    schema: dict[str, Any]


@dataclass(frozen=True)
class Wrong:
    """A body that must be refused, and the place that the refusal must name. `given` is the type of JSON that it has at
    a place that is `declared` to be of others."""

    operation: Operation
    what: str
    body: Any
    pointer: str
    declared: frozenset[str] = frozenset()
    given: str = ""

    def __str__(self) -> str:
        return f"{self.operation.name}: {self.what} at {self.pointer or '/'}"


@cache
def document() -> dict[str, Any]:
    found: dict[str, Any] = Client().get("/api/v1/openapi.json").json()
    return found


def operations() -> list[Operation]:
    """Every POST that takes a body; what takes one or many is there in both forms."""
    found = []
    for path, verbs in document()["paths"].items():
        post = verbs.get("post")
        if post is None or "requestBody" not in post:
            continue
        content = post["requestBody"]["content"]["application/json"]
        example = next(iter(content["examples"].values()))["value"]
        address = _filled(path)
        forms = _forms(content["schema"])
        found.append(Operation(post["operationId"], address, example, forms[0]))
        if len(forms) == 2:
            found.append(Operation(f"{post['operationId']} (many)", address, {"items": [example]}, forms[1]))
    return found


def wrong_bodies(operation: Operation) -> Iterator[Wrong]:
    """Every body that differs from the example in one place: an unknown field, a wrong type, a time without offset."""
    for path, schema in _places(operation.schema, operation.body, ()):
        pointer = "".join(f"/{step}" for step in path)
        kinds = _kinds(schema)
        if "object" in kinds and schema.get("additionalProperties") is False:
            unknown = f"{pointer}/no_such_field"
            yield Wrong(operation, "an unknown field", _with(operation.body, (*path, "no_such_field"), 1), unknown)
        if not path:
            continue
        for value, kind in _of_other_types(kinds, operation.name + pointer):
            what = f"{kind} for {'/'.join(sorted(kinds))}"
            yield Wrong(operation, what, _with(operation.body, path, value), pointer, frozenset(kinds), kind)
        if schema.get("format") == "moment":
            yield Wrong(operation, "a time without offset", _with(operation.body, path, NAIVE), pointer)
        if schema.get("format") == "uuid" or "enum" in schema:
            yield Wrong(operation, "a word that is none", _with(operation.body, path, "no\u2028such"), pointer)


def _of_other_types(kinds: set[str], name: str) -> list[tuple[Any, str]]:
    """Two values of types that a place does not admit. Which, goes by its name: over the places all are tried. Of the
    few that may be null, a value of each."""
    if not kinds:
        return []
    wrong = [one for one in VALUES if one[1] in types_not_in(kinds)]
    if "null" in kinds:
        return wrong
    first = zlib.crc32(name.encode()) % len(wrong)
    return [wrong[first], wrong[(first + 1) % len(wrong)]] if len(wrong) > 1 else wrong


def types_not_in(kinds: Collection[str]) -> set[str]:
    """The types of JSON that are none of these."""
    return {one for _, one in VALUES if one not in kinds and not (one == "integer" and "number" in kinds)}


def _filled(path: str) -> str:
    path = path.replace("{number}", "1")
    while "{" in path:
        before, _, rest = path.partition("{")
        path = before + str(uuid.uuid4()) + rest.partition("}")[2]
    return path


def _forms(schema: dict[str, Any]) -> list[dict[str, Any]]:
    schema = resolved(schema)
    return [resolved(one) for one in schema["oneOf"]] if "oneOf" in schema else [schema]


def resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema or len(schema.get("allOf", ())) == 1:
        if "$ref" in schema:
            schema = document()["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        else:
            schema = schema["allOf"][0]
    return schema


def _kinds(schema: dict[str, Any]) -> set[str]:
    """The JSON types a schema admits; none when it does not say."""
    schema = resolved(schema)
    for word in ("oneOf", "anyOf"):
        if word in schema:
            inner = [_kinds(one) for one in schema[word]]
            return set().union(*inner) if all(inner) else set()
    if "enum" in schema and "type" not in schema:
        return {"string"}
    told = schema.get("type", [])
    return {told} if isinstance(told, str) else set(told)


def _places(schema: dict[str, Any], value: Any, path: Path) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Every place of the body that the schema describes, those the example leaves out included."""
    schema = resolved(schema)
    yield path, schema
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            yield from _places(inner, value.get(name), (*path, name))
    if isinstance(value, list) and value and "items" in schema:
        yield from _places(schema["items"], value[0], (*path, 0))


def _with(body: Any, path: Path, value: Any) -> Any:
    changed = copy.deepcopy(body)
    at = changed
    for step in path[:-1]:
        at = at[step]
    at[path[-1]] = value
    return changed


def large_bodies(operation: Operation) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
    """Bodies that are too large, or too deep, to be read; with the statuses that each may get."""
    inside = json.dumps(operation.body)[:-1]
    yield "ten megabytes", (inside + f', "x": "{"a" * 10_000_000}"}}').encode(), (413,)
    yield "deep", (inside + ', "x": ' + "[" * 100_000 + "]" * 100_000 + "}").encode(), (400,)


def raw_bodies(operation: Operation) -> Iterator[tuple[str, bytes, tuple[int, ...]]]:
    """Bodies that are no JSON value at all, or too much of one; with the statuses that each may get."""
    good = json.dumps(operation.body)
    inside = good[:-1]
    yield "NUL", (inside + ', "x": "\\u0000"}').encode(), (400,)
    yield "half a surrogate", (inside + ', "x": "\\ud800"}').encode(), (400,)
    yield "half a surrogate as a key", (inside + ', "\\udc00": 1}').encode(), (400,)
    yield "NaN", (inside + ', "x": NaN}').encode(), (400,)
    yield "a number of many digits", (inside + ', "x": ' + "9" * 5000 + "}").encode(), (400,)
    yield "a key twice", (inside + ', "x": 1, "x": 2}').encode(), (400,)
    yield "cut short", inside.encode(), (400,)
    yield "not UTF-8", (inside + ', "x": "').encode() + b'\xff"}', (400,)
    yield "UTF-16", good.encode("utf-16"), (400,)
    yield "a list", f"[{good}]".encode(), (400,)
    yield "a text", b'"hello"', (400,)
    if any("required" in one for one in _forms(operation.schema)):
        yield "nothing", b"", (400, 422)
    yield "null", b"null", (400,)
