"""What the planner knows of the tables. PostgreSQL gathers it by itself; SQLite has to be asked to."""

from django.db import connection, transaction

ROWS_LOOKED_AT = 1000
"""Rows of an index that are looked at, so that it takes a fraction of a second however large the database is."""


def gather() -> None:
    """Let SQLite know how much its indexes tell apart: without, it may go through a whole workspace for one row. Who
    opens a connection from then on plans by it.

    In a transaction: so it takes its turn among the writers, where by itself it would read first and be refused when
    anybody wrote meanwhile.
    """
    if connection.vendor == "sqlite":
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(f"PRAGMA analysis_limit = {ROWS_LOOKED_AT}")
            cursor.execute("ANALYZE")
