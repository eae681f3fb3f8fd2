"""What lookups carry to whoever asks is noted, as what recall answers is: a wrong belief's reach must be known."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from typing import Any

from rest_framework.response import Response

from memoryapp.access.endpoints import NOTED, Endpoint
from memoryapp.ledger.services import serve

WORDS_OF_THE_ASKER = frozenset({"cursor", "key", "label", "where"})
"""Parameters that are not kept: a value somebody looked for may be what is erased later."""


def noted(endpoint: Endpoint, form: str, response: Response, items: Iterable[tuple[str, uuid.UUID | str]]) -> Response:
    """The answer, with its row of the served log named in `Commonplace-Served`. What carried nothing is not noted."""
    carried = [(what, uuid.UUID(str(one)), None) for what, one in items]
    if carried:
        asked = endpoint.request.query_params
        parameters = {name: asked[name] for name in sorted(asked) if name not in WORDS_OF_THE_ASKER}
        response.headers[NOTED] = str(serve(endpoint.by, form, carried, parameters=parameters).pk)
    return response


def noted_page(endpoint: Endpoint, form: str, what: str, response: Response) -> Response:
    """A page of things of one type, noted."""
    return noted(endpoint, form, response, [(what, item["id"]) for item in response.data["items"]])


def noted_whole(endpoint: Endpoint, form: str, response: Response) -> Response:
    """An answer that tells beliefs at any depth, noted with each of these once."""
    return noted(endpoint, form, response, dict.fromkeys(_beliefs_in(response.data)))


def _beliefs_in(told: Any) -> Iterator[tuple[str, str]]:
    if isinstance(told, dict):
        if {"id", "kind", "content", "status"} <= told.keys():
            yield "belief", str(told["id"])
        told = list(told.values())
    if isinstance(told, list):
        for one in told:
            yield from _beliefs_in(one)
