"""Every tool there is, and those that a key is shown: what its surfaces do not grant is not there for it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from django.apps import apps

from memoryapp.access.endpoints import ANY_KEY, Endpoint
from memoryapp.doors.tools import Tool
from memoryapp.ledger.principal import Principal


@cache
def tools() -> dict[str, Tool]:
    """Every room's tools by name. Two of one name, or one without a right to ask for, stop the tool server."""
    found: dict[str, Tool] = {}
    for config in apps.get_app_configs():
        drawer = f"{config.name}.tools"
        if not config.name.startswith(("memoryapp.", "formsengine")) or not find_spec(drawer):
            continue
        for tool in import_module(drawer).TOOLS:
            if tool.name in found:
                raise ValueError(f"Two tools are called {tool.name}.")
            needed(tool)
            found[tool.name] = tool
    return found


def offered_to(by: Principal) -> list[Tool]:
    """The tools whose capability this caller holds."""
    return [tool for tool in tools().values() if needed(tool) == ANY_KEY or by.may(needed(tool))]


def needed(tool: Tool) -> str:
    """The capability that the tool's endpoint asks for."""
    if not issubclass(tool.endpoint, Endpoint):
        raise TypeError(f"{tool.name} is not on an endpoint.")
    return tool.endpoint.needs[tool.verb]


def only_reads(tool: Tool) -> bool:
    """Whether it changes nothing but the note of what was served."""
    return tool.verb == "get" or getattr(tool.endpoint, "reads_by_post", False)
