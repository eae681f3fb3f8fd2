"""The tool server in the official SDK's terms: which tools a caller sees, and a call of one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import mcp_types as types
import structlog
from asgiref.sync import sync_to_async
from django.db import close_old_connections
from django.http import HttpRequest
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import Server
from mcp.shared.exceptions import MCPError

from memoryapp.access.authentication import authenticate
from memoryapp.doors.errors import DomainError
from memoryapp.doors.nearest import nearest
from memoryapp.doors.tools import Tool
from memoryapp.doors.trace import trace_id
from memoryapp.ledger.principal import Principal
from memoryapp.mcp import calling, offered, reading, schemas

KEY_VARIABLE = "COMMONPLACE_KEY"
"""Over stdio the agent's key is in this variable of the environment."""
INSTRUCTIONS = (
    "Commonplace is memory that people read, question and correct. Recall before you answer; remember what you learn, "
    "with the exact words it stands on. What contradicts what is held waits for a person. A refusal says what would be "
    "taken."
)
Result = TypeVar("Result")


def made() -> Server[Any]:
    """A tool server. It keeps nothing between calls: each names its key and is refused or answered alone."""
    return Server(
        "commonplace",
        title="Commonplace",
        instructions=INSTRUCTIONS,
        on_list_tools=_list,
        on_call_tool=_call,
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=_read_resource,
        on_list_prompts=_list_prompts,
        on_get_prompt=_get_prompt,
    )


async def _list(context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None) -> Any:
    return types.ListToolsResult(tools=await _in_a_thread(lambda: shown(_headers(context))))


async def _call(context: ServerRequestContext[Any], params: types.CallToolRequestParams) -> Any:
    return await _in_a_thread(lambda: result(params.name, params.arguments or {}, _headers(context)))


async def _list_resources(context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None) -> Any:
    headers = _headers(context)
    return types.ListResourcesResult(resources=await _in_a_thread(lambda: reading.resources(caller(headers))))


async def _list_templates(context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None) -> Any:
    headers = _headers(context)
    found = await _in_a_thread(lambda: reading.templates(caller(headers)))
    return types.ListResourceTemplatesResult(resource_templates=found)


async def _read_resource(context: ServerRequestContext[Any], params: types.ReadResourceRequestParams) -> Any:
    return await _in_a_thread(lambda: reading.read(str(params.uri), _headers(context)))


async def _list_prompts(context: ServerRequestContext[Any], params: types.PaginatedRequestParams | None) -> Any:
    headers = _headers(context)
    return types.ListPromptsResult(prompts=await _in_a_thread(lambda: reading.prompts(caller(headers))))


async def _get_prompt(context: ServerRequestContext[Any], params: types.GetPromptRequestParams) -> Any:
    headers = _headers(context)
    return await _in_a_thread(lambda: reading.prompt(params.name, params.arguments or {}, caller(headers)))


def shown(headers: Mapping[str, str]) -> list[types.Tool]:
    """The tools that a key is granted, as the protocol describes a tool. Raises MCPError without a valid key."""
    by = caller(headers)
    return [_described(tool, by) for tool in offered.offered_to(by)]


def caller(headers: Mapping[str, str]) -> Principal:
    """Who asks. Raises MCPError without a valid key."""
    request = HttpRequest()
    for name, value in headers.items():
        request.META["HTTP_" + name.upper().replace("-", "_")] = value
    try:
        _, by = authenticate(request)
    except DomainError as error:
        raise MCPError(types.INVALID_REQUEST, calling.in_words(error.as_problem()), error.as_problem()) from error
    return by


def result(name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> types.CallToolResult:
    """What a call of a tool came to. Raises MCPError when there is no tool of that name at all."""
    tool = offered.tools().get(name)
    if tool is None:
        near = nearest(name, offered.tools())
        hint = f" Did you mean “{near}”?" if near else ""
        raise MCPError(types.INVALID_PARAMS, f"There is no tool “{name[:64]}”.{hint}")
    with structlog.contextvars.bound_contextvars(trace_id=headers["x-request-id"]):
        outcome = calling.call(tool, arguments, headers)
    text = calling.in_words(outcome.body) if outcome.refused else json.dumps(outcome.body, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content=outcome.body,
        is_error=outcome.refused,
        _meta={"commonplace": {"trace": headers["x-request-id"]} | _lowered(outcome.notes)},
    )


def _described(tool: Tool, by: Principal) -> types.Tool:
    own = tool.of_caller(by) if tool.of_caller else ""
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=f"{tool.description} {own}".rstrip(),
        input_schema=schemas.arguments(tool),
        output_schema=schemas.answer(tool),
        annotations=types.ToolAnnotations(
            title=tool.title,
            read_only_hint=offered.only_reads(tool),
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent or offered.only_reads(tool),
            open_world_hint=False,
        ),
    )


def _headers(context: ServerRequestContext[Any]) -> dict[str, str]:
    """What the caller says beside the arguments, with the trace id this call has from here to the beliefs it makes."""
    if context.request is None:
        said = {"authorization": f"Bearer {os.environ.get(KEY_VARIABLE, '')}"}
    else:
        said = {name.lower(): value for name, value in context.request.headers.items()}
    meta: Mapping[str, Any] = context.meta or {}
    if isinstance(meta.get("traceparent"), str):
        said.setdefault("traceparent", meta["traceparent"])
    return said | {"x-request-id": _trace(said)}


def _trace(said: Mapping[str, str]) -> str:
    request = HttpRequest()
    for name in ("x-request-id", "traceparent"):
        if name in said:
            request.META["HTTP_" + name.upper().replace("-", "_")] = said[name]
    return trace_id(request)


def _lowered(notes: Mapping[str, str]) -> dict[str, str]:
    return {name.lower().removeprefix("commonplace-"): value for name, value in notes.items()}


async def _in_a_thread(act: Callable[[], Result]) -> Result:
    """Run what touches the database in a thread of the loop's bounded pool, with a connection of its own."""

    def alone() -> Result:
        close_old_connections()
        try:
            return act()
        finally:
            close_old_connections()

    return await sync_to_async(alone, thread_sensitive=False)()
