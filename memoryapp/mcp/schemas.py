"""What each tool takes and answers, read from the REST door's own description: the two cannot differ.

The parameters of an address, of its query and of its body are one flat object of arguments. A body of one or many is
taken in its form of many. `lock` stands for the ETag, `idempotency_key` for the header of that name.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator

from memoryapp.doors.tools import Tool
from memoryapp.mcp.offered import only_reads

Schema = dict[str, Any]

LOCK = "lock"
IDEMPOTENCY_KEY = "idempotency_key"
_OWN: dict[str, Schema] = {
    LOCK: {"type": "integer", "minimum": 0, "description": "`lock` of what you read; the change is drawn from it."},
    IDEMPOTENCY_KEY: {
        "type": "string",
        "description": "Names this call: the same key with the same arguments is done once and answered alike.",
    },
}
_UNDER = "#/components/schemas/"
_WORKSPACE: Schema = {"type": "string", "description": "The workspace that was read."}


@cache
def arguments(tool: Tool) -> Schema:
    """The JSON schema of a tool's arguments."""
    operation = _operation(tool)
    properties: dict[str, Schema] = {}
    required: list[str] = []
    for parameter in operation.get("parameters", ()):
        if parameter["in"] == "header":
            continue
        described = {"description": parameter["description"]} if parameter.get("description") else {}
        properties[parameter["name"]] = parameter["schema"] | described
        if parameter.get("required"):
            required.append(parameter["name"])
    body = _body(operation)
    properties |= body.get("properties", {})
    required += body.get("required", [])
    if tool.verb in getattr(tool.endpoint, "locked", ()):
        properties[LOCK] = _OWN[LOCK]
        required.append(LOCK)
    if not only_reads(tool) and tool.verb == "post":
        properties[IDEMPOTENCY_KEY] = _OWN[IDEMPOTENCY_KEY]
    made: Schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return _whole(made | ({"required": required} if required else {}))


@cache
def answer(tool: Tool) -> Schema:
    """The JSON schema of what a tool answers when it succeeds: done, or put before a person."""
    responses = _operation(tool)["responses"]
    good = [responses[status] for status in ("200", "201", "202") if status in responses]
    shown = [_followed(one["content"]["application/json"]["schema"]) for one in good]
    properties = {"workspace": _WORKSPACE}
    for one in reversed(shown):
        properties |= one.get("properties", {})
    needed = set.intersection(*(set(one.get("required", ())) for one in shown))
    made = shown[0] | {"properties": properties, "required": sorted(needed)}
    return _whole({"type": "object"} | made)


@cache
def names(tool: Tool) -> dict[str, frozenset[str]]:
    """Where each argument goes: the names within the address, and those of the query."""
    places: dict[str, set[str]] = {"path": set(), "query": set()}
    for parameter in _operation(tool).get("parameters", ()):
        places.get(parameter["in"], set()).add(parameter["name"])
    return {place: frozenset(found) for place, found in places.items()}


@cache
def _description() -> tuple[Schema, dict[tuple[str, type], str]]:
    """The REST door's description, and the address of each endpoint's verb in it."""
    generator = SchemaGenerator()  # type: ignore[no-untyped-call]
    with GENERATOR_STATS.silence():
        document: Schema = generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    every: list[tuple[str, str, str, Any]] = generator._get_paths_and_endpoints()  # type: ignore[no-untyped-call]
    addresses = {(method.lower(), type(view)): path for path, _, method, view in every}
    return document, addresses


def _operation(tool: Tool) -> Schema:
    document, addresses = _description()
    found: Schema = document["paths"][addresses[tool.verb, tool.endpoint]][tool.verb]
    return found


def _body(operation: Schema) -> Schema:
    content = operation.get("requestBody", {}).get("content", {})
    if not content:
        return {}
    told = _followed(content["application/json"]["schema"])
    forms = [_followed(form) for form in told.get("oneOf", [told])]
    return next((form for form in forms if "items" in form.get("properties", {})), _followed(forms[0]))


def _followed(schema: Schema) -> Schema:
    """The schema itself where it only names another."""
    if "$ref" in schema:
        named: Schema = _description()[0]["components"]["schemas"][schema["$ref"].removeprefix(_UNDER)]
        return named
    return schema


def _whole(schema: Schema) -> Schema:
    """The schema with everything that it names, as one document of its own."""
    components = _description()[0]["components"]["schemas"]
    definitions: Schema = {}
    waiting = [schema]
    while waiting:
        for name in re.findall(r"'#/components/schemas/([^']+)'", repr(waiting.pop())):
            if name not in definitions:
                definitions[name] = components[name]
                waiting.append(components[name])
    whole: Schema = _renamed(schema | ({"$defs": definitions} if definitions else {}))
    return whole


def _renamed(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: inner.replace(_UNDER, "#/$defs/") if name == "$ref" and isinstance(inner, str) else _renamed(inner)
            for name, inner in value.items()
        }
    return [_renamed(inner) for inner in value] if isinstance(value, list) else value
