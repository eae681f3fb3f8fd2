"""How many requests a key may make in a minute. Counted in this process's cache: a brake, not an account."""

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
