"""The collector of cycles held back while a form is made ready.

Reading, compiling and working out a large form makes some hundred thousand objects of which nearly all stay: looking
through them again and again for what could go took longer than making them.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_inside = 0
_was_on = False


@contextmanager
def at_rest() -> Iterator[None]:
    """No cycles are collected within. Several threads may be within at once; the last one out lets it go on."""
    global _inside, _was_on
    with _lock:
        if _inside == 0:
            _was_on = gc.isenabled()
            gc.disable()
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0 and _was_on:
                gc.enable()
