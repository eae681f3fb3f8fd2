"""Patterns of paths within SQLite in linear time: its own matcher goes back, and would run away with many wildcards."""

from __future__ import annotations

import functools
import re
from typing import Any

import re2
from django.db.backends.base.base import BaseDatabaseWrapper


def install(sender: Any = None, *, connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Let a new connection to SQLite match expressions with RE2. PostgreSQL does not go back by itself."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("REGEXP", 2, matches, deterministic=True)


def matches(pattern: str | None, text: Any) -> bool | None:
    """Whether the text holds the expression; None where either is."""
    if pattern is None or text is None:
        return None
    return _compiled(pattern).search(str(text)) is not None


@functools.lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    """The expression of RE2; of `re` what RE2 cannot say, which no pattern of a path is."""
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)  # type: ignore[no-any-return]
    except re2.error:
        return re.compile(pattern)
