"""The one place that speaks to an embedder: embeddings of the OpenAI form over HTTP, looked at number by number.

Nothing is retried here, and nothing of what was sent or came is kept: a server may repeat a text in its error.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from memoryapp.index.language import asking
from memoryapp.index.language.client import Server, Trouble, counted, send
from memoryapp.ledger.models import Workspace

MOST_NUMBERS = 16_384
LARGEST_NUMBER = 3.0e38
"""What fits into the float32 of a stored vector."""

Vector = list[float]


@dataclass(frozen=True)
class Embedded:
    """A vector for each text, all of one length, with what they cost."""

    vectors: list[Vector]
    tokens: int
    milliseconds: int


def configured() -> bool:
    """Whether there is an embedder."""
    return bool(settings.EMBEDDING_URL and settings.EMBEDDING_NAME)


def available(workspace: Workspace) -> bool:
    """Whether there is an embedder that texts of this workspace may be sent to: 0 tokens keep every model away."""
    return configured() and workspace.settings.get(asking.BUDGET) != 0


def tokens_of(texts: Sequence[str]) -> int:
    """About how many tokens these are: a quarter of their bytes."""
    return sum(len(text.encode("utf-8", "replace")) for text in texts) // 4


def embed(texts: Sequence[str], name: str, seconds: float) -> Embedded:
    """Vectors of these texts by the model of this name. Raises Trouble, within about `seconds`."""
    server = Server(settings.EMBEDDING_URL, settings.EMBEDDING_KEY, seconds)
    asked = {"model": name, "input": [_sendable(text) for text in texts]}
    sent = send(server, "embeddings", settings.EMBEDDING_OPTIONS | asked)
    try:
        told = json.loads(sent.body)
        vectors = _vectors(told["data"], len(texts))
        usage = told.get("usage")
    except Trouble as trouble:
        trouble.milliseconds = sent.milliseconds
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _bad("embedding_not_understood", "is no list of embeddings", sent.milliseconds) from error
    usage = usage if isinstance(usage, dict) else {}
    tokens = counted(usage.get("prompt_tokens", usage.get("total_tokens")), tokens_of(texts))
    return Embedded(vectors, tokens, sent.milliseconds)


def _sendable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _vectors(data: list[dict[str, Any]], wanted: int) -> list[Vector]:
    """The vectors in the order of the texts. Raises Trouble for too many or few, of several lengths, or no numbers."""
    if len(data) != wanted:
        raise _bad("embedding_wrong_count", f"has {len(data)} vectors for {wanted} texts")
    numbered = {one.get("index", place): one["embedding"] for place, one in enumerate(data)}
    vectors = [numbered[place] for place in range(wanted)]
    length = len(vectors[0])
    if not 0 < length <= MOST_NUMBERS or any(not isinstance(one, list) or len(one) != length for one in vectors):
        raise _bad("embedding_wrong_length", "has vectors of several lengths, or of none")
    if not all(is_number(number) for vector in vectors for number in vector):
        raise _bad("embedding_not_a_number", "has a vector with something else than finite numbers")
    return vectors


def is_number(told: Any) -> bool:
    """Whether it is a finite number that a stored vector can hold."""
    return type(told) in (int, float) and -LARGEST_NUMBER < told < LARGEST_NUMBER


def _bad(code: str, what: str, milliseconds: int = 0) -> Trouble:
    return Trouble(code, f"What the embedder sent {what}.", status=200, milliseconds=milliseconds)
