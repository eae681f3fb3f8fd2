"""The note in the served log that files were read by somebody."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.files.feeding import FILE
from memoryapp.ledger.models import Served
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import serve

FORM = "files"


def note(
    by: Principal, ids: Sequence[tuple[uuid.UUID, float | None]], *, question: str = "", asked: Mapping[str, Any]
) -> Served:
    """Note that these files were served, with their scores where they have one."""
    given = {
        name: value if isinstance(value, str | int | float | bool) or value is None else str(value)
        for name, value in asked.items()
    }
    return serve(by, FORM, [(FILE, one, score) for one, score in ids], question=question, parameters=given)
