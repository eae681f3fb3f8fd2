"""Acts that begin at the same moment, each in a thread and a connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """Do all of these at once. What each answered or raised, in the order they were given."""
    came: list[Any] = [None] * len(acts)
    gate = threading.Barrier(len(acts))

    def run(number: int) -> None:
        try:
            gate.wait(60)
            came[number] = acts[number]()
        except Exception as error:
            came[number] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(acts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return came


def raised_at_once(acts: Sequence[Callable[[], Any]]) -> list[Exception]:
    """Do all of these at once. What was raised."""
    return [one for one in at_once(acts) if isinstance(one, Exception)]
