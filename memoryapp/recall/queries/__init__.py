"""Reads of the room: what a question finds, and what a brief holds."""

from memoryapp.recall.queries.brief import Brief, compose
from memoryapp.recall.queries.finding import find
from memoryapp.recall.queries.others import find_for, seen_by

__all__ = ["Brief", "compose", "find", "find_for", "seen_by"]
