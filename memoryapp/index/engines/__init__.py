"""Engines of the text index, one a database. An engine only picks candidates; the score is the room's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import QuerySet

from memoryapp.index.models import IndexEntry


class Engine(Protocol):
    """What a database must offer to the room."""

    name: str

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Make the index structures beside the table of entries."""

    def uninstall(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        """Take them away."""

    def any_of(self, signs: list[str]) -> str:
        """What asks for rows that hold at least one of the signs, as `pick` takes it."""

    def pick(self, entries: QuerySet[IndexEntry], asked: str) -> QuerySet[IndexEntry]:
        """Narrow the rows to those that hold what is asked for."""

    def scrub(self) -> None:
        """Inside the erasing transaction: leave nothing of deleted rows in the index structures."""

    def clean_files(self, tables: Sequence[str] = ()) -> None:
        """After the erasing transaction, outside any: leave nothing of deleted or changed rows in files and logs, of
        the index nor of these tables."""


def engine() -> Engine:
    """The engine of the database in use."""
    from memoryapp.index.engines.postgres import PostgresEngine
    from memoryapp.index.engines.sqlite import SqliteEngine

    return SqliteEngine() if connection.vendor == "sqlite" else PostgresEngine()
