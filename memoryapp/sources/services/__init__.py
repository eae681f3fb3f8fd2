"""Every write of the room: conversations told, statements made, documents and pages read.

A source is stored once, raw, before anything clever happens to it, and never changes. Telling or reading the same again
stores nothing. Who wants to know of new sources is told in the same transaction (see `arrivals`).
"""

from memoryapp.sources.services.reading import Read, keep_answer, read, read_all, state
from memoryapp.sources.services.telling import Told, tell

__all__ = ["Read", "Told", "keep_answer", "read", "read_all", "state", "tell"]
