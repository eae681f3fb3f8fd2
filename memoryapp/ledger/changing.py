"""Changing very many rows in one statement: each to values of its own, or all by one rule."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import Field, Model, QuerySet
from django.db.models.expressions import RawSQL


def change_each(model: type[Model], columns: Sequence[str], rows: Sequence[tuple[Any, Sequence[Any]]]) -> None:
    """Set these columns of each row, named by its key, to its values. Needs an open transaction."""
    if not rows:
        return
    fields: list[Field[Any, Any]] = [one for one in model._meta.concrete_fields if one.name in columns]
    fields.sort(key=lambda field: list(columns).index(field.name))
    key = model._meta.pk
    quoted = connection.ops.quote_name
    sets = ", ".join(f"{quoted(str(field.column))} = %s" for field in fields)
    sql = f"UPDATE {quoted(model._meta.db_table)} SET {sets} WHERE {quoted(str(key.column))} = %s"
    parameters = [
        [
            *(field.get_db_prep_save(value, connection) for field, value in zip(fields, values, strict=True)),
            key.get_db_prep_value(pk, connection),
        ]
        for pk, values in rows
    ]
    with connection.cursor() as cursor:
        cursor.executemany(sql, parameters)


def rename_key(rows: QuerySet[Any], column: str, before: str, after: str) -> int:
    """What a column of JSON holds under one name is held under another; what is held is left as it is written."""
    here = f'"{rows.model._meta.db_table}"."{column}"'
    if connection.vendor == "sqlite":
        old, new = f'$."{before}"', f'$."{after}"'
        renamed = RawSQL(f"json_remove(json_set({here}, %s, json({here} -> %s)), %s)", [new, old, old])
    else:
        sql = f"({here} - %s::text) || jsonb_build_object(%s::text, {here} -> %s::text)"
        renamed = RawSQL(sql, [before, after, before])
    return rows.update(**{column: renamed})
