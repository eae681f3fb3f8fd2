"""The note in the served log that the context was given to somebody."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

from memoryapp.ledger.models import Served
from memoryapp.ledger.principal import Principal
from memoryapp.ledger.services import serve

ENTRY = "context_entry"
FORM = "context"


def note(by: Principal, ids: Sequence[uuid.UUID], asked: Mapping[str, Any]) -> Served:
    """Note that these entries were served, in this order."""
    plain = {
        name: [str(one) for one in value] if isinstance(value, list) else str(value) for name, value in asked.items()
    }
    return serve(by, FORM, [(ENTRY, one, None) for one in ids], parameters=plain)
