"""SQLite: an FTS5 table over the signs of each entry, kept by triggers."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import structlog
from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from memoryapp.index.models import IndexEntry

log = structlog.get_logger(__name__)

SECURE_DELETE_SINCE = (3, 42, 0)
"""First SQLite whose FTS5 can overwrite what it deletes; older ones are merged whole at an erasure."""


class SqliteEngine:
    """External content: the table of entries holds the signs, the index only their lists. No positions are kept."""

    name = "fts5"

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(
            "CREATE VIRTUAL TABLE index_signs USING fts5(terms, content='index_indexentry', content_rowid='id', "
            "tokenize='ascii', detail='none', columnsize=0)"
        )
        if sqlite3.sqlite_version_info >= SECURE_DELETE_SINCE:
            schema_editor.execute("INSERT INTO index_signs(index_signs, rank) VALUES ('secure-delete', 1)")
        schema_editor.execute(
            "CREATE TRIGGER index_signs_insert AFTER INSERT ON index_indexentry WHEN NEW.terms <> '' BEGIN "
            "INSERT INTO index_signs(rowid, terms) VALUES (NEW.id, NEW.terms); END"
        )
        schema_editor.execute(
            "CREATE TRIGGER index_signs_delete AFTER DELETE ON index_indexentry WHEN OLD.terms <> '' BEGIN "
            "INSERT INTO index_signs(index_signs, rowid, terms) VALUES ('delete', OLD.id, OLD.terms); END"
        )

    def uninstall(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        for trigger in ("index_signs_insert", "index_signs_delete"):
            schema_editor.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        schema_editor.execute("DROP TABLE IF EXISTS index_signs")

    def any_of(self, signs: list[str]) -> str:
        return " OR ".join(signs)

    def pick(self, entries: QuerySet[IndexEntry], asked: str) -> QuerySet[IndexEntry]:
        return entries.filter(
            RawSQL(
                '"index_indexentry"."id" IN (SELECT rowid FROM index_signs WHERE index_signs MATCH %s)',
                [asked],
                output_field=BooleanField(),
            )
        )

    def scrub(self) -> None:
        if sqlite3.sqlite_version_info < SECURE_DELETE_SINCE:
            with connection.cursor() as cursor:
                cursor.execute("INSERT INTO index_signs(index_signs) VALUES ('optimize')")

    def clean_files(self, tables: Sequence[str] = ()) -> None:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if cursor.fetchone()[0]:
                log.warning("write_ahead_log_kept", because="somebody was reading; it goes when the product stops")
