"""PostgreSQL: a generated tsvector of the signs of each entry under a GIN index. Needs no extension."""

from __future__ import annotations

import time
from collections.abc import Sequence

from django.db import connection
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.models import BooleanField, QuerySet
from django.db.models.expressions import RawSQL

from memoryapp.index.models import IndexEntry

PATIENCE_SECONDS = 10.0

STILL_LOOKING = """
SELECT count(*) FROM pg_stat_activity
WHERE pid <> pg_backend_pid() AND (datname = current_database() OR datname IS NULL)
AND (age(backend_xmin) > age(%s::xid) OR age(backend_xid) > age(%s::xid))
"""
"""How many sessions of this database have a snapshot, or a transaction, from before a point."""


class PostgresEngine:
    """Each sign is bound to its workspace, so a list of the index holds one workspace's rows only."""

    name = "gin"

    def install(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute(
            "ALTER TABLE index_indexentry ADD COLUMN signs tsvector "
            "GENERATED ALWAYS AS (array_to_tsvector(string_to_array(terms, ' '))) STORED"
        )
        schema_editor.execute("CREATE INDEX index_signs ON index_indexentry USING gin (signs) WITH (fastupdate = off)")

    def uninstall(self, schema_editor: BaseDatabaseSchemaEditor) -> None:
        schema_editor.execute("ALTER TABLE index_indexentry DROP COLUMN IF EXISTS signs")

    def any_of(self, signs: list[str]) -> str:
        return " | ".join(signs)

    def pick(self, entries: QuerySet[IndexEntry], asked: str) -> QuerySet[IndexEntry]:
        return entries.filter(RawSQL('"index_indexentry"."signs" @@ %s::tsquery', [asked], output_field=BooleanField()))

    def scrub(self) -> None:
        """Dead rows are taken out by `clean_files`: PostgreSQL cannot do it inside a transaction."""

    def clean_files(self, tables: Sequence[str] = ()) -> None:
        """Take the dead rows out once no running transaction can still see them, then write the tables anew.

        The plain VACUUM is needed: the full one alone would copy rows that a transaction of any other database of the
        server is old enough to have seen.
        """
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text")
            after = cursor.fetchone()[0]
            patience = time.monotonic() + PATIENCE_SECONDS
            while time.monotonic() < patience:
                cursor.execute(STILL_LOOKING, [after, after])
                if cursor.fetchone()[0] == 0:
                    break
                time.sleep(0.05)
            named = ", ".join(
                f'"{table}"' for table in sorted({*tables, "index_indexentry", "index_term", "index_embedding"})
            )
            cursor.execute(f"VACUUM {named}")
            cursor.execute(f"VACUUM (FULL) {named}")
