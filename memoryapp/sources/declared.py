"""What the declared types ask of sources beyond what each kind must have. The room of declared types registers it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memoryapp.doors.errors import Invalid, Violation
from memoryapp.ledger.models import Workspace
from memoryapp.sources.models import Source


@dataclass(frozen=True)
class Drafted:
    """A source before it is stored: where it stands in the input, and its row there."""

    source: Source
    path: str = ""
    row: int | None = None


Check = Callable[[Workspace, Sequence[Drafted]], list[Violation]]

_checks: list[Check] = []


def register(check: Check) -> None:
    """Have `check` asked about everything that is told or read, before it is stored."""
    if check not in _checks:
        _checks.append(check)


def refuse(workspace: Workspace, drafted: Sequence[Drafted]) -> None:
    """Raise Invalid with everything that is not as it is declared."""
    if found := [violation for check in _checks for violation in check(workspace, drafted)]:
        raise Invalid.all(found)
