"""The asgi door of the product: pages and REST by Django, and the tool server beside them at /mcp."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from django.core.asgi import get_asgi_application

from memoryapp.doors.settled import settle

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
pages = get_asgi_application()
settle()

TOOLS = "/mcp"


async def application(scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[..., Any]) -> None:
    """Every request of this process. The tool server is loaded with the first that asks for it."""
    if scope["type"] == "http" and scope["path"].rstrip("/") == TOOLS:
        from memoryapp.mcp.door import answer

        await answer(scope, receive, send)
    else:
        await pages(scope, receive, send)
