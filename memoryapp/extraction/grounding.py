"""Whether what is proposed is what was said: a candidate must share words with its quote, and the quote be a person's.

No judgement of meaning: what shares no word with the words it quotes is put before a person, never believed at once.
"""

from __future__ import annotations

import json
import uuid
from typing import Any

from memoryapp.extraction.models import Candidate
from memoryapp.graph.models import Node
from memoryapp.index.words import words
from memoryapp.sources.quoting import nobody_vouches

AGENTS = "agent:"
"""How the extractor of what agents propose begins."""
OTHERS_WORDS = "The quoted words are an assistant's, a tool's or the system's."
NO_SHARED_WORD = "It shares no word with the words it quotes."


def doubt(candidate: Candidate) -> str:
    """Why a person must see a candidate before it is believed; empty when nothing speaks against it."""
    if nobody_vouches(candidate.source, candidate.span_start, candidate.span_end):
        return OTHERS_WORDS
    if not candidate.rule and not _shares_a_word(candidate):
        return NO_SHARED_WORD
    return ""


def _shares_a_word(candidate: Candidate) -> bool:
    quoted = {word.stem for word in words(candidate.quote)}
    said = {word.stem for word in words(_said(candidate))}
    if not quoted or not said:
        return candidate.quote.strip().casefold() == candidate.content.strip().casefold()
    return bool(quoted & said)


def _said(candidate: Candidate) -> str:
    """What of it is new: the words of a statement, the value of a property, the object of an edge."""
    details = candidate.proposal
    if not details.get("predicate"):
        return candidate.content
    if details.get("object"):
        return _named(candidate, details["object"])
    value = details.get("value")
    if isinstance(value, bool):
        return str(details["predicate"]).replace("_", " ")
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _named(candidate: Candidate, reference: dict[str, Any]) -> str:
    if "node" in reference:
        node = Node.objects.filter(workspace=candidate.workspace_id, pk=uuid.UUID(str(reference["node"]))).first()
        called = [node.label, json.dumps(node.properties, ensure_ascii=False)] if node else []
    else:
        called = [str(reference.get("name", "")), json.dumps(reference.get("keys", {}), ensure_ascii=False)]
    return " ".join(called)
