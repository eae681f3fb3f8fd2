"""What a table lets through. Declared on the model, enforced by triggers on both engines (see `triggers.py`)."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Guard:
    """The only changes the database accepts on a table.

    Nothing is mutable unless named. `mutable` columns may be updated. `erasable` columns hold what a person said and
    may be changed only while an erasure of that workspace is open. `typed` columns name a declared type, or hold values
    by names that are declared, and may be changed only while the rows of that workspace follow a change of its types.
    `born` names the values a row must be inserted with,
    for rows that are completed later in the same transaction. A row is deletable only where `deletable` says so.
    """

    mutable: tuple[str, ...] = ()
    erasable: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    deletable: bool = False
    born: dict[str, Any] = field(default_factory=dict)
