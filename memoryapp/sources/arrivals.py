"""Who is told, in the same transaction, that new sources have come in.

A higher room registers when the product starts: extraction to queue its job, the graph to know the participants, the
index to have the words findable. A listener that fails takes the whole write with it, so that nothing is half-arrived.
"""

from collections.abc import Callable, Sequence

from memoryapp.ledger.models import Write
from memoryapp.sources.models import Source

Listener = Callable[[Write, Sequence[Source]], None]

_listeners: list[Listener] = []


def register(listener: Listener) -> None:
    """Have `listener(write, sources)` called once for every write that stored new sources, in order of registering."""
    if listener not in _listeners:
        _listeners.append(listener)


def announce(write: Write, sources: Sequence[Source]) -> None:
    """Tell every listener; not called for a repeat, which stores nothing."""
    if not sources:
        return
    for listener in _listeners:
        listener(write, sources)
