"""How much a database goes through for what is asked of it: rows on PostgreSQL, steps of its machine on SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection

STEPS = 100
MISCOUNTED = """
UPDATE pg_class SET reltuples = 0, relpages = greatest(1, pg_relation_size(oid) / 8192)
WHERE relkind IN ('r', 'i') AND relnamespace = 'public'::regnamespace
"""
"""What a server notes that tidies tables up while a transaction fills them."""


@dataclass
class Effort:
    statements: int = 0
    done: int = 0


def miscount() -> None:
    """Let the server take every table for empty, as it may after a large load. SQLite counts nothing by itself."""
    if connection.vendor == "postgresql":
        connection.cursor().execute(MISCOUNTED)


@contextmanager
def effort() -> Iterator[Effort]:
    """What is asked meanwhile, and how much is gone through for it."""
    found = Effort()
    explain = connection.vendor == "postgresql"

    def count(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        found.statements += 1
        if explain and sql.startswith("SELECT") and not many:
            with connection.cursor().cursor as beside:
                beside.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}", params)
                found.done += _rows(beside.fetchone()[0][0]["Plan"])
        return execute(sql, params, many, context)

    def step() -> int:
        found.done += STEPS
        return 0

    if not explain:
        connection.connection.set_progress_handler(step, STEPS)
    try:
        with connection.execute_wrapper(count):
            yield found
    finally:
        if not explain:
            connection.connection.set_progress_handler(None, STEPS)


def _rows(plan: dict[str, Any]) -> int:
    names = ("Actual Rows", "Rows Removed by Filter", "Rows Removed by Join Filter", "Rows Removed by Index Recheck")
    mine = sum(plan.get(name, 0) for name in names) * plan["Actual Loops"]
    return int(mine) + sum(_rows(below) for below in plan.get("Plans", ()))
