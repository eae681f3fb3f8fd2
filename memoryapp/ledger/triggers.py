"""The triggers by which the database itself keeps a memory: written from each model's `guard`, on both engines.

Three rules come from the models alone:

* a row of one workspace may not refer to a row of another;
* nothing is changed but `guard.mutable` columns, `guard.erasable` ones while an erasure is open, and `guard.typed`
  ones while rows follow a change of the declared types;
* nothing is deleted unless `guard.deletable`.

A rule that needs more than one table's declaration (how many players a relation must have) is an `Extra` that the room
registers. `install()` runs after every migrate; `missing()` names what is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.db import connection, models, transaction

from memoryapp.ledger.guard import Guard
from memoryapp.ledger.models import WorkspaceRow

PREFIX = "guard_"


@dataclass(frozen=True)
class Rule:
    """One refusal: when (`timing`), on which table, under which condition over NEW and OLD, with which words.

    `only` is a condition on the row itself, without a question to any table: of rows that it does not hold of, nothing
    is asked.
    """

    name: str
    table: str
    timing: str
    condition: str
    message: str
    only: str = ""


_extra: list[Callable[[], Iterator[Rule]]] = []


def register(rules: Callable[[], Iterator[Rule]]) -> None:
    """Add a room's own rules. Conditions must be SQL that both engines read; NEW and OLD name the row."""
    if rules not in _extra:
        _extra.append(rules)


def guarded_models() -> list[type[WorkspaceRow]]:
    """Every concrete table of a memory, by name."""
    found = [model for model in apps.get_models() if issubclass(model, WorkspaceRow) and model._meta.managed]
    return sorted(found, key=lambda model: model._meta.db_table)


def rules() -> list[Rule]:
    """Every refusal the database must make."""
    found = [rule for model in guarded_models() for rule in _rules_of(model)]
    for extra in _extra:
        found.extend(extra())
    too_long = [rule.name for rule in found if len(rule.name) > 63]
    if too_long:
        raise ValueError(f"PostgreSQL cuts names at 63 characters: {too_long}")
    return found


def install() -> None:
    """Make the database hold exactly today's rules. What it holds already as written here stays untouched."""
    wanted = {rule.name: rule for rule in rules()}
    held = _held()
    with transaction.atomic(), connection.cursor() as cursor:
        for name, (table, definition) in held.items():
            if name not in wanted or definition != _definition(wanted[name]):
                _drop(cursor, name, table)
        for name, rule in wanted.items():
            if name not in held or held[name][1] != _definition(rule):
                for statement in _statements(rule):
                    cursor.execute(statement)


def drop() -> None:
    """Take every rule away. For restoring a dump into an empty database."""
    with connection.cursor() as cursor:
        for name, (table, _) in _held().items():
            _drop(cursor, name, table)


def missing() -> list[str]:
    """Names of rules that the database does not hold, or holds in other words."""
    held = _held()
    return [rule.name for rule in rules() if held.get(rule.name, ("", ""))[1] != _definition(rule)]


def _rules_of(model: type[WorkspaceRow]) -> Iterator[Rule]:
    table = model._meta.db_table
    guard = model.guard
    for condition, column in _foreign_references(model):
        for timing in ("INSERT", f'UPDATE OF "{column}"'):
            yield Rule(
                f"{PREFIX}{table}_{column}_{'in' if timing == 'INSERT' else 'up'}",
                table,
                timing,
                condition,
                f"{table}.{column} refers outside its workspace",
                only=f'NEW."{column}" IS NOT NULL',
            )
    yield from _change_rules(model, table, guard)
    if not guard.deletable:
        yield Rule(f"{PREFIX}{table}_delete", table, "DELETE", "1 = 1", f"{table} is append-only: nothing is deleted")
    for column, value in guard.born.items():
        yield Rule(
            f"{PREFIX}{table}_{column}_born",
            table,
            "INSERT",
            f'NEW."{column}" <> {_literal(value)}',
            f"{table}.{column} must begin as {value}",
        )


