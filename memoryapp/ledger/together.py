"""Several small questions in one: the rows of a query as one value of another.

A page that shows a list of a few names beside what it is about need not ask the database for each of them apart.
"""

from __future__ import annotations

import json
from typing import Any

from django.db.models import F, QuerySet, Subquery, TextField
from django.db.models.sql.compiler import SQLCompiler


class Rows(Subquery):
    """The rows of a query, in its order, as JSON lists of the named values. `read` gives them back.

    Ids, texts, numbers and truths can be named. For a few rows: all of them travel as one text.
    """

    output_field = TextField()

    def __init__(self, found: QuerySet[Any, Any], *names: str) -> None:
        columns = {f"c{number}": F(name) for number, name in enumerate(names)}
        self.width = len(names)
        super().__init__(found.select_related(None).annotate(**columns).values(*columns))

    def as_sql(
        self, compiler: SQLCompiler, connection: Any, template: str | None = None, **extra_context: Any
    ) -> tuple[str, Any]:
        columns = ", ".join(f"c{number}" for number in range(self.width))
        of = {
            "sqlite": f"(SELECT json_group_array(json_array({columns})) FROM (%(subquery)s) gathered)",
            "postgresql": "(SELECT COALESCE(json_agg(json_build_array("
            f"{columns})), '[]')::text FROM (%(subquery)s) gathered)",
        }
        return super().as_sql(compiler, connection, of[connection.vendor], **extra_context)


def read(gathered: str | None) -> list[list[Any]]:
    """The rows that `Rows` gathered, each a list of its values. Ids are texts."""
    return json.loads(gathered) if gathered else []
