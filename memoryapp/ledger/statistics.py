"""What the planner knows of the tables. PostgreSQL gathers it by itself; SQLite has to be asked to."""

from django.db import connection

ROWS_LOOKED_AT = 1000
"""Rows of an index that are looked at, so that it takes a fraction of a second however large the database is."""


def gather() -> None:
    """Let SQLite know how much its indexes tell apart: without, it may go through a whole workspace for one row. Who
    opens a connection from then on plans by it."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit = {ROWS_LOOKED_AT}")
            cursor.execute("ANALYZE")
