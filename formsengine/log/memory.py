"""What a submission writes into memory, decided from what was prefilled, what was answered and what is there."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal


class Write(StrEnum):
    NOTHING = "nothing"
    CREATE = "create"
    UPDATE = "update"
    CORROBORATE = "corroborate"
    APPEND = "append"
    SUPERSEDE = "supersede"
    RETRACT = "retract"
    REVIEW = "review"


Policy = Literal["append", "supersede", "review"]


def first_write(prefilled: Any, answer: Any, current: Any, policy: Policy = "review") -> Write:
    """For a first submission. None is no value; whoever changed memory meanwhile is never overwritten."""
    if answer is None:
        return Write.NOTHING
    if prefilled is None:
        if current is None:
            return Write.CREATE
        return Write.CORROBORATE if current == answer else Write(policy)
    if answer == prefilled:
        return Write.NOTHING
    if current == answer:
        return Write.CORROBORATE
    return Write.UPDATE if current == prefilled else Write.REVIEW


def next_write(before: Any, after: Any, *, still_ours: bool, corroborated: bool) -> Write:
    """For a resubmission: only the difference, and only of what this form itself has said."""
    if before == after:
        return Write.NOTHING
    if before is None:
        return Write.CREATE
    if not still_ours:
        return Write.REVIEW if after is not None else Write.NOTHING
    if after is None:
        return Write.NOTHING if corroborated else Write.RETRACT
    return Write.SUPERSEDE
