"""The log says what happened and where, and never what anyone said."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import structlog
from django.test import Client

from memoryapp import logs

SAID = "the word marlin was said"


@contextmanager
def written() -> Iterator[list[dict[str, Any]]]:
    """Every line written meanwhile, as the product's own handler would write it; there afterwards."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    formatter = logs.LOGGING["formatters"]["lines"]
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=formatter["foreign_pre_chain"],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.getLogger().addHandler(handler)
    lines: list[dict[str, Any]] = []
    try:
        yield lines
    finally:
        logging.getLogger().removeHandler(handler)
    lines.extend(json.loads(line) for line in stream.getvalue().splitlines())
    assert lines, "nothing was written"
    assert "marlin" not in stream.getvalue()


def test_an_exception_is_logged_as_its_type_and_place_without_its_text() -> None:
    log = structlog.get_logger("memoryapp.test")
    with written() as lines:
        try:
            raise ValueError(SAID)
        except ValueError as error:
            log.exception("broke")
            log.error("broke", exc_info=error)
            logging.getLogger("memoryapp.test").exception("broke")
            logging.getLogger("django.request").error("broke", exc_info=error)
    assert [line["error"] for line in lines] == ["ValueError"] * 4
    assert all("test_logs.py" in line["at"][-1] for line in lines)


def test_values_under_names_that_carry_content_are_withheld() -> None:
    with written() as lines:
        structlog.get_logger("memoryapp.test").info("told", content=SAID, password=SAID, question=SAID, turns=3)
    assert (lines[0]["content"], lines[0]["turns"]) == ("(withheld)", 3)


def test_a_request_is_one_line_without_its_parameters_and_with_its_trace(db: None, client: Client) -> None:
    with written() as lines:
        answer = client.get("/api/v1/", {"question": SAID}, headers={"X-Request-ID": "trace-11"})
    assert answer.headers["Commonplace-Trace"] == "trace-11"
    assert [(line["event"], line["request"], line["trace_id"]) for line in lines] == [
        ("request_finished", "GET /api/v1/", "trace-11")
    ]
