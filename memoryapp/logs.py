"""How the product logs: one JSON object a line (or coloured lines on a terminal), never a secret and never what people
said.

Loggers are given ids, counts, codes and durations. As a second fence, any value under a name that carries content is
replaced before it is written, and an exception is written as its type and place, without its text: database errors
quote the row.
"""

import sys
import traceback
from collections.abc import MutableMapping
from pathlib import PurePath
from typing import Any

import structlog

Event = MutableMapping[str, Any]

NEVER_WRITTEN = frozenset(
    {
        *("authorization", "cookie", "key", "password", "payload", "pepper", "secret", "token"),
        *("content", "quote", "question", "rationale", "statement", "text", "value"),
    }
)


SILENT = frozenset({"request_started", "streaming_started", "streaming_finished"})
"""Events that repeat what the line of the answered request says."""


def withhold(_: Any, __: str, event: Event) -> Event:
    """Replace what must not be in a log."""
    for name in event.keys() & NEVER_WRITTEN:
        event[name] = "(withheld)"
    if isinstance(event.get("request"), str):
        event["request"] = event["request"].partition("?")[0]
    return event


def place_of_exception(_: Any, __: str, event: Event) -> Event:
    """Turn an exception into its type and the places it passed."""
    given = event.pop("exc_info", None)
    error = given if isinstance(given, BaseException) else given[1] if isinstance(given, tuple) else None
    if given is True:
        error = sys.exc_info()[1]
    if error is not None:
        event["error"] = type(error).__name__
        frames = traceback.extract_tb(error.__traceback__)[-12:]
        event["at"] = [f"{PurePath(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames]
    return event


def one_line_a_request(_: Any, __: str, event: Event) -> Event:
    """A request is logged when it has been answered, with its status; static files and a monitor are not."""
    asked = str(event.get("request", ""))
    if event.get("event") in SILENT or asked.endswith((" /healthz", " /status", " /metrics")) or " /static/" in asked:
        raise structlog.DropEvent
    return event


SHARED: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.stdlib.PositionalArgumentsFormatter(),
    structlog.processors.TimeStamper(fmt="iso"),
    place_of_exception,
    withhold,
]

structlog.configure(
    processors=[
        structlog.stdlib.filter_by_level,
        one_line_a_request,
        *SHARED,
        structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
    ],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "lines": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": SHARED,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.dev.ConsoleRenderer(colors=True)
                if sys.stderr.isatty()
                else structlog.processors.JSONRenderer(),
            ],
        },
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "memoryapp": {"level": "INFO"},
        "django_structlog": {"level": "INFO"},
        "django.request": {"level": "ERROR"},
        "celery": {"level": "WARNING"},
        "kombu.connection": {"level": "ERROR"},
        "uvicorn.error": {"level": "WARNING"},
        "uvicorn.access": {"level": "CRITICAL", "propagate": False},
    },
}
