"""The lock of a head as an ETag: a change names the state it was drawn from, and a stale one changes nothing."""

import re
from typing import Any

from memoryapp.doors.errors import DomainError, Malformed, Stale

_ETAG = re.compile(r'"([0-9]{1,15})"')


class LockRequired(DomainError):
    """The change does not say which state it was drawn from."""

    status = 428
    title = "Name the state you changed"


def etag(lock: int) -> str:
    """The ETag of a head with this lock."""
    return f'"{lock}"'


def named_lock(if_match: str | None) -> int:
    """The lock that an If-Match header names. Raises LockRequired without one, Malformed for anything else."""
    if if_match is None or not if_match.strip():
        raise LockRequired(
            "Send the ETag of what you read as If-Match, so that nobody else's change is lost.", code="lock_required"
        )
    found = _ETAG.fullmatch(if_match.strip())
    if not found:
        raise Malformed.at("If-Match", "not_an_etag", "This is not an ETag of ours.", 'the ETag as read, such as "3"')
    return int(found.group(1))


def check(current: int, expected: int, shown: dict[str, Any] | None = None) -> None:
    """Raises Stale when the head has changed since; `shown` is its state now, for the caller to draw again."""
    if current != expected:
        raise Stale(
            "This was changed meanwhile. Read it again and repeat the change if it still holds.",
            code="stale",
            extra={"lock": current} | ({"current": shown} if shown else {}),
        )
