"""What a refused write is told beside what is wrong with it. Higher rooms that know more register here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from memoryapp.doors.errors import DomainError

if TYPE_CHECKING:
    from memoryapp.access.endpoints import Endpoint

Hearer = Callable[["Endpoint", str, DomainError], None]

_hearers: list[Hearer] = []


def register(hearer: Hearer) -> None:
    """`hearer(endpoint, action, error)` is told of every refused write, outside its transaction, which is gone. It may
    add to `error.extra`."""
    if hearer not in _hearers:
        _hearers.append(hearer)


def tell(endpoint: Endpoint, action: str, error: DomainError) -> None:
    """Tell of a refusal before it is answered."""
    for hearer in _hearers:
        hearer(endpoint, action, error)