def _change_rules(model: type[WorkspaceRow], table: str, guard: Guard) -> Iterator[Rule]:
    open_to_change = {*guard.mutable, *guard.erasable, *guard.typed}
    known = {field.name for field in model._meta.concrete_fields}
    if unknown := open_to_change - known:
        raise ValueError(f"{model.__name__}.guard names no such column: {sorted(unknown)}")
    fixed = [str(field.column) for field in model._meta.concrete_fields if field.name not in open_to_change]
    closed = [field for field in model._meta.concrete_fields if field.name not in guard.mutable]
    both = [str(field.column) for field in closed if field.name in guard.erasable and field.name in guard.typed]
    erasable = [str(field.column) for field in closed if field.name in guard.erasable and str(field.column) not in both]
    typed = [str(field.column) for field in closed if field.name in guard.typed and str(field.column) not in both]
    yield Rule(
        f"{PREFIX}{table}_fixed",
        table,
        _update_of(fixed),
        _differs(fixed),
        f"{table} is append-only: only {', '.join(guard.mutable) or 'nothing'} may change",
    )
    erasing, retyping = (
        f"NOT EXISTS (SELECT 1 FROM {opened} e WHERE e.workspace_id = NEW.workspace_id AND e.closed_at IS NULL)"
        for opened in ("ledger_erasure", "ledger_retyping")
    )
    for name, columns, condition, when in (
        ("erasable", erasable, erasing, "under an open erasure"),
        ("typed", typed, retyping, "while rows follow a change of types"),
        ("told", both, f"{erasing} AND {retyping}", "under an open erasure, or while rows follow a change of types"),
    ):
        if columns:
            yield Rule(
                f"{PREFIX}{table}_{name}",
                table,
                _update_of(columns),
                f"({_differs(columns)}) AND {condition}",
                f"{table} is append-only: {', '.join(columns)} may change only {when}",
            )


def _foreign_references(model: type[WorkspaceRow]) -> Iterator[tuple[str, str]]:
    for field in model._meta.concrete_fields:
        if not isinstance(field, models.ForeignKey):
            continue
        target: Any = field.related_model
        if issubclass(target, WorkspaceRow):
            # By its key alone: asked for by the workspace as well, an engine may go through all rows of that.
            yield (
                f'NEW.workspace_id {_other()} (SELECT t.workspace_id FROM "{target._meta.db_table}" t '
                f'WHERE t.id = NEW."{field.column}")',
                field.column,
            )


def _update_of(columns: list[str]) -> str:
    return "UPDATE OF " + ", ".join(f'"{column}"' for column in columns)


def _differs(columns: list[str]) -> str:
    return " OR ".join(f'NEW."{column}" {_other()} OLD."{column}"' for column in columns)


def _other() -> str:
    return "IS NOT" if connection.vendor == "sqlite" else "IS DISTINCT FROM"


def _literal(value: Any) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _message(rule: Rule) -> str:
    return rule.message.replace("'", "''").replace("%", "%%")


def _definition(rule: Rule) -> str:
    """What the database keeps of a rule, as it gives it back."""
    if connection.vendor == "sqlite":
        condition = f"{rule.only} AND ({rule.condition})" if rule.only else rule.condition
        return (
            f'CREATE TRIGGER "{rule.name}" BEFORE {rule.timing} ON "{rule.table}" FOR EACH ROW '
            f"WHEN {condition} BEGIN SELECT RAISE(ABORT, '{_message(rule)}'); END"
        )
    return f"{_about(rule)} {_body(rule)}"


def _about(rule: Rule) -> str:
    """When it is asked, and of which rows."""
    return f"{rule.timing} WHEN ({rule.only})" if rule.only else rule.timing


def _body(rule: Rule) -> str:
    returned = "OLD" if rule.timing == "DELETE" else "NEW"
    return (
        f"BEGIN IF {rule.condition} THEN RAISE EXCEPTION '{_message(rule)}' USING ERRCODE = 'check_violation'; "
        f"END IF; RETURN {returned}; END"
    )


def _statements(rule: Rule) -> Iterator[str]:
    if connection.vendor == "sqlite":
        yield _definition(rule)
        return
    yield (
        f'CREATE OR REPLACE FUNCTION "{rule.name}"() RETURNS trigger LANGUAGE plpgsql AS $guard${_body(rule)}$guard$'
    )
    yield (
        f'CREATE TRIGGER "{rule.name}" BEFORE {rule.timing} ON "{rule.table}" '
        f'FOR EACH ROW {f"WHEN ({rule.only}) " if rule.only else ""}EXECUTE FUNCTION "{rule.name}"()'
    )
    yield f'COMMENT ON TRIGGER "{rule.name}" ON "{rule.table}" IS {_literal(_about(rule))}'


def _drop(cursor: Any, name: str, table: str) -> None:
    if connection.vendor == "sqlite":
        cursor.execute(f'DROP TRIGGER IF EXISTS "{name}"')
    else:
        cursor.execute(f'DROP TRIGGER IF EXISTS "{name}" ON "{table}"')
        cursor.execute(f'DROP FUNCTION IF EXISTS "{name}"()')


def _held() -> dict[str, tuple[str, str]]:
    """The table and the definition of every rule that the database holds, by its name."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute(
                "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s", [PREFIX + "%"]
            )
        else:
            cursor.execute(
                "SELECT t.tgname, c.relname, coalesce(obj_description(t.oid, 'pg_trigger'), '') || ' ' || p.prosrc "
                "FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid "
                "WHERE NOT t.tgisinternal AND t.tgname LIKE %s",
                [PREFIX + "%"],
            )
        return {str(name): (str(table), str(definition)) for name, table, definition in cursor.fetchall()}
