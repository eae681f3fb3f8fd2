"""How many requests a key may make in a minute, and how often somebody may be wrong about a password.

Counted in this process's cache: a brake, not an account.
"""

import contextlib
import hashlib
import time

from django.conf import settings
from django.core.cache import cache

from memoryapp.doors.errors import TooMany

USUAL = 6000


def count(prefix: str) -> None:
    """Count a request of a key. Raises TooMany with the seconds until the minute is over."""
    allowed = getattr(settings, "KEY_REQUESTS_PER_MINUTE", USUAL)
    now = time.time()
    window = int(now // 60)
    name = f"rate:{prefix}:{window}"
    cache.add(name, 0, timeout=90)
    try:
        used = cache.incr(name)
    except ValueError:
        return
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
    name = _tries(username, address)
    cache.add(name, 0, timeout=WRONG_WITHIN)
    with contextlib.suppress(ValueError):
        cache.incr(name)


def right_password(username: str, address: str) -> None:
    """Whoever signed in begins anew."""
    cache.delete(_tries(username, address))


def may_try_a_password(username: str, address: str) -> None:
    """Raises TooMany when this user name was tried in vain too often from this address, whatever is tried now."""
    if cache.get(_tries(username, address), 0) >= WRONG_PASSWORDS:
        raise TooMany(
            f"That was wrong {WRONG_PASSWORDS} times. Wait {WRONG_WITHIN // 60} minutes, or ask an administrator.",
            code="too_many_sign_ins",
            extra={"retry_after": WRONG_WITHIN},
        )


def _tries(username: str, address: str) -> str:
    told = hashlib.sha256(f"{username.strip().casefold()} {address}".encode("utf-8", "replace")).hexdigest()
    return f"sign-in:{told}"
