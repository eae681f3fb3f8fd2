"""Writes that may wait for what they want to be declared. Rooms say what can be stored from a body that was kept.

A row that is refused only for want of something declared is kept as it was sent, and stored when that is declared, by
whoever sent it. What it is to be stored with is registered by the action's name.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import get_resolver

from memoryapp.doors.batches import OneOrMany
from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source, Thread

Store = Callable[[Write, list[dict[str, Any]]], Any]


@dataclass(frozen=True)
class Parkable:
    """An action whose rows may be parked: how its body is read (as it is, when there is none), the right it needs, and
    how a row is stored."""

    action: str
    body: type[OneOrMany] | None
    needs: str
    store: Store


_parkable: dict[str, Parkable] = {}


def register(action: str, *, body: type[OneOrMany] | None, needs: str, store: Store) -> None:
    """Let rows of this action be parked."""
    _parkable[action] = Parkable(action, body, needs, store)


def parkable(action: str) -> Parkable | None:
    """How rows of an action are stored, if they may be parked. Rooms say so with their addresses, which a worker or a
    command has not loaded by itself."""
    _ = get_resolver().url_patterns
    return _parkable.get(action)


def digest_of(actor: uuid.UUID, action: str, payload: Any) -> str:
    """The same for the same row sent by the same actor."""
    text = json.dumps([str(actor), action, payload], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


Narrow = Callable[[uuid.UUID, frozenset[uuid.UUID]], bool]
"""Whether any of these ids, in a workspace, is of something that only some may be served."""

_narrow: list[Narrow] = []


def register_narrow(narrow: Narrow) -> None:
    """Keep rows that refer to such things from whoever did not send them."""
    _narrow.append(narrow)


def is_private(workspace: uuid.UUID, payload: Any) -> bool:
    """Whether a row is meant for less than the whole workspace: it says so, or it refers to what is told to few, whose
    words it may hold."""
    if not isinstance(payload, dict):
        return False
    if payload.get("audience", "workspace") != "workspace" or _names_readers(payload):
        return True
    ids = frozenset(_ids(payload))
    return bool(ids) and any(narrow(workspace, ids) for narrow in (_told_to_few, *_narrow))


def _names_readers(payload: dict[str, Any]) -> bool:
    evidence = payload.get("evidence")
    given = [one.get("new_source") for one in evidence if isinstance(one, dict)] if isinstance(evidence, list) else []
    return any("readers" in one for one in (payload, *given) if isinstance(one, dict))


def _told_to_few(workspace: uuid.UUID, ids: frozenset[uuid.UUID]) -> bool:
    return any(
        model._default_manager.filter(workspace=workspace, pk__in=ids, audience__isnull=False).exists()
        for model in (Source, Thread)
    )


def _ids(value: Any) -> Iterator[uuid.UUID]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _ids(one)
    elif isinstance(value, str) and len(value) <= 45:
        with contextlib.suppress(ValueError):
            yield uuid.UUID(value)
