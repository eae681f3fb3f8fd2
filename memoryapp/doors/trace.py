"""The trace id of a request: the caller's own when it sends one, so that its log and ours can be laid side by side."""

import re
import uuid

from django.http import HttpRequest

_OWN = re.compile(r"[A-Za-z0-9._:-]{1,64}")
_TRACEPARENT = re.compile(r"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def trace_id(request: HttpRequest) -> str:
    """The same id for as long as the request lasts: from `X-Request-ID` or `traceparent`, or a new one."""
    held: str | None = getattr(request, "_commonplace_trace", None)
    if held is None:
        held = _sent(request) or uuid.uuid4().hex
        request._commonplace_trace = held  # type: ignore[attr-defined]
    return held


def _sent(request: HttpRequest) -> str | None:
    own = request.headers.get("X-Request-ID", "")
    if _OWN.fullmatch(own):
        return own
    parent = _TRACEPARENT.fullmatch(request.headers.get("traceparent", ""))
    return parent.group(1) if parent else None
