"""Counting what happens within a time: in this process, or in the database for all web processes together.

`SHARED_LIMITS` says which. In the database an increment is one statement of the database, so none is lost; a count that
may lag (see `Lagging`) is written there a few at a time, so that a busy key does not cost a write for each request.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import threading

from django.conf import settings
from django.core.cache import cache
from django.db.models import F
from django.utils import timezone

from memoryapp.access.models import Tally


def add(name: str, seconds: int, by: int = 1) -> int:
    """Add to a count that is forgotten after so many seconds. Gives what it is then."""
    if not settings.SHARED_LIMITS:
        cache.add(name, 0, timeout=seconds)
        with contextlib.suppress(ValueError):
            return cache.incr(name, by)
        return by
    now = timezone.now()
    live = Tally.objects.filter(name=name, until__gt=now)
    if not live.update(used=F("used") + by):
        Tally.objects.filter(until__lte=now).delete()
        Tally.objects.bulk_create(
            [Tally(name=name, used=0, until=now + dt.timedelta(seconds=seconds))], ignore_conflicts=True
        )
        live.update(used=F("used") + by)
    return value(name)


def value(name: str) -> int:
    """What a count is now."""
    if not settings.SHARED_LIMITS:
        return int(cache.get(name, 0))
    found = Tally.objects.filter(name=name, until__gt=timezone.now()).values_list("used", flat=True).first()
    return found or 0


def forget(name: str) -> None:
    """Begin anew."""
    cache.delete(name)
    if settings.SHARED_LIMITS:
        Tally.objects.filter(name=name).delete()


class Lagging:
    """Counts of which this process keeps a part to itself: at most `step - 1` of each, until it shares the next."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, int]] = {}
        self._lock = threading.Lock()

    def add(self, name: str, seconds: int, step: int) -> int:
        """One more. Gives what is known of the count: what was shared by then, and what this process did since."""
        if step <= 1 or not settings.SHARED_LIMITS:
            return add(name, seconds)
        with self._lock:
            if len(self._known) > 1000 and name not in self._known:
                self._known.clear()
            shared, own = self._known.get(name, (0, step - 1))
            own += 1
            if own < step:
                self._known[name] = shared, own
                return shared + own
            by = own if name in self._known else 1
            self._known[name] = shared, 0
        shared = add(name, seconds, by)
        with self._lock:
            self._known[name] = shared, self._known.get(name, (0, 0))[1]
        return shared
