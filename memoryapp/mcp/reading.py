"""Resources and prompts of the tool server: what tools answer without being asked anything, and words to work by.

A resource is a tool under an address, so it is listed for, and answered to, whoever is granted the tool.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from memoryapp.doors.nearest import nearest
from memoryapp.ledger.principal import Principal
from memoryapp.mcp import calling, offered


@dataclass(frozen=True)
class Resource:
    """An address and the tool that answers for it."""

    uri: str
    tool: str
    title: str


RESOURCES = (
    Resource("commonplace://ontology", "ontology_describe", "The declared types"),
    Resource("commonplace://context", "context_get", "What the user told you to keep in mind"),
    Resource("commonplace://files", "files_ls", "What is at the top of the tree of files"),
)
FILE = Resource("commonplace://files/{+path}", "files_read", "A file, or what is in a directory, by its path")
"""The address of anything in the tree: `commonplace://files/notes/berths.md`."""


@dataclass(frozen=True)
class Prompt:
    """Words to work by, for whoever is granted all of these tools. `asks` are its arguments with what each is."""

    name: str
    title: str
    description: str
    words: str
    tools: tuple[str, ...]
    asks: tuple[tuple[str, str], ...] = ()


PROMPTS = (
    Prompt(
        "keep_what_was_said",
        "Keep what was said",
        "Goes through a conversation and remembers what will matter later.",
        "Go through the conversation below. For each preference, decision, commitment or fact about a person or thing "
        "that will matter later: recall first whether it is known; if it is new or has changed, remember it as one "
        "sentence that stands by itself, with the exact words it stands on, whose it is, and since when. Leave out "
        "small talk, what you only guess, and what you said yourself.\n\n{conversation}",
        ("memory_recall", "memory_remember"),
        (("conversation", "The turns, with who said what and when."),),
    ),
    Prompt(
        "look_for_what_is_stale",
        "Look for what is stale",
        "Looks through what is held about somebody for what contradicts itself or has passed.",
        "Look through what is currently held about {about}. Ask why wherever two beliefs do not fit together, or one "
        "may be over. Change nothing that a person confirmed. Relate what contradicts each other as a conflict, with "
        "what each stands on; a person then decides. End with a list of what you related and what you left.",
        ("memory_current", "memory_why", "memory_relate"),
        (("about", "A person or thing, by name or key."),),
    ),
)


def resources(by: Principal) -> list[types.Resource]:
    """Those whose tools the caller is granted."""
    granted = {tool.name: tool for tool in offered.offered_to(by)}
    return [
        types.Resource(
            name=one.tool,
            title=one.title,
            uri=one.uri,
            description=granted[one.tool].description,
            mime_type="application/json",
        )
        for one in RESOURCES
        if one.tool in granted
    ]


def templates(by: Principal) -> list[types.ResourceTemplate]:
    """That of a file, for whoever reads files."""
    granted = {tool.name: tool for tool in offered.offered_to(by)}
    if FILE.tool not in granted:
        return []
    words = granted[FILE.tool].description
    return [types.ResourceTemplate(name="file", title=FILE.title, uri_template=FILE.uri, description=words)]


def read(uri: str, headers: Mapping[str, str]) -> types.ReadResourceResult:
    """What the resource's tool answers. Raises MCPError when there is no such resource, or the tool is refused."""
    found = next((one for one in RESOURCES if one.uri == uri), None)
    start = FILE.uri.partition("{")[0]
    if found is None and not uri.startswith(start):
        near = nearest(uri, [one.uri for one in RESOURCES])
        hint = f" Did you mean “{near}”?" if near else ""
        raise MCPError(types.INVALID_PARAMS, f"There is no resource “{uri[:100]}”.{hint}")
    if found is not None:
        outcome = calling.call(offered.tools()[found.tool], {}, headers)
    else:
        path = {"path": f"/{unquote(uri.removeprefix(start))}"}
        outcome = calling.call(offered.tools()[FILE.tool], path | {"last": -1}, headers)
        if outcome.refused and outcome.body.get("code") in ("is_a_directory", "is_the_root"):
            outcome = calling.call(offered.tools()["files_ls"], path, headers)
    if outcome.refused:
        raise MCPError(types.INVALID_REQUEST, calling.in_words(outcome.body), outcome.body)
    text = json.dumps(outcome.body, ensure_ascii=False)
    return types.ReadResourceResult(
        contents=[types.TextResourceContents(uri=uri, mime_type="application/json", text=text)]
    )


def prompts(by: Principal) -> list[types.Prompt]:
    """Those for whoever is granted what they work with."""
    granted = {tool.name for tool in offered.offered_to(by)}
    return [
        types.Prompt(
            name=one.name,
            title=one.title,
            description=one.description,
            arguments=[types.PromptArgument(name=name, description=words, required=True) for name, words in one.asks],
        )
        for one in PROMPTS
        if granted >= set(one.tools)
    ]


def prompt(name: str, arguments: Mapping[str, str], by: Principal) -> types.GetPromptResult:
    """The words of a prompt with its arguments in them. Raises MCPError for none, or for what is missing."""
    granted = {one.name for one in prompts(by)}
    found = next((one for one in PROMPTS if one.name == name and name in granted), None)
    if found is None:
        raise MCPError(types.INVALID_PARAMS, f"There is no prompt “{name[:64]}” for this key.")
    asked = dict(found.asks)
    if missing := [one for one in asked if not arguments.get(one, "").strip()]:
        raise MCPError(types.INVALID_PARAMS, f"“{missing[0]}” is missing: {asked[missing[0]]}")
    words = found.words
    for one in asked:
        words = words.replace("{" + one + "}", arguments[one])
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.GetPromptResult(description=found.description, messages=[message])
