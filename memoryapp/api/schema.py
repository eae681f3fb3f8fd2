"""OpenAPI 3.1 from what the endpoints declare: parameters, bodies, keys, locks, and the problem each may answer."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerFieldExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer

from memoryapp.access.endpoints import ANY_KEY, Endpoint
from memoryapp.doors import problems
from memoryapp.doors.batches import OneOrMany

PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "What went wrong (RFC 9457). Programs branch on `code`; people read `detail`.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "code": {"type": "string", "description": "Stable name of this kind of problem."},
        "instance": {"type": "string", "description": "The address that was asked."},
        "trace_id": {"type": "string", "description": "Names this request in our log."},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["path", "code", "message"],
                "properties": {
                    "path": {"type": "string", "description": "JSON pointer into the body, or a parameter's name."},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "accepted": {"type": "string", "description": "What would be accepted there."},
                    "row": {"type": "integer", "description": "Index of the item in a batch."},
                },
            },
        },
    },
    "example": {
        "type": "urn:commonplace:problem:unknown_parameter",
        "title": "Cannot be read",
        "status": 400,
        "detail": "There is no parameter “staet” here. Did you mean “state”?",
        "code": "unknown_parameter",
        "instance": "/api/v1/jobs",
        "trace_id": "1f0c6a3e5b7d4f6f9d1f0a2b3c4d5e6f",
        "errors": [
            {
                "path": "staet",
                "code": "unknown_parameter",
                "message": "There is no parameter “staet” here. Did you mean “state”?",
                "accepted": "cursor, page_size, state, kind, subject_id",
            }
        ],
    },
}


class KeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """How an agent says who it is."""

    target_class = "memoryapp.access.authentication.AgentKeyAuthentication"
    name = "agentKey"

    def get_security_definition(self, auto_schema: Any) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An agent's key: `Bearer cpl_…`"}


class WhenField(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A moment, exact or partial."""

    target_class = "memoryapp.doors.fields.When"
    match_subclasses = True

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return {
            "type": "string",
            "format": "moment",
            "description": "A time with its offset, or a date as far as it is known: 2024, 2024-05, 2024-05-03.",
            "examples": ["2024-05-03T14:30:00+02:00", "2024-05"],
        }


class NodeNamedField(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A node, named by id or by keys."""

    target_class = "memoryapp.graph.api.references.NodeNamed"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return {"oneOf": [_ID, _KEYS]}


class MentionField(OpenApiSerializerFieldExtension):  # type: ignore[no-untyped-call]
    """A node, named by id, by keys, by name, or as who takes part."""

    target_class = "memoryapp.extraction.api.proposing.Mention"

    def map_serializer_field(self, auto_schema: Any, direction: Any) -> dict[str, Any]:
        return {"oneOf": [_ID, _KEYS, _named("class", "name"), _named("participant")]}


def _named(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "string", "minLength": 1} for name in names}
    return {"type": "object", "properties": properties, "required": list(names), "additionalProperties": False}


_ID = {"type": "string", "format": "uuid"}
_KEYS: dict[str, Any] = {
    "type": "object",
    "properties": {"class": {"type": "string"}, "keys": {"type": "object", "minProperties": 1}},
    "required": ["class", "keys"],
    "additionalProperties": False,
    "examples": [{"class": "person", "keys": {"email": "ines@ferro.example"}}],
}


class Schema(AutoSchema):
    """An operation as its endpoint declares it."""

    def _declared(self, what: str) -> Any:
        found = getattr(self.view, what, {})
        return found.get(self.method.lower()) if isinstance(self.view, Endpoint) else None

    def get_request_serializer(self) -> Any:
        body = self._declared("body")
        if body is not None and issubclass(body, OneOrMany):
            return PolymorphicProxySerializer(body.__name__, body.forms(), resource_type_field_name=None)
        return body or super().get_request_serializer()

    def get_override_parameters(self) -> list[Any]:
        found: list[Any] = list(super().get_override_parameters())
        declared = self._declared("parameters")
        if declared:
            found.append(declared)
        if isinstance(self.view, Endpoint):
            found += _headers(self.view, self.method.lower())
        return found

    def _is_list_view(self, serializer: Any = None) -> bool:
        return bool(super()._is_list_view(serializer)) if not isinstance(self.view, Endpoint) else False

    def get_description(self) -> str:  # type: ignore[override]
        text: str = super().get_description() or ""
        needed = self._declared("needs")
        if needed and needed != ANY_KEY:
            text += f"\n\nNeeds the capability `{needed}`."
        return text


def _headers(view: Endpoint, verb: str) -> list[OpenApiParameter]:
    found = []
    if verb == "post" and not view.reads_by_post:
        words = "Names this request: the same key with the same body is done once and answered alike."
        found.append(OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER, description=words))
    if verb in view.locked:
        words = "The ETag of what the change was drawn from."
        found.append(OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, required=True, description=words))
    return found


def finish(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:
    """Give every operation the one answer it shares with all others, a problem; no body takes what it does not name."""
    for name, component in result.get("components", {}).get("schemas", {}).items():
        if name.endswith("Request") and "properties" in component:
            component["additionalProperties"] = False
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    for operations in result.get("paths", {}).values():
        for operation in operations.values():
            if isinstance(operation, dict) and "responses" in operation:
                operation["responses"]["default"] = {
                    "description": "A problem: nothing was stored.",
                    "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
                }
    return result
