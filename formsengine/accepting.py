"""Several submissions accepted together, for every door alike: each as it was seen, in a write of its own.

What stands in the way of one leaves the others, and nobody's write waits for more than one of them.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from formsengine.models import FormResponse
from formsengine.services.settling import accept, left_because, seen_together
from memoryapp.doors.errors import DomainError
from memoryapp.ledger.idempotency import Answer, digest, once
from memoryapp.ledger.models import Write
from memoryapp.ledger.principal import Principal

MOST = 100
"""Responses that are accepted in one request."""
Wanted = Sequence[tuple[uuid.UUID, int | None]]
"""Responses, each with the commit that was seen of it."""


@dataclass(frozen=True)
class Decided:
    """What became of one, or would. `row` is None when it is not in sight, `refusal` when it is accepted."""

    response: uuid.UUID
    row: FormResponse | None
    refusal: DomainError | None

    def told(self) -> dict[str, Any]:
        """As a report gives it."""
        told: dict[str, Any] = {"response": str(self.response), "accepted": self.refusal is None}
        if self.row is not None:
            told |= {"commit": self.row.lock, "state": self.row.state}
        if self.refusal is not None:
            told |= {"code": self.refusal.code, "problem": self.refusal.detail}
        return told


def foreseen(by: Principal, wanted: Wanted) -> list[Decided]:
    """What would become of each, in the order given."""
    rows = {row.pk: row for row in seen_together(by, [one for one, _ in wanted])}
    return [Decided(one, rows.get(one), left_because(by, rows.get(one), base)) for one, base in wanted]


def accepted(by: Principal, wanted: Wanted, *, key: str = "", rationale: str = "") -> list[Decided]:
    """Accept each, in the order given. What `key` named before is not done again, and is told as it was then."""
    by.require("review_forms")
    return [_accepted(by, one, base, key, rationale) for one, base in wanted]


def _accepted(by: Principal, one: uuid.UUID, base: int | None, key: str, rationale: str) -> Decided:
    def act(write: Write) -> Answer:
        row = next(iter(seen_together(by, [one])), None)
        if refusal := left_because(by, row, base):
            raise refusal
        accept(write, one, base=base)
        return Answer(None)

    asked = digest("accept_response", key, one, base)
    refusal = None
    try:
        named = f"each-{asked}" if key else None
        once(by, "accept_response", act, key=named, request_digest=asked, rationale=rationale)
    except DomainError as refused:
        refusal = refused
    return Decided(one, next(iter(seen_together(by, [one])), None), refusal)
