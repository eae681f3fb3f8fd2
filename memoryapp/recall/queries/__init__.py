"""Reads of the room: what a question finds, and what a brief holds."""

from memoryapp.recall.queries.brief import Brief, compose
from memoryapp.recall.queries.finding import find

__all__ = ["Brief", "compose", "find"]
