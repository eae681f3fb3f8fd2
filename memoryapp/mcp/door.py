"""MCP over HTTP: what must be right before the protocol is spoken at all.

The host is one of ours, the connection is encrypted where the product demands it, a page of another site is turned
away, and the key opens something. Each request is a session of its own: nothing is kept between two, so any number of
web processes may serve them.
"""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.core.handlers.asgi import ASGIRequest
from django.db import close_old_connections
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from memoryapp.access.authentication import known_key
from memoryapp.doors import problems, strict
from memoryapp.doors.errors import Denied, DomainError, Malformed
from memoryapp.doors.trace import trace_id
from memoryapp.mcp import calling, server

Message = Mapping[str, Any]
Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Message], Awaitable[None]]

PATH = calling.ADDRESS


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer one request to the tool server."""
    request = ASGIRequest(scope, io.BytesIO())
    trace = trace_id(request)
    refused = await sync_to_async(_refusal, thread_sensitive=False)(request)

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(b"commonplace-trace", trace.encode()), (b"cache-control", b"no-store")]
            message = {**message, "headers": [*message.get("headers", ()), *own]}
        await send(message)

    if refused is not None:
        await _refuse(refused, trace, marked)
        return
    told = [(name, value) for name, value in scope["headers"] if name != b"x-request-id"]
    scope = {**scope, "headers": [*told, (b"x-request-id", trace.encode())]}
    manager = StreamableHTTPSessionManager(
        server.made(), json_response=True, stateless=True, max_request_body_size=strict.LARGEST_BODY
    )
    async with manager.run():
        await manager.handle_request(scope, receive, marked)


def _refusal(request: ASGIRequest) -> DomainError | None:
    """Why this request goes no further, if it does not."""
    close_old_connections()
    try:
        _check(request)
    except DomainError as error:
        return error
    except Exception as error:
        return problems.as_domain_error(error)
    finally:
        close_old_connections()
    return None


def _check(request: ASGIRequest) -> None:
    try:
        host = request.get_host()
    except DisallowedHost as error:
        raise Malformed("This host is not ours.", code="unknown_host") from error
    if settings.SECURE_SSL_REDIRECT and not request.is_secure():
        raise Denied("A key is not sent unencrypted: use https.", code="not_encrypted")
    origin = request.headers.get("Origin")
    own = {f"{request.scheme}://{host}", *settings.CSRF_TRUSTED_ORIGINS}
    if origin is not None and (origin not in own or not urlsplit(origin).hostname):
        raise Denied("Pages of other sites are not let in here.", code="foreign_origin")
    if request.method != "POST":
        raise problems.MethodNotThere("Only POST is taken here: each call is answered by itself.", code="post_only")
    known_key(request)


async def _refuse(error: DomainError, trace: str, send: Send) -> None:
    problem = error.as_problem() | {"instance": PATH, "trace_id": trace}
    headers = [(b"content-type", problems.MEDIA_TYPE.encode())]
    if error.status == 401:
        headers.append((b"www-authenticate", b'Bearer realm="Commonplace"'))
    if error.status == 405:
        headers.append((b"allow", b"POST"))
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(problem).encode()})
