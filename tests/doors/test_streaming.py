"""What is sent as it is made: by the server that the product is run with, too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest
from django.test import override_settings
from django.urls import path

from memoryapp.doors.streaming import PIECE, Streamed

made: list[str] = []


def lines() -> Iterator[str]:
    for letter in "abcd":
        made.append(letter)
        yield letter * (PIECE // 2)
    made.append("end")


def view(request: HttpRequest) -> Streamed:
    return Streamed(lines(), content_type="text/plain")


urlpatterns = [path("lines/", view)]


def scope() -> dict[str, Any]:
    where = {"method": "GET", "path": "/lines/", "query_string": b"", "headers": [(b"host", b"testserver")]}
    return {"type": "http", "http_version": "1.1", "scheme": "http", "asgi": {"version": "3.0"}} | where


@override_settings(ROOT_URLCONF=__name__)
def test_what_is_streamed_is_sent_before_the_rest_of_it_is_made() -> None:
    """However much there is, what was made and not sent yet is one piece."""
    made.clear()
    sent: list[tuple[str, list[str]]] = []
    asked = iter([{"type": "http.request", "body": b"", "more_body": False}])

    async def receive() -> dict[str, Any]:
        for told in asked:
            return told
        await asyncio.Event().wait()
        return {}

    async def send(message: dict[str, Any]) -> None:
        if body := message.get("body"):
            sent.append((body.decode()[:: PIECE // 2], list(made)))

    asyncio.run(ASGIHandler()(scope(), receive, send))  # type: ignore[arg-type]
    assert sent == [("ab", ["a", "b"]), ("cd", ["a", "b", "c", "d"])]
    assert made[-1] == "end"


def test_what_is_streamed_is_whole_for_a_server_that_waits_for_each_answer() -> None:
    assert [piece[:1] for piece in Streamed(lines())] == [b"a", b"b", b"c", b"d"]
