"""Agents that use tools, and one of everything a tool may name."""

from tests.api.conftest import curator, reader, stranger, things

__all__ = ["curator", "reader", "stranger", "things"]
