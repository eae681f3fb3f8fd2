"""What this process counts of itself, and the one address at which a monitor reads it.

Requests, tool calls and the time of recalls are counted in the process that served them; what the database knows (jobs,
workers, the model) is read when the monitor asks, the same in every process. No label names a workspace, a person or
anything that was said: an address is named by its pattern.
"""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest

REGISTRY = CollectorRegistry(auto_describe=False)
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

REQUESTS = Counter("commonplace_requests", "Requests answered.", ("method", "route", "status"), registry=REGISTRY)
REQUEST_SECONDS = Histogram(
    "commonplace_request_seconds", "How long answers took.", ("route",), registry=REGISTRY, buckets=SECONDS
)
RECALL_SECONDS = Histogram(
    "commonplace_recall_seconds", "How long recall and the brief took.", ("form",), registry=REGISTRY, buckets=SECONDS
)
QUESTIONS_EMBEDDED = Counter(
    "commonplace_questions_embedded", "Questions for whose vector there was a need.", ("outcome",), registry=REGISTRY
)
TOOL_CALLS = Counter("commonplace_tool_calls", "Calls of tools.", ("tool", "status"), registry=REGISTRY)


class CountRequests:
    """Counts every request with its route and how long its answer took."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        began = time.perf_counter()
        response = self.get_response(request)
        route = _route(request)
        REQUESTS.labels(_method(request), route, response.status_code).inc()
        REQUEST_SECONDS.labels(route).observe(time.perf_counter() - began)
        return response


def _route(request: HttpRequest) -> str:
    """The pattern of the address, never the address itself."""
    found = getattr(request, "resolver_match", None)
    return f"/{found.route}" if found is not None else "none"


def _method(request: HttpRequest) -> str:
    return request.method if request.method in METHODS else "other"


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Everything counted, for Prometheus. Not there unless `METRICS_TOKEN` is set, and only for who sends it."""
    if not settings.METRICS_TOKEN:
        raise Http404
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not hmac.compare_digest(token.strip().encode(), settings.METRICS_TOKEN.encode()):
        refused = HttpResponse("Send the token: Authorization: Bearer ...\n", status=401, content_type="text/plain")
        refused.headers["WWW-Authenticate"] = 'Bearer realm="Commonplace metrics"'
        return refused
    return HttpResponse(generate_latest(REGISTRY), content_type=CONTENT_TYPE_LATEST)
