"""`manage.py mcp_stdio`: the tool server for an agent that starts it itself, and speaks to it over stdin and stdout."""

from __future__ import annotations

import os
from typing import Any

import anyio
from django.core.management.base import BaseCommand, CommandError
from django.http import HttpRequest
from mcp.server.stdio import stdio_server

from memoryapp.access.authentication import known_key
from memoryapp.doors.errors import DomainError
from memoryapp.mcp import server


class Command(BaseCommand):
    help = f"Serve tools over stdin and stdout, for the agent whose key is in {server.KEY_VARIABLE}."

    def handle(self, *args: Any, **options: Any) -> None:
        """Standard output carries the protocol and nothing else; the log goes to standard error."""
        request = HttpRequest()
        request.META["HTTP_AUTHORIZATION"] = f"Bearer {os.environ.get(server.KEY_VARIABLE, '')}"
        try:
            known_key(request)
        except DomainError as error:
            raise CommandError(f"{error.detail} Put the agent's key into {server.KEY_VARIABLE}.") from error
        anyio.run(_serve)


async def _serve() -> None:
    made = server.made()
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())
