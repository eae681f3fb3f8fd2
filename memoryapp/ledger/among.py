"""Rows named by very many ids: as one value of a statement, however many they are; or by what another query finds.

A value for each would be refused by an engine that takes no more than so many (SQLite by default 32,766), and a set
that is kept from one question to the next would be written out anew each time.
"""

from __future__ import annotations

import functools
import json
import uuid
from collections.abc import Collection
from typing import Any

from django.db.models import BooleanField, F, Func, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.lookups import Exact

MOST_WRITTEN = 16
"""Sets of ids that are kept as they are written in statements."""


def among(column: str, ids: Collection[uuid.UUID]) -> Q:
    """Of rows: whether this column of theirs holds one of these ids. `column` may be a foreign key."""
    return Q(_Among(F(column), ids=frozenset(ids)))


class _Among(Func):
    """Whether a column is among the ids."""

    output_field = BooleanField()
    conditional = True
    arity = 1

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]
        [column] = self.get_source_expressions()
        sql, values = compiler.compile(column)
        ids = _written(self.extra["ids"], connection.vendor)
        if connection.vendor == "postgresql":
            return f"{sql} = ANY(%s::uuid[])", (*values, ids)
        return f"{sql} IN (SELECT value FROM json_each(%s))", (*values, ids)


def found_by(column: str, ids: QuerySet[Any, Any]) -> Q:
    """Of rows: whether this column of theirs holds one of the ids that the query finds, which names nothing of them.

    PostgreSQL finds these first, once, whatever it has counted of the tables. It would otherwise be free to join both,
    and does so by going through all rows for each row where it takes a table for empty that has just been filled.
    """
    return Q(_FoundBy(F(column), Subquery(ids)))


class _FoundBy(Func):
    """Whether a column is among what a query finds."""

    output_field = BooleanField()
    conditional = True
    arity = 2

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:  # type: ignore[override]
        column, ids = self.get_source_expressions()
        sql, values = compiler.compile(column)
        found, named = compiler.compile(ids)
        among = f"= ANY(ARRAY{found})" if connection.vendor == "postgresql" else f"IN {found}"
        return f"{sql} {among}", (*values, *named)


def whose(reference: str, model: type[Model], **columns: Any) -> Q:
    """Of rows: whether what they refer to has these values in its columns, looked up by its key for each row.

    A join says the same, and costs PostgreSQL all rows for each row where it takes a table for empty.
    """
    referred = model._base_manager.filter(pk=OuterRef(reference))
    tests = [Q(Exact(Subquery(referred.values(name)), value)) for name, value in columns.items()]
    return functools.reduce(Q.__and__, tests)


@functools.lru_cache(maxsize=MOST_WRITTEN)
def _written(ids: frozenset[uuid.UUID], vendor: str) -> str:
    written = [one.hex for one in sorted(ids)]
    return f"{{{','.join(written)}}}" if vendor == "postgresql" else json.dumps(written)
