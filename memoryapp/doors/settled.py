"""A process that has begun: what it loaded stays as long as it runs."""

import gc

from django.urls import get_resolver


def settle() -> None:
    """Load what answers requests, and let the collector of cycles leave all of it alone from now on: a pass through
    what never goes away would stop a request for longer than the request takes."""
    get_resolver()._populate()
    gc.collect()
    gc.freeze()
