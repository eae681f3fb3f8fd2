"""Statements that wait for a person before they are beliefs. A higher room keeps them when it is registered here."""

from __future__ import annotations

from collections.abc import Callable

from memoryapp.doors.errors import Invalid
from memoryapp.graph.statements import Statement
from memoryapp.ledger.models import Write
from memoryapp.review.models import Case

Keeper = Callable[[Write, Statement], Case]

_keepers: list[Keeper] = []


def register(keeper: Keeper) -> None:
    """`keeper(write, statement)` keeps a statement, read and found sound, as a case for a person."""
    _keepers[:] = [keeper]


def keep(write: Write, statement: Statement) -> Case:
    """Let the statement wait. Raises Invalid when nobody keeps what waits."""
    for keeper in _keepers:
        return keeper(write, statement)
    raise Invalid.at("/evidence", "nobody_vouches", "Nobody but a machine said this.", "words of a person")
