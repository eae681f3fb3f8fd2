"""How many requests a key may make in a minute, and how often somebody may be wrong about a password.

Counted in each web process, or for all of them together (see `counting`): a brake, not an account.
"""

import hashlib
import time

from django.conf import settings

from memoryapp.access import counting
from memoryapp.doors.errors import TooMany

USUAL = 6000
SHARE = 200
"""Shared limits are written down in so many steps: several processes together may exceed one by a step for each."""

_requests = counting.Lagging()


def count(prefix: str) -> None:
    """Count a request of a key. Raises TooMany with the seconds until the minute is over."""
    allowed = getattr(settings, "KEY_REQUESTS_PER_MINUTE", USUAL)
    now = time.time()
    window = int(now // 60)
    used = _requests.add(f"rate:{prefix}:{window}", 90, step=allowed // SHARE)
    if used > allowed:
        raise TooMany(
            f"This key has made its {allowed} requests of this minute.",
            code="too_many_requests",
            extra={"retry_after": int((window + 1) * 60 - now) + 1},
        )


WRONG_PASSWORDS = 10
WRONG_WITHIN = 300
"""So many wrong passwords for a user name from one address, in so many seconds; then none is looked at for a while."""


def wrong_password(username: str, address: str) -> None:
    """Count a sign-in that was refused."""
    counting.add(_tries(username, address), WRONG_WITHIN)


def right_password(username: str, address: str) -> None:
    """Whoever signed in begins anew."""
    counting.forget(_tries(username, address))


def may_try_a_password(username: str, address: str) -> None:
    """Raises TooMany when this user name was tried in vain too often from this address, whatever is tried now."""
    if counting.value(_tries(username, address)) >= WRONG_PASSWORDS:
        raise TooMany(
            f"That was wrong {WRONG_PASSWORDS} times. Wait {WRONG_WITHIN // 60} minutes, or ask an administrator.",
            code="too_many_sign_ins",
            extra={"retry_after": WRONG_WITHIN},
        )


def _tries(username: str, address: str) -> str:
    told = hashlib.sha256(f"{username.strip().casefold()} {address}".encode("utf-8", "replace")).hexdigest()
    return f"sign-in:{told}"
