"""A whole workspace as lines of JSON, and back: the same rows with the same ids and times on any engine.

A dump has one line for the workspace and one for every row of it, sorted by table and id, so that equal memories have
equal dumps; after these, what rows keep in the file storage, in pieces. Accounts belong to no workspace: a membership
names its account by user name, and restoring makes a locked account where there is none. Projections that a room can
rebuild are left out and rebuilt.

Restoring takes the lines in any order, inserts what is referred to first, and leaves every guard of the database on.
"""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.db.models.sql import InsertQuery

from memoryapp.doors.errors import Conflict, Invalid
from memoryapp.ledger import storing
from memoryapp.ledger.models import Workspace, WorkspaceRow
from memoryapp.ledger.triggers import guarded_models

FORMAT = 1
WORKSPACE = "ledger.workspace"
CHUNK = 500

Model = type[WorkspaceRow]

_projections: dict[Model, Callable[[Workspace], None]] = {}


def register_projection(*tables: Model, rebuild: Callable[[Workspace], None]) -> None:
    """Leave these tables out of dumps: `rebuild(workspace)` makes them anew from the rest after a restore."""
    for table in tables:
        _projections[table] = rebuild


def dump(workspace: Workspace) -> Iterator[str]:
    """The lines of a workspace, as it is at one moment. Consume them inside a transaction (see `snapshot`)."""
    now = Workspace.objects.get(pk=workspace.pk)
    yield _line(WORKSPACE, {"format": FORMAT} | _values(now, _columns(Workspace)))
    for model in sorted(_tables(), key=_label):
        rows = model._base_manager.filter(workspace=workspace).order_by("pk").iterator(chunk_size=CHUNK)
        columns = _columns(model)
        for row in rows:
            yield _line(_label(model), _values(row, columns))
    for piece in storing.pieces(now):
        yield _line(storing.LABEL, piece)


class Digest:
    """SHA-256 of a dump in any order of its lines, whatever the workspace is called; a line at a time."""

    def __init__(self) -> None:
        self._each: list[bytes] = []

    def add(self, line: str) -> None:
        self._each.append(hashlib.sha256(_nameless(line).encode()).digest())

    def __len__(self) -> int:
        return len(self._each)

    def __str__(self) -> str:
        return hashlib.sha256(b"".join(sorted(self._each))).hexdigest()


def digest(lines: Iterable[str]) -> str:
    """The digest of all these lines."""
    found = Digest()
    for line in lines:
        found.add(line)
    return str(found)


def heads(rows: Iterable[WorkspaceRow]) -> list[str]:
    """These rows as the database has them now, sorted, without the lock that counts their changes.

    What a verdict and its undoing touched must have equal heads before and after.
    """
    found: dict[Model, list[uuid.UUID]] = defaultdict(list)
    for row in rows:
        found[type(row)].append(row.pk)
    lines = []
    for model, ids in found.items():
        columns = [column for column in _columns(model) if column.name != "lock"]
        lines += [_line(_label(model), _values(row, columns)) for row in model._base_manager.filter(pk__in=ids)]
    return sorted(lines)


@contextmanager
def one_moment() -> Iterator[None]:
    """What is read within is as of one moment, whoever writes meanwhile."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost and connection.vendor == "postgresql":
            connection.cursor().execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def snapshot(workspace: Workspace) -> list[str]:
    """All lines of a workspace as of one moment."""
    with one_moment():
        return list(dump(workspace))


def restore(lines: Iterable[str], *, slug: str = "") -> Workspace:
    """Make the workspace that the lines describe, under another `slug` if given: all of it, or nothing.

    Raises Invalid with the number of a line that cannot be read, or where bytes are not whole, and Conflict
    `workspace_exists` when the workspace or the slug is there already.
    """
    with storing.Carried() as carried:
        described, rows = _read(lines, carried)
        with transaction.atomic():
            workspace = _restore_workspace(described, slug)
            _restore_rows(workspace, rows)
            carried.put(workspace)
            for rebuild in dict.fromkeys(_projections.values()):
                rebuild(workspace)
    return workspace


def _restore_rows(workspace: Workspace, rows: Mapping[Model, Sequence[tuple[int, dict[str, Any]]]]) -> None:
    completed: list[tuple[Model, list[WorkspaceRow]]] = []
    for model in in_order():
        made = [_row(model, workspace, number, fields) for number, fields in rows.get(model, ())]
        completed.append((model, made))
        _insert(model, _referred_first(model, made))
    for model, made in completed:
        _complete(model, made)


def in_order() -> list[Model]:
    """Every dumped table, each after those it refers to; where none does, in the order of the rooms' floors."""
    tables = sorted(_tables(), key=lambda model: (_floor(model), _label(model)))
    sorter: TopologicalSorter[Model] = TopologicalSorter({model: _referred_tables(model) for model in tables})
    sorter.prepare()
    ordered: list[Model] = []
    ready: list[Model] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()], key=tables.index)
        following = ready.pop(0)
        ordered.append(following)
        sorter.done(following)
    return ordered


