"""Writes that may wait for what they want to be declared. Rooms say what can be stored from a body that was kept.

A row that is refused only for want of something declared is kept as it was sent, and stored when that is declared, by
whoever sent it. What it is to be stored with is registered by the action's name.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from memoryapp.doors.batches import OneOrMany
from memoryapp.ledger.models import Write

Store = Callable[[Write, list[dict[str, Any]]], Any]


@dataclass(frozen=True)
class Parkable:
    """An action whose rows may be parked: how its body is read, the right it needs, and how a row is stored."""

    action: str
    body: type[OneOrMany]
    needs: str
    store: Store


_parkable: dict[str, Parkable] = {}


def register(action: str, *, body: type[OneOrMany], needs: str, store: Store) -> None:
    """Let rows of this action be parked."""
    _parkable[action] = Parkable(action, body, needs, store)


def parkable(action: str) -> Parkable | None:
    """How rows of an action are stored, if they may be parked."""
    return _parkable.get(action)


def digest_of(actor: uuid.UUID, action: str, payload: Any) -> str:
    """The same for the same row sent by the same actor."""
    text = json.dumps([str(actor), action, payload], sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()


def is_private(payload: Any) -> bool:
    """Whether a row is meant for less than the whole workspace."""
    return isinstance(payload, dict) and payload.get("audience", "workspace") != "workspace"
