"""One call of a tool: its arguments become a request to the tool's endpoint, in this process, and its answer a result.

Who calls, whether they may, what is wrong with the arguments, the write with its idempotency: all of it is the
endpoint's. A refusal is a result that says so, never one that looks like success.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import structlog
from django.http import HttpRequest

from memoryapp.access.endpoints import NOTED
from memoryapp.doors import strict
from memoryapp.doors.errors import DomainError, Malformed
from memoryapp.doors.etags import etag
from memoryapp.doors.fields import Identifier
from memoryapp.doors.metrics import TOOL_CALLS
from memoryapp.doors.tools import Tool
from memoryapp.mcp import schemas

log = structlog.get_logger(__name__)

ADDRESS = "/mcp"
NOT_OURS = frozenset({"content-type", "content-length", "transfer-encoding", "idempotency-key", "if-match", "cookie"})
"""Headers of the call that do not belong to the request it becomes: the arguments say these things."""


@dataclass(frozen=True)
class Outcome:
    """What came of a call: a JSON object, whether it is a refusal, and what the answer's headers said."""

    body: dict[str, Any]
    refused: bool
    notes: dict[str, str]


def call(tool: Tool, told: Mapping[str, Any], headers: Mapping[str, str]) -> Outcome:
    """Call a tool with the headers of whoever calls: the key, the trace id, and what the agent says of its run."""
    began = time.monotonic()
    request = HttpRequest()
    request.method = tool.verb.upper()
    request.path = request.path_info = f"{ADDRESS}/{tool.name}"
    for name, value in headers.items():
        if name.lower() not in NOT_OURS:
            request.META["HTTP_" + name.upper().replace("-", "_")] = value
    within: dict[str, Any] = {}
    query: dict[str, Any] = {}
    body: dict[str, Any] = {}
    refusal: DomainError | None = None
    try:
        within, query, body = _sorted(tool, dict(told), request)
    except DomainError as error:
        refusal = error
    _give(request, json.dumps(body).encode() if tool.verb == "post" else b"")
    response = tool.endpoint.as_view(channel="mcp", given=query, refusal=refusal)(request, **within)
    response.render()
    answered = json.loads(response.content) if response.content else {}
    milliseconds = round((time.monotonic() - began) * 1000)
    TOOL_CALLS.labels(tool.name, response.status_code).inc()
    log.info("tool_called", tool=tool.name, status=response.status_code, ms=milliseconds)
    notes = {name: response[name] for name in _NOTED if name in response}
    if response.status_code >= 400:
        return Outcome(answered, True, notes)
    workspace = response["Commonplace-Workspace"]
    return Outcome({"workspace": workspace} | answered, False, notes)


_NOTED = (NOTED, "Commonplace-Trace", "ETag", "Idempotency-Replayed", "Location")


def in_words(problem: Mapping[str, Any]) -> str:
    """A refusal as a model reads it: what is wrong, where, and what would be taken."""
    lines = [f"{problem.get('title', 'Refused')} ({problem['code']}): {problem['detail']}"]
    for error in problem.get("errors", ()):
        row = f" (item {error['row']})" if "row" in error else ""
        accepted = f" Taken: {error['accepted']}." if error.get("accepted") else ""
        lines.append(f"- {error['path']}{row}: {error['message']}{accepted}")
    return "\n".join(lines)


def _sorted(
    tool: Tool, told: dict[str, Any], request: HttpRequest
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The arguments for the address, for the query and for the body. Raises Malformed for what cannot be read."""
    told = strict.read(_written(told))
    takes = schemas.arguments(tool)["properties"]
    if schemas.LOCK in takes and schemas.LOCK in told:
        lock = told.pop(schemas.LOCK)
        if isinstance(lock, bool) or not isinstance(lock, int) or lock < 0:
            raise Malformed.at("/lock", "wrong_type", "This must be an integer.", "`lock` as it was read")
        request.META["HTTP_IF_MATCH"] = etag(lock)
    if schemas.IDEMPOTENCY_KEY in takes and schemas.IDEMPOTENCY_KEY in told:
        request.META["HTTP_IDEMPOTENCY_KEY"] = str(told.pop(schemas.IDEMPOTENCY_KEY))
    places = schemas.names(tool)
    within = {name: _id(name, told.pop(name, None)) for name in places["path"]}
    request.path = request.path_info = "/".join([request.path, *map(str, within.values())])
    if tool.verb != "post":
        return within, told, {}
    query = {name: told.pop(name) for name in places["query"] if name in told}
    if "items" in takes and "items" not in told:
        raise Malformed.at("/items", "missing", "This is missing.", "a list of one or more")
    return within, query, told


def _written(told: dict[str, Any]) -> bytes:
    """The arguments as the body they might have come in. Raises Malformed for what no body could hold."""
    try:
        return json.dumps(told).encode()
    except RecursionError as error:
        raise Malformed.at("", "too_deep", "These arguments are nested too deep.", "plain JSON") from error
    except ValueError as error:
        raise Malformed("The arguments hold a number with too many digits.", code="number_too_long") from error


def _id(name: str, value: Any) -> Any:
    try:
        return Identifier().to_internal_value(value)
    except Exception as error:
        code, said = ("missing", "This is missing.") if value is None else ("not_an_id", "This is not an id.")
        raise Malformed.at(f"/{name}", code, said, Identifier.accepted) from error


def _give(request: HttpRequest, content: bytes) -> None:
    request.META["CONTENT_TYPE"] = "application/json"
    request.META["CONTENT_LENGTH"] = str(len(content))
    request._stream = io.BytesIO(content)