def _tables() -> list[Model]:
    return [model for model in guarded_models() if model not in _projections]


def _label(model: type[models.Model]) -> str:
    return model._meta.label_lower


def _floor(model: Model) -> int:
    from django.apps import apps

    return [config.label for config in apps.get_app_configs()].index(model._meta.app_label)


def _referred_tables(model: Model) -> list[Model]:
    referred = {column.related_model for column in _references(model)}
    return [table for table in referred if isinstance(table, type) and table in _tables() and table is not model]


def _references(model: Model) -> list[models.ForeignKey[Any, Any]]:
    return [column for column in _columns(model) if isinstance(column, models.ForeignKey)]


def _columns(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    """What is dumped of a row: everything but its workspace, which is that of the dump."""
    return [column for column in model._meta.concrete_fields if column.name != "workspace"]


def _line(label: str, fields: dict[str, Any]) -> str:
    return json.dumps([label, fields], ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _nameless(line: str) -> str:
    if not line.lstrip().startswith(f'["{WORKSPACE}"'):
        return line.strip()
    label, fields = json.loads(line)
    return _line(label, fields | {"slug": "", "name": ""})


def _values(row: models.Model, columns: Sequence[models.Field[Any, Any]]) -> dict[str, Any]:
    return {column.name: _plain(column, row) for column in columns}


@cache
def _names_an_account(column: models.Field[Any, Any]) -> bool:
    return isinstance(column, models.ForeignKey) and column.related_model is get_user_model()


def _plain(column: models.Field[Any, Any], row: models.Model) -> Any:
    if _names_an_account(column):
        return getattr(row, column.name).get_username()
    value = getattr(row, column.attname)
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="microseconds")
    if isinstance(value, bytes | memoryview):
        return base64.b64encode(bytes(value)).decode()
    return str(value) if isinstance(value, uuid.UUID | dt.date) else value


def _read(
    lines: Iterable[str], carried: storing.Carried
) -> tuple[dict[str, Any], dict[Model, list[tuple[int, dict[str, Any]]]]]:
    tables = {_label(model): model for model in _tables()}
    described: dict[str, Any] | None = None
    rows: dict[Model, list[tuple[int, dict[str, Any]]]] = defaultdict(list)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        label, fields = _parsed(number, line)
        if label == WORKSPACE:
            described = fields
        elif label == storing.LABEL:
            _take(number, fields, carried)
        elif label in tables:
            rows[tables[label]].append((number, fields))
        else:
            raise _unreadable(number, f"There is no table “{label}”.")
    if described is None or described.pop("format", None) != FORMAT:
        raise Invalid.at("", "not_a_dump", "No line describes the workspace.", f"a dump of format {FORMAT}")
    return described, rows


def _take(number: int, fields: dict[str, Any], carried: storing.Carried) -> None:
    try:
        carried.take(fields)
    except (ValueError, TypeError, KeyError) as error:
        raise _unreadable(number, "This is no piece of stored bytes.") from error


def _parsed(number: int, line: str) -> tuple[str, dict[str, Any]]:
    try:
        label, fields = json.loads(line)
    except (ValueError, TypeError) as error:
        raise _unreadable(number, "This is not a line of a dump.") from error
    if not isinstance(label, str) or not isinstance(fields, dict):
        raise _unreadable(number, "This is not a line of a dump.")
    return label, fields


def _unreadable(number: int, message: str) -> Invalid:
    return Invalid.at(f"line {number}", "unreadable_line", f"Line {number}: {message}", "a line as `dump` writes it")


def _restore_workspace(described: dict[str, Any], slug: str) -> Workspace:
    workspace = Workspace(**_loaded(Workspace, 1, described))
    workspace.slug = slug or workspace.slug
    if Workspace.objects.filter(slug=workspace.slug).exists() or Workspace.objects.filter(pk=workspace.pk).exists():
        message = f"The workspace “{workspace.slug}” or its rows are in this database already."
        raise Conflict(message, code="workspace_exists")
    _insert(Workspace, [workspace])
    return workspace


def _row(model: Model, workspace: Workspace, number: int, fields: dict[str, Any]) -> WorkspaceRow:
    return model(workspace_id=workspace.pk, **_loaded(model, number, fields))


def _loaded(model: type[models.Model], number: int, fields: dict[str, Any]) -> dict[str, Any]:
    columns = {column.name: column for column in _columns(model)}
    if odd := columns.keys() ^ fields.keys():
        raise _unreadable(number, f"{_label(model)} has other columns than here: {', '.join(sorted(odd))}.")
    try:
        return {columns[name].attname: _value(columns[name], value) for name, value in fields.items()}
    except (ValueError, TypeError, ValidationError) as error:
        raise _unreadable(number, f"A value does not fit its column ({error}).") from error


def _value(column: models.Field[Any, Any], value: Any) -> Any:
    if value is None or isinstance(column, models.JSONField):
        return value
    if isinstance(column, models.ForeignKey):
        if column.related_model is get_user_model():
            return _account(value).pk
        return column.target_field.to_python(value)
    if isinstance(column, models.BinaryField):
        return base64.b64decode(value)
    return column.to_python(value)


def _account(username: str) -> models.Model:
    users: Any = get_user_model()
    found = users.objects.filter(username=username).first()
    return found or users.objects.create_user(username, is_active=False)  # type: ignore[no-any-return]


def _referred_first(model: Model, rows: list[WorkspaceRow]) -> list[WorkspaceRow]:
    """Rows in an order in which a row of this table comes after those of the same table that it refers to."""
    to_itself = [column.attname for column in _references(model) if column.related_model is model]
    if not to_itself:
        return rows
    by_id = {row.pk: row for row in rows}
    sorter = TopologicalSorter(
        {row.pk: [getattr(row, name) for name in to_itself if getattr(row, name) in by_id] for row in rows}
    )
    return [by_id[row_id] for row_id in sorter.static_order()]


def _insert(model: type[models.Model], rows: Sequence[models.Model]) -> None:
    """Insert rows exactly as they are: no value is made anew, also not a time of creation. A row that must be born
    with a certain value is inserted with it and completed later."""
    columns = list(model._meta.concrete_fields)
    born = model.guard.born if issubclass(model, WorkspaceRow) else {}
    size = max(1, min(CHUNK, connection.ops.bulk_batch_size(columns, list(rows))))
    for start in range(0, len(rows), size):
        part = list(rows[start : start + size])
        kept = [{name: getattr(row, name) for name in born} for row in part]
        for row in part:
            for name, value in born.items():
                setattr(row, name, value)
        query = InsertQuery(model)
        query.insert_values(columns, part, raw=True)
        query.get_compiler(connection=connection).execute_sql()
        for row, values in zip(part, kept, strict=True):
            for name, value in values.items():
                setattr(row, name, value)


def _complete(model: Model, rows: Iterable[WorkspaceRow]) -> None:
    """Bring rows that were inserted as they must be born to what they had become."""
    born = model.guard.born
    for row in rows if born else ():
        if any(getattr(row, name) != value for name, value in born.items()):
            model._base_manager.filter(pk=row.pk).update(**{name: getattr(row, name) for name in born})
