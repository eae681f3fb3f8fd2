"""Which proposals became a belief. Proposals are of a higher room, which tells of them when it is registered here."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoryapp.ledger.principal import Principal


@dataclass(frozen=True)
class Origin:
    """A proposal that became the belief, or was merged into it: its words, the quote it stands on, who proposed it."""

    words: str
    quote: str
    state: str
    note: str
    proposed_by: str
    at: dt.datetime
    confidence: float | None = None
    source_url: str = ""


Teller = Callable[[Principal, uuid.UUID], Sequence[Origin]]
_tellers: dict[str, Teller] = {}


def register(room: str, teller: Teller) -> None:
    """`teller(by, belief_id)`: the proposals of its room behind a belief, oldest first."""
    _tellers[room] = teller


def origins(by: Principal, belief_id: uuid.UUID) -> list[Origin]:
    """Every proposal behind a belief."""
    return [origin for teller in _tellers.values() for origin in teller(by, belief_id)]
