"""The note in the served log that what happened was told to somebody."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.ledger.models import Served
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import serve
from memoryapp.timeline.feeding import EPISODE

FORM = "timeline"


def note(
    by: Principal, ids: Sequence[tuple[uuid.UUID, float | None]], *, question: str = "", asked: Mapping[str, Any]
) -> Served:
    """Note that these episodes were served, with their scores where they have one."""
    given = {name: _plain(value) for name, value in asked.items()}
    return serve(by, FORM, [(EPISODE, one, score) for one, score in ids], question=question, parameters=given)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
