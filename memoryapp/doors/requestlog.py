"""One line in the log for every request, under the trace id that its writes and jobs carry too."""

import structlog
from django.http import HttpRequest
from django_structlog.middlewares import RequestMiddleware

from memoryapp.doors.trace import trace_id


class RequestLog(RequestMiddleware):
    """Binds the trace id to everything logged while the request lasts."""

    def prepare(self, request: HttpRequest) -> None:
        super().prepare(request)
        structlog.contextvars.unbind_contextvars("request_id", "correlation_id")
        structlog.contextvars.bind_contextvars(trace_id=trace_id(request))
