"""Who wants to know when the graph changed. Rooms above register here; services announce once per write."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memoryapp.graph.models import Belief, Node
from memoryapp.ledger.models import Write

Listener = Callable[[Write, Sequence[Belief | Node]], None]

_listeners: list[Listener] = []


def register(listener: Listener) -> None:
    """Call `listener(write, touched)` inside the transaction of every write that touched beliefs or nodes."""
    if listener not in _listeners:
        _listeners.append(listener)


def announce(write: Write, touched: Sequence[Belief | Node]) -> None:
    """Tell every listener once, each thing once. A listener that fails makes the write fail."""
    once = list({thing.pk: thing for thing in touched}.values())
    if not once:
        return
    for listener in _listeners:
        listener(write, once)
