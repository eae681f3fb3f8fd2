"""Answers that are sent a piece at a time as they are made, whichever server sends them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from asgiref.sync import sync_to_async
from django.http import StreamingHttpResponse

PIECE = 64 * 1024
"""Bytes that are gathered before they are sent."""


class Streamed(StreamingHttpResponse):
    """Of a plain iterator, which is asked for more only when what it gave is on its way: never all of it in memory.

    The iterator runs where the view ran, with its connection to the database.
    """

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces: Iterator[bytes] = iter(self.streaming_content)  # type: ignore[arg-type]
        while piece := await sync_to_async(_some)(pieces):
            yield piece


def _some(pieces: Iterator[bytes]) -> bytes:
    """The next pieces as one; nothing when there are no more."""
    found, size = [], 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size >= PIECE:
            break
    return b"".join(found)
